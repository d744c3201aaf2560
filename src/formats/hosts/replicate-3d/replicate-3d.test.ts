import { describe, expect, test } from 'bun:test';
import type { ThreeDRequest } from '../../../domain/tasks/generation-request.ts';
import { INLINE_PIXEL, ODD_VALUES, PIXEL_URI } from '../../shared/testing/image-samples.ts';
import { PLAIN_3D, polledTask, sentTask, submittedTask } from '../../shared/testing/task-exchange.ts';
import { replicateThreeD } from './index.ts';

const HUNYUAN = 'tencent/hunyuan-3d-3.1';
const ONE = { images: [INLINE_PIXEL] };
const TWO = { images: [INLINE_PIXEL, INLINE_PIXEL] };

async function input(id: string, asked: Partial<ThreeDRequest> = {}) {
  const sent = await sentTask(replicateThreeD, id, { ...PLAIN_3D, ...asked });
  return typeof sent === 'string' ? sent : { input: sent.body.input, lost: sent.lost };
}
const asks = (id: string, asked: Partial<ThreeDRequest> = {}) =>
  replicateThreeD.asks({ ...PLAIN_3D, ...asked }, { upstreamModel: id }).traits;

describe('a request', () => {
  test('has images under the names of the model, and as many as it takes', async () => {
    expect(await input('firtoz/trellis:v', { ...TWO, prompt: null })).toEqual({
      input: { generate_model: true, images: [PIXEL_URI, PIXEL_URI] },
      lost: [],
    });
    expect(await input('firtoz/trellis:v')).toBe('400 prompt');
    expect(await input('firtoz/trellis:v', ONE)).toMatchObject({ lost: ['prompt dropped'] });
    expect(await input(HUNYUAN, { ...ONE, prompt: null })).toMatchObject({ input: { image: PIXEL_URI } });
    expect(await input(HUNYUAN, TWO)).toBe('400 image_urls');
    expect(await input('hyper3d/rodin', ONE)).toMatchObject({ input: { images: [PIXEL_URI] } });
    expect(await input('hyper3d/rodin', { images: Array(6).fill(INLINE_PIXEL) })).toBe('400 image_urls');
    expect(await input('rec-1a2b3c4d', ONE)).toMatchObject({
      input: { prompt: 'a small wooden boat', image: PIXEL_URI },
    });
    expect(await input('rec-1a2b3c4d', TWO)).toMatchObject({ input: { images: [PIXEL_URI, PIXEL_URI] } });
  });

  test('has a format that the model supports, or is refused', async () => {
    expect(await input('hyper3d/rodin', { format: 'fbx' })).toMatchObject({
      input: { geometry_file_format: 'fbx' },
      lost: [],
    });
    expect(await input('hyper3d/rodin', { format: '3mf' })).toBe('400 format');
    expect(await input(HUNYUAN, { format: 'glb' })).toMatchObject({ lost: [] });
    expect(await input(HUNYUAN, { format: 'obj' })).toBe('400 format');
    expect(await input('rec-1', { format: 'glb' })).toMatchObject({ lost: ['format approximated'] });
    expect(await input('rec-1', { format: 'stl' })).toBe('400 format');
  });

  test('is charged for its texture, its material and its polygons', async () => {
    expect(await input(HUNYUAN)).toMatchObject({ input: { generate_type: 'Normal' } });
    expect(asks(HUNYUAN)).toEqual(['texture']);
    expect(await input(HUNYUAN, { texture: false })).toMatchObject({ input: { generate_type: 'Geometry' } });
    expect(asks(HUNYUAN, { texture: false })).toEqual([]);
    const all = { targetPolycount: 9, options: { enable_pbr: true } };
    expect(await input(HUNYUAN, all)).toMatchObject({
      ...{ input: { face_count: 40_000, enable_pbr: true }, lost: ['target_polycount approximated'] },
    });
    expect(asks(HUNYUAN, all)).toEqual(['texture', 'pbr', 'polycount']);
    expect(await input(HUNYUAN, { options: { enable_pbr: 'yes' } })).toBe('400 provider_options.enable_pbr');
    expect(await input('rec-1', { texture: true, targetPolycount: 5, negativePrompt: 'x', seed: 3 })).toMatchObject({
      ...{ input: { negative_prompt: 'x', seed: 3 }, lost: ['target_polycount dropped', 'texture dropped'] },
    });
  });
});

describe('a 3D model', () => {
  const url = 'https://replicate.delivery/a/mesh.glb';
  const polled = (output: unknown, format?: string) =>
    polledTask(replicateThreeD, { status: 'succeeded', output }, { id: 'a', ...(format !== undefined && { format }) });

  test('is found among its images and videos', () => {
    const item = { source: { kind: 'url', url }, mediaType: 'model/gltf-binary', format: 'glb' };
    const video = 'https://replicate.delivery/a/turn.mp4';
    const trellis = { model_file: url, color_video: video, gaussian_ply: 'https://x.example/a.ply' };
    for (const output of [url, [video, url], { mesh: url }, trellis, { output: { textured_mesh: { url } } }]) {
      expect(polled(output)).toEqual({ state: 'done', result: { items: [item], model: null } } as never);
    }
  });

  test('in several formats is the requested one', () => {
    const output = { glb: url, fbx: { url: 'https://x.example/a.fbx' } };
    expect(polled({ model_urls: output }, 'fbx')).toMatchObject({ result: { items: [{ format: 'fbx' }] } });
    expect(polled(output, 'fbx')).toMatchObject({ result: { items: [{ format: 'fbx' }] } });
    expect(polled({ model_urls: output })).toMatchObject({ result: { items: [{ format: 'glb' }] } });
    const submission = submittedTask(replicateThreeD, { id: 'a', status: 'starting' }, { ...PLAIN_3D, format: 'fbx' });
    expect(submission).toMatchObject({ ticket: { id: 'a', format: 'fbx' } });
  });

  test('of the wrong type is ignored', () => {
    for (const odd of [...ODD_VALUES, 'https://x.example/picture.png']) {
      for (const output of [odd, { mesh: odd }, { model_urls: odd }, { model_urls: { glb: odd } }]) {
        expect(polled(output, 'glb')).toMatchObject({ state: 'failed', failure: { kind: 'no_result' } });
      }
    }
  });
});
