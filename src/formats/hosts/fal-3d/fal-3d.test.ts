import { expect, test } from 'bun:test';
import type { ThreeDRequest } from '../../../domain/tasks/generation-request.ts';
import { INLINE_PIXEL, PIXEL_URI } from '../../shared/testing/image-samples.ts';
import { PLAIN_3D, polledTask, sentTask, submittedTask } from '../../shared/testing/task-exchange.ts';
import { falThreeD } from './index.ts';

const ONE = { images: [INLINE_PIXEL] };
const TWO = { images: [INLINE_PIXEL, INLINE_PIXEL] };
const sent = (id: string, asked: Partial<ThreeDRequest> = {}) => sentTask(falThreeD, id, { ...PLAIN_3D, ...asked });

test.each<[string, Partial<ThreeDRequest>, object | string]>([
  ['fal-ai/trellis', ONE, { body: { image_url: PIXEL_URI }, lost: ['prompt dropped'] }],
  ['fal-ai/trellis', {}, '400 prompt'],
  ['fal-ai/trellis', TWO, '400 image_urls'],
  ['fal-ai/trellis/multi', TWO, { body: { image_urls: [PIXEL_URI, PIXEL_URI] } }],
  ['fal-ai/hunyuan3d/v2', ONE, { body: { input_image_url: PIXEL_URI, textured_mesh: false } }],
  ['fal-ai/hunyuan3d/v2', { ...ONE, texture: true }, { body: { textured_mesh: true }, lost: ['prompt dropped'] }],
  [
    'fal-ai/hunyuan3d-v3/image-to-3d',
    {},
    { body: { prompt: 'a small wooden boat' }, suffix: '/fal-ai/hunyuan3d-v3/text-to-3d' },
  ],
  ['fal-ai/hunyuan3d-v3/text-to-3d', ONE, { suffix: '/fal-ai/hunyuan3d-v3/image-to-3d' }],
  ['fal-ai/hyper3d/rodin', ONE, { body: { input_image_urls: [PIXEL_URI], prompt: 'a small wooden boat' } }],
  ['fal-ai/hyper3d/rodin', { format: 'usdz' }, { body: { geometry_file_format: 'usdz' } }],
  ['fal-ai/triposr', { ...ONE, format: 'obj' }, { body: { output_format: 'obj' } }],
  ['someone/new', { ...ONE, seed: 4 }, { body: { image_url: PIXEL_URI, seed: 4 }, suffix: '/someone/new', lost: [] }],
  ['rec-1a2b3c4d', TWO, { body: { image_urls: [PIXEL_URI, PIXEL_URI] } }],
])('a request to %s', async (id, asked, expected) => {
  const found = await sent(id, asked);
  if (typeof expected === 'string') expect(found).toBe(expected);
  else expect(found).toMatchObject(expected);
});

test('a texture is charged if it is made', () => {
  const traits = (id: string, asked: Partial<ThreeDRequest>) =>
    falThreeD.asks({ ...PLAIN_3D, ...ONE, ...asked }, { upstreamModel: id }).traits;
  expect(traits('fal-ai/hunyuan3d/v2', {})).toEqual([]);
  expect(traits('fal-ai/hunyuan3d/v2', { texture: true })).toEqual(['texture']);
  expect(traits('fal-ai/hunyuan3d-v3/text-to-3d', { options: { enable_pbr: true } })).toEqual(['texture', 'pbr']);
  expect(traits('fal-ai/trellis', { texture: true })).toEqual([]);
});

test('a 3D model is read from any of its members, with its cover', () => {
  const id = 'fal-ai/hunyuan3d-v3/text-to-3d';
  const submission = submittedTask(
    falThreeD,
    { request_id: 'r', status: 'IN_QUEUE' },
    { ...PLAIN_3D, format: 'glb' },
    id,
  );
  const ticket = { id: 'r', app: '/fal-ai/hunyuan3d-v3', step: 'status', format: 'glb' };
  expect(submission).toMatchObject({ ticket });
  const file = { url: 'https://v3.fal.media/files/a.glb', content_type: 'application/octet-stream' };
  const thumbnail = { url: 'https://v3.fal.media/files/a.png' };
  for (const body of [
    { model_mesh: file },
    { model_glb: file },
    { model_urls: { obj: { url: 'https://x.example/a.obj' }, glb: file } },
  ]) {
    expect(polledTask(falThreeD, { ...body, thumbnail, seed: 1 }, { ...ticket, step: 'result' })).toMatchObject({
      state: 'done',
      result: {
        items: [
          { source: { url: file.url }, mediaType: 'model/gltf-binary', format: 'glb', cover: { url: thumbnail.url } },
        ],
      },
    });
  }
});
