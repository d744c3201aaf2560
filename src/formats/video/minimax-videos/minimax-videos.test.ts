import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { WRONG_VALUES } from '../../shared/testing/image-exchange.ts';
import { INLINE_PIXEL, PIXEL_BASE64 } from '../../shared/testing/image-samples.ts';
import { endOf, polledTask, type SentTask, submittedTask } from '../../shared/testing/task-exchange.ts';
import { PLAIN_VIDEO, unaccountedVideo, videoAsked, videoSent } from '../../shared/testing/video-exchange.ts';
import { minimaxVideos } from './index.ts';

const HAILUO = 'MiniMax-Hailuo-02';
const H3 = 'MiniMax-H3';
const PIXEL = `data:image/png;base64,${PIXEL_BASE64}`;
const sent = (model: string, asked = {}) => videoSent(minimaxVideos, model, asked);
const bytesOf = (body: unknown) => new TextEncoder().encode(JSON.stringify(body));

describe('a request', () => {
  test('for Hailuo always has a length and a resolution', async () => {
    expect(await sent(HAILUO)).toEqual({
      body: { model: HAILUO, prompt: 'a fox in the snow', duration: 6, resolution: '768P' },
      ...{ suffix: '/video_generation', lost: [] },
    });
    const frames = { firstImage: INLINE_PIXEL, lastImage: INLINE_PIXEL, durationSeconds: 10 };
    expect(await sent(HAILUO, frames)).toMatchObject({
      body: { first_frame_image: PIXEL, last_frame_image: PIXEL, duration: 10 },
    });
    expect(await sent('S2V-01', { referenceImages: [INLINE_PIXEL] })).toMatchObject({
      body: { subject_reference: [{ type: 'character', image: [PIXEL] }], resolution: '720P' },
    });
  });

  test('for H3 has its contents, and a ratio if nothing else defines the shape', async () => {
    expect(await sent(H3, { resolution: '2k', durationSeconds: 15 })).toEqual({
      body: {
        ...{ model: H3, content: [{ type: 'text', text: 'a fox in the snow' }], ratio: '16:9' },
        ...{ duration: 15, resolution: '2K' },
      },
      ...{ suffix: '/../v2/video_generation', lost: [] },
    });
    const framed = await sent(H3, { firstImage: INLINE_PIXEL, aspectRatio: '1:1' });
    expect(framed).toMatchObject({ body: { content: [{}, { role: 'first_frame' }] }, lost: ['aspect_ratio dropped'] });
    expect(typeof framed === 'string' ? null : framed.body.ratio).toBeUndefined();
  });

  test('has one possible length in 1080p', async () => {
    expect(await sent(HAILUO, { resolution: '1080p', durationSeconds: 10 })).toMatchObject({
      ...{ body: { duration: 6, resolution: '1080P' }, lost: ['duration approximated'] },
    });
    const asked = { resolution: '1080p', durationSeconds: 10 };
    expect(videoAsked(minimaxVideos, HAILUO, asked)).toEqual({ count: 1, seconds: 6, resolution: '1080p' });
    expect(await sent(HAILUO, { resolution: '512p' })).toMatchObject({ body: { resolution: '768P' } });
    expect(await sent(HAILUO, { resolution: '512p', firstImage: INLINE_PIXEL })).toMatchObject({
      body: { resolution: '512P' },
    });
    expect(videoAsked(minimaxVideos, H3, { resolution: '4k' })).toEqual({ count: 1, seconds: 5, resolution: '2k' });
  });

  test('that the model does not support names the field', async () => {
    expect(await sent('MiniMax-Hailuo-2.3-Fast')).toBe('400 prompt');
    expect(await sent('S2V-01')).toBe('400 prompt');
    expect(await sent('MiniMax-Hailuo-2.3', { firstImage: INLINE_PIXEL, lastImage: INLINE_PIXEL })).toBe(
      '400 end_image_url',
    );
    expect(await sent(H3, { prompt: '', firstImage: INLINE_PIXEL })).toBe('400 prompt');
    expect(await sent(H3, { referenceImages: [INLINE_PIXEL], firstImage: INLINE_PIXEL })).toBe(
      '400 reference_image_urls',
    );
    expect(await sent('MiniMax-H3-Max', { referenceImages: [INLINE_PIXEL] })).toBe('400 reference_image_urls');
  });

  const carried = ({ body }: SentTask) => {
    const names: Readonly<Record<string, readonly string[]>> = {
      first_frame_image: ['image_url'],
      last_frame_image: ['end_image_url'],
      subject_reference: ['reference_image_urls'],
      ratio: ['aspect_ratio'],
    };
    const roles: Readonly<Record<string, string>> = {
      first_frame: 'image_url',
      last_frame: 'end_image_url',
      reference_image: 'reference_image_urls',
    };
    // The wire writes a list of objects, where it writes one.
    const content = (body.content ?? []) as readonly { readonly role?: string }[];
    const media = content.map(({ role = '' }) => roles[role] ?? 'prompt');
    // Sound is always or never there, so only a request for it can be refused.
    return [...media, ...Object.keys(body).flatMap((name) => names[name] ?? [name]), 'audio'];
  };

  test.each([HAILUO, H3, 'hailuo-next'])('to %s carries, loses or refuses each pair of members', async (model) => {
    expect(await unaccountedVideo(minimaxVideos, model, carried)).toEqual([]);
  });
});

describe('a job', () => {
  const ticket = { id: '106916112212032', api: '1' };
  const ok = { status_code: 0, status_msg: 'success' };
  const polled = (body: unknown, of: Readonly<Record<string, string>> = ticket) => polledTask(minimaxVideos, body, of);
  const target = { upstreamModel: HAILUO };

  test('is identified by its id and its API version', () => {
    expect(submittedTask(minimaxVideos, { task_id: ticket.id, base_resp: ok }, PLAIN_VIDEO, HAILUO)).toMatchObject({
      ticket,
    });
    expect(submittedTask(minimaxVideos, { task_id: 424010985738629 }, PLAIN_VIDEO, H3)).toMatchObject({
      ticket: { id: '424010985738629', api: '2' },
    });
    for (const id of [null, '', '../x', 'a&b', 0, -1, 1.5, {}, []]) {
      expect(submittedTask(minimaxVideos, { task_id: id, base_resp: ok }, PLAIN_VIDEO)).toBeInstanceOf(Failure);
    }
  });

  test('leads to its file at once', () => {
    expect(minimaxVideos.poll(ticket, target)).toEqual({ url: '/query/video_generation?task_id=106916112212032' });
    for (const status of ['Preparing', 'Queueing']) {
      expect(polled({ status, base_resp: ok })).toMatchObject({ status: 'pending' });
    }
    expect(polled({ status: 'Processing', file_id: '', base_resp: ok })).toMatchObject({ status: 'processing' });
    const next = { ...ticket, file: '176844028768320' };
    expect(polled({ status: 'Success', file_id: next.file, base_resp: ok })).toEqual({
      ...{ state: 'working', status: 'processing', progress: 100, ticket: next, afterMs: 0 },
    });
    expect(minimaxVideos.poll(next, target)).toEqual({ url: '/files/retrieve?file_id=176844028768320' });
    const url = 'https://public-cdn-video-data-algeng.oss-cn-wulanchabu.aliyuncs.com/a.mp4?Expires=1';
    expect(polled({ file: { file_id: 1, download_url: url }, base_resp: ok }, next)).toMatchObject({
      ...{ state: 'done', result: { items: [{ source: { kind: 'url', url } }] } },
    });
  });

  test.each([
    [1002, 'rate_limit_exceeded upstream'],
    [1004, 'upstream_error upstream'],
    [2049, 'upstream_error upstream'],
    [1008, 'upstream_error upstream'],
    [1026, 'invalid_request client'],
    [1027, 'invalid_request client'],
    [2013, 'invalid_request client'],
    [1000, 'upstream_error upstream'],
    [99_999, 'upstream_error upstream'],
  ])('that was refused with code %p under a 200 never started', (code, expected) => {
    const answer = { task_id: '', base_resp: { status_code: code, status_msg: 'It is so.' } };
    const failure = submittedTask(minimaxVideos, answer, PLAIN_VIDEO);
    expect(failure instanceof Failure ? `${failure.code} ${failure.side}` : 'taken').toBe(expected);
  });

  test('blocks its channel for an invalid key and for an empty balance', () => {
    const kind = (code: number) => {
      const failure = submittedTask(minimaxVideos, { base_resp: { status_code: code, status_msg: 'no' } }, PLAIN_VIDEO);
      return failure instanceof Failure && failure.kind;
    };
    expect([kind(1004), kind(1008), kind(1026)]).toEqual(['upstream_auth', 'upstream_quota', 'content_refused']);
  });

  test('that failed is reported in one sentence', () => {
    const fail = (code: number, words: string) =>
      endOf(polled({ status: 'Fail', base_resp: { status_code: code, status_msg: words } }));
    expect(fail(1027, 'output sensitive https://x.example')).toStartWith('invalid_request client content_refused');
    expect(fail(1000, 'unknown error')).toStartWith('upstream_error upstream job_failed');
    expect(endOf(polled({ status: 'Fail' }))).toStartWith('upstream_error upstream job_failed');
    expect(polled({ base_resp: { status_code: 1002, status_msg: 'slow' } })).toBeInstanceOf(Failure);
  });

  test('continues after an unexpected response', () => {
    for (const value of WRONG_VALUES) {
      expect(polled(value)).toBeInstanceOf(Failure);
      expect(polled({ status: value })).toBeInstanceOf(Failure);
      if (value !== 'x') expect(polled({ status: 'Success', file_id: value })).toBeInstanceOf(Failure);
      expect(polled({ file: value }, { ...ticket, file: '1' })).toBeInstanceOf(Failure);
      expect(polled({ file: { download_url: value } }, { ...ticket, file: '1' })).toBeInstanceOf(Failure);
      expect(() => polled({ status: 'Fail', base_resp: value })).not.toThrow();
    }
  });
});

describe('a job of API version 2', () => {
  const ticket = { id: '4240', api: '2' };
  const polled = (task: unknown) => polledTask(minimaxVideos, { task }, ticket);
  const done = {
    id: '4240',
    status: 'succeeded',
    content: { url: 'https://x.example/a.mp4' },
    resolution: '2K',
    duration: 5,
  };

  test('has the URL of its video', () => {
    expect(minimaxVideos.poll(ticket, { upstreamModel: H3 }).url).toBe('/../v2/query/video_generation/4240');
    expect(polled({ status: 'queued' })).toMatchObject({ status: 'pending' });
    expect(polled({ status: 'running' })).toMatchObject({ status: 'processing' });
    expect(polled(done)).toMatchObject({ result: { items: [{ durationSeconds: 5 }], resolution: '2k' } });
    expect(endOf(polled({ status: 'cancelled' }))).toContain('job_canceled');
    expect(endOf(polled({ status: 'expired' }))).toContain('job_expired');
    const error = { code: '1026', message: 'video description contains sensitive content' };
    expect(endOf(polled({ status: 'failed', error }))).toStartWith('invalid_request client content_refused');
    for (const value of WRONG_VALUES) {
      expect(polled(value)).toBeInstanceOf(Failure);
      expect(polled({ ...done, content: value })).toBeInstanceOf(Failure);
      expect(polled({ status: 'failed', error: value })).toMatchObject({ state: 'failed' });
      expect(polled({ ...done, resolution: value, duration: value, model: value })).toMatchObject({ state: 'done' });
    }
  });

  test('is polled with others', () => {
    const { batch } = minimaxVideos;
    expect([batch?.takes?.({ id: '1', api: '1' }), batch?.takes?.(ticket)]).toEqual([false, true]);
    const answer = { bytes: bytesOf({ items: [done, 5, null] }), headers: new Headers() };
    const reports = batch?.decode(answer, [{ id: '9', api: '2' }, ticket], { upstreamModel: H3 });
    expect(reports).toMatchObject([null, { state: 'done' }]);
  });

  test('is refused with a status of its own', () => {
    const failure = (status: number, message: string) =>
      minimaxVideos.decodeFailure(status, new Headers(), bytesOf({ type: 'error', error: { type: 'x', message } }));
    expect(failure(422, 'input new_sensitive (1026)')).toMatchObject({ side: 'client', kind: 'content_refused' });
    expect(failure(400, 'invalid params, duration must be 4 to 15 (2013)').details.param).toBe('duration');
    expect(failure(401, 'login fail (1004)')).toMatchObject({ kind: 'upstream_auth' });
  });
});
