import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { MODEL_FORMATS, type ThreeDRequest } from '../../../domain/tasks/generation-request.ts';
import { HOSTILE_IDS, HOSTILE_VALUES } from '../../shared/testing/hostile-answers.ts';
import { failedOver } from '../../shared/testing/image-exchange.ts';
import { INLINE_PIXEL } from '../../shared/testing/image-samples.ts';
import { PLAIN_3D, polledTask, sentTask, takenTask } from '../../shared/testing/task-exchange.ts';
import { tripo3d, tripo3dV2 } from './index.ts';

const MODEL = 'v3.1-20260211';
const sent = (asked: Partial<ThreeDRequest> = {}, wire = tripo3d, model = MODEL) => {
  return sentTask(wire, model, { ...PLAIN_3D, ...asked });
};
const picture = (name: string) => ({ kind: 'url', url: `https://pictures.example/${name}` }) as const;
const VIEWS = ['front.png', 'left.jpg', 'back.webp', 'right'].map(picture);

describe('a request', () => {
  test('from a text goes to its endpoint', async () => {
    expect(await sent()).toEqual({
      body: { prompt: 'a small wooden boat', model: MODEL },
      suffix: '/generation/text-to-model',
      lost: [],
    });
    expect(await sent({}, tripo3dV2)).toEqual({
      body: { type: 'text_to_model', prompt: 'a small wooden boat', model_version: MODEL },
      suffix: '/task',
      lost: [],
    });
  });

  test.each(['tripo-v3.1-20260211', 'tripo/v3.1-20260211', 'Tripo-v3.1-20260211'])(
    'to %s names the model as Tripo does',
    async (model) => {
      expect(await sent({}, tripo3d, model)).toMatchObject({ body: { model: MODEL } });
      expect(await sent({}, tripo3dV2, model)).toMatchObject({ body: { model_version: MODEL } });
    },
  );

  test('from one image has its URL', async () => {
    const images = VIEWS.slice(0, 1);
    expect(await sent({ images, prompt: null })).toEqual({
      body: { input: 'https://pictures.example/front.png', model: MODEL },
      suffix: '/generation/image-to-model',
      lost: [],
    });
    expect(await sent({ images, prompt: null }, tripo3dV2)).toEqual({
      body: {
        type: 'image_to_model',
        file: { type: 'png', url: 'https://pictures.example/front.png' },
        model_version: MODEL,
      },
      suffix: '/task',
      lost: [],
    });
  });

  test('from several images has them as views, and reports it', async () => {
    expect(await sent({ images: VIEWS, prompt: null })).toEqual({
      body: {
        inputs: [
          { front: 'https://pictures.example/front.png' },
          { left: 'https://pictures.example/left.jpg' },
          { back: 'https://pictures.example/back.webp' },
          { right: 'https://pictures.example/right' },
        ],
        model: MODEL,
      },
      suffix: '/generation/multiview-to-model',
      lost: ['image_urls approximated'],
    });
    expect(await sent({ images: VIEWS.slice(0, 2), prompt: null }, tripo3dV2)).toMatchObject({
      body: {
        type: 'multiview_to_model',
        files: [
          { type: 'png', url: 'https://pictures.example/front.png' },
          { type: 'jpg', url: 'https://pictures.example/left.jpg' },
          {},
          {},
        ],
      },
      lost: ['image_urls approximated'],
    });
    expect(await sent({ images: [...VIEWS, picture('fifth')] })).toBe('400 image_urls');
  });

  test('accepts an image only by URL', async () => {
    expect(await sent({ images: [INLINE_PIXEL] })).toBe('400 image_url');
    expect(await sent({ images: [VIEWS[0]!, INLINE_PIXEL] })).toBe('400 image_urls');
  });

  test("carries the model's parameters", async () => {
    expect(await sent({ negativePrompt: 'sails', texture: true, targetPolycount: 9_000, seed: 7 })).toMatchObject({
      body: {
        ...{ negative_prompt: 'sails', texture: true, face_limit: 9_000 },
        ...{ image_seed: 7, model_seed: 7, texture_seed: 7 },
      },
      lost: [],
    });
    const from = { images: VIEWS.slice(0, 1), negativePrompt: 'sails', seed: 0, user: 'u' };
    expect(await sent({ ...from, body: { odd: 1 } })).toMatchObject({
      body: { input: 'https://pictures.example/front.png', model_seed: 0, texture_seed: 0 },
      lost: ['negative_prompt dropped', 'odd dropped', 'prompt dropped', 'user dropped'],
    });
  });

  test("has a seed within Tripo's range", async () => {
    expect(await sent({ seed: 2 ** 31 + 5 })).toMatchObject({ body: { model_seed: 5 }, lost: ['seed approximated'] });
    expect(await sent({ seed: 2 ** 31 - 1 })).toMatchObject({ body: { model_seed: 2 ** 31 - 1 }, lost: [] });
  });

  test('without a texture has no materials either', async () => {
    const made = await sent({ texture: false, seed: 3 });
    expect(made).toMatchObject({ body: { texture: false, pbr: false } });
    expect(typeof made === 'string' ? made : made.body.texture_seed).toBeUndefined();
    expect(await sent({ texture: false, options: { pbr: true } })).toBe('400 provider_options.pbr');
    expect(await sent({ texture: false, options: { texture_quality: 'extreme' } })).toBe(
      '400 provider_options.texture_quality',
    );
  });

  test('can be for GLB, and FBX for quads', async () => {
    const quad = { quad: true };
    for (const format of MODEL_FORMATS) {
      expect(typeof (await sent({ format })) !== 'string').toBe(format === 'glb');
      expect(typeof (await sent({ format, options: quad })) !== 'string').toBe(format === 'fbx');
    }
    expect(await sent({ format: 'obj' })).toBe('400 format');
    expect(await sent({ options: quad })).toMatchObject({ body: { quad: true } });
  });

  test('refuses options with an unknown price', async () => {
    for (const value of [null, 1, 'true', [true], {}]) {
      expect(await sent({ options: { quad: value } })).toBe('400 provider_options.quad');
    }
    for (const value of [null, 1, true, ['extreme'], {}, 'a/b', '']) {
      expect(await sent({ options: { texture_quality: value } })).toBe('400 provider_options.texture_quality');
      expect(await sent({ options: { geometry_quality: value } })).toBe('400 provider_options.geometry_quality');
    }
  });

  test('is priced as it is sent', () => {
    const asked = (asks: Partial<ThreeDRequest>) => {
      return tripo3d.asks({ ...PLAIN_3D, ...asks }, { upstreamModel: MODEL }).traits?.join('/');
    };
    const images = VIEWS;
    expect(asked({})).toBe('text/textured');
    expect(asked({ texture: false })).toBe('text/untextured');
    expect(asked({ images, options: { texture_quality: 'standard', geometry_quality: 'standard', quad: false } })).toBe(
      'image/textured',
    );
    expect(asked({ images, options: { texture_quality: 'extreme', geometry_quality: 'detailed', quad: true } })).toBe(
      'image/extreme/hd-geometry/quad',
    );
    expect(asked({ images, texture: false, options: { quad: true } })).toBe('image/untextured/quad');
  });
});

describe('a job', () => {
  test('is polled by its id', () => {
    const taken = (body: unknown, options = {}) => takenTask(tripo3d, body, { ...PLAIN_3D, options });
    expect(taken({ code: 0, data: { task_id: 'task_abc' } })).toEqual({ id: 'task_abc', format: 'glb' });
    expect(taken({ code: 0, data: { task_id: 'task_abc' } }, { quad: true })).toEqual({
      id: 'task_abc',
      format: 'fbx',
    });
    const target = { upstreamModel: 'x' };
    expect(tripo3d.poll({ id: 'task_abc' }, target)).toEqual({ url: '/tasks/task_abc' });
    expect(tripo3dV2.poll({ id: 'task_abc' }, target)).toEqual({ url: '/task/task_abc' });
    for (const id of HOSTILE_IDS) expect(taken({ code: 0, data: { task_id: id } })).toBeInstanceOf(Failure);
    for (const value of HOSTILE_VALUES) {
      expect(taken(value)).toBeInstanceOf(Failure);
      expect(taken({ code: 0, data: value })).toBeInstanceOf(Failure);
      if (value !== 0) expect(taken({ code: value, data: { task_id: 'a' }, message: value })).toBeInstanceOf(Failure);
    }
  });

  test.each([
    [2_008, { side: 'client', kind: 'content_refused' }],
    [2_010, { side: 'upstream', kind: 'upstream_quota' }],
    [1_002, { side: 'upstream', kind: 'upstream_auth' }],
    [2_000, { code: 'rate_limit_exceeded' }],
    [1_007, { code: 'rate_limit_exceeded' }],
    [1_004, { side: 'client', status: 400 }],
    [9_999, { side: 'upstream' }],
  ])('that is refused with the code %d is so whatever the HTTP status', (code, expected) => {
    const body = { code, status: 'error', message: 'It is so', suggestion: 'Do this' };
    expect(takenTask(tripo3d, body, PLAIN_3D)).toMatchObject(expected);
    if (code !== 9_999) expect(failedOver(tripo3d as never, 403, body)).toMatchObject(expected);
  });

  test('that is refused without a code is read as usual', () => {
    expect(failedOver(tripo3d as never, 400, { message: 'face_limit is wrong' })).toMatchObject({ side: 'client' });
    expect(failedOver(tripo3d as never, 503, 'oops')).toMatchObject({ side: 'upstream' });
    for (const value of HOSTILE_VALUES) expect(failedOver(tripo3d as never, 400, value)).toBeInstanceOf(Failure);
  });
});

const TICKET = { id: 'task_abc', format: 'glb' };
const report = (data: unknown, ticket = TICKET) => polledTask(tripo3d, { code: 0, data }, ticket);

describe('a poll', () => {
  test.each([
    ['queued', 'pending'],
    ['unknown', 'pending'],
    ['running', 'processing'],
  ])('in the state “%s” is %s', (status, expected) => {
    expect(report({ status, progress: 42, output: {} })).toEqual({
      ...{ state: 'working', status: expected, progress: 42 },
    } as never);
  });

  test.each([
    [{ model_url: 'https://cdn.example/a.glb?x=y', rendered_image_url: 'https://cdn.example/a.webp' }, 'a.glb?x=y'],
    [{ model_urls: ['https://cdn.example/l.glb'] }, 'l.glb'],
    [
      {
        model: 'https://cdn.example/m.glb',
        pbr_model: 'https://cdn.example/p.glb',
        rendered_image: 'https://cdn.example/a.webp',
      },
      'p.glb',
    ],
    [{ model: { type: 'glb', url: 'https://cdn.example/m.glb' }, base_model: 'https://cdn.example/b.glb' }, 'm.glb'],
    [{ base_model: 'https://cdn.example/b.glb' }, 'b.glb'],
  ])('has the best file of %j', (output, file) => {
    const cover = JSON.stringify(output).includes('a.webp')
      ? { kind: 'url', url: 'https://cdn.example/a.webp', isShortLived: true }
      : null;
    expect(report({ status: 'success', progress: 100, output })).toEqual({
      state: 'done',
      result: {
        items: [
          {
            source: { kind: 'url', url: `https://cdn.example/${file}`, isShortLived: true },
            mediaType: 'model/gltf-binary',
            format: 'glb',
            cover,
          },
        ],
      },
    } as never);
  });

  test('has the format of the file name, else the requested one', () => {
    const format = (model: string, ticket: typeof TICKET) => {
      const done = report({ status: 'success', output: { model_url: model } }, ticket);
      return done instanceof Failure || done.state !== 'done' ? done : done.result.items[0]?.format;
    };
    expect(format('https://cdn.example/a.FBX', TICKET)).toBe('fbx');
    expect(format('https://cdn.example/a', { ...TICKET, format: 'fbx' })).toBe('fbx');
    expect(format('https://cdn.example/a?b=c.fbx', TICKET)).toBe('glb');
  });

  test.each([
    ['failed', { error_code: 1, error_message: 'Mesh is broken' }, 'upstream', 'The job failed: Mesh is broken'],
    ['failed', { error_msg: 'Mesh is broken' }, 'upstream', 'The job failed: Mesh is broken'],
    ['failed', {}, 'upstream', 'The job failed at the provider for an unknown reason.'],
    ['failed', { error_code: 2_008, error_message: 'Not this' }, 'client', 'Not this'],
    ['banned', {}, 'client', 'The provider’s content filter refused the request without giving a reason.'],
    ['cancelled', {}, 'upstream', 'The job was cancelled at the provider.'],
    ['expired', {}, 'upstream', 'The provider did not finish the job in time.'],
  ])('in the state “%s” with %j attributes the fault', (status, details, side, message) => {
    expect(report({ status, ...details })).toMatchObject({ state: 'failed', failure: { side, message } } as never);
  });

  test('with invalid values never throws, and is not a success', () => {
    for (const value of HOSTILE_VALUES) {
      for (const data of [value, { status: value }, { status: 'success', output: value }, { status: 'success' }]) {
        expect(report(data)).toBeInstanceOf(Failure);
      }
      expect(polledTask(tripo3d, value, TICKET)).toBeInstanceOf(Failure);
      expect(
        report({ status: 'success', output: { model_url: value, model: value, model_urls: value } }),
      ).toBeInstanceOf(Failure);
      expect(report({ status: 'failed', error_code: value, error_message: value, error_msg: value })).toMatchObject({
        state: 'failed',
      });
      expect(report({ status: 'running', progress: value })).toMatchObject({ state: 'working' });
      const output = { model_url: 'https://a.example/a.glb', rendered_image_url: value, rendered_image: value };
      expect(report({ status: 'success', output })).toMatchObject({ state: 'done' });
    }
  });
});
