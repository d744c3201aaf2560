import { describe, expect, test } from 'bun:test';
import type { Carriage } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { ImageRequest } from '../../../domain/images/images.ts';
import { INLINE_PIXEL, PLAIN_IMAGE } from '../testing/image-samples.ts';
import { type ImageKnob, type ImageRules, imageUrl, jsonRequest, lossesOf } from './image-request.ts';

const NONE: ImageRules = { mostInputs: 0, fileFormats: [], carries: {} };
const EVERYTHING: Partial<ImageRequest> = {
  negativePrompt: 'fog',
  quality: 'hd',
  style: 'vivid',
  moderation: 'low',
  inputFidelity: 'high',
  seed: 7,
  compression: 80,
  partialImages: 2,
  user: 'u',
};
const FIELDS: Readonly<Record<string, string>> = {
  negativePrompt: 'negative_prompt',
  quality: 'quality',
  style: 'style',
  moderation: 'moderation',
  inputFidelity: 'input_fidelity',
  seed: 'seed',
  compression: 'output_compression',
  partialImages: 'partial_images',
  user: 'user',
};

function lossFields(asked: Partial<ImageRequest>, rules: ImageRules = NONE): readonly string[] | string {
  const found = lossesOf({ ...PLAIN_IMAGE, ...asked }, rules);
  return found instanceof Failure ? `400 ${found.details.param}` : found.map(({ field }) => field);
}

describe('the losses of a request', () => {
  test('are empty for a plain prompt', () => expect(lossFields({})).toEqual([]));

  test('name every requested field that is not carried, as the client does', () => {
    const fields = lossFields(EVERYTHING);
    expect(typeof fields === 'string' ? fields : [...fields].sort()).toEqual(Object.values(FIELDS).sort());
  });

  test('name exactly the unsupported fields for each pair', () => {
    const knobs = Object.keys(FIELDS) as ImageKnob[]; // the table's keys are the knobs
    for (const first of knobs) {
      for (const second of knobs) {
        const carries: Partial<Record<ImageKnob, Carriage>> = { [second]: 'exact' };
        const asked = { [first]: EVERYTHING[first], [second]: EVERYTHING[second] };
        const expected = first === second ? [] : [FIELDS[first] ?? ''];
        expect(lossFields(asked, { ...NONE, carries })).toEqual(expected);
      }
    }
  });

  test('exclude what every provider does anyway', () => {
    expect(lossFields({ quality: 'auto', moderation: 'auto', background: 'auto' })).toEqual([]);
    expect(lossFields({ background: 'opaque' })).toEqual([]);
  });

  test('are refusals for a mask, a transparent background, and images without edits', () => {
    expect(lossFields({ mask: INLINE_PIXEL })).toBe('400 mask');
    expect(lossFields({ background: 'transparent' })).toBe('400 background');
    expect(lossFields({ images: [INLINE_PIXEL], endpoint: 'edits' })).toBe('400 image');
    expect(lossFields({ images: [INLINE_PIXEL], body: { image_url: 'x' } })).toBe('400 image_url');
    expect(lossFields({ images: [INLINE_PIXEL], body: { image_urls: ['x'] } })).toBe('400 image_urls');
  });

  test('are refusals for more images than the limit', () => {
    const rules = { ...NONE, mostInputs: 2 };
    expect(lossFields({ images: [INLINE_PIXEL, INLINE_PIXEL] }, rules)).toEqual([]);
    expect(lossFields({ images: [INLINE_PIXEL, INLINE_PIXEL, INLINE_PIXEL] }, rules)).toBe('400 image_url');
  });

  test('are refusals for an unsupported file format', () => {
    expect(lossFields({ fileFormat: 'webp' })).toBe('400 output_format');
    expect(lossFields({ fileFormat: 'png' }, { ...NONE, fileFormats: ['png', 'jpeg'] })).toEqual([]);
    expect(lossFields({ fileFormat: 'webp' }, { ...NONE, fileFormats: ['png', 'jpeg'] })).toBe('400 output_format');
  });

  test('are refusals that allow another channel', () => {
    const found = lossesOf({ ...PLAIN_IMAGE, mask: INLINE_PIXEL }, NONE);
    expect(found instanceof Failure && [found.status, found.retry, found.kind]).toEqual([
      400,
      'other-target',
      'loss_refused',
    ]);
  });

  test('include unknown members', () => {
    const body = { model: 'm', prompt: 'p', cfg: 3, odd: null, constructor: 1, provider_options: {} };
    expect(lossFields({ body })).toEqual(['cfg', 'constructor']);
  });
});

describe('the body', () => {
  const bodyOf = (members: object, options: object) => {
    const request = jsonRequest({ ...members }, { options: { ...options } }, []);
    if (request instanceof Failure) return `400 ${request.details.param}`;
    return request.body instanceof Uint8Array ? JSON.parse(new TextDecoder().decode(request.body)) : null;
  };

  test('omits null members, and has the options beside the others', () => {
    expect(bodyOf({ prompt: 'p', seed: null, n: undefined }, { steps: 4 })).toEqual({ prompt: 'p', steps: 4 });
  });

  test('merges objects of the same name without replacing members', () => {
    const members = { config: { ratio: '1:1', more: { a: 1 } } };
    expect(bodyOf(members, { config: { size: '2K', more: { b: 2 } } })).toEqual({
      config: { ratio: '1:1', size: '2K', more: { a: 1, b: 2 } },
    });
    expect(members).toEqual({ config: { ratio: '1:1', more: { a: 1 } } });
  });

  test('refuses options that replace what the gateway writes', () => {
    expect(bodyOf({ prompt: 'p' }, { prompt: 'q' })).toBe('400 provider_options.prompt');
    expect(bodyOf({ c: { n: 1 } }, { c: { n: 4 } })).toBe('400 provider_options.c.n');
    expect(bodyOf({ c: { n: 1 } }, { c: 4 })).toBe('400 provider_options.c');
  });

  test('accepts inherited names as plain names', () => {
    const options = JSON.parse('{"__proto__":{"a":1},"constructor":2}');
    expect(Object.keys(bodyOf({ prompt: 'p' }, options))).toEqual(['prompt', '__proto__', 'constructor']);
  });
});

test('an image becomes a URL', async () => {
  expect(await imageUrl({ kind: 'url', url: 'https://a.example/b.png' })).toBe('https://a.example/b.png');
  const uri = await imageUrl(INLINE_PIXEL);
  expect(Buffer.from(uri.replace('data:image/png;base64,', ''), 'base64')).toEqual(Buffer.from(INLINE_PIXEL.bytes));
});

test("an ignored image in a body is reported, and a form's file is not part of the body", () => {
  const rules = { mostInputs: 1, fileFormats: ['png'], carries: {} } as const;
  const body = { image: 'data:image/png;base64,AA==', images: ['x'] };
  const lost = lossesOf({ ...PLAIN_IMAGE, body }, rules);
  expect(lost).toMatchObject([{ field: 'image' }, { field: 'images' }]);
  expect(lossesOf({ ...PLAIN_IMAGE, endpoint: 'edits', body: { image: 'x' } }, rules)).toEqual([]);
});
