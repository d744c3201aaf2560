import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import { HOSTILE_VALUES, hostileAnswers } from '../../shared/testing/hostile-answers.ts';
import { INLINE_PIXEL, PIXEL_BASE64, wireAnswer } from '../../shared/testing/image-samples.ts';
import { polledTask, type SentTask } from '../../shared/testing/task-exchange.ts';
import { PLAIN_VIDEO, unaccountedVideo, videoAsked, videoSent } from '../../shared/testing/video-exchange.ts';
import { klingVideos } from './index.ts';
import { KLING_MODELS } from './models.ts';

const V26 = 'kling-v2-6';
const V3 = 'kling-v3';

const FIRST_IMAGE = { kind: 'url', url: 'https://images.example/first.png' } as const;
const LAST_IMAGE = { kind: 'url', url: 'https://images.example/last.png' } as const;

const submitted = (answer: unknown, asked: Partial<VideoRequest> = {}) =>
  klingVideos.decodeSubmission(wireAnswer(answer), { ...PLAIN_VIDEO, ...asked }, { upstreamModel: 'm' });
const polled = (answer: unknown) => polledTask(klingVideos, answer, { id: 'a' });
const failed = (status: number, answer: unknown) => {
  const { bytes, headers } = wireAnswer(answer);
  return klingVideos.decodeFailure(status, headers, bytes);
};

async function bodyOf(model: string, asked: Parameters<typeof videoSent>[2]) {
  const sent = await videoSent(klingVideos, model, asked);
  return typeof sent === 'string' ? sent : sent.body;
}

describe('a request', () => {
  test("from a text has the gateway's name of the job", async () => {
    const asked = { negativePrompt: 'fog', durationSeconds: 10, aspectRatio: '9:16', resolution: '1080p' };
    expect(await videoSent(klingVideos, V26, { ...asked, options: { cfg_scale: 0.7 } })).toEqual({
      body: {
        ...{ model_name: V26, prompt: 'a fox in the snow', negative_prompt: 'fog', mode: 'pro', duration: '10' },
        ...{ aspect_ratio: '9:16', external_task_id: 'task_0123456789', cfg_scale: 0.7 },
      },
      suffix: '/videos/text2video',
      lost: [],
    });
  });

  test('with images has them as URLs or as bare base64', async () => {
    expect(await videoSent(klingVideos, V26, { firstImage: INLINE_PIXEL, lastImage: LAST_IMAGE })).toMatchObject({
      body: { image: PIXEL_BASE64, image_tail: LAST_IMAGE.url },
      suffix: '/videos/image2video',
    });
    const tail = await videoSent(klingVideos, 'kling-v1-6', { lastImage: INLINE_PIXEL });
    expect(tail).toMatchObject({ body: { image_tail: PIXEL_BASE64 }, suffix: '/videos/image2video' });
    expect(tail).not.toHaveProperty('body.image');
  });

  test('with reference images has up to four', async () => {
    const referenceImages = [FIRST_IMAGE, INLINE_PIXEL];
    expect(await videoSent(klingVideos, 'kling-v1-6', { referenceImages, aspectRatio: '1:1' })).toMatchObject({
      body: { image_list: [{ image: FIRST_IMAGE.url }, { image: PIXEL_BASE64 }], aspect_ratio: '1:1' },
      suffix: '/videos/multi-image2video',
    });
    const five = Array.from({ length: 5 }, () => FIRST_IMAGE);
    expect(await bodyOf('kling-v1-6', { referenceImages: five })).toBe('400 reference_image_urls');
    expect(await bodyOf(V3, { referenceImages, lastImage: LAST_IMAGE })).toBe('400 reference_image_urls');
    expect(await bodyOf(V3, { referenceImages, audio: true })).toBe('400 audio');
    expect(await bodyOf(V3, { referenceImages, options: { sound: 'on' } })).toBe('400 provider_options.sound');
  });

  test.each([...KLING_MODELS, V3, 'kling-v9-omni'])(
    'to %s carries, loses or refuses each pair of fields',
    async (id) => {
      const carried = ({ body }: SentTask) => {
        const names: Readonly<Record<string, string>> = {
          image: 'image_url',
          image_tail: 'end_image_url',
          image_list: 'reference_image_urls',
          sound: 'audio',
          mode: 'resolution',
        };
        return [...Object.keys(body).map((name) => names[name] ?? name), 'size', 'audio'];
      };
      expect(await unaccountedVideo(klingVideos, id, carried)).toEqual([]);
    },
  );

  test('with audio is refused by models without it', async () => {
    for (const id of KLING_MODELS.filter((one) => one !== V26)) {
      expect(await bodyOf(id, { audio: true })).toBe('400 audio');
      expect(await bodyOf(id, { audio: false })).not.toHaveProperty('sound');
    }
    for (const id of [V26, V3, 'kling-next']) {
      expect(await bodyOf(id, { audio: true })).toMatchObject({ sound: 'on' });
      expect(await bodyOf(id, { audio: false })).toMatchObject({ sound: 'off' });
    }
  });

  test('has no option that replaces a field', async () => {
    for (const name of ['prompt', 'duration', 'model_name', 'external_task_id']) {
      expect(await bodyOf(V26, { options: { [name]: 'other' } })).toBe(`400 provider_options.${name}`);
    }
    expect(await bodyOf(V26, { audio: false, options: { sound: 'on' } })).toBe('400 provider_options.sound');
  });
});

describe('the price matches the request', () => {
  const cases: readonly (readonly [string, Parameters<typeof videoSent>[2]])[] = [
    [V26, {}],
    [V26, { audio: true }],
    [V26, { audio: true, resolution: '720p' }],
    [V26, { options: { sound: 'on', mode: 'pro' } }],
    [V26, { options: { mode: 'pro' }, resolution: '720p' }],
    [V26, { durationSeconds: 7 }],
    [V26, { durationSeconds: 8, size: { width: 1920, height: 1080 } }],
    [V3, { durationSeconds: 14.2, resolution: '4k', audio: true }],
    [V3, { durationSeconds: 99 }],
    [V3, { options: { multi_prompt: [{ duration: '4' }, { duration: 5 }] } }],
    ['kling-v1-6', { resolution: '4k' }],
    ['kling-v1', { resolution: '1080p' }],
    ['kling-v2-1-master', { options: { mode: 'std' } }],
    ['kling-next', { durationSeconds: 27, resolution: '1080p' }],
    ['kling-v1-6', { referenceImages: [FIRST_IMAGE], options: { mode: 'pro' } }],
  ];

  test.each(cases)('for %s %j', async (id, asked) => {
    const body = await bodyOf(id, asked);
    if (typeof body === 'string') throw new Error(body);
    const { seconds, traits, count } = videoAsked(klingVideos, id, asked);
    expect(String(seconds)).toBe(String(body.duration));
    expect(traits).toEqual([...(body.mode === 'pro' ? ['pro'] : []), ...(body.sound === 'on' ? ['audio'] : [])]);
    expect(count).toBe(1);
  });

  test.each([
    [V26, {}, '720p'],
    [V26, { resolution: '1080p' }, '1080p'],
    [V26, { audio: true }, '1080p'],
    [V3, { resolution: '4k' }, '4k'],
    [V3, { audio: true }, '720p'],
    ['kling-v1', { options: { mode: 'pro' } }, '720p'],
    ['kling-v2-1-master', {}, '1080p'],
    ['kling-v2-master', { resolution: '1080p' }, '720p'],
  ])('in the resolution of %s %j', (id, asked, resolution) => {
    expect(videoAsked(klingVideos, id, asked).resolution).toBe(resolution);
  });

  test('with sound disabled for a model that may add it by itself', async () => {
    expect(await bodyOf(V3, {})).toMatchObject({ sound: 'off' });
    expect(await bodyOf(V3, { audio: true })).toMatchObject({ sound: 'on' });
    expect(await bodyOf(V26, {})).not.toHaveProperty('sound');
  });

  test('without an option of unknown price', async () => {
    for (const mode of [null, 7, 'PRO', 'ultra', ['pro'], {}]) {
      expect(await bodyOf('kling-next', { options: { mode } })).toBe('400 provider_options.mode');
    }
    for (const sound of [null, true, 'ON', ['on']]) {
      expect(await bodyOf(V3, { options: { sound } })).toBe('400 provider_options.sound');
    }
    for (const multi_prompt of [null, [], {}, [{}], [{ duration: 'x' }], [{ duration: -5 }], [{ duration: 1.5 }]]) {
      expect(await bodyOf(V3, { options: { multi_prompt } })).toBe('400 provider_options.multi_prompt');
    }
    const multi_prompt = [{ duration: '8' }, { duration: '8' }];
    expect(await bodyOf(V3, { options: { multi_prompt } })).toBe('400 provider_options.multi_prompt');
    expect(await bodyOf(V3, { durationSeconds: 5, options: { multi_prompt } })).toBe(
      '400 provider_options.multi_prompt',
    );
  });
});

const JOB = { task_id: '8123', task_status: 'submitted', task_info: { external_task_id: 'task_0123456789' } };
const envelope = (data: unknown) => ({ code: 0, message: 'SUCCEED', request_id: 'r', data });

describe('a job', () => {
  test.each([
    [{}, 'text2video'],
    [{ firstImage: FIRST_IMAGE }, 'image2video'],
    [{ referenceImages: [FIRST_IMAGE] }, 'multi-image2video'],
  ])('of %j is polled at its own endpoint', (asked, path) => {
    const submission = submitted(envelope(JOB), asked);
    if (submission instanceof Failure) throw new Error(submission.message);
    expect(submission.report).toEqual({ state: 'working', status: 'pending', progress: null });
    expect(klingVideos.poll(submission.ticket, { upstreamModel: 'm' })).toEqual({ url: `/videos/${path}/8123` });
  });

  test('that was accepted is kept in any state', () => {
    for (const task_status of HOSTILE_VALUES) {
      expect(submitted(envelope({ ...JOB, task_status }))).toMatchObject({ ticket: { id: '8123' } });
    }
  });

  test('without a valid id is refused', () => {
    for (const task_id of HOSTILE_VALUES.filter((value) => typeof value !== 'string' || !/^\w{1,500}$/.test(value))) {
      expect(submitted(envelope({ ...JOB, task_id }))).toBeInstanceOf(Failure);
    }
    expect(klingVideos.poll({ id: '../x', path: '..' }, { upstreamModel: 'm' }).url).toBe('/videos/text2video/..%2Fx');
  });

  test.each([
    ['submitted', 'pending'],
    ['processing', 'processing'],
  ])('that is %s is %s', (task_status, status) => {
    expect(polled(envelope({ ...JOB, task_status }))).toEqual({
      ...{ state: 'working', status, progress: null },
    } as never);
  });

  const video = {
    id: 'v',
    url: 'https://cdn.example/v.mp4',
    watermark_url: 'https://cdn.example/w.mp4',
    duration: '5.1',
  };
  const done = envelope({ ...JOB, task_status: 'succeed', task_result: { videos: [video] } });

  test('that succeeded has its videos and their length', () => {
    expect(polled(done)).toEqual({
      state: 'done',
      result: {
        items: [
          {
            source: { kind: 'url', url: video.url },
            mediaType: 'video/mp4',
            durationSeconds: 5.1,
          },
        ],
      },
    });
  });

  test('has the video with the watermark if the client wanted one', () => {
    const data = { ...JOB, task_status: 'succeed', task_result: { videos: [video] } };
    const marked = envelope({ ...data, watermark_info: { enabled: true } });
    expect(polled(marked)).toMatchObject({
      result: { items: [{ source: { url: 'https://cdn.example/w.mp4' } }] },
    });
  });

  test.each([
    ['Failure to pass the risk control system', 'client'],
    ['Your prompt contains sensitive words', 'client'],
    ['', 'upstream'],
    [null, 'upstream'],
    [{ a: 1 }, 'upstream'],
    ['internal error at https://internal.example/x?key=abc123 Bearer abcdefgh1234', 'upstream'],
  ])('that failed with %p is the fault of the %s', (task_status_msg, side) => {
    const report = polled(envelope({ ...JOB, task_status: 'failed', task_status_msg }));
    if (report instanceof Failure || report.state !== 'failed') throw new Error('it has not failed');
    expect(report.failure.side).toBe(side as never);
    expect(report.failure.message).not.toMatch(/https?:|abc123|abcdefgh/);
    expect(report.failure.message.length).toBeGreaterThan(10);
    expect(submitted(envelope({ ...JOB, task_status: 'failed', task_status_msg }))).toBeInstanceOf(Failure);
  });

  test('with an unexpected response continues', () => {
    for (const answer of hostileAnswers(done)) {
      const report = polled(answer);
      if (report instanceof Failure || report.state !== 'done') continue;
      for (const { source, durationSeconds } of report.result.items) {
        expect(source).toEqual({ kind: 'url', url: video.url });
        expect([null, 5.1, 7, 1.5]).toContain(durationSeconds ?? null);
      }
    }
    for (const text of ['', 'no json', '[]', `{"code":0,"data":${'['.repeat(5_000)}${']'.repeat(5_000)}}`]) {
      expect(polled(text)).toBeInstanceOf(Failure);
    }
  });

  test('in an unknown state continues', () => {
    for (const task_status of ['success', 'SUCCEED', 'constructor', null]) {
      expect(polled(envelope({ ...JOB, task_status }))).toMatchObject({ kind: 'garbage' });
    }
  });
});

describe('a failure', () => {
  /** The codes of Kling's document, by what they are about. */
  const CODES: readonly (readonly [status: number, code: number, kind: string, side: string])[] = [
    [401, 1000, 'upstream_auth', 'upstream'],
    [401, 1001, 'upstream_auth', 'upstream'],
    [401, 1002, 'upstream_auth', 'upstream'],
    [401, 1003, 'upstream_auth_expired', 'upstream'],
    [401, 1004, 'upstream_auth_expired', 'upstream'],
    [429, 1100, 'upstream_quota', 'upstream'],
    [429, 1101, 'upstream_quota', 'upstream'],
    [429, 1102, 'upstream_quota', 'upstream'],
    [403, 1103, 'http_404', 'upstream'],
    [400, 1200, 'invalid_request', 'client'],
    [400, 1201, 'invalid_request', 'client'],
    [404, 1202, 'http_404', 'upstream'],
    [404, 1203, 'http_404', 'upstream'],
    [400, 1300, 'content_refused', 'client'],
    [400, 1301, 'content_refused', 'client'],
    [429, 1302, 'rate_limit_exceeded', 'upstream'],
    [429, 1303, 'rate_limit_exceeded', 'upstream'],
    [429, 1304, 'upstream_auth', 'upstream'],
    [500, 5000, 'http_500', 'upstream'],
    [503, 5001, 'http_503', 'upstream'],
    [504, 5002, 'http_504', 'upstream'],
  ];

  test.each(CODES)('with HTTP %d and code %d is %s of the %s, also with 200', (status, code, kind, side) => {
    const body = { code, message: 'words', request_id: 'r' };
    expect(failed(status, body)).toMatchObject({ kind, side });
    expect(submitted(body)).toMatchObject({ kind, side });
    expect(polled(body)).toMatchObject({ kind, side });
  });

  test('with an unknown code is one, too', () => {
    for (const code of HOSTILE_VALUES.filter((value) => value !== null && value !== 0)) {
      expect(submitted({ code, message: 'x', data: JOB })).toBeInstanceOf(Failure);
      for (const message of HOSTILE_VALUES) {
        expect(failed(400, { code, message })).toBeInstanceOf(Failure);
      }
    }
    for (const text of ['', '<html>', '[]', 'null']) expect(failed(502, text)).toBeInstanceOf(Failure);
  });

  test.each([
    ['image_tail is not supported by current model', 'end_image_url'],
    ['duration is invalid', 'duration'],
    ['image is too small', 'image_url'],
    ['model_name value is invalid', 'model'],
  ])('of %p names the field %s', (message, param) => {
    expect(failed(400, { code: 1201, message })).toMatchObject({ details: { param } });
  });
});

describe('a job with an unknown outcome', () => {
  const context = { reference: 'task_abc', address: 'image2video' };
  const answer = (body: object) => ({ bytes: new TextEncoder().encode(JSON.stringify(body)), headers: new Headers() });

  test("is looked up by the gateway's name for it, at its endpoint", () => {
    expect(klingVideos.find?.(context, { upstreamModel: 'kling-v2-1' })).toEqual({
      url: '/videos/image2video/task_abc',
    });
  });

  test("continues under Kling's id", () => {
    const data = { task_id: '812', task_status: 'processing' };
    const found = klingVideos.decodeFound?.(answer({ code: 0, data }), context, { upstreamModel: 'kling-v2-1' });
    expect(found).toMatchObject({ ticket: { id: '812', path: 'image2video' }, report: { status: 'processing' } });
  });

  test('has failed if Kling reports so, without further polls', () => {
    const data = { task_id: '812', task_status: 'failed', task_status_msg: 'no face was found' };
    const found = klingVideos.decodeFound?.(answer({ code: 0, data }), context, { upstreamModel: 'kling-v2-1' });
    expect(found).toMatchObject({
      ticket: { id: '812' },
      report: { state: 'failed', failure: { kind: 'job_failed' } },
    });
  });

  test('does not exist if Kling knows no such resource', () => {
    const found = klingVideos.decodeFound?.(answer({ code: 1203, message: 'no' }), context, {
      upstreamModel: 'kling-v2-1',
    });
    expect(found).toMatchObject({ kind: 'http_404' });
  });
});
