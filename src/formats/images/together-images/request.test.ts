import { expect, test } from 'bun:test';
import type { ImageRequest } from '../../../domain/images/images.ts';
import { ALL_KNOBS, INLINE_PIXEL, PIXEL_URI, PLAIN_IMAGE, sentAsJson } from '../../shared/testing/image-samples.ts';
import { togetherImages } from './index.ts';

const { encodeRequest } = togetherImages;

const FLUX = 'black-forest-labs/FLUX.2-pro';
const sent = (asked: Partial<ImageRequest>, upstreamModel = FLUX) =>
  sentAsJson(encodeRequest({ ...PLAIN_IMAGE, ...asked }, { upstreamModel }));
const plain = { model: FLUX, prompt: PLAIN_IMAGE.prompt };
const edit = { kind: 'edit', endpoint: 'edits' } as const;

test("a request has only the client's fields", async () => {
  expect(await sent({})).toEqual({ body: plain, lost: [], suffix: undefined });
});

test('every member is mapped', async () => {
  const asked = {
    count: 4,
    size: { width: 1024, height: 768 },
    seed: 3,
    fileFormat: 'png',
    responseFormat: 'b64_json',
    options: { steps: 4, image_loras: [{ path: 'x', scale: 1 }] },
  } as const;
  expect(await sent(asked)).toEqual({
    body: {
      ...{ ...plain, n: 4, width: 1024, height: 768, seed: 3, output_format: 'png' },
      ...{ response_format: 'base64', steps: 4, image_loras: [{ path: 'x', scale: 1 }] },
    },
    lost: [],
    suffix: undefined,
  });
  expect(await sent({ responseFormat: 'url' })).toMatchObject({ body: { response_format: 'url' } });
});

test('sizes are rounded, ratios become sizes', async () => {
  expect(await sent({ size: { width: 1000, height: 700 } })).toMatchObject({
    body: { width: 1008, height: 704 },
    lost: ['size approximated'],
  });
  expect(await sent({ aspectRatio: '1:1' })).toMatchObject({ body: { width: 1024, height: 1024 }, lost: [] });
  expect(await sent({ aspectRatio: '16:9' })).toMatchObject({ lost: ['aspect_ratio approximated'] });
});

test("images go to the model's own member", async () => {
  expect(await sent({ ...edit, images: [INLINE_PIXEL, { kind: 'url', url: 'https://a.example/b' }] })).toMatchObject({
    body: { reference_images: [PIXEL_URI, 'https://a.example/b'] },
  });
  const kontext = 'black-forest-labs/FLUX.1-kontext-pro';
  expect(await sent({ ...edit, images: [INLINE_PIXEL] }, kontext)).toMatchObject({ body: { image_url: PIXEL_URI } });
  expect(await sent({ ...edit, images: [INLINE_PIXEL, INLINE_PIXEL] }, kontext)).toBe('400 image');
  expect(await sent({ ...edit, images: [INLINE_PIXEL] }, 'black-forest-labs/FLUX.1.1-pro')).toBe('400 image');
  expect(await sent({ ...edit, images: [INLINE_PIXEL], mask: INLINE_PIXEL })).toBe('400 mask');
});

test('what is not carried is reported', async () => {
  expect(await sent({ ...ALL_KNOBS, body: { future: 1 } })).toMatchObject({
    body: { ...plain, seed: 7 },
    lost: [
      ...['future dropped', 'input_fidelity dropped', 'moderation dropped', 'negative_prompt dropped'],
      'output_compression dropped',
      ...['partial_images dropped', 'quality dropped', 'style dropped', 'user dropped'],
    ],
  });
  expect(await sent({ seed: 1, negativePrompt: 'fog' }, 'Qwen/Qwen-Image')).toMatchObject({
    body: { seed: 1, negative_prompt: 'fog' },
    lost: [],
  });
  expect(await sent({ seed: 1 }, 'openai/gpt-image-2')).toMatchObject({ lost: ['seed dropped'] });
  expect(await sent({ fileFormat: 'webp' })).toBe('400 output_format');
  expect(await sent({ background: 'transparent' })).toBe('400 background');
  expect(await sent({ options: { n: 4 }, count: 2 })).toBe('400 provider_options.n');
});
