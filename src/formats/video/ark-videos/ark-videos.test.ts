import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { WRONG_VALUES } from '../../shared/testing/image-exchange.ts';
import { INLINE_PIXEL, PIXEL_BASE64 } from '../../shared/testing/image-samples.ts';
import { endOf, polledTask, type SentTask, submittedTask } from '../../shared/testing/task-exchange.ts';
import { PLAIN_VIDEO, unaccountedVideo, videoAsked, videoSent } from '../../shared/testing/video-exchange.ts';
import { arkVideos } from './index.ts';

const PRO = 'doubao-seedance-1-0-pro-250528';
const SEEDANCE = 'doubao-seedance-2-0-260128';
const sent = (model: string, asked = {}) => videoSent(arkVideos, model, asked);

describe('a request', () => {
  test('has its parameters as members', async () => {
    const asked = { seed: 5, durationSeconds: 8, aspectRatio: '9:16', resolution: '1080p', audio: false, user: 'u' };
    expect(await sent(SEEDANCE, asked)).toEqual({
      body: {
        ...{ model: SEEDANCE, content: [{ type: 'text', text: 'a fox in the snow' }], resolution: '1080p' },
        ...{ ratio: '9:16', duration: 8, seed: 5, generate_audio: false, safety_identifier: 'u' },
      },
      ...{ suffix: '', lost: [] },
    });
  });

  test('has images with their roles', async () => {
    const url = `data:image/png;base64,${PIXEL_BASE64}`;
    const frames = { firstImage: INLINE_PIXEL, lastImage: INLINE_PIXEL, prompt: '' };
    expect(await sent(PRO, frames)).toMatchObject({
      body: {
        content: [
          { type: 'image_url', image_url: { url }, role: 'first_frame' },
          { type: 'image_url', image_url: { url }, role: 'last_frame' },
        ],
      },
    });
    const references = { referenceImages: [INLINE_PIXEL], videoUrl: 'https://example.com/v.mp4' };
    expect(await sent(SEEDANCE, references)).toMatchObject({
      body: { content: [{}, { role: 'reference_image' }, { type: 'video_url', role: 'reference_video' }] },
    });
    expect(await sent(SEEDANCE, { ...references, firstImage: INLINE_PIXEL })).toBe('400 video_url');
    expect(await sent(SEEDANCE, { lastImage: INLINE_PIXEL })).toBe('400 end_image_url');
    expect(await sent(PRO, { audio: true })).toBe('400 audio');
  });

  test('reserves the tokens of the published formula', () => {
    const asks = (model: string, asked = {}) => videoAsked(arkVideos, model, asked);
    // The amounts that Ark has billed for five seconds.
    expect(asks(SEEDANCE, { size: { width: 1280, height: 720 } }).outputTokens).toBe(108_900);
    expect(asks(SEEDANCE, { aspectRatio: '16:9', resolution: '1080p' }).outputTokens).toBe(245_025);
    expect(asks(SEEDANCE)).toMatchObject({ seconds: 5, resolution: '720p', traits: ['audio'] });
    expect(asks(SEEDANCE).outputTokens).toBeGreaterThan(108_900);
    expect(asks(SEEDANCE, { videoUrl: 'https://x.example/v' }).outputTokens).toBeGreaterThan(430_000);
    expect(asks(PRO)).toMatchObject({ resolution: '1080p', traits: [] });
    expect(asks(PRO, { options: { frames: 240 } })).toMatchObject({ seconds: 10 });
  });

  test('in frames has no duration', async () => {
    const request = await sent(PRO, { options: { frames: 57 }, durationSeconds: 4 });
    expect(request).toMatchObject({ body: { frames: 57 }, lost: ['duration dropped'] });
    expect(typeof request === 'string' ? null : request.body.duration).toBeUndefined();
    for (const frames of WRONG_VALUES.filter((value) => value !== undefined)) {
      expect(await sent(PRO, { options: { frames } })).toBe('400 provider_options.frames');
    }
  });

  const carried = ({ body }: SentTask) => {
    const names: Readonly<Record<string, readonly string[]>> = {
      ratio: ['aspect_ratio', 'size'],
      resolution: ['resolution', 'size'],
      generate_audio: ['audio'],
      safety_identifier: ['user'],
    };
    const roles: Readonly<Record<string, string>> = {
      first_frame: 'image_url',
      last_frame: 'end_image_url',
      reference_image: 'reference_image_urls',
      reference_video: 'video_url',
    };
    // The wire writes a list of objects.
    const content = body.content as readonly { readonly role?: string }[];
    const media = content.map(({ role = '' }) => roles[role] ?? 'prompt');
    return [...media, ...Object.keys(body).flatMap((name) => names[name] ?? [name])];
  };

  test.each([SEEDANCE, 'ep-20260601-abc', 'doubao-seedance-1-5-pro-251215'])(
    'to %s carries, loses or refuses each pair of members',
    async (model) => expect(await unaccountedVideo(arkVideos, model, carried)).toEqual([]),
  );
});

describe('a task', () => {
  const polled = (body: unknown) => polledTask(arkVideos, body, { id: 'cgt-1' });
  const url = 'https://ark-content.tos-cn-beijing.volces.com/a.mp4?X-Tos-Signature=x';
  const done = {
    ...{
      id: 'cgt-1',
      model: SEEDANCE,
      status: 'succeeded',
      content: { video_url: url },
      resolution: '720p',
      duration: 5,
    },
    usage: { completion_tokens: 108_900, total_tokens: 108_900 },
  };

  test('is identified by its id', () => {
    expect(submittedTask(arkVideos, { id: 'cgt-1' }, PLAIN_VIDEO)).toMatchObject({ ticket: { id: 'cgt-1' } });
    for (const id of [null, '', '../x', 'a/b', {}, []]) {
      expect(submittedTask(arkVideos, { id }, PLAIN_VIDEO)).toBeInstanceOf(Failure);
    }
    expect(arkVideos.poll({ id: 'cgt-1' }, { upstreamModel: PRO }).url).toBe('/contents/generations/tasks/cgt-1');
  });

  test('is queued, runs, and is done with its billed tokens', () => {
    expect(polled({ status: 'queued' })).toMatchObject({ status: 'pending' });
    expect(polled({ status: 'running' })).toMatchObject({ status: 'processing' });
    expect(polled(done)).toMatchObject({
      state: 'done',
      result: {
        items: [{ source: { kind: 'url', url }, mediaType: 'video/mp4', durationSeconds: 5 }],
        ...{ resolution: '720p', tokens: { input: 0, output: 108_900 }, model: SEEDANCE },
      },
    });
  });

  test.each([
    ['InputTextSensitiveContentDetected', 'invalid_request client content_refused'],
    ['OutputVideoSensitiveContentDetected.PolicyViolation', 'invalid_request client content_refused'],
    ['InvalidParameter', 'invalid_request client job_refused'],
    ['InternalServiceError', 'upstream_error upstream job_failed'],
    [7, 'upstream_error upstream job_failed'],
  ])('that failed with %p is reported in one sentence', (code, begins) => {
    expect(endOf(polled({ status: 'failed', error: { code, message: 'No. See https://x.example/a' } }))).toStartWith(
      begins,
    );
  });

  test('fails when it is cancelled or expires', () => {
    expect(endOf(polled({ status: 'cancelled' }))).toContain('job_canceled');
    expect(endOf(polled({ status: 'expired' }))).toContain('job_expired');
  });

  test('continues after an unexpected response', () => {
    for (const value of WRONG_VALUES) {
      expect(polled(value)).toBeInstanceOf(Failure);
      expect(polled({ status: value })).toBeInstanceOf(Failure);
      expect(polled({ ...done, content: value })).toBeInstanceOf(Failure);
      expect(polled({ ...done, content: { video_url: value } })).toBeInstanceOf(Failure);
      expect(polled({ ...done, usage: value, resolution: value, duration: value, model: value })).toMatchObject({
        state: 'done',
      });
      expect(polled({ status: 'failed', error: value })).toMatchObject({ state: 'failed' });
    }
  });

  test('is polled with others', () => {
    const { batch } = arkVideos;
    if (batch === undefined) throw new Error('it has no list');
    const tickets = [{ id: 'a' }, { id: 'b' }, { id: 'c' }];
    const target = { upstreamModel: PRO };
    expect(batch.poll(tickets, target).url).toEndWith('&filter.task_ids=a&filter.task_ids=b&filter.task_ids=c');
    const read = (body: unknown) =>
      batch.decode({ bytes: new TextEncoder().encode(JSON.stringify(body)), headers: new Headers() }, tickets, target);
    const items = [
      { id: 'b', status: 'running' },
      { ...done, id: 'a', status: '?' },
      { id: 'z', status: 'failed' },
    ];
    expect(read({ items, total: 3 })).toEqual([null, { state: 'working', status: 'processing', progress: null }, null]);
    for (const value of WRONG_VALUES) {
      expect(read({ items: value })).toEqual([null, null, null]);
      expect(read({ items: [value] })).toEqual([null, null, null]);
    }
  });
});

test('a refusal by the filter is a client error', () => {
  const failure = (status: number, error: unknown) =>
    arkVideos.decodeFailure(status, new Headers(), new TextEncoder().encode(JSON.stringify({ error })));
  const sensitive = { code: 'InputImageSensitiveContentDetected', message: 'The image may be sensitive.' };
  expect(failure(400, sensitive)).toMatchObject({ side: 'client', kind: 'content_refused' });
  const invalid = { code: 'InvalidParameter', message: 'It is wrong.', param: 'ratio' };
  expect(failure(400, invalid).details.param).toBe('aspect_ratio');
  expect(failure(401, { code: 'AuthenticationError', message: 'The API key is wrong.' })).toMatchObject({
    side: 'upstream',
  });
});
