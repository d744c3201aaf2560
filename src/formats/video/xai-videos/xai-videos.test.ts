import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { WRONG_VALUES } from '../../shared/testing/image-exchange.ts';
import { INLINE_PIXEL, PIXEL_URI } from '../../shared/testing/image-samples.ts';
import { endOf, polledTask, submittedTask } from '../../shared/testing/task-exchange.ts';
import { PLAIN_VIDEO, unaccountedVideo, videoAsked, videoSent } from '../../shared/testing/video-exchange.ts';
import { xaiVideos } from './index.ts';

const MODEL = 'grok-imagine-video';
const VIDEO_URL = 'https://example.com/v.mp4';
const sent = (asked: object = {}, model = MODEL) => videoSent(xaiVideos, model, asked);
const asks = (asked: object = {}, model = MODEL) => videoAsked(xaiVideos, model, asked);

describe('a request', () => {
  test("has only the client's fields, and the price of the model’s defaults", async () => {
    expect(await sent()).toEqual({
      body: { model: MODEL, prompt: 'a fox in the snow' },
      ...{ suffix: '/generations', lost: [] },
    });
    expect(asks()).toEqual({ count: 1, seconds: 8, resolution: '480p' });
    expect(asks({}, 'their-video')).toEqual({ count: 1, seconds: null, resolution: null });
  });

  test('has a supported length, ratio and resolution', async () => {
    const asked = { durationSeconds: 20, aspectRatio: '21:9', resolution: '1080p', user: 'u' };
    expect(await sent(asked)).toMatchObject({
      body: { duration: 15, aspect_ratio: '16:9', resolution: '720p', user: 'u' },
      lost: ['aspect_ratio approximated', 'duration approximated', 'resolution approximated'],
    });
    expect(asks(asked)).toEqual({ count: 1, seconds: 15, resolution: '720p' });
    for (const model of ['grok-imagine-video-1.5', 'xai/grok-imagine-video-1.5-lite']) {
      expect(await sent(asked, model)).toMatchObject({ body: { resolution: '1080p' } });
      expect(asks(asked, model)).toEqual({ count: 1, seconds: 15, resolution: '1080p' });
    }
    expect(await sent({ durationSeconds: 4.2 })).toMatchObject({ body: { duration: 5 } });
  });

  test.each([
    [1280, 720, { aspect_ratio: '16:9', resolution: '720p' }, []],
    [854, 480, { aspect_ratio: '16:9', resolution: '480p' }, []],
    [720, 720, { aspect_ratio: '1:1', resolution: '720p' }, []],
    [1080, 1920, { aspect_ratio: '9:16', resolution: '720p' }, ['size approximated']],
    [1000, 480, { aspect_ratio: '16:9', resolution: '480p' }, ['size approximated']],
  ])('of %ix%i has its ratio and resolution', async (width, height, body, lost) => {
    expect(await sent({ size: { width, height } })).toMatchObject({ body, lost });
    expect(asks({ size: { width, height } }).resolution).toBe(body.resolution);
  });

  test("for an unknown model has the client's fields", async () => {
    const asked = { durationSeconds: 30, aspectRatio: '5:4', resolution: '4k' };
    const body = { duration: 30, aspect_ratio: '5:4', resolution: '4k' };
    expect(await sent(asked, 'theirs')).toMatchObject({ body, lost: [] });
    expect(asks(asked, 'theirs')).toEqual({ count: 1, seconds: 30, resolution: '4k' });
    const size = { width: 1000, height: 480 };
    expect(await sent({ size }, 'theirs')).toMatchObject({
      body: { aspect_ratio: '25:12', resolution: '480p' },
      lost: [],
    });
  });

  test('has images as objects, by URL or inline', async () => {
    expect(await sent({ firstImage: INLINE_PIXEL, prompt: '' })).toMatchObject({
      body: { model: MODEL, image: { url: PIXEL_URI } },
      suffix: '/generations',
    });
    const url = { kind: 'url', url: 'https://example.com/b.png' };
    expect(await sent({ referenceImages: [INLINE_PIXEL, url] })).toMatchObject({
      body: { reference_images: [{ url: PIXEL_URI }, { url: url.url }] },
    });
    expect(await sent({ referenceImages: [INLINE_PIXEL], firstImage: INLINE_PIXEL })).toBe('400 reference_image_urls');
  });

  test('with a video is an edit, at the price of the longest and largest', async () => {
    const asked = { videoUrl: VIDEO_URL, durationSeconds: 3, resolution: '480p', aspectRatio: '1:1' };
    expect(await sent(asked)).toEqual({
      body: { model: MODEL, prompt: 'a fox in the snow', video: { url: VIDEO_URL } },
      ...{ suffix: '/edits' },
      lost: ['aspect_ratio dropped', 'duration dropped', 'resolution dropped'],
    });
    expect(asks(asked)).toEqual({ count: 1, seconds: 8.7, resolution: '720p' });
    expect(await sent({ videoUrl: VIDEO_URL, firstImage: INLINE_PIXEL })).toBe('400 image_url');
  });

  test.each(['duration', 'resolution', 'model', 'image', 'video', 'n'])('refuses the option %s', async (name) => {
    expect(await sent({ options: { [name]: 15 } }, 'theirs')).toBe(`400 provider_options.${name}`);
    expect(await sent({ options: { [name]: 15 }, videoUrl: VIDEO_URL })).toBe(`400 provider_options.${name}`);
  });

  test.each([MODEL, 'grok-imagine-video-1.5', 'theirs'])(
    'to %s carries, loses or refuses each pair of members',
    async (model) => {
      const names: Readonly<Record<string, readonly string[]>> = {
        image: ['image_url'],
        reference_images: ['reference_image_urls'],
        video: ['video_url'],
        resolution: ['resolution', 'size'],
      };
      const found = await unaccountedVideo(xaiVideos, model, ({ body }) => [
        ...Object.keys(body).flatMap((name) => names[name] ?? [name]),
        'audio',
      ]);
      expect(found).toEqual([]);
    },
  );

  test('without sound reports that this is unsupported', async () => {
    expect(await sent({ audio: false })).toMatchObject({ lost: ['audio dropped'] });
    expect(await sent({ audio: true })).toMatchObject({ lost: [] });
  });
});

const URL = 'https://vidgen.x.ai/xai-vidgen-bucket/xai-video-1.mp4';
const polled = (body: unknown) => polledTask(xaiVideos, body, { id: 'r-1' });

describe('a job', () => {
  test('is polled by its id', () => {
    expect(submittedTask(xaiVideos, { request_id: '4d1c-9' }, PLAIN_VIDEO)).toEqual({
      ticket: { id: '4d1c-9' },
      report: { state: 'working', status: 'pending', progress: null },
    });
    expect(xaiVideos.poll({ id: '4d1c-9' }, { upstreamModel: MODEL })).toEqual({ url: '/videos/4d1c-9' });
    for (const id of [...WRONG_VALUES.filter((one) => one !== 'x'), '../images', '..', 'a?b']) {
      expect(submittedTask(xaiVideos, { request_id: id }, PLAIN_VIDEO)).toMatchObject({ kind: 'garbage' });
    }
    for (const value of WRONG_VALUES) expect(submittedTask(xaiVideos, value, PLAIN_VIDEO)).toBeInstanceOf(Failure);
    const refused = submittedTask(xaiVideos, { code: 'x', error: 'Prompt is too long' }, PLAIN_VIDEO);
    expect(refused).toBeInstanceOf(Failure);
  });

  test('in progress may have a state, an id only, or nothing', () => {
    const working = { state: 'working', status: 'processing', progress: null };
    for (const body of ['', { status: 'pending' }, { request_id: 'r-1' }, { status: 'pending', video: null }]) {
      expect(polled(body)).toEqual(working as never);
    }
    expect(polled({ status: 'pending', progress: 40, model: MODEL })).toEqual({ ...working, progress: 40 } as never);
    expect(polled({ status: 'queued' })).toEqual({ ...working, status: 'pending' } as never);
  });

  test('that is done has its video, with or without a state', () => {
    const video = { url: URL, duration: 6, respect_moderation: true };
    const done = {
      state: 'done',
      result: {
        items: [{ source: { kind: 'url', url: URL }, mediaType: 'video/mp4', durationSeconds: 6 }],
        model: MODEL,
      },
    };
    const usage = { cost_in_usd_ticks: 500_000_000 };
    for (const status of ['done', undefined, null]) {
      expect(polled({ status, video, model: MODEL, usage, progress: 100 })).toEqual(done as never);
    }
    expect(polled({ video: { url: URL } })).toMatchObject({
      result: { items: [{ durationSeconds: null }], model: null },
    });
  });

  test('whose video was removed is a client error', () => {
    const expected = /^invalid_request client content_refused: The provider’s moderation/;
    for (const url of [URL, '', null]) {
      expect(endOf(polled({ status: 'done', video: { url, respect_moderation: false } }))).toMatch(expected);
    }
    expect(endOf(polled({ status: 'failed', video: { respect_moderation: false } }))).toMatch(expected);
  });

  test('that failed has a reason', () => {
    const video = { duration: 0, respect_moderation: true };
    const failed = (error: unknown) => endOf(polled({ status: 'failed', video, model: '', error }));
    expect(failed({ code: 'internal_error', message: 'Something broke. See https://x.ai/status' })).toBe(
      'upstream_error upstream job_failed: The job failed: Something broke. See',
    );
    expect(failed({ code: 'invalid_argument', message: 'The image is too small.' })).toBe(
      'invalid_request client job_refused: The image is too small.',
    );
    expect(failed({ code: 'x', message: 'Generated video rejected by content moderation.' })).toMatch(
      /^invalid_request client content_refused/,
    );
    for (const error of WRONG_VALUES) expect(failed(error)).toMatch(/^upstream_error upstream job_failed/);
    expect(endOf(polled({ status: 'expired' }))).toMatch(/^upstream_error upstream job_expired/);
  });

  test('that is done without a video has failed', () => {
    for (const url of [...WRONG_VALUES, 'file:///etc/passwd', 'data:text/html,x']) {
      expect(endOf(polled({ status: 'done', video: { url } }))).toMatch(/^upstream_error upstream garbage/);
    }
    for (const video of WRONG_VALUES) expect(polled({ status: 'done', video })).toMatchObject({ state: 'failed' });
  });

  test('in an unknown state is polled again', () => {
    for (const status of [...WRONG_VALUES.filter((one) => one !== null), 'constructor', 'exploded']) {
      expect(polled({ status, request_id: 'r-1', video: { url: URL } })).toBeInstanceOf(Failure);
    }
    for (const value of [...WRONG_VALUES, '{', '[]']) {
      if (value !== '') expect(polled(value)).toBeInstanceOf(Failure);
    }
    expect(polled({ error: { message: 'busy' } })).toBeInstanceOf(Failure);
    expect(polled({ request_id: 'r-1', error: 'gone' })).toBeInstanceOf(Failure);
  });
});
