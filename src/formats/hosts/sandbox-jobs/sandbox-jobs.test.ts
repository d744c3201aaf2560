import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import type { MusicRequest, ThreeDRequest, VideoRequest } from '../../../domain/tasks/generation-request.ts';
import type { WireAnswer, WireRequest } from '../../wire.ts';
import { sandboxMusic, sandboxThreeD, sandboxVideos } from './index.ts';

const TARGET = { upstreamModel: 'the-model' };
const CONTEXT = { reference: 'task_1' };
const COMMON = { model: 'm', user: null, options: {}, body: {} };
const VIDEO: VideoRequest = {
  ...{ ...COMMON, kind: 'video', operation: 'text-to-video', prompt: 'a fox', negativePrompt: null },
  ...{ firstImage: null, lastImage: null, referenceImages: [], videoUrl: null, durationSeconds: null },
  ...{ aspectRatio: null, resolution: null, size: null, count: 1, seed: null, audio: null },
};
const MUSIC: MusicRequest = {
  ...{ ...COMMON, kind: 'music', prompt: 'slow jazz', title: null, tags: null, action: 'MUSIC', mv: null },
  ...{ continueClipId: null, continueAtSeconds: null },
};
const THREE_D: ThreeDRequest = {
  ...{ ...COMMON, kind: '3d', prompt: 'a chair', negativePrompt: null, images: [], format: null, texture: null },
  ...{ targetPolycount: null, seed: null },
};

function sent(encoded: WireRequest | Failure | Promise<WireRequest | Failure>) {
  if (encoded instanceof Failure || encoded instanceof Promise) throw new Error('it was not encoded');
  if (!(encoded.body instanceof Uint8Array)) throw new Error('it has no body');
  const body: unknown = JSON.parse(new TextDecoder().decode(encoded.body));
  return [body, encoded.losses.map(({ field }) => field)];
}

const video = (said: Partial<VideoRequest>) => ({ ...VIDEO, ...said });

describe('a video', () => {
  test.each<[Partial<VideoRequest>, object, object, readonly string[]]>([
    [{}, { count: 1, seconds: 5, resolution: '720p' }, { n: 1, seconds: 5, resolution: '720p' }, []],
    [
      { durationSeconds: 8, count: 3, resolution: '4k' },
      { count: 3, seconds: 8, resolution: '4k' },
      { n: 3, seconds: 8, resolution: '4k' },
      [],
    ],
    [{ durationSeconds: 7.2 }, { seconds: 8 }, { seconds: 8 }, ['duration']],
    [{ durationSeconds: 300 }, { seconds: 60 }, { seconds: 60 }, ['duration']],
    [{ size: { width: 1_080, height: 1_920 } }, { resolution: '1080p' }, { resolution: '1080p' }, []],
    [{ audio: true }, { traits: ['audio'] }, {}, ['audio']],
    [{ audio: false, seed: 7, user: 'u', negativePrompt: 'x', aspectRatio: '16:9' }, {}, {}, []],
  ])('%j is priced and sent alike', (said, asked, members, lost) => {
    const request = video(said);
    expect(sandboxVideos.asks(request, TARGET)).toMatchObject(asked);
    const [body, losses] = sent(sandboxVideos.encodeRequest(request, TARGET, CONTEXT));
    expect(body).toMatchObject({ model: 'the-model', kind: 'video', prompt: 'a fox', options: {}, ...members });
    expect(losses).toEqual(lost);
  });

  test('passes on its options, none of which changes the price', () => {
    const options = { delay_ms: 5, outcome: 'failed', fail_submit: 429, poll_failures_ms: 1, progress: false };
    expect(sent(sandboxVideos.encodeRequest(video({ options }), TARGET, CONTEXT))[0]).toMatchObject({ options });
    expect([...(sandboxVideos.harmlessOptions ?? [])].sort()).toEqual(Object.keys(options).sort());
  });
});

test('music and lyrics are jobs of two kinds', () => {
  const song = { ...MUSIC, title: 'Night', tags: 'jazz', mv: 'v4', continueClipId: 'c', continueAtSeconds: 3 };
  const [body, lost] = sent(sandboxMusic.encodeRequest(song, TARGET, CONTEXT));
  expect(body).toEqual({
    ...{ model: 'the-model', kind: 'music', prompt: 'slow jazz', title: 'Night', tags: 'jazz', options: {} },
  });
  expect(lost).toEqual([]);
  const words = sandboxMusic.encodeRequest({ ...MUSIC, action: 'LYRICS' }, TARGET, CONTEXT);
  expect(sent(words)[0]).toMatchObject({ kind: 'lyrics' });
  expect(sandboxMusic.asks(MUSIC, TARGET)).toEqual({ count: 1, seconds: null, resolution: null });
});

test('a 3D model has the format of the sandbox', () => {
  const [body, lost] = sent(sandboxThreeD.encodeRequest({ ...THREE_D, format: 'stl', texture: true }, TARGET, CONTEXT));
  expect(body).toMatchObject({ kind: '3d', format: 'stl' });
  expect(lost).toEqual(['texture']);
  const refused = sandboxThreeD.encodeRequest({ ...THREE_D, format: 'fbx' }, TARGET, CONTEXT);
  expect(refused).toMatchObject({ code: 'unsupported_parameter', details: { param: 'format' } });
  const pictured = { ...THREE_D, prompt: null, images: [{ kind: 'url', url: 'https://a.example/1' }] as const };
  expect(sent(sandboxThreeD.encodeRequest(pictured, TARGET, CONTEXT))[0]).toMatchObject({ prompt: '' });
});

const answer = (value: unknown): WireAnswer => ({
  bytes: new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value)),
  headers: new Headers(),
});
const TICKET = { id: 'job_abc' };
const decode = (value: unknown) => sandboxVideos.decodePoll(answer(value), TICKET, TARGET);
const submit = (value: unknown) => sandboxVideos.decodeSubmission(answer(value), VIDEO, TARGET);

describe('a response', () => {
  test.each([
    [
      { status: 'queued', progress: null },
      { state: 'working', status: 'pending', progress: null },
    ],
    [
      { status: 'working', progress: 49.9 },
      { state: 'working', status: 'processing', progress: 49 },
    ],
    [
      { status: 'working', progress: 'half' },
      { state: 'working', status: 'processing', progress: null },
    ],
    [
      { status: 'working', progress: 101 },
      { state: 'working', status: 'processing', progress: null },
    ],
    [
      { status: 'working', progress: -1 },
      { state: 'working', status: 'processing', progress: null },
    ],
  ])('%j is a job in progress', (body, report) => {
    expect(decode(body)).toEqual(report as typeof report & { state: 'working'; status: 'pending' });
  });

  test.each([undefined, '', 7, 'Out of stripes.'])(
    'for a failed job has a reason, even if none is given: %p',
    (error) => {
      const report = decode({ status: 'failed', error });
      const isSaid = error === 'Out of stripes.';
      const message = isSaid
        ? 'The job failed: Out of stripes.'
        : 'The job failed at the provider for an unknown reason.';
      expect(report).toMatchObject({ state: 'failed', failure: { kind: 'job_failed', details: { message } } });
    },
  );

  test('for a refused prompt is a client error', () => {
    expect(decode({ status: 'refused', error: 'No.' })).toMatchObject({ state: 'failed', failure: { side: 'client' } });
  });

  test('for a finished job has its items', () => {
    const item = { media_type: 'video/mp4', base64: 'AAAA', seconds: 5, cover: { base64: 'BBBB' } };
    expect(
      decode({ status: 'done', resolution: '720p', items: [item, { lyrics: 'la la', title: 'T' }] }),
    ).toMatchObject({
      state: 'done',
      result: {
        resolution: '720p',
        items: [
          {
            ...{ source: { kind: 'base64', base64: 'AAAA' }, mediaType: 'video/mp4', durationSeconds: 5 },
            cover: { kind: 'base64', base64: 'BBBB' },
          },
          { source: null, mediaType: null, lyrics: 'la la', title: 'T' },
        ],
      },
    });
  });

  const WRONG = [
    ...['', '[]', 'null', '7', '<html>', '{"status":', {}, { status: 'Done' }, { status: 7 }, { status: ['done'] }],
    ...[undefined, null, [], {}, 'x', [null], [{}], [[]], [{ base64: 7 }], [{ base64: '*' }], [{ base64: 'AAA' }]].map(
      (items) => ({ status: 'done', items }),
    ),
    ...[[{ lyrics: '' }], Array(11).fill({ lyrics: 'x' })].map((items) => ({ status: 'done', items })),
    '{"__proto__":{"status":"done","items":[{"lyrics":"x"}]}}',
  ];
  test.each(WRONG)('%j is invalid, and the job continues', (body) => {
    expect(decode(body)).toMatchObject({ code: 'upstream_error', kind: 'garbage' });
  });
});

describe('a submission', () => {
  test('gives a ticket with the id', () => {
    expect(submit({ id: 'job_abc', status: 'queued' })).toEqual({
      ticket: { id: 'job_abc' },
      report: { state: 'working', status: 'pending', progress: null },
    });
    expect(sandboxVideos.poll({ id: 'job_abc' }, TARGET)).toEqual({ url: '/jobs/job_abc' });
  });

  test('that failed at once is refused', () => {
    expect(submit({ id: 'job_abc', status: 'failed', error: 'No.' })).toMatchObject({ kind: 'job_failed' });
  });

  test.each([undefined, 7, '', 'abc', 'job_', 'job_../../models', 'job_a/b', 'job_a?b', `job_${'a'.repeat(6_001)}`])(
    'with the id %p is invalid',
    (id) => {
      expect(submit({ id, status: 'queued' })).toMatchObject({ kind: 'garbage' });
    },
  );
});
