import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import type { JobTicket } from '../../../domain/tasks/job.ts';
import { HOSTILE_VALUES, hostileAnswers } from '../../shared/testing/hostile-answers.ts';
import { INLINE_PIXEL, PIXEL_URI, wireAnswer } from '../../shared/testing/image-samples.ts';
import { polledTask, type SentTask } from '../../shared/testing/task-exchange.ts';
import { PLAIN_VIDEO, unaccountedVideo, videoAsked, videoSent } from '../../shared/testing/video-exchange.ts';
import { viduVideos } from './index.ts';

const IDS = [
  'viduq3-pro',
  'viduq3-mix',
  'viduq2',
  'viduq2-pro',
  'viduq2-pro-fast',
  'viduq1',
  'vidu2.0',
  'of-someone-else',
];

const FIRST_IMAGE = { kind: 'url', url: 'https://images.example/first.png' } as const;
const LAST_IMAGE = { kind: 'url', url: 'https://images.example/last.png' } as const;

const submitted = (answer: unknown, asked: Partial<VideoRequest> = {}) =>
  viduVideos.decodeSubmission(wireAnswer(answer), { ...PLAIN_VIDEO, ...asked }, { upstreamModel: 'm' });
const polled = (answer: unknown, ticket: JobTicket = { id: 'a' }) => polledTask(viduVideos, answer, ticket);
const failed = (status: number, answer: unknown) => {
  const { bytes, headers } = wireAnswer(answer);
  return viduVideos.decodeFailure(status, headers, bytes);
};

async function bodyOf(model: string, asked: Parameters<typeof videoSent>[2]) {
  const sent = await videoSent(viduVideos, model, asked);
  return typeof sent === 'string' ? sent : sent.body;
}

describe('a request', () => {
  test('from a text has the prompt and its parameters', async () => {
    const asked = { durationSeconds: 8, aspectRatio: '3:4', resolution: '1080p', seed: 0, audio: false };
    expect(await videoSent(viduVideos, 'viduq3-pro', { ...asked, options: { style: 'anime' } })).toEqual({
      body: {
        ...{ model: 'viduq3-pro', prompt: 'a fox in the snow', duration: 8, seed: 0, aspect_ratio: '3:4' },
        ...{ resolution: '1080p', audio: false, style: 'anime' },
      },
      suffix: '/text2video',
      lost: [],
    });
  });

  test('goes to the endpoint of its images, which are URLs or data URIs', async () => {
    const sent = (asked: Parameters<typeof videoSent>[2]) => videoSent(viduVideos, 'viduq2-pro', asked);
    expect(await sent({ firstImage: INLINE_PIXEL })).toMatchObject({
      suffix: '/img2video',
      body: { images: [PIXEL_URI] },
    });
    expect(await sent({ firstImage: INLINE_PIXEL, lastImage: LAST_IMAGE })).toMatchObject({
      ...{ suffix: '/start-end2video', body: { images: [PIXEL_URI, LAST_IMAGE.url] } },
    });
    expect(await sent({ referenceImages: [FIRST_IMAGE, INLINE_PIXEL] })).toMatchObject({
      ...{ suffix: '/reference2video', body: { images: [FIRST_IMAGE.url, PIXEL_URI] } },
    });
    expect(await sent({ lastImage: LAST_IMAGE })).toBe('400 end_image_url');
    expect(await sent({ firstImage: FIRST_IMAGE, referenceImages: [FIRST_IMAGE] })).toBe('400 reference_image_urls');
    const eight = Array.from({ length: 8 }, () => FIRST_IMAGE);
    expect(await sent({ referenceImages: eight })).toBe('400 reference_image_urls');
  });

  test.each(IDS)('to %s carries, loses or refuses each pair of fields', async (id) => {
    const carried = ({ body, suffix }: SentTask) => {
      const images: Readonly<Record<string, readonly string[]>> = {
        '/img2video': ['image_url'],
        '/start-end2video': ['image_url', 'end_image_url'],
        '/reference2video': ['reference_image_urls'],
      };
      return [...Object.keys(body), ...(images[suffix] ?? []), 'size', 'audio'];
    };
    expect(await unaccountedVideo(viduVideos, id, carried)).toEqual([]);
  });

  test('has no option that replaces a field', async () => {
    for (const name of ['prompt', 'model', 'audio']) {
      expect(await bodyOf('viduq3-pro', { options: { [name]: 'other' } })).toBe(`400 provider_options.${name}`);
    }
    for (const name of ['duration', 'resolution', 'audio', 'images']) {
      expect(await bodyOf('of-someone-else', { options: { [name]: 9 } })).toBe(`400 provider_options.${name}`);
    }
  });
});

describe('the price matches the request', () => {
  const cases: readonly (readonly [string, Parameters<typeof videoSent>[2]])[] = [
    ['viduq3-pro', { durationSeconds: 30, resolution: '4k' }],
    ['viduq3-pro', { durationSeconds: 0.2, audio: false }],
    ['viduq2', { durationSeconds: 12, size: { width: 1280, height: 720 } }],
    ['viduq2-pro', { durationSeconds: 10, firstImage: FIRST_IMAGE, lastImage: LAST_IMAGE, resolution: '360p' }],
    ['viduq2-pro', { durationSeconds: 3, firstImage: FIRST_IMAGE, audio: true, resolution: '720p' }],
    ['viduq1', { durationSeconds: 8, resolution: '720p' }],
    ['vidu2.0', { durationSeconds: 7, resolution: '1080p' }],
    ['vidu2.0', { durationSeconds: 8, resolution: '1080p', referenceImages: [FIRST_IMAGE] }],
    ['of-someone-else', { durationSeconds: 47.5, resolution: '1440p' }],
  ];

  test.each(cases)('for %s %j', async (id, asked) => {
    const body = await bodyOf(id, asked);
    if (typeof body === 'string') throw new Error(body);
    const { seconds, resolution, traits } = videoAsked(viduVideos, id, asked);
    expect(seconds).toBe(body.duration as never);
    if (body.resolution !== undefined) expect(resolution).toBe(body.resolution as never);
    expect(traits).toEqual([
      ...(asked?.referenceImages === undefined ? [] : ['reference']),
      ...(body.audio === true ? ['audio'] : []),
    ]);
  });

  test.each([
    ['viduq3-pro', {}, 5, '720p', ['audio']],
    ['viduq3-pro', { audio: false }, 5, '720p', []],
    ['viduq3-mix', { referenceImages: [FIRST_IMAGE] }, 5, '720p', ['reference']],
    ['viduq2', {}, 5, '720p', []],
    ['viduq1', {}, 5, '1080p', []],
    ['vidu2.0', {}, 4, '360p', []],
    ['vidu2.0', { durationSeconds: 8 }, 8, '720p', []],
    ['of-someone-else', {}, null, null, []],
  ])('with the defaults of %s %j', async (id, asked, seconds, resolution, traits) => {
    expect(videoAsked(viduVideos, id, asked)).toEqual({ count: 1, seconds, resolution, traits });
  });

  test('with sound stated for models that add it by themselves', async () => {
    expect(await bodyOf('viduq3-pro', {})).toMatchObject({ audio: true });
    expect(await bodyOf('viduq3-mix', {})).toMatchObject({ audio: false });
    expect(await bodyOf('viduq2-pro', { firstImage: FIRST_IMAGE })).not.toHaveProperty('audio');
    expect(await bodyOf('viduq2', { audio: true })).toBe('400 audio');
    expect(await bodyOf('viduq1', { audio: true })).toBe('400 audio');
  });
});

describe('a job', () => {
  const JOB = { task_id: '9123', state: 'created', credits: 4 };

  test('is polled by its id', () => {
    const submission = submitted(JOB);
    expect(submission).toEqual({
      ...{ ticket: { id: '9123' }, report: { state: 'working', status: 'pending', progress: null } },
    } as never);
    expect(viduVideos.poll({ id: '9123' }, { upstreamModel: 'm' })).toEqual({ url: '/tasks/9123/creations' });
    expect(viduVideos.poll({ id: '../x' }, { upstreamModel: 'm' })).toEqual({ url: '/tasks/..%2Fx/creations' });
  });

  test('that was accepted is kept in any state', () => {
    for (const state of HOSTILE_VALUES) {
      expect(submitted({ ...JOB, state })).toMatchObject({ ticket: { id: '9123' } });
    }
    expect(submitted({ ...JOB, state: 'failed', err_code: 'AuditSubmitIllegal' })).toMatchObject({
      ...{ side: 'client', kind: 'content_refused' },
    });
  });

  test('without a valid id is refused', () => {
    for (const task_id of HOSTILE_VALUES.filter((value) => typeof value !== 'string' || !/^\w{1,100}$/.test(value))) {
      expect(submitted({ ...JOB, task_id })).toBeInstanceOf(Failure);
    }
  });

  test.each([
    ['created', 'pending'],
    ['queueing', 'pending'],
    ['processing', 'processing'],
  ])('that is %s is %s', (state, status) => {
    expect(polled({ id: '9', state })).toEqual({ state: 'working', status, progress: null } as never);
  });

  const creation = {
    id: 'c',
    url: 'https://cdn.example/v.mp4',
    cover_url: 'https://cdn.example/c.png',
    watermarked_url: 'https://cdn.example/w.mp4',
  };
  const done = { id: '9', state: 'success', err_code: '', credits: 4, creations: [creation] };

  test('that succeeded has its videos and covers', () => {
    expect(polled(done)).toEqual({
      state: 'done',
      result: {
        items: [
          {
            source: { kind: 'url', url: creation.url },
            mediaType: 'video/mp4',
            durationSeconds: null,
            cover: { kind: 'url', url: creation.cover_url },
          },
        ],
      },
    });
  });

  test('has the video with the watermark if the client wanted one', () => {
    const submission = submitted(JOB, { options: { watermark: true } });
    if (submission instanceof Failure) throw new Error(submission.message);
    expect(polled(done, submission.ticket)).toMatchObject({
      result: { items: [{ source: { url: creation.watermarked_url } }] },
    });
  });

  /** The codes of "Error Code", by responsible side. */
  const CODES: readonly (readonly [code: unknown, side: string, kind: string])[] = [
    ['TaskPromptPolicyViolation', 'client', 'content_refused'],
    ['AuditSubmitIllegal', 'client', 'content_refused'],
    ['CreationPolicyViolation', 'client', 'content_refused'],
    ['BadRequest', 'client', 'job_failed'],
    ['FieldLacking', 'client', 'job_failed'],
    ['FieldUnwanted', 'client', 'job_failed'],
    ['FieldInvalid', 'client', 'job_failed'],
    ['FieldItemCountOutOfRange', 'client', 'job_failed'],
    ['PageSizeOutOfRange', 'client', 'job_failed'],
    ['ImageDownloadFailure', 'client', 'job_failed'],
    ['ImageFormatInvalid', 'client', 'job_failed'],
    ['ImageCheckBodyJointsFailed', 'client', 'job_failed'],
    ['ImageCheckFaceFailed', 'client', 'job_failed'],
    ['ImageObjectsUndetected', 'client', 'job_failed'],
    ['CreditInsufficient', 'upstream', 'upstream_quota'],
    ['ModelUnavailable', 'upstream', 'http_404'],
    ['UserCancelled', 'upstream', 'job_canceled'],
    ['Canceled', 'upstream', 'job_canceled'],
    ['InternalServiceFailure', 'upstream', 'job_failed'],
    ['constructor', 'upstream', 'job_failed'],
    ['', 'upstream', 'job_failed'],
    [null, 'upstream', 'job_failed'],
    [{}, 'upstream', 'job_failed'],
  ];

  test.each(CODES)('that failed with %p is the fault of the %s: %s', (err_code, side, kind) => {
    const report = polled({ id: '9', state: 'failed', err_code });
    expect(report).toMatchObject({ state: 'failed', failure: { side, kind } });
  });

  test('with an unexpected response continues', () => {
    for (const answer of hostileAnswers(done)) {
      const report = polled(answer);
      if (report instanceof Failure || report.state !== 'done') continue;
      for (const { source } of report.result.items) expect(source).toEqual({ kind: 'url', url: creation.url });
    }
    for (const state of ['succeed', 'SUCCESS', 'constructor', null]) {
      expect(polled({ ...done, state })).toMatchObject({ kind: 'garbage' });
    }
    expect(polled('no json')).toBeInstanceOf(Failure);
  });

  test.each(CODES.slice(0, 16))('a request that is refused with %p is the fault of the %s', (reason, side) => {
    const body = { code: 400, reason, message: 'words', metadata: {} };
    expect(failed(400, body)).toMatchObject({ side });
  });
});

describe('a failure', () => {
  test.each([
    [401, { code: 401, reason: 'Unauthorized', message: 'unauthorized' }, 'upstream_auth'],
    [429, { code: 429, reason: 'QuotaExceeded', message: 'quota exceeded' }, 'rate_limit_exceeded'],
    [429, { code: 429, reason: 'TooManyRequests', message: 'too many requests' }, 'rate_limit_exceeded'],
    [404, { code: 404, reason: 'TaskNotFound', message: 'task not found' }, 'http_404'],
    [500, { code: 500, reason: 'InternalServiceFailure', message: 'x' }, 'http_500'],
    [502, '<html>', 'http_502'],
  ])('with HTTP %d %j is %s', (status, body, kind) => {
    expect(failed(status, body)).toMatchObject({ kind, side: 'upstream' });
  });

  test('of a field names the client’s field', () => {
    const of = (message: unknown) => failed(400, { code: 400, reason: 'FieldInvalid', message });
    expect(of('invalid field: images')).toMatchObject({ details: { param: 'image_url' } });
    expect(of('invalid field: duration')).toMatchObject({ details: { param: 'duration' } });
    for (const value of HOSTILE_VALUES) {
      expect(of(value)).toMatchObject({ side: 'client' });
      expect(failed(400, value)).toBeInstanceOf(Failure);
    }
  });
});
