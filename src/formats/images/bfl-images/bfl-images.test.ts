import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import {
  answeredOver,
  failedOver,
  nextOver,
  sentOver,
  unaccounted,
  WRONG_VALUES,
} from '../../shared/testing/image-exchange.ts';
import { INLINE_PIXEL, MASK_PIXEL, PIXEL_BASE64 } from '../../shared/testing/image-samples.ts';
import { bflImages } from './index.ts';

const EDIT = { kind: 'edit', images: [INLINE_PIXEL] } as const;

describe('a request', () => {
  test('goes to the endpoint of the model', async () => {
    const asked = { seed: 42, size: { width: 1024, height: 768 }, fileFormat: 'png' } as const;
    expect(await sentOver(bflImages, 'flux-2-pro', { ...asked, options: { safety_tolerance: 2 } })).toEqual({
      body: {
        ...{ prompt: 'a fox in the snow', width: 1024, height: 768, seed: 42 },
        ...{ output_format: 'png', safety_tolerance: 2 },
      },
      ...{ files: {}, suffix: '/flux-2-pro', headers: {}, lost: [] },
    });
  });

  test('has pixels in the steps of the model', async () => {
    const size = { size: { width: 1000, height: 3000 } };
    expect(await sentOver(bflImages, 'flux-pro-1.1', size)).toMatchObject({
      body: { width: 992, height: 1440 },
      lost: ['size'],
    });
    expect(await sentOver(bflImages, 'flux-2-max', { aspectRatio: '16:9' })).toMatchObject({
      body: { width: 1360, height: 768 },
      lost: [],
    });
    const both = { size: { width: 512, height: 512 }, aspectRatio: '1:1' };
    expect(await sentOver(bflImages, 'flux-2-max', both)).toMatchObject({ lost: ['aspect_ratio'] });
  });

  test('has any ratio within the limits', async () => {
    const ratio = async (asked: object, model = 'flux-kontext-pro') => {
      const sent = await sentOver(bflImages, model, asked);
      return typeof sent === 'string' ? sent : [sent.body.aspect_ratio, sent.lost];
    };
    expect(await ratio({ aspectRatio: '7:5' })).toEqual(['7:5', []]);
    expect(await ratio({ aspectRatio: '5:1' })).toEqual(['21:9', ['aspect_ratio']]);
    expect(await ratio({ aspectRatio: '1:5' }, 'flux-pro-1.1-ultra')).toEqual(['9:21', ['aspect_ratio']]);
    expect(await ratio({ size: { width: 1920, height: 1080 } })).toEqual(['16:9', ['size']]);
    expect(await ratio({ size: { width: 100, height: 3 }, aspectRatio: '1:1' })).toEqual([
      '21:9',
      ['aspect_ratio', 'size'],
    ]);
  });

  test('has images in order, as base64 or URL', async () => {
    const url = { kind: 'url', url: 'https://example.com/b.png' } as const;
    expect(await sentOver(bflImages, 'flux-2-pro', { ...EDIT, images: [INLINE_PIXEL, url] })).toMatchObject({
      body: { input_image: PIXEL_BASE64, input_image_2: url.url },
    });
    const five = { ...EDIT, images: new Array(5).fill(INLINE_PIXEL) };
    expect(await sentOver(bflImages, 'flux-2-klein-4b', five)).toBe('400 image_url');
    expect(await sentOver(bflImages, 'flux-pro-1.1', EDIT)).toBe('400 image_url');
  });

  test('with a mask has white where the image is filled', async () => {
    expect(await sentOver(bflImages, 'flux-pro-1.0-fill', { ...EDIT, mask: MASK_PIXEL })).toMatchObject({
      body: { image: PIXEL_BASE64, mask: expect.stringMatching(/^iVBORw0KGgo/) },
    });
    expect(await sentOver(bflImages, 'flux-pro-1.0-fill')).toBe('400 image');
    expect(await sentOver(bflImages, 'flux-2-pro', { ...EDIT, mask: MASK_PIXEL })).toBe('400 mask');
  });

  test.each(['flux-2-pro', 'flux-kontext-max', 'flux-pro-1.1', 'flux-pro-1.1-ultra', 'flux-pro-1.0-fill'])(
    'to %s carries, loses or refuses each pair of members',
    async (model) => {
      const refused = ['image_url', 'image', 'output_format', 'background'];
      expect(await unaccounted(bflImages, model, refused, ({ body }) => Object.keys(body))).toEqual([]);
    },
  );
});

describe('a job', () => {
  const url = 'https://api.eu1.bfl.ai/v1/get_result?id=abc-1';

  test('is polled at the URL of the first response, and then again there', () => {
    expect(nextOver(bflImages, { id: 'abc-1', polling_url: url, cost: 3 })).toEqual({
      ...{ method: 'GET', url, afterMs: 500, body: null },
    } as never);
    for (const status of ['Pending', 'Queued', 'Processing', 'Reasoning', 'Generating']) {
      expect(nextOver(bflImages, { id: 'abc-1', status, result: null, progress: 0.5 })).toEqual({
        ...{ method: 'GET', url: null, afterMs: 500, body: null },
      } as never);
    }
    expect(nextOver(bflImages, { id: 'abc-1', status: 'Ready', result: { sample: 'x' }, polling_url: url })).toBeNull();
  });

  test('is polled by its id without a URL', () => {
    expect(nextOver(bflImages, { id: 'abc-1' })).toMatchObject({ url: '/get_result?id=abc-1' });
    for (const id of ['a/../b', 'a&b=c', '', 7, null]) {
      expect(nextOver(bflImages, { id })).toMatchObject({ kind: 'garbage' });
    }
  });

  test.each(['Request Moderated', 'Content Moderated'])('that is “%s” is a client error', (status) => {
    const details = { 'Moderation Reasons': ['Derivative Works Filter', 5] };
    const failure = nextOver(bflImages, { id: 'a', status, details });
    expect(failure).toMatchObject({ side: 'client', status: 400, retry: 'never' });
    expect(failure instanceof Failure && failure.details.publicCode).toBe('content_policy_violation');
    expect(failure instanceof Failure && failure.message).toContain('(Derivative Works Filter)');
    for (const value of WRONG_VALUES) {
      const odd = { id: 'a', status, details: { 'Moderation Reasons': value } };
      expect(nextOver(bflImages, odd)).toMatchObject({ side: 'client' });
      expect(nextOver(bflImages, { id: 'a', status, details: value })).toMatchObject({ side: 'client' });
    }
  });

  test.each(['Error', 'Task not found'])('that is “%s” may be tried elsewhere', (status) => {
    for (const details of [...WRONG_VALUES, { error: 'out of memory' }]) {
      expect(nextOver(bflImages, { id: 'a', status, details })).toMatchObject({
        ...{ kind: 'job_failed', side: 'upstream', retry: 'other-target' },
      });
    }
  });

  test('in an unknown state has failed', () => {
    for (const status of [...WRONG_VALUES, 'Done', 'constructor']) {
      expect(nextOver(bflImages, { id: 'a', status, polling_url: url })).toMatchObject({ kind: 'garbage' });
    }
    for (const value of WRONG_VALUES) expect(nextOver(bflImages, value)).toBeInstanceOf(Failure);
  });
});

describe('a response', () => {
  const sample = 'https://delivery-eu1.bfl.ai/results/a.jpeg?sig=x';

  test('has one image by URL, and the prompt if it was changed', () => {
    const answer = { id: 'a', status: 'Ready', result: { sample, prompt: 'a red fox in the snow', seed: 1 } };
    expect(answeredOver(bflImages, answer)).toMatchObject({
      images: [{ url: sample, mediaType: 'image/jpeg', revisedPrompt: 'a red fox in the snow' }],
      fileFormat: 'jpeg',
    });
    const same = { ...answer, result: { sample, prompt: 'a fox in the snow' } };
    expect(answeredOver(bflImages, same, 'flux-2-pro', { fileFormat: 'png' })).toMatchObject({
      images: [{ mediaType: 'image/png', revisedPrompt: null }],
    });
  });

  test('with a wrong type anywhere is not a success', () => {
    for (const value of WRONG_VALUES) {
      const answers = [value, { status: 'Ready', result: value }, { status: 'Ready', result: { sample: value } }];
      for (const answer of [...answers, { status: value, result: { sample } }]) {
        expect(answeredOver(bflImages, answer)).toBeInstanceOf(Failure);
      }
    }
  });
});

test('a refusal names the client’s field', () => {
  const detail = (name: string) => ({ detail: [{ loc: ['body', name], msg: 'Input should be less', type: 'x' }] });
  expect(failedOver(bflImages, 422, detail('width')).details.param).toBe('size');
  expect(failedOver(bflImages, 422, detail('input_image_2')).details.param).toBe('image');
  expect(failedOver(bflImages, 422, detail('prompt')).details.param).toBe('prompt');
  expect(failedOver(bflImages, 403, { detail: 'Not authenticated - Invalid Authentication' })).toMatchObject({
    side: 'upstream',
  });
  expect(failedOver(bflImages, 402, { detail: 'Insufficient credits' })).toMatchObject({ kind: 'upstream_quota' });
});
