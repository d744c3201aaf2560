import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import type { ImageRequest } from '../../../domain/images/images.ts';
import {
  ALL_KNOBS,
  INLINE_PIXEL,
  ODD_VALUES,
  PIXEL_BASE64,
  PLAIN_IMAGE,
  sentAsJson,
  wireAnswer,
} from '../../shared/testing/image-samples.ts';
import { encodeRequest } from './request.ts';
import { decodeAnswer } from './response.ts';

const PRO = 'gemini-3-pro-image';
const FLASH = 'gemini-2.5-flash-image';
const sent = (asked: Partial<ImageRequest>, upstreamModel = PRO) =>
  sentAsJson(encodeRequest({ ...PLAIN_IMAGE, ...asked }, { upstreamModel }));
const contents = [{ role: 'user', parts: [{ text: PLAIN_IMAGE.prompt }] }];
const config = (more: object) => ({ contents, generationConfig: { responseModalities: ['IMAGE'], ...more } });
const size = (width: number, height: number) => ({ size: { width, height } });

describe('a request', () => {
  test("has only the client's fields", async () => {
    expect(await sent({})).toEqual({ body: config({}), lost: [], suffix: undefined });
    expect(await sent({ size: 'auto' })).toMatchObject({ body: config({}), lost: [] });
  });

  test('has the images after the text', async () => {
    const data = { inlineData: { mimeType: 'image/png', data: PIXEL_BASE64 } };
    expect(await sent({ kind: 'edit', endpoint: 'edits', images: [INLINE_PIXEL, INLINE_PIXEL] })).toMatchObject({
      body: { contents: [{ role: 'user', parts: [{ text: PLAIN_IMAGE.prompt }, data, data] }] },
      lost: [],
    });
    expect(await sent({ endpoint: 'edits', images: Array(15).fill(INLINE_PIXEL) })).toBe('400 image');
    expect(await sent({ endpoint: 'edits', images: [INLINE_PIXEL], mask: INLINE_PIXEL })).toBe('400 mask');
  });

  test('has the nearest ratio', async () => {
    expect(await sent({ aspectRatio: '16:9' })).toMatchObject({
      body: config({ imageConfig: { aspectRatio: '16:9' } }),
    });
    expect(await sent({ aspectRatio: '1:8' })).toMatchObject({
      body: config({ imageConfig: { aspectRatio: '9:16' } }),
      lost: ['aspect_ratio approximated'],
    });
    for (const model of ['gemini-3.1-flash-image', 'gemini-nano-banana-2.1']) {
      expect(await sent({ aspectRatio: '1:8' }, model)).toMatchObject({
        body: config({ imageConfig: { aspectRatio: '1:8' } }),
        lost: [],
      });
    }
  });

  test('has a size that is large enough, if the model has sizes', async () => {
    expect(await sent(size(1024, 1024))).toMatchObject({
      body: config({ imageConfig: { aspectRatio: '1:1' } }),
      lost: [],
    });
    expect(await sent(size(2048, 2048))).toMatchObject({
      body: config({ imageConfig: { aspectRatio: '1:1', imageSize: '2K' } }),
      lost: [],
    });
    expect(await sent(size(3840, 2160))).toMatchObject({
      body: config({ imageConfig: { aspectRatio: '16:9', imageSize: '4K' } }),
      lost: ['size approximated'],
    });
    expect(await sent(size(2048, 2048), FLASH)).toMatchObject({
      body: config({ imageConfig: { aspectRatio: '1:1' } }),
      lost: ['size approximated'],
    });
  });

  test('reports what it does not carry', async () => {
    expect(await sent({ ...ALL_KNOBS })).toMatchObject({
      body: config({ seed: 7 }),
      lost: [
        ...['input_fidelity dropped', 'moderation dropped', 'negative_prompt dropped', 'output_compression dropped'],
        ...['partial_images dropped', 'quality dropped', 'style dropped', 'user dropped'],
      ],
    });
    expect(await sent({ background: 'transparent' })).toBe('400 background');
    expect(await sent({ fileFormat: 'png' }, FLASH)).toMatchObject({ lost: [] });
    expect(await sent({ fileFormat: 'webp' }, FLASH)).toBe('400 output_format');
  });

  test('has the options merged', async () => {
    const safetySettings = [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }];
    const options = { safetySettings, generationConfig: { temperature: 1, imageConfig: { imageSize: '4K' } } };
    expect(await sent({ options, aspectRatio: '1:1' })).toMatchObject({
      body: { ...config({ temperature: 1, imageConfig: { aspectRatio: '1:1', imageSize: '4K' } }), safetySettings },
    });
    expect(await sent({ options: { contents: [] } })).toBe('400 provider_options.contents');
    expect(await sent({ options: { generationConfig: { responseModalities: [] } } })).toBe(
      '400 provider_options.generationConfig.responseModalities',
    );
  });
});

const answerWith = (parts: readonly object[], more: object = {}) =>
  wireAnswer({ candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', ...more }] });
const picture = { inlineData: { mimeType: 'image/png', data: PIXEL_BASE64 } };

describe('a response', () => {
  test('has the image among texts and drafts, and counts tokens', () => {
    const draft = { ...picture, thought: true };
    const usageMetadata = {
      ...{ promptTokenCount: 300, candidatesTokenCount: 1_300, thoughtsTokenCount: 50, toolUsePromptTokenCount: 5 },
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 42 },
        { modality: 'IMAGE', tokenCount: 258 },
      ],
      candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1_290 }],
    };
    const content = {
      parts: [{ text: 'Here' }, draft, { inline_data: { mime_type: 'image/jpeg', data: 'AAAA' } }, picture],
    };
    expect(decodeAnswer(wireAnswer({ candidates: [{ content }], usageMetadata, modelVersion: 'v' }))).toMatchObject({
      images: [
        { base64: 'AAAA', mediaType: 'image/jpeg' },
        { base64: PIXEL_BASE64, mediaType: 'image/png' },
      ],
      tokens: { textInput: 47, imageInput: 258, textOutput: 60, imageOutput: 1_290 },
      model: 'v',
    });
  });

  test('whose tokens are not itemized has image tokens only', () => {
    const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 1_290 };
    const candidates = [{ content: { parts: [picture] } }];
    expect(decodeAnswer(wireAnswer({ candidates, usageMetadata }))).toMatchObject({
      tokens: { textInput: 10, imageInput: 0, textOutput: 0, imageOutput: 1_290 },
    });
  });

  test('that a filter stopped is a client error', () => {
    const blocked = [
      wireAnswer({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }),
      wireAnswer({ promptFeedback: { blockReason: 'SAFETY', blockReasonMessage: 'It is unsafe.' }, candidates: [] }),
      wireAnswer({ candidates: [{ finishReason: 'IMAGE_SAFETY', finishMessage: 'Unable to show it.' }] }),
      answerWith([{ text: 'no' }], { finishReason: 'IMAGE_PROHIBITED_CONTENT' }),
    ];
    for (const answer of blocked) {
      const failure = decodeAnswer(answer);
      expect(failure instanceof Failure && [failure.side, failure.retry, failure.details]).toMatchObject([
        'client',
        'never',
        { publicCode: 'content_policy_violation', param: 'prompt' },
      ]);
    }
  });

  test('with text only is a client error, and an empty one the provider’s', () => {
    const words = decodeAnswer(answerWith([{ text: 'What shall I draw?' }]));
    expect(words instanceof Failure && [words.side, words.kind, words.message]).toEqual([
      'client',
      'no_image',
      'The model returned text instead of an image: What shall I draw?',
    ]);
    for (const answer of [answerWith([]), wireAnswer({}), wireAnswer({ candidates: [{ finishReason: 'NO_IMAGE' }] })]) {
      const failure = decodeAnswer(answer);
      expect(failure instanceof Failure && failure.side).toBe('upstream');
    }
  });

  test('of a wrong type is a failure', () => {
    for (const odd of ODD_VALUES) {
      const data = odd === 'odd' ? '?' : odd;
      const bodies = [
        ...[odd, { candidates: odd }, { candidates: [odd] }, { candidates: [{ content: odd }] }],
        ...[
          { candidates: [{ content: { parts: odd } }] },
          { candidates: [{ content: { parts: [{ inlineData: odd }] } }] },
        ],
        ...[{ candidates: [{ content: { parts: [{ inlineData: { data } }] } }] }, { promptFeedback: odd }],
        ...[
          { candidates: [{ finishReason: odd }] },
          { candidates: [{ content: { parts: [{ text: data === '?' ? 1 : data }] } }] },
        ],
      ];
      for (const body of bodies) expect(decodeAnswer(wireAnswer(body))).toBeInstanceOf(Failure);
      const usages = [
        odd,
        { promptTokenCount: odd === 7 ? -7 : odd },
        { promptTokensDetails: odd, candidatesTokensDetails: odd },
      ];
      for (const usageMetadata of usages) {
        const candidates = [{ content: { parts: [picture] } }];
        expect(decodeAnswer(wireAnswer({ candidates, usageMetadata }))).toMatchObject({ tokens: null });
      }
    }
  });
});
