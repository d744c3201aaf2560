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

describe('what is lost of a request', () => {
  test('nothing of a prompt alone', () => expect(lossFields({})).toEqual([]));

  test('every knob that is asked for and not carried, by the client’s name', () => {
    const fields = lossFields(EVERYTHING);
    expect(typeof fields === 'string' ? fields : [...fields].sort()).toEqual(Object.values(FIELDS).sort());
  });

  test('for each pair of knobs exactly those that are not carried', () => {
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

  test('not what every provider does anyway', () => {
    expect(lossFields({ quality: 'auto', moderation: 'auto', background: 'auto' })).toEqual([]);
    expect(lossFields({ background: 'opaque' })).toEqual([]);
  });

  test('a mask, a transparent background and images of a wire without edits are refused', () => {
    expect(lossFields({ mask: INLINE_PIXEL })).toBe('400 mask');
    expect(lossFields({ background: 'transparent' })).toBe('400 background');
    expect(lossFields({ images: [INLINE_PIXEL], endpoint: 'edits' })).toBe('400 image');
    expect(lossFields({ images: [INLINE_PIXEL], body: { image_url: 'x' } })).toBe('400 image_url');
    expect(lossFields({ images: [INLINE_PIXEL], body: { image_urls: ['x'] } })).toBe('400 image_urls');
  });

  test('images past the bound are refused, those at it are not', () => {
    const rules = { ...NONE, mostInputs: 2 };
    expect(lossFields({ images: [INLINE_PIXEL, INLINE_PIXEL] }, rules)).toEqual([]);
    expect(lossFields({ images: [INLINE_PIXEL, INLINE_PIXEL, INLINE_PIXEL] }, rules)).toBe('400 image_url');
  });

  test('a file format is refused only where it cannot be made', () => {
    expect(lossFields({ fileFormat: 'webp' })).toBe('400 output_format');
    expect(lossFields({ fileFormat: 'png' }, { ...NONE, fileFormats: ['png', 'jpeg'] })).toEqual([]);
    expect(lossFields({ fileFormat: 'webp' }, { ...NONE, fileFormats: ['png', 'jpeg'] })).toBe('400 output_format');
  });

  test('refusals let another channel be asked', () => {
    const found = lossesOf({ ...PLAIN_IMAGE, mask: INLINE_PIXEL }, NONE);
    expect(found instanceof Failure && [found.status, found.retry, found.kind]).toEqual([
      400,
      'other-target',
      'loss_refused',
    ]);
  });

  test('members that the gateway does not know', () => {
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

  test('leaves out what is null, and has the options beside the members', () => {
    expect(bodyOf({ prompt: 'p', seed: null, n: undefined }, { steps: 4 })).toEqual({ prompt: 'p', steps: 4 });
  });

  test('merges objects of the same name, and leaves the members that were given alone', () => {
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

  test('takes inherited names as names', () => {
    const options = JSON.parse('{"__proto__":{"a":1},"constructor":2}');
    expect(Object.keys(bodyOf({ prompt: 'p' }, options))).toEqual(['prompt', '__proto__', 'constructor']);
  });
});

test('an image as a URL', async () => {
  expect(await imageUrl({ kind: 'url', url: 'https://a.example/b.png' })).toBe('https://a.example/b.png');
  const uri = await imageUrl(INLINE_PIXEL);
  expect(Buffer.from(uri.replace('data:image/png;base64,', ''), 'base64')).toEqual(Buffer.from(INLINE_PIXEL.bytes));
});

test('an image in a body that nobody reads is named, and the file of a form is none of the body', () => {
  const rules = { mostInputs: 1, fileFormats: ['png'], carries: {} } as const;
  const body = { image: 'data:image/png;base64,AA==', images: ['x'] };
  const lost = lossesOf({ ...PLAIN_IMAGE, body }, rules);
  expect(lost).toMatchObject([{ field: 'image' }, { field: 'images' }]);
  expect(lossesOf({ ...PLAIN_IMAGE, endpoint: 'edits', body: { image: 'x' } }, rules)).toEqual([]);
});
