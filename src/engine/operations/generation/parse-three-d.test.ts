import { expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import type { ThreeDRequest } from '../../../domain/tasks/generation-request.ts';
import { PIXEL_BASE64 } from '../../../formats/shared/testing/image-samples.ts';
import { parseThreeD } from './parse-three-d.ts';

const PIXEL = `data:image/png;base64,${PIXEL_BASE64}`;
const A = 'https://files.example/a.png';

function parse(body: Readonly<Record<string, unknown>>): ThreeDRequest | Failure {
  return parseThreeD(new TextEncoder().encode(JSON.stringify({ model: 'm', prompt: 'a chair', ...body })));
}

function refusal(body: Readonly<Record<string, unknown>>): readonly unknown[] | null {
  const request = parse(body);
  return request instanceof Failure ? [request.code, request.details.param] : null;
}

test('a prompt and a model are enough, and all else is null', () => {
  expect(parse({})).toEqual({
    ...{ kind: '3d', model: 'm', prompt: 'a chair', negativePrompt: null, images: [], format: null, texture: null },
    ...{ targetPolycount: null, seed: null, user: null, options: {}, body: { model: 'm', prompt: 'a chair' } },
  });
});

test('every field is parsed', () => {
  const fields = { negative_prompt: 'legs', format: 'glb', texture: false, target_polycount: 1, seed: 0, user: 'u' };
  expect(parse({ ...fields, image_urls: [A, PIXEL], provider_options: { pbr: true } })).toMatchObject({
    ...{ negativePrompt: 'legs', format: 'glb', texture: false, targetPolycount: 1, seed: 0, user: 'u' },
    ...{
      images: [
        { kind: 'url', url: A },
        { kind: 'inline', mediaType: 'image/png' },
      ],
      options: { pbr: true },
    },
  });
});

test('an image can replace the prompt', () => {
  for (const prompt of [undefined, null, '', ' ']) {
    expect(parse({ prompt, image_url: PIXEL })).toMatchObject({ prompt: null, images: [{ kind: 'inline' }] });
    expect(refusal({ prompt })).toEqual(['missing_required_parameter', 'prompt']);
    expect(refusal({ prompt, image_urls: [] })).toEqual(['missing_required_parameter', 'prompt']);
  }
});

test.each(['glb', 'gltf', 'fbx', 'obj', 'stl', 'usdz', '3mf'])('%s is a format', (format) => {
  expect(parse({ format })).toMatchObject({ format });
});

test.each([
  [{ model: undefined }, 'missing_required_parameter', 'model'],
  [{ model: 1 }, 'invalid_type', 'model'],
  [{ prompt: 1 }, 'invalid_type', 'prompt'],
  [{ prompt: 'x'.repeat(32_001) }, 'invalid_value', 'prompt'],
  [{ negative_prompt: [] }, 'invalid_type', 'negative_prompt'],
  [{ image_url: A, image_urls: [A] }, 'invalid_value', 'image_urls'],
  [{ image_url: [A] }, 'invalid_type', 'image_url'],
  [{ image_urls: A }, 'invalid_type', 'image_urls'],
  [{ image_urls: [{ url: A }] }, 'invalid_type', 'image_urls[0]'],
  [{ image_urls: Array(17).fill(A) }, 'invalid_value', 'image_urls'],
  [{ format: 'GLB' }, 'invalid_value', 'format'],
  [{ format: 'png' }, 'invalid_value', 'format'],
  [{ format: 3 }, 'invalid_type', 'format'],
  [{ texture: 'yes' }, 'invalid_type', 'texture'],
  [{ target_polycount: 0 }, 'invalid_value', 'target_polycount'],
  [{ target_polycount: 1e9 }, 'invalid_value', 'target_polycount'],
  [{ target_polycount: 1.5 }, 'invalid_type', 'target_polycount'],
  [{ seed: -1 }, 'invalid_value', 'seed'],
  [{ user: 1 }, 'invalid_type', 'user'],
  [{ provider_options: 1 }, 'invalid_type', 'provider_options'],
  [{ targetPolycount: 5 }, 'invalid_value', 'targetPolycount'],
])('%j is refused as %s at %s', (body, code, param) => {
  expect(refusal(body)).toEqual([code, param]);
});

test('members are unique, and none is inherited', () => {
  const bytes = (text: string) => parseThreeD(new TextEncoder().encode(text));
  expect(bytes('{"model":"m","prompt":"p","format":"glb","format":"obj"}')).toBeInstanceOf(Failure);
  expect(bytes('{"model":"m","prompt":"p","__proto__":{"format":"obj"}}')).toBeInstanceOf(Failure);
  expect(bytes('{"model":"m","prompt":"p","constructor":{"format":"obj"}}')).toMatchObject({ format: null });
});
