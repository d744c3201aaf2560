import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { MODEL_FORMATS, type ThreeDRequest } from '../../../domain/tasks/generation-request.ts';
import { HOSTILE_IDS, HOSTILE_VALUES } from '../../shared/testing/hostile-answers.ts';
import { INLINE_PIXEL, PIXEL_URI } from '../../shared/testing/image-samples.ts';
import { PLAIN_3D, polledTask, sentTask, takenTask } from '../../shared/testing/task-exchange.ts';
import { meshy3d } from './index.ts';

const sent = (asked: Partial<ThreeDRequest> = {}, model = 'meshy-7.1') => {
  return sentTask(meshy3d, model, { ...PLAIN_3D, ...asked });
};
const URL_IMAGE = { kind: 'url', url: 'https://pictures.example/a.png' } as const;
const ONE = { images: [INLINE_PIXEL], prompt: null };

describe('a request', () => {
  test('from a text is for a model without a texture', async () => {
    expect(await sent()).toEqual({
      body: { mode: 'preview', prompt: 'a small wooden boat', ai_model: 'meshy-7.1' },
      suffix: '/openapi/v2/text-to-3d',
      lost: [],
    });
    expect(await sent({ texture: false })).toMatchObject({ lost: [] });
    expect(await sent({ texture: true })).toBe('400 texture');
  });

  test('from an image has its URL or its bytes', async () => {
    expect(await sent({ ...ONE, texture: true })).toEqual({
      body: { image_url: PIXEL_URI, should_texture: true, ai_model: 'meshy-7.1' },
      suffix: '/openapi/v1/image-to-3d',
      lost: [],
    });
    expect(await sent({ prompt: null, images: [URL_IMAGE], texture: false })).toMatchObject({
      body: { image_url: URL_IMAGE.url, should_texture: false },
    });
    expect(await sent({ prompt: null, images: [URL_IMAGE, INLINE_PIXEL] })).toEqual({
      body: { image_urls: [URL_IMAGE.url, PIXEL_URI], ai_model: 'meshy-7.1' },
      suffix: '/openapi/v1/multi-image-to-3d',
      lost: [],
    });
    expect(await sent({ images: new Array(5).fill(URL_IMAGE) })).toBe('400 image_urls');
    const webp = { ...INLINE_PIXEL, mediaType: 'image/webp' };
    expect(await sent({ images: [webp] })).toBe('400 image_url');
    expect(await sent({ images: [webp, webp] })).toBe('400 image_urls');
  });

  test('with an image uses its text for the texture', async () => {
    const images = [URL_IMAGE];
    expect(await sent({ images })).toMatchObject({
      body: { texture_prompt: 'a small wooden boat' },
      lost: ['prompt approximated'],
    });
    const untextured = await sent({ images, texture: false });
    expect(untextured).toMatchObject({ lost: ['prompt dropped'] });
    expect(typeof untextured === 'string' ? untextured : untextured.body.texture_prompt).toBeUndefined();
    expect(await sent({ images, options: { texture_prompt: 'red' } })).toMatchObject({
      body: { texture_prompt: 'red' },
      lost: ['prompt dropped'],
    });
  });

  test('with a polygon count has the mesh rebuilt', async () => {
    expect(await sent({ targetPolycount: 9_000 })).toMatchObject({
      body: { target_polycount: 9_000, should_remesh: true },
      lost: [],
    });
    expect(await sent({ targetPolycount: 1 })).toMatchObject({
      body: { target_polycount: 100 },
      lost: ['target_polycount approximated'],
    });
    expect(await sent({ targetPolycount: 1_000_000, options: { should_remesh: false } })).toMatchObject({
      body: { target_polycount: 300_000, should_remesh: false },
    });
  });

  test('for a low-polygon model declares it', async () => {
    const made = await sent({ targetPolycount: 20_000 }, 'meshy-t2');
    expect(made).toMatchObject({
      body: { ai_model: 'meshy-t2', model_type: 'smart-topology', target_polycount: 15_000 },
      lost: ['target_polycount approximated'],
    });
    expect(typeof made === 'string' ? made : made.body.should_remesh).toBeUndefined();
    expect(await sent({ options: { model_type: 'lowpoly' } }, 'meshy-t2')).toMatchObject({
      body: { model_type: 'lowpoly' },
    });
  });

  test('supports every format but one', async () => {
    for (const format of MODEL_FORMATS) {
      const made = await sent({ format });
      expect(typeof made === 'string' ? made : made.body.target_formats).toEqual(
        (format === 'gltf' ? '400 format' : [format]) as never,
      );
    }
    expect(await sent({ options: { target_formats: ['obj'] } })).toMatchObject({ body: { target_formats: ['obj'] } });
    expect(await sent({ format: 'glb', options: { target_formats: ['obj'] } })).toBe(
      '400 provider_options.target_formats',
    );
  });

  test("drops what Meshy does not support, and replaces none of the gateway's members", async () => {
    expect(await sent({ negativePrompt: 'sails', seed: 7, user: 'u', body: { odd: 1 } })).toMatchObject({
      lost: ['negative_prompt dropped', 'odd dropped', 'seed dropped', 'user dropped'],
    });
    for (const name of ['mode', 'prompt', 'ai_model']) {
      expect(await sent({ options: { [name]: 'x' } })).toBe(`400 provider_options.${name}`);
    }
  });

  test('refuses options with an unknown price, or that contradict it', async () => {
    for (const name of meshy3d.pricedOptions ?? []) {
      for (const value of [null, 1, 'true', [true], {}, '16k', '8K']) {
        expect(await sent({ ...ONE, options: { [name]: value } })).toBe(`400 provider_options.${name}`);
      }
    }
    const at8k = { texture_resolution: '8k' };
    expect(await sent({ options: at8k })).toBe('400 provider_options.texture_resolution');
    expect(await sent({ ...ONE, texture: false, options: at8k })).toBe('400 provider_options.texture_resolution');
    expect(await sent({ ...ONE, texture: true, options: { should_texture: false } })).toBe(
      '400 provider_options.should_texture',
    );
    expect(await sent({ ...ONE, options: at8k })).toMatchObject({ body: at8k });
  });

  test('is priced as it is sent', () => {
    const asked = (asks: Partial<ThreeDRequest>, upstreamModel = 'meshy-7.1') => {
      return meshy3d.asks({ ...PLAIN_3D, ...asks }, { upstreamModel }).traits?.join('/');
    };
    expect(asked({})).toBe('text');
    expect(asked({}, 'meshy-t2')).toBe('text/smart-topology');
    expect(asked({ options: { ultra_mode: true } })).toBe('text/ultra');
    expect(asked(ONE)).toBe('image/textured');
    expect(asked({ ...ONE, texture: false })).toBe('image/untextured');
    expect(asked({ ...ONE, options: { should_texture: false } })).toBe('image/untextured');
    expect(asked({ ...ONE, options: { texture_resolution: '4k' } })).toBe('image/textured');
    expect(asked({ ...ONE, options: { texture_resolution: '8k', geometry_resolution: '2k' } })).toBe('image/8k/ultra');
    expect(asked({ ...ONE, options: { model_type: 'smart-topology' } })).toBe('image/textured/smart-topology');
    expect(asked({ ...ONE, options: { model_type: 'standard', geometry_resolution: 'standard' } }, 'meshy-t2')).toBe(
      'image/textured',
    );
  });
});

describe('a job', () => {
  const id = '018a210d-8ba4-705c-b111-1f1776f7f578';

  test.each([
    [0, 'text', '/openapi/v2/text-to-3d'],
    [1, 'image', '/openapi/v1/image-to-3d'],
    [3, 'images', '/openapi/v1/multi-image-to-3d'],
  ])('from %d images is polled at its own endpoint', (count, endpoint, path) => {
    const images = new Array(count).fill(URL_IMAGE);
    const ticket = takenTask(meshy3d, { result: id }, { ...PLAIN_3D, images, format: 'fbx' });
    expect(ticket).toEqual({ id, endpoint, format: 'fbx' } as never);
    expect(meshy3d.poll({ id, endpoint }, { upstreamModel: 'x' })).toEqual({ url: `${path}/${id}` });
  });

  test('without a valid id was not accepted', () => {
    for (const odd of HOSTILE_IDS) expect(takenTask(meshy3d, { result: odd }, PLAIN_3D)).toBeInstanceOf(Failure);
    for (const odd of HOSTILE_VALUES) expect(takenTask(meshy3d, odd, PLAIN_3D)).toBeInstanceOf(Failure);
  });
});

const TICKET = { id: 'a', endpoint: 'image' };
const report = (body: unknown, ticket: Readonly<Record<string, string>> = TICKET) => polledTask(meshy3d, body, ticket);
const at = (name: string) => ({ kind: 'url', url: `https://assets.example/${name}` });
const FILES = Object.fromEntries(
  ['fbx', 'obj', 'mtl', 'usdz', 'glb', 'pre_remeshed_glb', 'stl', '3mf'].map((name) => [name, at(name).url]),
);

describe('a poll', () => {
  test.each([
    ['PENDING', 'pending'],
    ['IN_PROGRESS', 'processing'],
  ])('in the state “%s” is %s', (status, expected) => {
    expect(report({ id: 'a', status, progress: 60, model_urls: {}, task_error: null })).toEqual({
      ...{ state: 'working', status: expected, progress: 60 },
    } as never);
  });

  test('has all formats of the model, the default first', () => {
    const cover = at('preview.png');
    const done = report({ status: 'SUCCEEDED', progress: 100, model_urls: FILES, thumbnail_url: cover.url });
    expect(done).toMatchObject({
      result: {
        items: ['glb', 'fbx', 'obj', 'usdz', 'stl', '3mf'].map((format) => ({ source: at(format), format, cover })),
      },
    });
    expect(done).toMatchObject({
      result: { items: [{ mediaType: 'model/gltf-binary' }, {}, { mediaType: 'model/obj' }, {}, {}, {}] },
    });
  });

  test('has only the requested format', () => {
    const done = (model_urls: unknown) => report({ status: 'SUCCEEDED', model_urls }, { ...TICKET, format: 'usdz' });
    expect(done(FILES)).toEqual({
      state: 'done',
      result: { items: [{ source: at('usdz'), mediaType: 'model/vnd.usdz+zip', format: 'usdz', cover: null }] },
    } as never);
    expect(done({ glb: FILES.glb })).toMatchObject({ state: 'failed', failure: { side: 'upstream' } });
  });

  test.each([
    ['FAILED', { type: 'server_error', message: 'Out of memory' }, 'upstream', 'The job failed: Out of memory'],
    ['FAILED', null, 'upstream', 'The job failed at the provider for an unknown reason.'],
    ['FAILED', { type: 'invalid_input', code: 'image_too_complex', message: 'Too complex' }, 'client', 'Too complex'],
    ['FAILED', { type: 'invalid_input' }, 'upstream', 'The job failed at the provider for an unknown reason.'],
    ['FAILED', { type: 'invalid_input', code: 'moderation_blocked', message: 'Not this' }, 'client', 'Not this'],
    ['CANCELED', { message: '' }, 'upstream', 'The job was cancelled at the provider.'],
  ])('in the state “%s” with %j attributes the fault', (status, error, side, message) => {
    expect(report({ status, task_error: error })).toMatchObject({
      state: 'failed',
      failure: { side, message },
    } as never);
  });

  test('with invalid values never throws, and is not a success', () => {
    for (const value of HOSTILE_VALUES) {
      for (const body of [value, { status: value }]) expect(report(body)).toBeInstanceOf(Failure);
      const done = report({ status: 'SUCCEEDED', model_urls: value });
      expect(done instanceof Failure || done.state === 'failed').toBe(true);
      expect(report({ status: 'SUCCEEDED', model_urls: { glb: value, fbx: value } })).toMatchObject({
        state: 'failed',
      });
      expect(report({ status: 'SUCCEEDED', model_urls: FILES, thumbnail_url: value })).toMatchObject({ state: 'done' });
      expect(report({ status: 'FAILED', task_error: value })).toMatchObject({ state: 'failed' });
      expect(report({ status: 'FAILED', task_error: { type: value, code: value, message: value } })).toMatchObject({
        state: 'failed',
      });
      expect(report({ status: 'PENDING', progress: value })).toMatchObject({ state: 'working' });
    }
  });
});
