import { describe, expect, test } from 'bun:test';
import type { ParameterOverrides } from '../../../domain/catalog/model-operation.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { GenerationRequest } from '../../../domain/tasks/generation-request.ts';
import { modelProblem } from './model-bounds.ts';
import { parseMusic } from './parse-music.ts';
import { parseThreeD } from './parse-three-d.ts';
import { parseVideo } from './parse-video.ts';

type Body = Readonly<Record<string, unknown>>;
type Rules = NonNullable<ParameterOverrides['videos.generations']>;

const A = 'https://files.example/a.png';

function problem(request: GenerationRequest | Failure, parameters: ParameterOverrides) {
  if (request instanceof Failure) throw new Error(request.message);
  const failure = modelProblem(request, { id: 'the-model', parameters });
  return failure === null ? null : [failure.code, failure.details.param, failure.message];
}

const bytes = (body: Body) => new TextEncoder().encode(JSON.stringify({ model: 'm', prompt: 'a fox', ...body }));
const video = (body: Body, rules: Rules) => problem(parseVideo(bytes(body)), { 'videos.generations': rules });
const music = (body: Body, rules: Rules) =>
  problem(parseMusic(bytes(body), { defaultModel: () => null }), { 'music.generations': rules });
const model3d = (body: Body, rules: Rules) => problem(parseThreeD(bytes(body)), { '3d.generations': rules });

test('an unknown model takes every field', () => {
  const all = { duration: 7, resolution: '1080p', aspect_ratio: '16:9', n: 3, audio: true, image_urls: [A, A] };
  expect(video(all, {})).toBeNull();
  expect(problem(parseVideo(bytes(all)), {})).toBeNull();
});

test('the rules of another operation do not apply', () => {
  expect(problem(parseVideo(bytes({ seed: 1 })), { 'images.generations': { n: { enum: [2] } } })).toBeNull();
});

describe('a violated bound names the field and the allowed values', () => {
  test.each<[Body, Rules, string, string]>([
    [
      { duration: 6 },
      { duration: { enum: [5, 10] } },
      'duration',
      '`duration` must be one of `5`, `10` for `the-model`.',
    ],
    [{ seconds: '6' }, { duration: { enum: [5] } }, 'seconds', '`seconds` must be `5` for `the-model`.'],
    [
      { duration: 5 },
      { seconds: { enum: ['4', '8'] } },
      'duration',
      '`duration` must be one of `4`, `8` for `the-model`.',
    ],
    [{ duration: 3 }, { duration: { minimum: 4, maximum: 8 } }, 'duration', 'a number of at least 4 and of at most 8'],
    [{ duration: 5.5 }, { duration: { type: 'integer', maximum: 8 } }, 'duration', 'a whole number of at most 8'],
    [{ resolution: '4K' }, { resolution: { enum: ['720p', '1080p'] } }, 'resolution', '`720p`, `1080p`'],
    [{ aspect_ratio: '4:3' }, { aspect_ratio: { enum: ['16:9', '9:16'] } }, 'aspect_ratio', '`16:9`, `9:16`'],
    [{ size: '640x480' }, { size: { enum: ['1280x720'] } }, 'size', '`1280x720`'],
    [{ n: 5 }, { n: { maximum: 4 } }, 'n', 'a number of at most 4'],
    [{ prompt: 'x'.repeat(11) }, { prompt: { maxLength: 10 } }, 'prompt', 'has 11 characters; the limit is 10'],
    [
      { reference_image_urls: [A, A] },
      { reference_image_urls: { maxItems: 1 } },
      'reference_image_urls',
      'has 2 items',
    ],
    [{ image_urls: [A, A, A] }, { reference_image_urls: { maxItems: 2 } }, 'image_urls', 'has 3 items; the limit is 2'],
    [{ image_url: A }, { operation: { enum: ['text-to-video'] } }, 'image_url', '`text-to-video`'],
    [{}, { operation: { enum: ['image-to-video'] } }, 'operation', '`image-to-video`'],
    [{ seed: 70_000 }, { seed: { maximum: 65_535 } }, 'seed', 'of at most 65535'],
  ])('%j with %j', (body, rules, param, told) => {
    const [code, field, message] = video(body, rules) ?? [];
    expect([code, field]).toEqual(['invalid_value', param]);
    expect(message).toContain(told);
  });

  test.each<[Body, Rules]>([
    [{ duration: '10s' }, { duration: { enum: [5, 10] } }],
    [{ duration: 8 }, { seconds: { enum: ['4', '8'] } }],
    [{ duration: 8 }, { duration: null, seconds: { enum: ['8'] } }],
    [{ resolution: '1080p' }, { resolution: { enum: ['1080P'] } }],
    [{ n: 4 }, { n: { maximum: 4 } }],
    [{ prompt: 'x'.repeat(10) }, { prompt: { maxLength: 10 } }],
  ])('%j is within %j', (body, rules) => {
    expect(video(body, rules)).toBeNull();
  });
});

describe('an unsupported field', () => {
  test.each<[Body, Rules, string]>([
    [{ duration: 5 }, { duration: null }, 'duration'],
    [{ seconds: 5 }, { duration: null, seconds: null }, 'seconds'],
    [{ audio: true }, { audio: null }, 'audio'],
    [{ generate_audio: true }, { audio: null }, 'generate_audio'],
    [{ n: 2 }, { n: null }, 'n'],
    [{ size: '1280x720' }, { size: null }, 'size'],
    [{ image_url: A }, { image_url: null }, 'image_url'],
    [{ image_urls: [A] }, { image_url: null }, 'image_urls'],
    [{ image_urls: [A, A] }, { end_image_url: null }, 'image_urls'],
    [{ reference_image_urls: [A] }, { reference_image_urls: null }, 'reference_image_urls'],
    [{ video_url: 'https://a.example/v' }, { video_url: null }, 'video_url'],
  ])('is refused: %j with %j', (body, rules, param) => {
    expect(video(body, rules)?.slice(0, 2)).toEqual(['unsupported_parameter', param]);
  });

  test.each<[Body, Rules]>([
    [{ audio: false }, { audio: null }],
    [{ n: 1 }, { n: null }],
    [
      { seed: 7, user: 'u', negative_prompt: 'x' },
      { seed: null, user: null, negative_prompt: null },
    ],
    [
      { image_urls: [], provider_options: {} },
      { image_urls: null, provider_options: null },
    ],
    [{ operation: 'text-to-video' }, { operation: null }],
    [{ duration: null }, { duration: null }],
  ])('is left to the wire if little is lost, or nothing: %j with %j', (body, rules) => {
    expect(video(body, rules)).toBeNull();
  });
});

test('a field that the model requires is reported if missing', () => {
  const missing = ['missing_required_parameter', 'image_url'];
  expect(video({}, { image_url: { required: true } })?.slice(0, 2)).toEqual(missing);
  expect(video({ image_urls: [A] }, { image_url: { required: true } })).toBeNull();
  expect(model3d({}, { image_url: { required: true } })?.slice(0, 2)).toEqual(missing);
  expect(model3d({ image_urls: [A] }, { image_url: { required: true } })).toBeNull();
  expect(video({ prompt: '', image_url: A }, { prompt: { required: true } })?.[1]).toBe('prompt');
});

test('music and 3D models have bounds, too', () => {
  expect(music({ prompt: 'x'.repeat(6) }, { prompt: { maxLength: 5 } })?.[1]).toBe('prompt');
  expect(music({ mv: 'v1' }, { mv: { enum: ['v4', 'v5'] } })?.[2]).toContain('`v4`, `v5`');
  expect(music({ action: 'LYRICS' }, { action: null })?.slice(0, 2)).toEqual(['unsupported_parameter', 'action']);
  expect(music({}, { action: null })).toBeNull();
  expect(music({ action: 'LYRICS' }, { action: { enum: ['MUSIC'] } })?.[1]).toBe('action');
  expect(music({ continue_clip_id: 'c', continue_at: 1 }, { continue_at: null })?.[1]).toBe('continue_at');
  expect(model3d({ format: 'stl' }, { format: { enum: ['glb', 'fbx'] } })?.[2]).toContain('`glb`, `fbx`');
  expect(model3d({ target_polycount: 50 }, { target_polycount: { minimum: 100 } })?.[1]).toBe('target_polycount');
  expect(model3d({ image_urls: [A, A] }, { image_urls: { maxItems: 1 } })?.[1]).toBe('image_urls');
});

test('a rule does not match an inherited name', () => {
  const request = parseVideo(new TextEncoder().encode('{"model":"m","prompt":"p","constructor":1,"toString":2}'));
  expect(problem(request, { 'videos.generations': {} })).toBeNull();
});
