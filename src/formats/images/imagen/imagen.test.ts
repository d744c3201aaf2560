import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import type { ImageRequest } from '../../../domain/images/images.ts';
import { answeredOver } from '../../shared/testing/image-exchange.ts';
import {
  ALL_KNOBS,
  INLINE_PIXEL,
  ODD_VALUES,
  PIXEL_BASE64,
  PLAIN_IMAGE,
  sentAsJson,
} from '../../shared/testing/image-samples.ts';
import { imagen } from './index.ts';

const sent = (asked: Partial<ImageRequest>) =>
  sentAsJson(imagen.encodeRequest({ ...PLAIN_IMAGE, ...asked }, { upstreamModel: 'imagen' }));
const body = (parameters: object) => ({
  instances: [{ prompt: PLAIN_IMAGE.prompt }],
  parameters: { sampleCount: 1, includeRaiReason: true, ...parameters },
});

describe('a request', () => {
  test("has only the client's fields", async () => {
    expect(await sent({})).toEqual({ body: body({}), lost: [], suffix: undefined });
  });

  test('has every supported parameter', async () => {
    const asked = { count: 4, aspectRatio: '16:9', fileFormat: 'jpeg', compression: 60 } as const;
    expect(await sent({ ...asked, options: { personGeneration: 'dont_allow' } })).toMatchObject({
      body: body({
        ...{ sampleCount: 4, aspectRatio: '16:9', personGeneration: 'dont_allow' },
        outputOptions: { mimeType: 'image/jpeg', compressionQuality: 60 },
      }),
      lost: [],
    });
    expect(await sent({ size: { width: 1024, height: 1024 } })).toMatchObject({
      body: body({ aspectRatio: '1:1' }),
      lost: [],
    });
    expect(await sent({ size: { width: 1792, height: 1024 } })).toMatchObject({
      body: body({ aspectRatio: '16:9' }),
      lost: ['size approximated'],
    });
    expect(await sent({ fileFormat: 'png' })).toMatchObject({
      body: body({ outputOptions: { mimeType: 'image/png' } }),
    });
  });

  test('reports what it does not carry', async () => {
    expect(await sent({ ...ALL_KNOBS })).toMatchObject({
      lost: [
        ...['input_fidelity dropped', 'moderation dropped', 'negative_prompt dropped', 'partial_images dropped'],
        ...['quality dropped', 'seed dropped', 'style dropped', 'user dropped'],
      ],
    });
    expect(await sent({ images: [INLINE_PIXEL], body: { image_url: 'u' } })).toBe('400 image_url');
    expect(await sent({ mask: INLINE_PIXEL })).toBe('400 mask');
    expect(await sent({ fileFormat: 'webp' })).toBe('400 output_format');
    expect(await sent({ options: { sampleCount: 4 } })).toBe('400 provider_options.sampleCount');
  });
});

describe('a response', () => {
  const made = { bytesBase64Encoded: PIXEL_BASE64, mimeType: 'image/png', prompt: 'a fox, in detail' };
  const reason = { raiFilteredReason: 'Unable to show generated images. Support codes: 58061214' };

  test('has the images that were not filtered', () => {
    const expected = { base64: PIXEL_BASE64, mediaType: 'image/png', revisedPrompt: 'a fox, in detail' };
    expect(answeredOver(imagen, { predictions: [made, reason, made] })).toMatchObject({
      images: [expected, expected],
    });
  });

  test('whose images were all filtered is a client error', () => {
    for (const answer of [{ predictions: [reason, reason] }, { predictions: [] }, {}]) {
      const failure = answeredOver(imagen, answer);
      expect(failure instanceof Failure && [failure.side, failure.details.publicCode]).toEqual([
        'client',
        'content_policy_violation',
      ]);
    }
    const failure = answeredOver(imagen, { predictions: [reason] });
    expect(failure instanceof Failure && failure.message).toContain('58061214');
  });

  test('of a wrong type is a failure', () => {
    for (const odd of ODD_VALUES) {
      const data = odd === 'odd' ? '?' : odd;
      for (const answer of [
        odd,
        { predictions: odd },
        { predictions: [odd] },
        { predictions: [{ bytesBase64Encoded: data }] },
      ]) {
        expect(answeredOver(imagen, answer)).toBeInstanceOf(Failure);
      }
    }
  });
});
