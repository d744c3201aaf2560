import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { WRONG_VALUES } from '../../shared/testing/image-exchange.ts';
import { INLINE_PIXEL } from '../../shared/testing/image-samples.ts';
import { endOf, polledTask, submittedTask } from '../../shared/testing/task-exchange.ts';
import { PLAIN_VIDEO, unaccountedVideo, videoAsked, videoSent } from '../../shared/testing/video-exchange.ts';
import { openaiVideos } from './index.ts';

const sent = (model: string, asked: object = {}) => videoSent(openaiVideos, model, asked);
const asks = (model: string, asked: object = {}) => videoAsked(openaiVideos, model, asked);

describe('a request', () => {
  test("has only the client's fields, and the price of the model’s defaults", async () => {
    expect(await sent('sora-2')).toEqual({
      body: { model: 'sora-2', prompt: 'a fox in the snow' },
      ...{ suffix: '', lost: [] },
    });
    expect(asks('sora-2')).toEqual({ count: 1, seconds: 4, resolution: '720p' });
    expect(asks('their-video')).toEqual({ count: 1, seconds: null, resolution: null });
  });

  test('has its length as text, and a supported length and size', async () => {
    const asked = { durationSeconds: 7, resolution: '1080p', aspectRatio: '16:9' };
    expect(await sent('sora-2', asked)).toMatchObject({
      body: { seconds: '8', size: '1280x720' },
      lost: ['duration approximated', 'resolution approximated'],
    });
    expect(asks('sora-2', asked)).toEqual({ count: 1, seconds: 8, resolution: '720p' });
    expect(await sent('sora-2-pro', asked)).toMatchObject({
      body: { seconds: '8', size: '1792x1024' },
      lost: ['aspect_ratio approximated', 'duration approximated', 'resolution approximated'],
    });
    expect(asks('sora-2-pro-2025-10-06', asked)).toEqual({ count: 1, seconds: 8, resolution: '1024p' });
    expect(await sent('sora-2', { resolution: '720p' })).toMatchObject({ body: { size: '720x1280' }, lost: [] });
    expect(await sent('sora-2', { aspectRatio: '9:16' })).toMatchObject({ body: { size: '720x1280' }, lost: [] });
    expect(await sent('sora-2-pro', { size: { width: 1920, height: 1080 } })).toMatchObject({
      body: { size: '1280x720' },
      lost: ['size approximated'],
    });
  });

  test("for another vendor's model has the client's fields", async () => {
    const asked = { durationSeconds: 7.5, resolution: '480p', aspectRatio: '9:16', negativePrompt: 'fog', seed: 3 };
    expect(await sent('wan-2.2', asked)).toMatchObject({
      body: { seconds: '7.5', size: '480x854', negative_prompt: 'fog', seed: 3 },
      lost: [],
    });
    expect(asks('wan-2.2', asked)).toEqual({ count: 1, seconds: 7.5, resolution: '480p' });
    expect(await sent('wan-2.2', { size: { width: 832, height: 480 } })).toMatchObject({ body: { size: '832x480' } });
    expect(await sent('wan-2.2', { options: { guidance_scale: 5 } })).toMatchObject({ body: { guidance_scale: 5 } });
  });

  test('has an image by URL as JSON, and an inline one as a file', async () => {
    const url = 'https://example.com/a.png';
    expect(await sent('sora-2', { firstImage: { kind: 'url', url } })).toMatchObject({
      body: { model: 'sora-2', input_reference: { image_url: url } },
    });
    const options = { their_own: { a: 1 } };
    expect(await sent('sora-2', { firstImage: INLINE_PIXEL, durationSeconds: 12, options })).toMatchObject({
      body: { model: 'sora-2', prompt: 'a fox in the snow', seconds: '12', their_own: '{"a":1}' },
      files: { input_reference: 'input_reference.png image/png 69' },
    });
  });

  test('is refused for unsupported fields', async () => {
    expect(await sent('sora-2', { videoUrl: 'https://example.com/v.mp4' })).toBe('400 video_url');
    expect(await sent('sora-2', { referenceImages: [INLINE_PIXEL] })).toBe('400 reference_image_urls');
    expect(await sent('sora-2', { count: 2 })).toBe('400 n');
    expect(await sent('sora-2', { prompt: '', firstImage: INLINE_PIXEL })).toBe('400 prompt');
  });

  test.each(['seconds', 'size', 'model', 'prompt'])(
    'refuses the option %s, which would bypass the price',
    async (name) => {
      for (const firstImage of [null, INLINE_PIXEL]) {
        expect(await sent('theirs', { firstImage, options: { [name]: '20' } })).toBe(`400 provider_options.${name}`);
      }
    },
  );

  test.each(['sora-2', 'sora-2-pro', 'theirs'])(
    'to %s carries, loses or refuses each pair of members',
    async (model) => {
      const names: Readonly<Record<string, readonly string[]>> = {
        seconds: ['duration'],
        size: ['size', 'aspect_ratio', 'resolution'],
        input_reference: ['image_url'],
      };
      const found = await unaccountedVideo(openaiVideos, model, ({ body, files }) => [
        ...Object.keys({ ...body, ...files }).flatMap((name) => names[name] ?? [name]),
        ...(model.startsWith('sora') ? ['audio'] : []),
      ]);
      expect(found).toEqual([]);
    },
  );
});

const VIDEO = { id: 'video_1', object: 'video', model: 'sora-2', seconds: '8', size: '1280x720', error: null };

describe('a job', () => {
  test('is polled by its id', () => {
    expect(submittedTask(openaiVideos, { ...VIDEO, status: 'queued', progress: 0 }, PLAIN_VIDEO)).toEqual({
      ticket: { id: 'video_1' },
      report: { state: 'working', status: 'pending', progress: 0 },
    });
    expect(openaiVideos.poll({ id: 'video_1' }, { upstreamModel: 'x' })).toEqual({ url: '/videos/video_1' });
    expect(openaiVideos.poll({ id: 'dmlkZW8=' }, { upstreamModel: 'x' })).toEqual({ url: '/videos/dmlkZW8%3D' });
  });

  test('with an id that forms another path is refused', () => {
    for (const id of [...WRONG_VALUES.filter((one) => one !== 'x'), 'a/../b', '..', 'a?b', 'x'.repeat(501)]) {
      expect(submittedTask(openaiVideos, { ...VIDEO, id, status: 'queued' }, PLAIN_VIDEO)).toMatchObject({
        kind: 'garbage',
      });
    }
    for (const value of WRONG_VALUES) expect(submittedTask(openaiVideos, value, PLAIN_VIDEO)).toBeInstanceOf(Failure);
  });

  test('is accepted even if its state is unreadable', () => {
    for (const status of [...WRONG_VALUES, 'constructor']) {
      expect(submittedTask(openaiVideos, { ...VIDEO, status }, PLAIN_VIDEO)).toMatchObject({
        ticket: { id: 'video_1' },
      });
    }
  });

  const polled = (body: object, model = 'sora-2') =>
    polledTask(openaiVideos, { ...VIDEO, ...body }, { id: 'video_1' }, model);

  test('is in progress in these states', () => {
    for (const status of ['queued', 'pending', 'submitted', 'Queued']) {
      expect(polled({ status })).toEqual({ state: 'working', status: 'pending', progress: null });
    }
    for (const status of ['in_progress', 'processing', 'running']) {
      expect(polled({ status, progress: 41.6 })).toEqual({ state: 'working', status: 'processing', progress: 41 });
    }
    for (const progress of [...WRONG_VALUES.filter((one) => typeof one !== 'number'), -1, 101]) {
      expect(polled({ status: 'queued', progress })).toMatchObject({ progress: null });
    }
  });

  test("that is done has a video behind the channel's key, and its picture", () => {
    expect(polled({ status: 'completed', progress: 100 })).toEqual({
      state: 'done',
      result: {
        items: [
          {
            source: { kind: 'channel', url: '/videos/video_1/content' },
            mediaType: 'video/mp4',
            durationSeconds: 8,
            cover: { kind: 'channel', url: '/videos/video_1/content?variant=thumbnail' },
          },
        ],
        resolution: '720p',
        model: 'sora-2',
      },
    });
    for (const value of WRONG_VALUES) {
      const odd = polled({ status: 'completed', seconds: value, size: value, model: value });
      expect(odd).toMatchObject({ state: 'done', result: { items: [{ mediaType: 'video/mp4' }] } });
    }
  });

  test('at another server has a URL of its own, and no picture', () => {
    const url = 'https://cdn.example.com/v.mp4';
    for (const body of [{ video_url: url }, { url }, { outputs: { video_url: url } }, { metadata: { url } }]) {
      expect(polled({ status: 'succeeded', ...body }, 'wan')).toMatchObject({
        result: { items: [{ source: { kind: 'url', url } }] },
      });
    }
    const odd = polled({ status: 'completed', url: 'file:///etc/passwd' }, 'wan');
    expect(odd).toMatchObject({ result: { items: [{ source: { kind: 'channel' } }] } });
    expect(JSON.stringify(odd)).not.toContain('cover');
  });

  test('that failed has a reason', () => {
    const failed = (error: unknown) => endOf(polled({ status: 'failed', error }));
    const blocked = { code: 'moderation_blocked', message: 'Your request was blocked by our moderation system.' };
    expect(failed(blocked)).toBe(
      'invalid_request client content_refused: Your request was blocked by our moderation system.',
    );
    expect(failed({ code: 'video_generation_failed', message: 'Failed, see https://a.b/c?key=x' })).toBe(
      'upstream_error upstream job_failed: The job failed: Failed, see',
    );
    for (const error of WRONG_VALUES)
      expect(failed(error)).toMatch(/^upstream_error upstream job_failed: The job failed/);
    expect(endOf(polled({ status: 'expired' }))).toMatch(/^upstream_error upstream job_expired/);
  });

  test('in an unknown state is polled again', () => {
    for (const status of [...WRONG_VALUES, 'done?', '__proto__']) expect(polled({ status })).toBeInstanceOf(Failure);
    for (const value of [...WRONG_VALUES, 'not json {']) {
      expect(polledTask(openaiVideos, value, { id: 'a' })).toBeInstanceOf(Failure);
    }
  });
});
