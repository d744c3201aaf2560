import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import type { ImageRequest } from '../../../domain/images/images.ts';
import { answeredOver } from '../../shared/testing/image-exchange.ts';
import {
  ALL_KNOBS,
  INLINE_PIXEL,
  ODD_VALUES,
  PIXEL_BASE64,
  PIXEL_URI,
  PLAIN_IMAGE,
  sentAsJson,
} from '../../shared/testing/image-samples.ts';
import { openrouterImages } from './index.ts';

const { encodeRequest } = openrouterImages;

const MODEL = 'bytedance-seed/seedream-4.5';
const sent = (asked: Partial<ImageRequest>) =>
  sentAsJson(encodeRequest({ ...PLAIN_IMAGE, ...asked }, { upstreamModel: MODEL }));
const plain = { model: MODEL, prompt: PLAIN_IMAGE.prompt };

describe('a request', () => {
  test("has only the client's fields", async () => {
    expect(await sent({})).toEqual({ body: plain, lost: [], suffix: undefined });
  });

  test('has every documented member', async () => {
    const asked = {
      aspectRatio: '21:9',
      quality: 'high',
      background: 'transparent',
      seed: 4,
      fileFormat: 'webp',
      compression: 60,
      images: [INLINE_PIXEL],
      options: { resolution: '2K' },
    } as const;
    expect(await sent(asked)).toEqual({
      body: {
        ...{ ...plain, aspect_ratio: '21:9', quality: 'high', background: 'transparent', seed: 4 },
        ...{ output_format: 'webp', output_compression: 60, resolution: '2K' },
        input_references: [{ type: 'image_url', image_url: { url: PIXEL_URI } }],
      },
      lost: [],
      suffix: undefined,
    });
  });

  test('has the size or the ratio, never both', async () => {
    expect(await sent({ size: { width: 2048, height: 2048 }, aspectRatio: '16:9' })).toMatchObject({
      body: { ...plain, size: '2048x2048' },
      lost: ['aspect_ratio dropped'],
    });
    expect(await sent({ size: 'auto', aspectRatio: '18:9' })).toMatchObject({
      body: { aspect_ratio: '2:1' },
      lost: [],
    });
    expect(await sent({ aspectRatio: '5:3' })).toMatchObject({ lost: ['aspect_ratio approximated'] });
  });

  test('reports what it does not carry', async () => {
    expect(await sent({ ...ALL_KNOBS })).toMatchObject({
      body: { ...plain, quality: 'high', seed: 7, output_compression: 80 },
      lost: [
        ...['input_fidelity dropped', 'moderation dropped', 'negative_prompt dropped', 'partial_images dropped'],
        ...['quality approximated', 'style dropped', 'user dropped'],
      ],
    });
    expect(await sent({ mask: INLINE_PIXEL })).toBe('400 mask');
    expect(await sent({ fileFormat: 'gif' })).toBe('400 output_format');
    expect(await sent({ endpoint: 'edits', images: Array(17).fill(INLINE_PIXEL) })).toBe('400 image');
  });
});

describe('a response', () => {
  const data = [{ b64_json: PIXEL_BASE64, media_type: 'image/webp' }];

  test('has images and tokens', () => {
    const usage = { completion_tokens: 4_175, cost: 0.04, prompt_tokens: 10, total_tokens: 4_185 };
    expect(answeredOver(openrouterImages, { created: 1_748_372_400, data, usage })).toMatchObject({
      created: 1_748_372_400,
      images: [{ base64: PIXEL_BASE64, mediaType: 'image/webp' }],
      tokens: { textInput: 10, imageInput: 0, textOutput: 0, imageOutput: 4_175 },
    });
    const completion_tokens_details = { image_tokens: 4_000, reasoning_tokens: 100 };
    expect(answeredOver(openrouterImages, { data, usage: { ...usage, completion_tokens_details } })).toMatchObject({
      tokens: { textOutput: 175, imageOutput: 4_000 },
    });
    expect(
      answeredOver(openrouterImages, {
        data,
        usage: { ...usage, completion_tokens_details: { reasoning_tokens: 75 } },
      }),
    ).toMatchObject({ tokens: { textOutput: 75, imageOutput: 4_100 } });
    expect(
      answeredOver(openrouterImages, { data, usage: { ...usage, completion_tokens_details: { image_tokens: 9_999 } } }),
    ).toMatchObject({ tokens: { textOutput: 0, imageOutput: 4_175 } });
  });

  test('of a wrong type is the provider’s failure, and an invalid count is ignored', () => {
    for (const odd of ODD_VALUES) {
      for (const body of [odd, { data: odd }, { data: [{ b64_json: odd === 'odd' ? '?' : odd }] }]) {
        const failure = answeredOver(openrouterImages, body);
        expect(failure instanceof Failure && failure.side).toBe('upstream');
      }
      const counts = { prompt_tokens: odd === 7 ? -7 : odd, completion_tokens: odd };
      for (const usage of [odd, counts]) {
        expect(answeredOver(openrouterImages, { data, usage })).toMatchObject({ tokens: null });
      }
    }
  });
});
