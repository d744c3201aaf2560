import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { HOSTILE_VALUES, hostileAnswers } from '../../shared/testing/hostile-answers.ts';
import { INLINE_PIXEL, wireAnswer } from '../../shared/testing/image-samples.ts';
import { polledTask, type SentTask } from '../../shared/testing/task-exchange.ts';
import { PLAIN_VIDEO, unaccountedVideo, videoAsked, videoSent } from '../../shared/testing/video-exchange.ts';
import { lumaVideos } from './index.ts';

const FIRST_IMAGE = { kind: 'url', url: 'https://images.example/first.png' } as const;
const LAST_IMAGE = { kind: 'url', url: 'https://images.example/last.png' } as const;

const submitted = (answer: unknown) =>
  lumaVideos.decodeSubmission(wireAnswer(answer), PLAIN_VIDEO, { upstreamModel: 'm' });
const polled = (answer: unknown) => polledTask(lumaVideos, answer, { id: 'a' });
const failed = (status: number, answer: unknown) => {
  const { bytes, headers } = wireAnswer(answer);
  return lumaVideos.decodeFailure(status, headers, bytes);
};

async function bodyOf(model: string, asked: Parameters<typeof videoSent>[2]) {
  const sent = await videoSent(lumaVideos, model, asked);
  return typeof sent === 'string' ? sent : sent.body;
}

describe('a request', () => {
  test('from a text has the prompt and its parameters', async () => {
    const asked = { durationSeconds: 9, aspectRatio: '21:9', resolution: '1080p' };
    expect(await videoSent(lumaVideos, 'ray-2', { ...asked, options: { loop: true } })).toEqual({
      body: {
        ...{ generation_type: 'video', model: 'ray-2', prompt: 'a fox in the snow', aspect_ratio: '21:9' },
        ...{ resolution: '1080p', duration: '9s', loop: true },
      },
      suffix: '/generations/video',
      lost: [],
    });
  });

  test('with images has them as keyframes', async () => {
    const frame0 = { type: 'image', url: FIRST_IMAGE.url };
    const frame1 = { type: 'image', url: LAST_IMAGE.url };
    expect(await bodyOf('ray-2', { firstImage: FIRST_IMAGE, lastImage: LAST_IMAGE })).toMatchObject({
      keyframes: { frame0, frame1 },
    });
    expect(await bodyOf('ray-2', { lastImage: LAST_IMAGE })).toMatchObject({ keyframes: { frame1 } });
    const generation = { type: 'generation', id: '123e4567-e89b-12d3-a456-426614174000' };
    expect(
      await bodyOf('ray-2', { firstImage: FIRST_IMAGE, options: { keyframes: { frame1: generation } } }),
    ).toMatchObject({ keyframes: { frame0, frame1: generation } });
  });

  test('has no option that replaces a field', async () => {
    for (const name of ['model', 'duration', 'resolution', 'generation_type']) {
      expect(await bodyOf('ray-9', { options: { [name]: '9s' } })).toBe(`400 provider_options.${name}`);
    }
  });

  test('with audio, or another video, is refused', async () => {
    expect(await bodyOf('ray-2', { audio: true })).toBe('400 audio');
    expect(await bodyOf('ray-2', { videoUrl: 'https://videos.example/v.mp4' })).toBe('400 video_url');
    expect(await bodyOf('ray-2', { referenceImages: [FIRST_IMAGE] })).toBe('400 reference_image_urls');
  });

  test('with an inline image is refused', async () => {
    expect(await bodyOf('ray-2', { firstImage: INLINE_PIXEL })).toBe('400 image_url');
    expect(await bodyOf('ray-2', { firstImage: FIRST_IMAGE, lastImage: INLINE_PIXEL })).toBe('400 end_image_url');
  });

  test.each(['ray-2', 'ray-flash-2', 'ray-9'])('to %s carries, loses or refuses each pair of fields', async (id) => {
    const carried = ({ body }: SentTask) => {
      const { frame0, frame1 } = Object(body.keyframes);
      return [
        ...Object.keys(body),
        ...(frame0 === undefined ? [] : ['image_url']),
        ...(frame1 === undefined ? [] : ['end_image_url']),
        'size',
        'audio',
      ];
    };
    expect(await unaccountedVideo(lumaVideos, id, carried)).toEqual([]);
  });

  test.each([
    ['ray-2', {}, 5, '720p'],
    ['ray-2', { durationSeconds: 6, resolution: '360p' }, 5, '540p'],
    ['ray-2', { durationSeconds: 7, resolution: '8k' }, 9, '4k'],
    ['ray-flash-2', { size: { width: 1920, height: 1080 } }, 5, '1080p'],
    ['ray-9', {}, null, null],
    ['ray-9', { durationSeconds: 12, resolution: '1440p' }, 12, '1440p'],
  ])('is priced as it is sent: %s %j', async (id, asked, seconds, resolution) => {
    expect(videoAsked(lumaVideos, id, asked)).toEqual({ count: 1, seconds, resolution, traits: [] });
    const body = await bodyOf(id, asked);
    expect(Object(body).duration).toBe(seconds === null ? undefined : `${seconds}s`);
    expect(Object(body).resolution).toBe(resolution ?? undefined);
  });
});

describe('a job', () => {
  const id = '123e4567-e89b-12d3-a456-426614174000';
  const JOB = { id, state: 'queued', failure_reason: null, assets: null, model: 'ray-2' };

  test('is polled by its id', () => {
    expect(submitted(JOB)).toEqual({
      ...{ ticket: { id }, report: { state: 'working', status: 'pending', progress: null } },
    } as never);
    expect(lumaVideos.poll({ id }, { upstreamModel: 'm' })).toEqual({ url: `/generations/${id}` });
    expect(lumaVideos.poll({ id: '../x' }, { upstreamModel: 'm' })).toEqual({ url: '/generations/..%2Fx' });
  });

  test('that was accepted is kept in any state', () => {
    for (const state of HOSTILE_VALUES) {
      expect(submitted({ ...JOB, state })).toMatchObject({ ticket: { id } });
    }
  });

  test('without a valid id is refused', () => {
    for (const bad of HOSTILE_VALUES.filter((value) => typeof value !== 'string' || !/^\w{1,100}$/.test(value))) {
      expect(submitted({ ...JOB, id: bad })).toBeInstanceOf(Failure);
    }
  });

  test.each([
    ['queued', 'pending'],
    ['dreaming', 'processing'],
  ])('that is %s is %s', (state, status) => {
    expect(polled({ ...JOB, state })).toEqual({ state: 'working', status, progress: null } as never);
  });

  const assets = { video: 'https://cdn.example/v.mp4', image: 'https://cdn.example/c.jpg', progress_video: null };
  const done = { ...JOB, state: 'completed', assets };

  test('that is completed has its video', () => {
    expect(polled(done)).toMatchObject({
      state: 'done',
      result: { model: 'ray-2', items: [{ source: { url: assets.video }, cover: { url: assets.image } }] },
    });
  });

  test.each([
    ['400: Content moderated', 'client'],
    ['prompt not allowed because advanced moderation failed', 'client'],
    ['Job failed on worker', 'upstream'],
    [null, 'upstream'],
    [{}, 'upstream'],
  ])('that failed with %p is the fault of the %s', (failure_reason, side) => {
    const answer = { ...JOB, state: 'failed', failure_reason };
    expect(polled(answer)).toMatchObject({ state: 'failed', failure: { side } });
    expect(submitted(answer)).toMatchObject({ side });
  });

  test('with an unexpected response continues', () => {
    for (const answer of hostileAnswers(done)) {
      const report = polled(answer);
      if (report instanceof Failure || report.state !== 'done') continue;
      expect(report.result.items[0]?.source).toEqual({ kind: 'url', url: assets.video });
    }
    for (const state of ['succeeded', 'COMPLETED', 'constructor', null]) {
      expect(polled({ ...done, state })).toMatchObject({ kind: 'garbage' });
    }
    expect(polled('no json')).toBeInstanceOf(Failure);
  });
});

describe('a failure', () => {
  test.each([
    [400, { detail: 'Insufficient credits' }, 'upstream', 'upstream_quota'],
    [401, { detail: 'Invalid API key is provided' }, 'upstream', 'upstream_auth'],
    [400, { detail: 'Prompt was blocked by content moderation' }, 'client', 'content_refused'],
    [422, { detail: [{ loc: ['body', 'keyframes', 'frame0', 'url'], msg: 'not a URL' }] }, 'client', 'invalid_request'],
    [429, { detail: 'Too many requests' }, 'upstream', 'rate_limit_exceeded'],
    [500, { detail: 'x' }, 'upstream', 'http_500'],
    [502, '<html>', 'upstream', 'http_502'],
  ])('with HTTP %d %j is of the %s: %s', (status, body, side, kind) => {
    expect(failed(status, body)).toMatchObject({ side, kind });
  });

  test('of a keyframe names the client’s field', () => {
    const detail = [{ loc: ['body', 'keyframes', 'frame1', 'url'], msg: 'not a URL' }];
    expect(failed(422, { detail })).toMatchObject({ details: { param: 'end_image_url' } });
    for (const value of HOSTILE_VALUES) expect(failed(422, { detail: value })).toMatchObject({ side: 'client' });
  });
});
