import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { answeredOver, failedOver, sentOver, unaccounted, WRONG_VALUES } from '../../shared/testing/image-exchange.ts';
import { INLINE_PIXEL, MASK_PIXEL, PIXEL_BASE64 } from '../../shared/testing/image-samples.ts';
import { recraftImages } from './index.ts';

const EDIT = { kind: 'edit', images: [INLINE_PIXEL] } as const;
const PIXEL = `data:image/png;base64,${PIXEL_BASE64}`;

describe('a request', () => {
  test("is OpenAI’s plus Recraft's own members", async () => {
    const asked = {
      count: 2,
      seed: 5,
      style: 'Hard flash',
      negativePrompt: 'fog',
      responseFormat: 'b64_json',
    } as const;
    const options = { controls: { colors: [{ rgb: [0, 255, 0] }] } };
    const size = { size: { width: 1820, height: 1024 }, fileFormat: 'webp' } as const;
    expect(await sentOver(recraftImages, 'recraftv3', { ...asked, ...size, options })).toEqual({
      body: {
        ...{ prompt: 'a fox in the snow', model: 'recraftv3', n: 2, size: '1820x1024', style: 'Hard flash' },
        ...{ negative_prompt: 'fog', random_seed: 5, response_format: 'b64_json', image_format: 'webp', ...options },
      },
      ...{ files: {}, suffix: '/images/generations', headers: {}, lost: [] },
    });
  });

  test("has the sizes of the model's generation, and ratios for drawings", async () => {
    const size = { size: { width: 1000, height: 1000 } };
    expect(await sentOver(recraftImages, 'recraftv4_1', size)).toMatchObject({
      body: { size: '1024x1024' },
      lost: ['size'],
    });
    expect(await sentOver(recraftImages, 'recraftv4_1_pro', size)).toMatchObject({ body: { size: '2048x2048' } });
    expect(await sentOver(recraftImages, 'recraftv4_1', { aspectRatio: '16:9' })).toMatchObject({
      ...{ body: { size: '16:9' }, lost: [] },
    });
    const drawing = await sentOver(recraftImages, 'recraftv3_vector', { ...size, fileFormat: 'svg' });
    expect(drawing).toMatchObject({ body: { size: '1:1' }, lost: ['size'] });
    expect(await sentOver(recraftImages, 'recraftv3_vector', { fileFormat: 'png' })).toBe('400 output_format');
  });

  test('has no OpenAI style, and none for a model without styles', async () => {
    expect(await sentOver(recraftImages, 'recraftv3', { style: 'vivid' })).toMatchObject({ lost: ['style'] });
    expect(await sentOver(recraftImages, 'recraftv4', { style: 'Hard flash' })).toMatchObject({ lost: ['style'] });
  });

  test('with an image modifies it, and with a mask fills white', async () => {
    expect(await sentOver(recraftImages, 'recraftv4_1', EDIT)).toMatchObject({
      body: { image_url: PIXEL, strength: 0.5 },
      suffix: '/images/imageToImage',
    });
    const strength = { ...EDIT, options: { strength: 0.2 } };
    expect(await sentOver(recraftImages, 'recraftv3', strength)).toMatchObject({ body: { strength: 0.2 } });
    expect(await sentOver(recraftImages, 'recraftv3', { ...EDIT, mask: MASK_PIXEL })).toMatchObject({
      body: { image_url: PIXEL, mask_url: expect.stringMatching(/^data:image\/png;base64,/) },
      suffix: '/images/inpaint',
    });
    expect(await sentOver(recraftImages, 'recraftv3', { ...EDIT, mask: INLINE_PIXEL })).toBe('400 mask');
    expect(await sentOver(recraftImages, 'recraftv4_1', { ...EDIT, mask: MASK_PIXEL })).toBe('400 mask');
    expect(await sentOver(recraftImages, 'recraftv4_1_flash', EDIT)).toBe('400 image_url');
  });

  test.each(['recraftv2', 'recraftv3', 'recraftv3_vector', 'recraftv4_1_pro', 'recraftv4_1_flash'])(
    'to %s carries, loses or refuses each pair of members',
    async (model) => {
      const refused = ['image_url', 'output_format', 'background'];
      const names: Readonly<Record<string, string>> = { random_seed: 'seed', image_format: 'output_format' };
      const carried = ({ body }: { readonly body: object }) => Object.keys(body).map((name) => names[name] ?? name);
      expect(await unaccounted(recraftImages, model, refused, carried)).toEqual([]);
    },
  );
});

describe('a response', () => {
  const answer = { created: 1_700_000_000, credits: 40, data: [{ image_id: 'a', url: 'https://img.recraft.ai/a' }] };

  test('has images by URL or inline, and the media type of drawings', () => {
    expect(answeredOver(recraftImages, answer, 'recraftv3')).toMatchObject({
      images: [{ url: 'https://img.recraft.ai/a', mediaType: null }],
      ...{ created: 1_700_000_000, fileFormat: null },
    });
    expect(answeredOver(recraftImages, answer, 'recraftv3_vector')).toMatchObject({
      images: [{ mediaType: 'image/svg+xml' }],
      fileFormat: 'svg',
    });
    expect(
      answeredOver(recraftImages, { data: [{ b64_json: PIXEL_BASE64 }] }, 'recraftv3', { fileFormat: 'png' }),
    ).toMatchObject({
      images: [{ base64: PIXEL_BASE64, mediaType: 'image/png' }],
    });
  });

  test('with a wrong type anywhere is not a success', () => {
    for (const value of WRONG_VALUES) {
      for (const wrong of [value, { data: value }, { data: [value] }, { data: [{ url: value }] }]) {
        expect(answeredOver(recraftImages, wrong)).toBeInstanceOf(Failure);
      }
    }
  });
});

test('a refusal of the request is a client error, with OpenAI’s code for a filter', () => {
  expect(failedOver(recraftImages, 400, { code: 'invalid_request_parameter', message: 'invalid size' })).toMatchObject({
    ...{ side: 'client', message: 'invalid size', details: { publicCode: 'invalid_request_parameter' } },
  });
  for (const status of [400, 403]) {
    const failure = failedOver(recraftImages, status, { code: 'x', message: 'Prompt did not pass moderation.' });
    expect(failure).toMatchObject({ side: 'client', details: { publicCode: 'content_policy_violation' } });
  }
  expect(failedOver(recraftImages, 401, { code: 'unauthorized', message: 'Unauthorized.' })).toMatchObject({
    kind: 'upstream_auth',
  });
  for (const value of WRONG_VALUES) {
    expect(failedOver(recraftImages, 400, { code: value, message: value })).toMatchObject({ side: 'client' });
  }
});
