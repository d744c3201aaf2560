import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import { PIXEL_BASE64 } from '../../../formats/shared/testing/image-samples.ts';
import { parseVideo } from './parse-video.ts';

const PIXEL = `data:image/png;base64,${PIXEL_BASE64}`;
const A = 'https://files.example/a.png';
const B = 'https://files.example/b.png';
const C = 'https://files.example/c.png';
const CLIP = 'https://files.example/a.mp4';

function parseText(text: string): VideoRequest | Failure {
  return parseVideo(new TextEncoder().encode(text));
}

function parse(body: Readonly<Record<string, unknown>>): VideoRequest | Failure {
  return parseText(JSON.stringify({ model: 'm', prompt: 'a fox', ...body }));
}

function read(body: Readonly<Record<string, unknown>>): VideoRequest {
  const request = parse(body);
  if (request instanceof Failure) throw new Error(request.message);
  return request;
}

/** Returns `[code, field]` of the failure for a body; `null` if it is accepted. */
function refusal(body: Readonly<Record<string, unknown>>): readonly unknown[] | null {
  const request = parse(body);
  return request instanceof Failure ? [request.code, request.details.param] : null;
}

/** Returns the given images by role. */
function roles({ firstImage, lastImage, referenceImages, operation }: VideoRequest) {
  const url = (image: VideoRequest['firstImage']) => (image?.kind === 'url' ? image.url : (image?.kind ?? null));
  return [operation, url(firstImage), url(lastImage), referenceImages.map(url)];
}

test('a prompt and a model are enough, and all else is null', () => {
  const { body, ...request } = read({});
  expect(body).toEqual({ model: 'm', prompt: 'a fox' });
  expect(request).toEqual({
    ...{ kind: 'video', model: 'm', operation: 'text-to-video', prompt: 'a fox', negativePrompt: null },
    ...{ firstImage: null, lastImage: null, referenceImages: [], videoUrl: null, durationSeconds: null },
    ...{ aspectRatio: null, resolution: null, size: null, count: 1, seed: null, audio: null, user: null, options: {} },
  });
});

test('null counts as missing for every field', () => {
  const names = ['operation', 'negative_prompt', 'image_url', 'image_urls', 'end_image_url', 'reference_image_urls'];
  const others = ['video_url', 'duration', 'seconds', 'size', 'resolution', 'aspect_ratio', 'n', 'seed', 'audio'];
  const all = [...names, ...others, 'generate_audio', 'user', 'provider_options'];
  const { body: _, ...said } = read(Object.fromEntries(all.map((name) => [name, null])));
  const { body: __, ...unsaid } = read({});
  expect(said).toEqual(unsaid);
});

test.each([
  [{ model: undefined }, 'missing_required_parameter', 'model'],
  [{ model: '' }, 'missing_required_parameter', 'model'],
  [{ model: 7 }, 'invalid_type', 'model'],
  [{ model: 'x'.repeat(257) }, 'invalid_value', 'model'],
  [{ prompt: undefined }, 'missing_required_parameter', 'prompt'],
  [{ prompt: ' \n' }, 'missing_required_parameter', 'prompt'],
  [{ prompt: ['a'] }, 'invalid_type', 'prompt'],
  [{ prompt: 'x'.repeat(32_001) }, 'invalid_value', 'prompt'],
  [{ negative_prompt: 1 }, 'invalid_type', 'negative_prompt'],
  [{ operation: 'text-to-image' }, 'invalid_value', 'operation'],
  [{ operation: 1 }, 'invalid_type', 'operation'],
  [{ image_url: 1 }, 'invalid_type', 'image_url'],
  [{ image_url: 'file:///etc/passwd' }, 'invalid_value', 'image_url'],
  [{ image_url: { url: A } }, 'invalid_type', 'image_url'],
  [{ end_image_url: 'data:image/png;base64,AAAA' }, 'invalid_value', 'end_image_url'],
  [{ reference_image_urls: A }, 'invalid_type', 'reference_image_urls'],
  [{ reference_image_urls: [A, 1] }, 'invalid_type', 'reference_image_urls[1]'],
  [{ reference_image_urls: Array(17).fill(A) }, 'invalid_value', 'reference_image_urls'],
  [{ image_urls: A }, 'invalid_type', 'image_urls'],
  [{ image_urls: { 0: A } }, 'invalid_type', 'image_urls'],
  [{ image_urls: Array(17).fill(A) }, 'invalid_value', 'image_urls'],
  [{ image_urls: [A, null] }, 'invalid_type', 'image_urls[1]'],
  [{ image_urls: [{ role: 'first' }] }, 'missing_required_parameter', 'image_urls[0].url'],
  [{ image_urls: [{ url: 1, role: 'first' }] }, 'invalid_type', 'image_urls[0].url'],
  [{ image_urls: [{ url: A, role: 'First' }] }, 'invalid_value', 'image_urls[0].role'],
  [{ image_urls: [{ url: A, role: 1 }] }, 'invalid_type', 'image_urls[0].role'],
  [{ image_urls: [{ url: A, weight: 1 }] }, 'invalid_value', 'image_urls[0]'],
  [{ image_urls: [{ url: A, role: 'last' }, B] }, 'missing_required_parameter', 'image_urls[1].role'],
  [{ video_url: 'http://files.example/a.mp4' }, 'invalid_value', 'video_url'],
  [{ video_url: 'data:video/mp4;base64,AAAA' }, 'invalid_value', 'video_url'],
  [{ video_url: 'https://user:pass@files.example/a.mp4' }, 'invalid_value', 'video_url'],
  [{ video_url: 'https://' }, 'invalid_value', 'video_url'],
  [{ video_url: '' }, 'invalid_value', 'video_url'],
  [{ video_url: [CLIP] }, 'invalid_type', 'video_url'],
  [{ video_url: `https://a.example/${'x'.repeat(16_384)}` }, 'invalid_value', 'video_url'],
  [{ duration: 0 }, 'invalid_value', 'duration'],
  [{ duration: -5 }, 'invalid_value', 'duration'],
  [{ duration: 3_601 }, 'invalid_value', 'duration'],
  [{ duration: '5 s' }, 'invalid_type', 'duration'],
  [{ duration: '' }, 'invalid_type', 'duration'],
  [{ duration: '1e3' }, 'invalid_type', 'duration'],
  [{ duration: '-5' }, 'invalid_type', 'duration'],
  [{ duration: '5m' }, 'invalid_type', 'duration'],
  [{ duration: true }, 'invalid_type', 'duration'],
  [{ seconds: '0' }, 'invalid_value', 'seconds'],
  [{ seconds: [5] }, 'invalid_type', 'seconds'],
  [{ resolution: '720' }, 'invalid_value', 'resolution'],
  [{ resolution: 720 }, 'invalid_type', 'resolution'],
  [{ resolution: '0p' }, 'invalid_value', 'resolution'],
  [{ resolution: '1080p ' }, 'invalid_value', 'resolution'],
  [{ resolution: '1280x720' }, 'invalid_value', 'resolution'],
  [{ size: '1280×720' }, 'invalid_value', 'size'],
  [{ size: '0x720' }, 'invalid_value', 'size'],
  [{ size: '99999x720' }, 'invalid_value', 'size'],
  [{ size: 'auto' }, 'invalid_value', 'size'],
  [{ size: [1280, 720] }, 'invalid_type', 'size'],
  [{ aspect_ratio: '16/9' }, 'invalid_value', 'aspect_ratio'],
  [{ aspect_ratio: '0:9' }, 'invalid_value', 'aspect_ratio'],
  [{ aspect_ratio: '2.35:1' }, 'invalid_value', 'aspect_ratio'],
  [{ aspect_ratio: 1.7 }, 'invalid_type', 'aspect_ratio'],
  [{ n: 0 }, 'invalid_value', 'n'],
  [{ n: 11 }, 'invalid_value', 'n'],
  [{ n: 1.5 }, 'invalid_type', 'n'],
  [{ n: '2' }, 'invalid_type', 'n'],
  [{ seed: -1 }, 'invalid_value', 'seed'],
  [{ seed: 1.5 }, 'invalid_type', 'seed'],
  [{ seed: '7' }, 'invalid_type', 'seed'],
  [{ audio: 'true' }, 'invalid_type', 'audio'],
  [{ generate_audio: 1 }, 'invalid_type', 'generate_audio'],
  [{ user: 7 }, 'invalid_type', 'user'],
  [{ provider_options: [] }, 'invalid_type', 'provider_options'],
  [{ provider_options: 'x' }, 'invalid_type', 'provider_options'],
])('%j is refused as %s at %s', (body, code, param) => {
  expect(refusal(body)).toEqual([code, param]);
});

test.each([
  [5, 5],
  [0.5, 0.5],
  [3_600, 3_600],
  ['5', 5],
  ['5s', 5],
  ['7.5s', 7.5],
  ['08', 8],
])('a duration of %p is %p seconds, as duration, as seconds and as both', (said, seconds) => {
  expect(read({ duration: said }).durationSeconds).toBe(seconds);
  expect(read({ seconds: said }).durationSeconds).toBe(seconds);
  expect(read({ duration: said, seconds }).durationSeconds).toBe(seconds);
});

test.each([
  ['720p', '720p'],
  ['1080P', '1080p'],
  ['768P', '768p'],
  ['2K', '2k'],
  ['4k', '4k'],
  ['512p', '512p'],
])('the resolution %s is %s', (said, resolution) => {
  expect(read({ resolution: said, aspect_ratio: '9:16' })).toMatchObject({ resolution, aspectRatio: '9:16' });
});

test('every other field is parsed unchanged', () => {
  const fields = {
    negative_prompt: 'rain',
    n: 10,
    seed: 0,
    audio: false,
    user: 'u',
    provider_options: { a: { b: 1 } },
  };
  expect(read({ ...fields, size: '1280x720' })).toMatchObject({
    ...{ negativePrompt: 'rain', count: 10, seed: 0, audio: false, user: 'u', options: { a: { b: 1 } } },
    size: { width: 1_280, height: 720 },
  });
  expect(read({ aspect_ratio: 'auto', seed: 2 ** 53 - 1 })).toMatchObject({ aspectRatio: null, seed: 2 ** 53 - 1 });
});

test('audio and its alias must agree', () => {
  expect(read({ generate_audio: true }).audio).toBe(true);
  expect(read({ audio: true, generate_audio: true }).audio).toBe(true);
  expect(read({ audio: null, generate_audio: false }).audio).toBe(false);
  expect(refusal({ audio: true, generate_audio: false })).toEqual(['invalid_value', 'generate_audio']);
});

test.each([
  [{ duration: 5, seconds: '6' }, 'seconds'],
  [{ size: '1280x720', resolution: '720p' }, 'resolution'],
  [{ size: '1280x720', aspect_ratio: '16:9' }, 'aspect_ratio'],
  [{ image_url: A, image_urls: [B] }, 'image_urls'],
  [{ end_image_url: C, image_urls: [A, B] }, 'end_image_url'],
  [{ end_image_url: C, image_urls: [{ url: A, role: 'last' }] }, 'end_image_url'],
  [{ reference_image_urls: [A], image_urls: [A, B, C] }, 'reference_image_urls'],
  [{ image_urls: [A, B].map((url) => ({ url, role: 'first' })) }, 'image_urls[1]'],
  [{ image_urls: [A, B, C].map((url, at) => ({ url, role: at === 1 ? 'first' : 'last' })) }, 'image_urls[2]'],
])('contradictory fields are refused: %j', (body, param) => {
  expect(refusal(body)).toEqual(['invalid_value', param]);
});

describe('images', () => {
  test.each([
    [{ image_url: A }, ['image-to-video', A, null, []]],
    [{ image_url: PIXEL, end_image_url: B }, ['image-to-video', 'inline', B, []]],
    [{ end_image_url: B }, ['image-to-video', null, B, []]],
    [{ reference_image_urls: [A, B] }, ['reference-to-video', null, null, [A, B]]],
    [{ reference_image_urls: [] }, ['text-to-video', null, null, []]],
    [{ image_url: A, reference_image_urls: [B] }, ['image-to-video', A, null, [B]]],
    [{ image_urls: [] }, ['text-to-video', null, null, []]],
    [{ image_urls: [], image_url: A }, ['image-to-video', A, null, []]],
    [{ image_urls: [A] }, ['image-to-video', A, null, []]],
    [{ image_urls: [{ url: A }] }, ['image-to-video', A, null, []]],
    [{ image_urls: [A, B] }, ['image-to-video', A, B, []]],
    [{ image_urls: [A], end_image_url: B }, ['image-to-video', A, B, []]],
    [{ image_urls: [A, B, C] }, ['reference-to-video', null, null, [A, B, C]]],
    [{ image_urls: [A], operation: 'reference-to-video' }, ['reference-to-video', null, null, [A]]],
    [{ image_urls: [A, B], operation: 'reference-to-video' }, ['reference-to-video', null, null, [A, B]]],
    [{ image_urls: [A], operation: 'video-to-video', video_url: CLIP }, ['video-to-video', null, null, [A]]],
    [
      {
        image_urls: [
          { url: B, role: 'last' },
          { url: A, role: 'first' },
        ],
      },
      ['image-to-video', A, B, []],
    ],
    [{ image_urls: [{ url: B, role: 'reference' }] }, ['reference-to-video', null, null, [B]]],
    [{ video_url: CLIP }, ['video-to-video', null, null, []]],
    [{ video_url: CLIP, reference_image_urls: [A] }, ['video-to-video', null, null, [A]]],
  ])('%j', (body, expected) => {
    expect(roles(read(body))).toEqual(expected);
  });

  test('can replace the prompt', () => {
    for (const given of [{ image_url: A }, { reference_image_urls: [A] }, { video_url: CLIP }]) {
      expect(read({ ...given, prompt: undefined }).prompt).toBe('');
    }
  });

  test('of 20 MB are accepted, and larger ones are refused', () => {
    const pixel = Buffer.from(PIXEL_BASE64, 'base64');
    const image = (bytes: number) => {
      const whole = Buffer.alloc(bytes);
      pixel.copy(whole);
      return `data:image/png;base64,${whole.toString('base64')}`;
    };
    const most = 20 * 1024 * 1024;
    expect(read({ image_url: image(most) }).firstImage).toMatchObject({ kind: 'inline', mediaType: 'image/png' });
    expect(refusal({ end_image_url: image(most + 1) })).toEqual(['payload_too_large', 'end_image_url']);
    expect(refusal({ image_urls: [A, image(most + 4)] })).toEqual(['payload_too_large', 'image_urls[1]']);
  });
});

describe('an operation', () => {
  test.each([
    ['text-to-video', { image_url: A }, 'image_url'],
    ['text-to-video', { end_image_url: A }, 'end_image_url'],
    ['text-to-video', { image_urls: [A] }, 'image_urls[0]'],
    ['text-to-video', { reference_image_urls: [A] }, 'reference_image_urls'],
    ['text-to-video', { image_urls: [A, B, C] }, 'image_urls'],
    ['text-to-video', { video_url: CLIP }, 'video_url'],
    ['image-to-video', { image_url: A, video_url: CLIP }, 'video_url'],
    ['image-to-video', { image_urls: [A, B, C] }, 'image_urls'],
    ['reference-to-video', { image_url: A }, 'image_url'],
    ['reference-to-video', { end_image_url: A, reference_image_urls: [B] }, 'end_image_url'],
    ['reference-to-video', { video_url: CLIP }, 'video_url'],
  ])('%s contradicts %j', (operation, body, param) => {
    expect(refusal({ ...body, operation })).toEqual(['invalid_value', param]);
  });

  test.each([
    ['image-to-video', {}, 'image_url'],
    ['image-to-video', { reference_image_urls: [A] }, 'image_url'],
    ['reference-to-video', {}, 'reference_image_urls'],
    ['reference-to-video', { image_urls: [] }, 'reference_image_urls'],
    ['video-to-video', {}, 'video_url'],
    ['video-to-video', { image_url: A }, 'video_url'],
  ])('%s with %j requires %s', (operation, body, param) => {
    expect(refusal({ ...body, operation })).toEqual(['missing_required_parameter', param]);
  });
});

describe('members', () => {
  test.each(['model', 'prompt', 'duration', 'n', 'provider_options', 'image_urls'])('%s is unique', (name) => {
    const failure = parseText(`{"model":"m","prompt":"p","${name}":null,"${name}":null}`);
    expect(failure).toMatchObject({ code: 'invalid_value', details: { param: name } });
  });

  test.each(['Prompt', 'imageUrl', 'aspectRatio', 'generateAudio', 'DURATION'])(
    '%s is a misspelling of one of them',
    (name) => {
      expect(refusal({ [name]: 'x' })).toEqual(['invalid_value', name]);
    },
  );

  test('of an image are unique', () => {
    const image = '{"url":"https://a.example/1","role":"first","role":"last"}';
    const failure = parseText(`{"model":"m","prompt":"p","image_urls":[${image}]}`);
    expect(failure).toMatchObject({ code: 'invalid_value', details: { param: 'image_urls[0].role' } });
  });

  test('named like inherited properties are not fields', () => {
    expect(read({ constructor: { n: 9 }, provider_options: { toString: 1 } })).toMatchObject({ count: 1 });
    for (const text of ['"__proto__":{"n":9}', '"image_urls":[{"__proto__":{"url":"https://a.example/1"}}]']) {
      const refused = parseText(`{"model":"m","prompt":"p",${text}}`);
      expect(refused).toMatchObject({
        code: 'invalid_value',
        details: { message: expect.stringContaining('__proto__') },
      });
    }
  });

  test('that are unknown stay in the body', () => {
    expect(read({ camera: 'left' }).body.camera).toBe('left');
  });

  test.each([
    ['', 'empty_body'],
    ['[]', 'invalid_type'],
    ['{', 'invalid_json'],
    ['null', 'invalid_type'],
  ])('the body %p is refused (%s)', (text, code) => {
    expect(parseText(text)).toMatchObject({ code });
  });
});
