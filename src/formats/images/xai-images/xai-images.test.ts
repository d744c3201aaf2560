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
import { xaiImages } from './index.ts';

const { encodeRequest } = xaiImages;

const MODEL = 'grok-imagine-image-2.0';
const sent = (asked: Partial<ImageRequest>, upstreamModel = MODEL) =>
  sentAsJson(encodeRequest({ ...PLAIN_IMAGE, ...asked }, { upstreamModel }));
const plain = { model: MODEL, prompt: PLAIN_IMAGE.prompt };
const URL_IMAGE = { kind: 'url', url: 'https://a.example/b.png' } as const;

describe('a request', () => {
  test('generates images without an input image', async () => {
    expect(await sent({})).toEqual({ body: plain, lost: [], suffix: '/generations' });
    const asked = { count: 3, aspectRatio: '19:9', responseFormat: 'b64_json', quality: 'low', user: 'u' } as const;
    expect(await sent(asked)).toEqual({
      body: { ...plain, n: 3, aspect_ratio: '19.5:9', quality: 'low', response_format: 'b64_json', user: 'u' },
      lost: ['aspect_ratio approximated'],
      suffix: '/generations',
    });
  });

  test('with a size has the nearest ratio, and reports a loss', async () => {
    expect(await sent({ size: { width: 1792, height: 1024 } })).toMatchObject({
      body: { aspect_ratio: '16:9' },
      lost: ['size approximated'],
    });
    expect(await sent({ size: 'auto' })).toMatchObject({ body: plain, lost: [] });
    expect(await sent({ aspectRatio: '39:18' })).toMatchObject({ body: { aspect_ratio: '19.5:9' }, lost: [] });
  });

  test('for an edit has one image, or a list', async () => {
    const edit = { kind: 'edit', endpoint: 'edits' } as const;
    expect(await sent({ ...edit, images: [INLINE_PIXEL] })).toEqual({
      body: { ...plain, image: { type: 'image_url', url: PIXEL_URI } },
      lost: [],
      suffix: '/edits',
    });
    expect(await sent({ ...edit, images: [URL_IMAGE, INLINE_PIXEL], aspectRatio: '3:2' })).toMatchObject({
      body: {
        images: [
          { type: 'image_url', url: URL_IMAGE.url },
          { type: 'image_url', url: PIXEL_URI },
        ],
        aspect_ratio: '3:2',
      },
      lost: [],
    });
    expect(await sent({ ...edit, images: Array(4).fill(INLINE_PIXEL) })).toBe('400 image');
    expect(await sent({ ...edit, images: [INLINE_PIXEL], mask: INLINE_PIXEL })).toBe('400 mask');
  });

  test('for an edit of one image has no ratio', async () => {
    const edit = { kind: 'edit', endpoint: 'edits', images: [INLINE_PIXEL] } as const;
    const body = { ...plain, image: { type: 'image_url', url: PIXEL_URI } };
    expect(await sent({ ...edit, aspectRatio: '21:9' })).toMatchObject({ body, lost: ['aspect_ratio dropped'] });
    expect(await sent({ ...edit, size: { width: 512, height: 512 } })).toMatchObject({ body, lost: ['size dropped'] });
  });

  test('reports what it does not carry', async () => {
    expect(await sent({ ...ALL_KNOBS })).toMatchObject({
      body: { ...plain, quality: 'medium', user: 'u' },
      lost: [
        ...['input_fidelity dropped', 'moderation dropped', 'negative_prompt dropped', 'output_compression dropped'],
        ...['partial_images dropped', 'quality approximated', 'seed dropped', 'style dropped'],
      ],
    });
    expect(await sent({ quality: 'high' }, 'grok-imagine-image')).toMatchObject({
      body: { model: 'grok-imagine-image', prompt: plain.prompt },
      lost: ['quality dropped'],
    });
    expect(await sent({ fileFormat: 'webp' })).toBe('400 output_format');
    expect(await sent({ background: 'transparent' })).toBe('400 background');
  });

  test("has the provider's own options", async () => {
    expect(await sent({ options: { resolution: '2k' } })).toMatchObject({ body: { ...plain, resolution: '2k' } });
    expect(await sent({ options: { model: 'x' } })).toBe('400 provider_options.model');
  });
});

describe('a response', () => {
  test('has URLs or inline images', () => {
    const data = [
      { b64_json: PIXEL_BASE64, mime_type: 'image/jpeg' },
      { url: 'https://a.example/b', revised_prompt: 'r' },
    ];
    expect(answeredOver(xaiImages, { data, usage: { cost_in_usd_ticks: 700_000_000 } })).toMatchObject({
      images: [
        { base64: PIXEL_BASE64, mediaType: 'image/jpeg', revisedPrompt: null },
        { url: 'https://a.example/b', revisedPrompt: 'r' },
      ],
      tokens: null,
    });
  });

  test('whose images were all removed is a client error', () => {
    const filtered = { url: '', respect_moderation: false };
    const failure = answeredOver(xaiImages, { data: [filtered, filtered] });
    expect(failure instanceof Failure && [failure.side, failure.details.publicCode]).toEqual([
      'client',
      'content_policy_violation',
    ]);
    const data = [filtered, { url: 'https://a.example/b', respect_moderation: true }];
    expect(answeredOver(xaiImages, { data })).toMatchObject({ images: [{ url: 'https://a.example/b' }] });
  });

  test('of a wrong type is the provider’s failure', () => {
    for (const odd of ODD_VALUES) {
      for (const body of [
        odd,
        { data: odd },
        { data: [{ url: odd }] },
        { data: [{ b64_json: odd === 'odd' ? '?' : odd }] },
      ]) {
        const failure = answeredOver(xaiImages, body);
        expect(failure instanceof Failure && failure.side).toBe('upstream');
      }
    }
  });
});
