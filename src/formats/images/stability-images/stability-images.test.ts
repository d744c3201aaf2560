import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { answeredOver, failedOver, sentOver, unaccounted, WRONG_VALUES } from '../../shared/testing/image-exchange.ts';
import { INLINE_PIXEL, MASK_PIXEL, PIXEL_BASE64 } from '../../shared/testing/image-samples.ts';
import { stabilityImages } from './index.ts';

const EDIT = { kind: 'edit', images: [INLINE_PIXEL] } as const;
const PNG = 'image.png image/png 69';

describe('is a form for the endpoint of the model', () => {
  test('is a form at the endpoint of the model', async () => {
    const asked = { seed: 3, fileFormat: 'webp', aspectRatio: '16:9', style: 'anime' } as const;
    const sent = await sentOver(stabilityImages, 'stable-image-core', { ...asked, options: { cfg_scale: 4 } });
    expect(sent).toMatchObject({
      body: {
        ...{ prompt: 'a fox in the snow', aspect_ratio: '16:9', seed: '3', style_preset: 'anime' },
        ...{ output_format: 'webp', cfg_scale: '4' },
      },
      ...{ files: {}, suffix: '/generate/core', lost: [] },
    });
    expect(typeof sent !== 'string' && sent.headers['content-type']).toStartWith('multipart/form-data; boundary=');
  });

  test('names the model if several share an endpoint', async () => {
    expect(await sentOver(stabilityImages, 'sd3.5-medium')).toMatchObject({
      body: { prompt: 'a fox in the snow', model: 'sd3.5-medium', mode: 'text-to-image' },
      suffix: '/generate/sd3',
    });
    expect(await sentOver(stabilityImages, 'sd3.5-medium', { ...EDIT, aspectRatio: '1:1' })).toMatchObject({
      body: { mode: 'image-to-image', strength: '0.7' },
      files: { image: [PNG] },
      lost: ['aspect_ratio'],
    });
  });

  test('has the requested strength', async () => {
    const asked = { ...EDIT, options: { strength: 0.2 } };
    expect(await sentOver(stabilityImages, 'stable-image-ultra', asked)).toMatchObject({
      body: { prompt: 'a fox in the snow', strength: '0.2' },
      suffix: '/generate/ultra',
    });
  });

  test('has a mask in which white is filled', async () => {
    expect(await sentOver(stabilityImages, 'stable-image-inpaint', { ...EDIT, mask: MASK_PIXEL })).toMatchObject({
      files: { image: [PNG], mask: [expect.stringContaining('mask.png image/png')] },
      suffix: '/edit/inpaint',
    });
    expect(await sentOver(stabilityImages, 'stable-image-inpaint', { ...EDIT, mask: INLINE_PIXEL })).toBe('400 mask');
    expect(await sentOver(stabilityImages, 'stable-image-inpaint')).toBe('400 image');
    expect(await sentOver(stabilityImages, 'stable-image-ultra', { ...EDIT, mask: MASK_PIXEL })).toBe('400 mask');
    expect(await sentOver(stabilityImages, 'stable-image-core', EDIT)).toBe('400 image_url');
  });

  test('has no option that replaces a part', async () => {
    const asked = { ...EDIT, options: { image: 'x' } };
    expect(await sentOver(stabilityImages, 'stable-image-ultra', asked)).toBe('400 provider_options.image');
  });

  test.each(['stable-image-ultra', 'stable-image-core', 'stable-image-inpaint', 'sd3.5-large'])(
    'to %s carries, loses or refuses each pair of members',
    async (model) => {
      const refused = ['image_url', 'image', 'output_format', 'background'];
      expect(await unaccounted(stabilityImages, model, refused, ({ body }) => Object.keys(body))).toEqual([]);
    },
  );
});

describe('a response', () => {
  test('has one image', () => {
    const answer = { image: PIXEL_BASE64, finish_reason: 'SUCCESS', seed: 343940597 };
    expect(answeredOver(stabilityImages, answer)).toMatchObject({
      images: [{ base64: PIXEL_BASE64, mediaType: 'image/png' }],
      fileFormat: 'png',
    });
    expect(answeredOver(stabilityImages, answer, 'sd3.5-large', { fileFormat: 'jpeg' })).toMatchObject({
      images: [{ mediaType: 'image/jpeg' }],
    });
  });

  test('that the filter blurred is refused', () => {
    const answer = { image: PIXEL_BASE64, finish_reason: 'CONTENT_FILTERED', seed: 1 };
    expect(answeredOver(stabilityImages, answer)).toMatchObject({
      ...{ side: 'client', status: 400, retry: 'never' },
      details: { publicCode: 'content_policy_violation' },
    });
  });

  test('with a wrong type anywhere is not a success', () => {
    for (const value of WRONG_VALUES) {
      const answers = [
        value,
        { image: PIXEL_BASE64, finish_reason: value },
        { image: value, finish_reason: 'SUCCESS' },
      ];
      for (const answer of answers) expect(answeredOver(stabilityImages, answer)).toBeInstanceOf(Failure);
    }
  });
});

describe('a refusal', () => {
  const refusal = (name: string, ...errors: readonly unknown[]) => ({ id: 'a', name, errors });

  test('by the filter is a client error', () => {
    const failure = failedOver(stabilityImages, 403, refusal('content_moderation', 'Your request was flagged.'));
    expect(failure).toMatchObject({ status: 400, side: 'client', message: 'Your request was flagged.' });
    expect(failure.details.publicCode).toBe('content_policy_violation');
  });

  test.each([
    ['prompt: must not be empty', 'prompt'],
    ['image: must be at least 64 pixels', 'image'],
    ['style_preset: is none', 'style'],
    ['strength: is required', 'provider_options.strength'],
    ['constructor: is odd', undefined],
    ['something went wrong', undefined],
  ])('saying %p names %p', (said, param) => {
    const failure = failedOver(stabilityImages, 400, refusal('bad_request', said));
    expect(failure).toMatchObject({ side: 'client', status: 400 });
    expect(failure.details.param).toBe(param as never);
  });

  test("of the key, or for missing credits, is the channel's", () => {
    expect(failedOver(stabilityImages, 401, refusal('unauthorized', 'missing or invalid key'))).toMatchObject({
      kind: 'upstream_auth',
    });
    expect(failedOver(stabilityImages, 402, refusal('payment_required', 'no credits'))).toMatchObject({
      kind: 'upstream_quota',
    });
    for (const value of WRONG_VALUES) {
      expect(failedOver(stabilityImages, 400, { name: value, errors: value })).toMatchObject({ side: 'client' });
    }
  });
});
