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
import { INLINE_PIXEL, PIXEL_BASE64 } from '../../shared/testing/image-samples.ts';
import { falImages } from './index.ts';
import { FAL_MODELS, falModel } from './models.ts';

const FLUX = 'fal-ai/flux/dev';
const PIXEL = `data:image/png;base64,${PIXEL_BASE64}`;
const IMAGE = { url: 'https://v3.fal.media/files/a/b.png', content_type: 'image/png', width: 1024, height: 768 };

describe('a request', () => {
  test('goes to the endpoint named by the model id', async () => {
    expect(await sentOver(falImages, FLUX, { seed: 3, count: 2, options: { guidance_scale: 4 } })).toEqual({
      body: { prompt: 'a fox in the snow', num_images: 2, seed: 3, guidance_scale: 4 },
      files: {},
      suffix: '/fal-ai/flux/dev',
      headers: {},
      lost: [],
    });
  });

  test('for an edit goes to the edit endpoint, with as many images as it takes', async () => {
    const edit = { kind: 'edit', images: [INLINE_PIXEL] } as const;
    expect(await sentOver(falImages, FLUX, edit)).toMatchObject({
      body: { image_url: PIXEL },
      suffix: '/fal-ai/flux/dev/image-to-image',
    });
    expect(await sentOver(falImages, FLUX, { ...edit, images: [INLINE_PIXEL, INLINE_PIXEL] })).toBe('400 image_url');
    const url = { kind: 'url', url: 'https://example.com/a.png' } as const;
    const two = { ...edit, images: [INLINE_PIXEL, url] };
    expect(await sentOver(falImages, 'fal-ai/nano-banana-pro', two)).toMatchObject({
      body: { image_urls: [PIXEL, url.url] },
      suffix: '/fal-ai/nano-banana-pro/edit',
    });
    expect(await sentOver(falImages, 'fal-ai/flux/schnell', edit)).toBe('400 image_url');
  });

  test('without an image goes elsewhere if the model id is the edit endpoint', async () => {
    const edit = { kind: 'edit', images: [INLINE_PIXEL] } as const;
    expect(await sentOver(falImages, 'fal-ai/flux-pro/kontext', edit)).toMatchObject({
      suffix: '/fal-ai/flux-pro/kontext',
    });
    expect(await sentOver(falImages, 'fal-ai/flux-pro/kontext')).toMatchObject({
      suffix: '/fal-ai/flux-pro/kontext/text-to-image',
    });
  });

  test('has pixels or a ratio, as the model requires', async () => {
    const size = { size: { width: 1920, height: 1080 } };
    expect(await sentOver(falImages, FLUX, size)).toMatchObject({
      body: { image_size: { width: 1920, height: 1080 } },
      lost: [],
    });
    expect(await sentOver(falImages, FLUX, { aspectRatio: '16:9' })).toMatchObject({
      body: { image_size: { width: 1360, height: 768 } },
    });
    const both = { ...size, aspectRatio: '1:1' };
    expect(await sentOver(falImages, FLUX, both)).toMatchObject({ lost: ['aspect_ratio'] });
    expect(await sentOver(falImages, 'fal-ai/nano-banana-pro', size)).toMatchObject({
      body: { aspect_ratio: '16:9' },
      lost: ['size'],
    });
  });

  test('to an unknown model has what most models take', async () => {
    expect(await sentOver(falImages, 'someone/new-model', { count: 3 })).toMatchObject({ body: { num_images: 3 } });
    const two = { kind: 'edit', images: [INLINE_PIXEL, INLINE_PIXEL] } as const;
    expect(await sentOver(falImages, 'someone/new-model/edit', two)).toMatchObject({
      body: { image_urls: [PIXEL, PIXEL] },
      suffix: '/someone/new-model/edit',
    });
  });

  test('cannot leave the path of the model', async () => {
    expect(await sentOver(falImages, 'a b/c?d=e')).toMatchObject({ suffix: '/a%20b/c%3Fd%3De' });
  });

  test.each(FAL_MODELS)('to %s carries, loses or refuses each pair of members', async (id) => {
    const refused = ['image_url', 'output_format', 'background'];
    expect(await unaccounted(falImages, id, refused, ({ body }) => Object.keys(body))).toEqual([]);
    const { mostImages } = falModel(id);
    expect(await sentOver(falImages, id, { count: mostImages })).toMatchObject({
      body: mostImages === 1 ? { prompt: 'a fox in the snow' } : { num_images: mostImages },
    });
  });
});

describe('the queue', () => {
  const id = '80e732af-660e-45cd-bd63-580e4f2a94cc';
  const job = {
    request_id: id,
    response_url: `https://queue.fal.run/fal-ai/flux/requests/${id}`,
    status_url: `https://queue.fal.run/fal-ai/flux/requests/${id}/status`,
    cancel_url: `https://queue.fal.run/fal-ai/flux/requests/${id}/cancel`,
  };
  const status = (afterMs: number) => ({
    ...{ method: 'GET', url: `/fal-ai/flux/requests/${id}/status`, afterMs, body: null },
  });

  test('is polled for the status, then for the result, at URLs without the path of the model', () => {
    expect(nextOver(falImages, job, FLUX)).toEqual(status(500) as never);
    expect(nextOver(falImages, { status: 'IN_QUEUE', queue_position: 2, ...job }, FLUX)).toEqual(status(500) as never);
    const { request_id: _, ...older } = job;
    expect(nextOver(falImages, { status: 'IN_PROGRESS', logs: [], ...older }, FLUX)).toEqual(status(500) as never);
    expect(nextOver(falImages, { status: 'COMPLETED', ...job }, FLUX)).toEqual({
      ...{ method: 'GET', url: `/fal-ai/flux/requests/${id}`, afterMs: 0, body: null },
    } as never);
    expect(nextOver(falImages, { images: [IMAGE] }, FLUX)).toBeNull();
  });

  test('reports a failed runner at once, and a client error with the result', () => {
    const completed = { ...job, status: 'COMPLETED', error: 'Request timed out' };
    expect(nextOver(falImages, { ...completed, error_type: 'request_timeout' }, FLUX)).toMatchObject({
      ...{ kind: 'job_failed', side: 'upstream', retry: 'other-target' },
    });
    expect(nextOver(falImages, { ...completed, error_type: 'bad_request' }, FLUX)).toMatchObject({ afterMs: 0 });
    expect(nextOver(falImages, completed, FLUX)).toMatchObject({ afterMs: 0 });
  });

  test('of a workflow keeps its prefix', () => {
    expect(nextOver(falImages, job, 'workflows/owner/app/path')).toMatchObject({
      url: `/workflows/owner/app/requests/${id}/status`,
    });
  });

  test('is never polled at a URL from the upstream', () => {
    const lie = { ...job, request_id: undefined, response_url: 'https://evil.example/x/requests/abc?y' };
    expect(nextOver(falImages, { ...lie, status: 'COMPLETED' }, FLUX)).toMatchObject({
      url: '/fal-ai/flux/requests/abc',
    });
    for (const request_id of ['../../keys', '', 'a/b', 7, {}, 'x'.repeat(101)]) {
      expect(nextOver(falImages, { ...job, request_id }, FLUX)).toMatchObject({ kind: 'garbage', side: 'upstream' });
    }
  });

  test.each(['FAILED', 'CANCELED', 'constructor', 5, {}])('in the unknown state %p has failed', (state) => {
    const failure = nextOver(falImages, { ...job, status: state }, FLUX);
    expect(failure).toMatchObject({ kind: 'garbage', side: 'upstream', retry: 'other-target' });
  });
});

describe('a response', () => {
  test('has images with their type, and their size if all have the same', () => {
    expect(answeredOver(falImages, { images: [IMAGE], seed: 1, has_nsfw_concepts: [false] })).toMatchObject({
      images: [{ url: IMAGE.url, mediaType: 'image/png', revisedPrompt: null }],
      size: '1024x768',
    });
    expect(answeredOver(falImages, { images: [IMAGE, { ...IMAGE, width: 5 }] })).toMatchObject({ size: null });
    expect(answeredOver(falImages, { image: { url: PIXEL } })).toMatchObject({
      images: [{ base64: PIXEL_BASE64, mediaType: 'image/png' }],
      size: null,
    });
  });

  test('excludes images that the safety checker blacked out', () => {
    const other = { ...IMAGE, url: 'https://v3.fal.media/files/c.png' };
    const answer = { images: [IMAGE, other], has_nsfw_concepts: [true, false] };
    const read = answeredOver(falImages, answer);
    expect(read).toMatchObject({ images: [{ url: other.url }] });
    expect(answeredOver(falImages, { ...answer, has_nsfw_concepts: [true, true] })).toMatchObject({
      ...{ status: 400, side: 'client', retry: 'never' },
      details: { publicCode: 'content_policy_violation' },
    });
  });

  test('with a wrong type anywhere is not a success', () => {
    for (const value of WRONG_VALUES) {
      for (const answer of [value, { images: value }, { images: [value] }, { images: [{ ...IMAGE, url: value }] }]) {
        expect(answeredOver(falImages, answer)).toBeInstanceOf(Failure);
      }
      const odd = { images: [{ ...IMAGE, width: value, content_type: value }], has_nsfw_concepts: value };
      expect(answeredOver(falImages, odd)).toMatchObject({ images: [{ url: IMAGE.url, mediaType: null }], size: null });
    }
  });
});

describe('a refusal', () => {
  const refusal = (type: string, loc: readonly string[], msg = 'Not so.') => ({ detail: [{ loc, msg, type }] });

  test('by the content policy is a client error, with OpenAI’s code', () => {
    const failure = failedOver(falImages, 422, refusal('content_policy_violation', ['body', 'prompt']));
    expect(failure).toMatchObject({ status: 400, side: 'client', retry: 'never', message: 'Not so.' });
    expect(failure.details).toMatchObject({ param: 'prompt', publicCode: 'content_policy_violation' });
  });

  test.each([
    ['image_load_error', ['body', 'image_urls', '0'], 'image'],
    ['file_download_error', ['body'], 'image'],
    ['greater_than', ['body', 'image_size', 'width'], 'size'],
    ['less_than_equal', ['body', 'num_images'], 'n'],
    ['string_too_long', ['body', 'prompt'], 'prompt'],
  ])('%s names the client’s field', (type, loc, param) => {
    const failure = failedOver(falImages, 422, refusal(type, loc));
    expect(failure).toMatchObject({ status: 400, side: 'client', details: { param } });
  });

  test('of the key, or a failure of the provider, is not a client error', () => {
    expect(failedOver(falImages, 401, { detail: 'No user found for Key ID and Secret' })).toMatchObject({
      ...{ side: 'upstream', kind: 'upstream_auth' },
    });
    expect(failedOver(falImages, 500, { detail: 'Internal Server Error' })).toMatchObject({ side: 'upstream' });
    expect(failedOver(falImages, 504, { detail: 'Request timed out' })).toMatchObject({ code: 'timeout_error' });
    for (const value of WRONG_VALUES) {
      expect(failedOver(falImages, 422, value)).toMatchObject({ side: 'client', status: 400 });
      expect(failedOver(falImages, 422, { detail: value })).toMatchObject({ side: 'client', status: 400 });
    }
  });
});
