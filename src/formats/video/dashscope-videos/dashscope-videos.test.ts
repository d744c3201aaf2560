import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { WRONG_VALUES } from '../../shared/testing/image-exchange.ts';
import { INLINE_PIXEL, PIXEL_BASE64 } from '../../shared/testing/image-samples.ts';
import { endOf, polledTask, type SentTask, submittedTask } from '../../shared/testing/task-exchange.ts';
import { PLAIN_VIDEO, unaccountedVideo, videoAsked, videoSent } from '../../shared/testing/video-exchange.ts';
import { dashscopeVideos } from './index.ts';

const PIXEL = `data:image/png;base64,${PIXEL_BASE64}`;
const PATH = '/services/aigc/video-generation/video-synthesis';
const sent = (model: string, asked = {}) => videoSent(dashscopeVideos, model, asked);

describe('a request', () => {
  test('for an older model has pixels', async () => {
    const asked = { seed: 5, durationSeconds: 10, aspectRatio: '9:16', resolution: '720p', negativePrompt: 'fog' };
    expect(await sent('wan2.5-t2v-preview', asked)).toEqual({
      body: {
        model: 'wan2.5-t2v-preview',
        input: { prompt: 'a fox in the snow', negative_prompt: 'fog' },
        parameters: { size: '720*1280', duration: 10, seed: 5 },
      },
      ...{ suffix: PATH, lost: [] },
    });
    const whole = await dashscopeVideos.encodeRequest(
      PLAIN_VIDEO,
      { upstreamModel: 'wan2.5-t2v-preview' },
      { reference: 'a' },
    );
    expect(whole instanceof Failure ? null : whole.headers).toEqual({ 'x-dashscope-async': 'enable' });
  });

  test("has images in the model's own members", async () => {
    const image = { firstImage: INLINE_PIXEL };
    expect(await sent('wan2.6-i2v', image)).toMatchObject({
      body: { input: { img_url: PIXEL }, parameters: { resolution: '1080P', duration: 5 } },
    });
    expect(await sent('wan2.2-kf2v-flash', { ...image, lastImage: INLINE_PIXEL })).toMatchObject({
      body: { input: { first_frame_url: PIXEL, last_frame_url: PIXEL } },
      suffix: '/services/aigc/image2video/video-synthesis',
    });
    expect(await sent('wan2.7-i2v', { ...image, lastImage: INLINE_PIXEL })).toMatchObject({
      body: { input: { media: [{ type: 'first_frame', url: PIXEL }, { type: 'last_frame' }] } },
      suffix: PATH,
    });
    const videoUrl = 'https://example.com/v.mp4';
    expect(await sent('wan2.7-i2v', { videoUrl })).toMatchObject({
      body: { input: { media: [{ type: 'first_clip', url: videoUrl }] } },
    });
    expect(await sent('wan3.0-video', { referenceImages: [INLINE_PIXEL], videoUrl, aspectRatio: '1:1' })).toMatchObject(
      {
        body: {
          input: { media: [{ type: 'reference_video' }, { type: 'reference_image' }] },
          parameters: { ratio: '1:1', resolution: '1080P' },
        },
      },
    );
  });

  test('that the model does not support names the field', async () => {
    expect(await sent('wan2.6-i2v')).toBe('400 prompt');
    expect(await sent('wan2.2-kf2v-flash', { firstImage: INLINE_PIXEL })).toBe('400 prompt');
    expect(await sent('wan2.2-t2v-plus', { audio: true })).toBe('400 audio');
    expect(await sent('wan2.7-t2v', { firstImage: INLINE_PIXEL })).toBe('400 image_url');
    expect(await sent('wan3.0-video', { firstImage: INLINE_PIXEL, videoUrl: 'https://x.example/v' })).toBe(
      '400 video_url',
    );
    expect(await sent('wan2.7-t2v', { options: { duration: 15 } })).toBe('400 provider_options.duration');
    expect(await sent('wan2.7-t2v', { options: { parameters: { duration: 15 } } })).toBe(
      '400 provider_options.parameters.duration',
    );
  });

  test('has options where the provider expects them', async () => {
    const options = { prompt_extend: false, watermark: true, audio_url: 'https://x.example/a.mp3' };
    expect(await sent('wan2.7-t2v', { options })).toMatchObject({
      body: {
        input: { audio_url: options.audio_url },
        parameters: { prompt_extend: false, watermark: true, duration: 5 },
      },
    });
    expect(await sent('wan2.7-t2v', { options: { parameters: { watermark: true } } })).toMatchObject({
      body: { parameters: { watermark: true, duration: 5 } },
    });
  });

  test('is priced as it is sent', () => {
    const asks = (model: string, asked = {}) => videoAsked(dashscopeVideos, model, asked);
    expect(asks('wan2.7-t2v')).toEqual({ count: 1, seconds: 5, resolution: '1080p', traits: ['audio'] });
    expect(asks('wan2.5-t2v-preview', { durationSeconds: 8, size: { width: 832, height: 480 } })).toMatchObject({
      ...{ seconds: 10, resolution: '480p' },
    });
    expect(asks('wan2.2-t2v-plus', { resolution: '720p' })).toMatchObject({ resolution: '1080p', traits: [] });
    expect(asks('wan2.6-i2v-flash', { audio: false })).toMatchObject({ traits: [] });
  });

  const carried = ({ body }: SentTask) => {
    const { input = {}, parameters = {} } = body as Readonly<Record<string, object>>; // the wire writes objects
    const names: Readonly<Record<string, readonly string[]>> = {
      ...{ img_url: ['image_url'], first_frame_url: ['image_url'], last_frame_url: ['end_image_url'] },
      ...{
        size: ['size', 'aspect_ratio', 'resolution'],
        ratio: ['aspect_ratio', 'size'],
        resolution: ['resolution', 'size'],
      },
    };
    const types: Readonly<Record<string, string>> = {
      ...{ first_frame: 'image_url', last_frame: 'end_image_url', reference_image: 'reference_image_urls' },
      ...{ first_clip: 'video_url', reference_video: 'video_url', video: 'video_url' },
    };
    const media = 'media' in input && Array.isArray(input.media) ? input.media : [];
    const members = [...Object.keys(input), ...Object.keys(parameters)].flatMap((name) => names[name] ?? [name]);
    return [...members, ...media.map(({ type }) => types[type] ?? ''), 'audio'];
  };

  test.each(['wan2.6-t2v', 'wan2.7-t2v', 'wan2.7-i2v', 'wan2.7-r2v', 'wan3.0-video', 'wan9-video'])(
    'to %s carries, loses or refuses each pair of members',
    async (model) => expect(await unaccountedVideo(dashscopeVideos, model, carried)).toEqual([]),
  );
});

describe('a task', () => {
  const polled = (output: unknown, usage: unknown = null) =>
    polledTask(dashscopeVideos, { request_id: 'r', output, usage }, { id: '0385dc79' });
  const url = 'https://dashscope-result-sgp.oss-ap-southeast-1.aliyuncs.com/a.mp4?Expires=1';

  test('is identified by its id', () => {
    expect(
      submittedTask(dashscopeVideos, { output: { task_id: '0385dc79', task_status: 'PENDING' } }, PLAIN_VIDEO),
    ).toMatchObject({
      ticket: { id: '0385dc79' },
    });
    for (const value of [...WRONG_VALUES.filter((one) => one !== 'x'), '../x', 'a/b']) {
      expect(submittedTask(dashscopeVideos, { output: { task_id: value } }, PLAIN_VIDEO)).toBeInstanceOf(Failure);
      expect(
        submittedTask(dashscopeVideos, { output: value, code: value, message: value }, PLAIN_VIDEO),
      ).toBeInstanceOf(Failure);
    }
    const { url: place } = dashscopeVideos.poll({ id: '0385dc79' }, { upstreamModel: 'wan2.7-t2v' });
    expect(place).toBe('/../../api/v1/tasks/0385dc79');
    for (const base of ['/compatible-mode/v1', '/api/v1', '']) {
      expect(new URL(`https://dashscope-intl.aliyuncs.com${base}${place}`).pathname).toBe('/api/v1/tasks/0385dc79');
    }
  });

  test('is queued, runs and is done', () => {
    expect(polled({ task_status: 'PENDING' })).toMatchObject({ status: 'pending' });
    expect(polled({ task_status: 'RUNNING' })).toMatchObject({ status: 'processing' });
    const output = { task_status: 'SUCCEEDED', video_url: url, orig_prompt: 'a fox', actual_prompt: 'a red fox' };
    expect(polled(output, { duration: 8, output_video_duration: 5, SR: 720 })).toMatchObject({
      state: 'done',
      result: { items: [{ source: { url }, durationSeconds: 5, revisedPrompt: 'a red fox' }], resolution: '720p' },
    });
  });

  test.each([
    ['DataInspectionFailed', 'invalid_request client content_refused'],
    ['IPInfringementSuspect', 'invalid_request client content_refused'],
    ['InvalidParameter.DataInspection', 'invalid_request client job_refused'],
    ['InternalError', 'upstream_error upstream job_failed'],
    [null, 'upstream_error upstream job_failed'],
  ])('that failed with %p is reported in one sentence', (code, begins) => {
    expect(endOf(polled({ task_status: 'FAILED', code, message: 'No. https://x.example/a' }))).toStartWith(begins);
  });

  test('fails when it is cancelled or unknown', () => {
    expect(endOf(polled({ task_status: 'CANCELED' }))).toContain('job_canceled');
    expect(endOf(polled({ task_status: 'UNKNOWN' }))).toContain('job_lost');
  });

  test('continues after an unexpected response', () => {
    for (const value of WRONG_VALUES) {
      expect(polled(value)).toBeInstanceOf(Failure);
      expect(polled({ task_status: value })).toBeInstanceOf(Failure);
      expect(polled({ task_status: 'SUCCEEDED', video_url: value })).toBeInstanceOf(Failure);
      const done = { task_status: 'SUCCEEDED', video_url: url, actual_prompt: value, orig_prompt: value };
      expect(polled(done, value)).toMatchObject({ state: 'done' });
      expect(polled(done, { duration: value, SR: value })).toMatchObject({ state: 'done' });
      expect(polled({ task_status: 'FAILED', code: value, message: value })).toMatchObject({ state: 'failed' });
    }
  });
});

test('a refusal names the client’s field', () => {
  const failure = (status: number, code: string, message: string) =>
    dashscopeVideos.decodeFailure(status, new Headers(), new TextEncoder().encode(JSON.stringify({ code, message })));
  expect(failure(400, 'InvalidParameter', 'duration must be in [2, 15]').details.param).toBe('duration');
  expect(failure(400, 'DataInspectionFailed', 'Input data may contain inappropriate content.')).toMatchObject({
    ...{ side: 'client', kind: 'content_refused' },
  });
  expect(failure(401, 'InvalidApiKey', 'Invalid API-key provided.')).toMatchObject({ kind: 'upstream_auth' });
});
