import { describe, expect, test } from 'bun:test';
import { readWavHeader } from '../../../domain/audio/wav.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { imageInfo } from '../../../domain/media/image-info.ts';
import type { JobReport } from '../../../domain/tasks/job.ts';
import { sandboxVideos } from '../../../formats/hosts/sandbox-jobs/index.ts';
import { sandboxUpstream } from '../local.ts';
import { pollJob, submitJob } from './jobs.ts';

const START = 1_800_000_000_000;
const IDLE = new AbortController().signal;
const ORDER = { model: 'sandbox-video', kind: 'video', prompt: 'a fox' };

async function submitted(order: object, options: object = {}) {
  return await submitJob({ ...ORDER, ...order, options }, IDLE, START);
}

async function begun(order: object, options: object = {}): Promise<string> {
  return idIn(await (await submitted(order, options)).json());
}

function idIn(answer: unknown): string {
  if (typeof answer !== 'object' || answer === null || !('id' in answer)) throw new Error('it has no id');
  return String(answer.id);
}

async function asked(id: string, afterMs: number): Promise<JobReport> {
  const answer = pollJob(id, START + afterMs);
  expect(answer.status).toBe(200);
  const headers = new Headers();
  const report = sandboxVideos.decodePoll({ bytes: await answer.bytes(), headers }, { id }, { upstreamModel: 'm' });
  if (report instanceof Failure) throw new Error(report.message);
  return report;
}

async function made(order: object) {
  const report = await asked(await begun(order), 2_000);
  if (report.state !== 'done') throw new Error(report.state);
  return report.result;
}

function bytesOf(source: unknown): Buffer {
  if (typeof source !== 'object' || source === null || !('base64' in source)) throw new Error('there is no file');
  return Buffer.from(String(source.base64), 'base64');
}

describe('a job', () => {
  test('is queued, runs and ends as its id states, in any process', async () => {
    const id = await begun({}, { delay_ms: 1_000 });
    expect(await asked(id, 0)).toEqual({ state: 'working', status: 'pending', progress: null });
    expect(await asked(id, 249)).toMatchObject({ status: 'pending' });
    expect(await asked(id, 250)).toEqual({ state: 'working', status: 'processing', progress: 25 });
    expect(await asked(id, 999)).toMatchObject({ progress: 99 });
    expect(await asked(id, 1_000)).toMatchObject({ state: 'done' });
    expect(await asked(id, 1e9)).toMatchObject({ state: 'done' });
    expect(await asked(id, -5_000)).toMatchObject({ status: 'pending' });
  });

  test.each([
    ['failed', { state: 'failed', failure: { side: 'upstream', kind: 'job_failed' } }],
    ['refused', { state: 'failed', failure: { side: 'client', kind: 'content_refused' } }],
    ['never', { state: 'working', status: 'processing', progress: 99 }],
  ])('ends as %s on request', async (outcome, report) => {
    const id = await begun({}, { outcome, delay_ms: 100 });
    expect(await asked(id, 50)).toMatchObject({ state: 'working' });
    expect(await asked(id, 100)).toMatchObject(report);
  });

  test('that expires is unknown afterwards', async () => {
    const id = await begun({}, { outcome: 'expired', delay_ms: 100 });
    expect(pollJob(id, START + 99).status).toBe(200);
    expect(pollJob(id, START + 100).status).toBe(404);
  });

  test('fails its polls for the requested time', async () => {
    const id = await begun({}, { poll_failures_ms: 3_000, progress: false });
    expect(pollJob(id, START + 2_999).status).toBe(503);
    expect(await asked(id, 3_000)).toMatchObject({ state: 'done' });
    const quiet = await begun({}, { progress: false });
    expect(await asked(quiet, 1_000)).toEqual({ state: 'working', status: 'processing', progress: null });
  });

  test('without a delay is done in the first response', async () => {
    expect(await (await submitted({}, { delay_ms: 0 })).json()).toMatchObject({ status: 'done' });
    expect(await (await submitted({}, { delay_ms: 0, outcome: 'failed' })).json()).toMatchObject({ status: 'failed' });
  });

  test('has an id of bounded length for any texts', async () => {
    const long = '𝒂'.repeat(16_000);
    const id = await begun({ kind: 'music', prompt: long, title: long, tags: long });
    expect(id.length).toBeLessThan(6_000);
    expect(await asked(id, 2_000)).toMatchObject({ state: 'done' });
  });
});

test.each([400, 401, 402, 403, 404, 429, 500, 503])('a submission fails with %p on request', async (status) => {
  const answer = await submitted({}, { fail_submit: status });
  expect(answer.status).toBe(status);
  expect(answer.headers.get('retry-after')).toBe(status === 429 ? '1' : null);
});

test('a submission gets garbage, or no response, on request', async () => {
  expect(await (await submitted({}, { fail_submit: 'garbage' })).text()).toBe('<html>');
  const control = new AbortController();
  const pending = Promise.resolve(submitJob({ ...ORDER, options: { fail_submit: 'timeout' } }, control.signal));
  control.abort(new Error('gone'));
  expect(pending).rejects.toThrow('gone');
});

test.each([
  [{ delay_ms: -1 }, 'options.delay_ms'],
  [{ delay_ms: 3_600_001 }, 'options.delay_ms'],
  [{ delay_ms: '5' }, 'options.delay_ms'],
  [{ outcome: 'done' }, 'options.outcome'],
  [{ fail_submit: 200 }, 'options.fail_submit'],
  [{ poll_failures_ms: 1.5 }, 'options.poll_failures_ms'],
  [{ progress: 1 }, 'options.progress'],
  [{ speed: 1 }, 'options'],
])('the options %j are refused', async (options, param) => {
  const answer = await submitted({}, options);
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ error: { param } });
});

test.each([null, [], 'x', {}, { ...ORDER, kind: 'poem' }, { ...ORDER, n: 11 }, { ...ORDER, seconds: 0 }])(
  'the order %j is refused',
  async (order) => {
    expect((await submitJob(order, IDLE)).status).toBe(400);
  },
);

test.each([
  ...['', 'x', 'job_', 'job_%00', 'job_bnVsbA', 'job_e30', 'job_W10', `job_${'A'.repeat(9_000)}`],
  `job_${Buffer.from('{"kind":"video","n":1e9,"__proto__":{}}').toString('base64url')}`,
])('the id %p is unknown', (id) => {
  expect(pollJob(id).status).toBe(404);
});

test('an id with values beyond those of a request is unknown', async () => {
  const id = await begun({});
  const record = JSON.parse(Buffer.from(id.slice(4), 'base64url').toString());
  for (const wrong of [{ n: 1e6 }, { seconds: 0 }, { seconds: 1e9 }, { delay: -1 }, { prompt: 'x'.repeat(201) }]) {
    const forged = `job_${Buffer.from(JSON.stringify({ ...record, ...wrong })).toString('base64url')}`;
    expect(pollJob(forged, START + 1e6).status).toBe(404);
  }
});

describe('the output', () => {
  test.each([1, 5, 7.5, 60])('is a video of %p seconds', async (seconds) => {
    const { items, resolution } = await made({ seconds, n: 2, resolution: '1080p' });
    expect(resolution).toBe('1080p');
    expect(items).toHaveLength(2);
    const [item] = items;
    expect(item).toMatchObject({ mediaType: 'video/mp4', durationSeconds: seconds });
    const file = bytesOf(item?.source);
    expect(file.length).toBeLessThan(4_096);
    expect(file.toString('latin1', 4, 8)).toBe('ftyp');
    for (const header of ['mvhd', 'mdhd']) {
      const at = file.indexOf(header);
      expect(file.readUInt32BE(at + 20) / file.readUInt32BE(at + 16)).toBeCloseTo(seconds, 2);
    }
    expect(imageInfo(new Uint8Array(bytesOf(item?.cover)))).toMatchObject({ mediaType: 'image/png' });
  });

  test('is a song with all its parts', async () => {
    const { items } = await made({ kind: 'music', prompt: 'slow jazz about trains at night', tags: 'jazz' });
    const [item] = items;
    expect(item).toMatchObject({ mediaType: 'audio/wav', title: 'slow jazz about trains at', tags: 'jazz' });
    expect(item?.lyrics).toContain('slow jazz about trains at night');
    expect(item?.clipId).toMatch(/^clip_[0-9a-f]+$/);
    const file = bytesOf(item?.source);
    const header = readWavHeader(file);
    expect((header?.dataBytes ?? 0) / (header?.bytesPerSecond ?? 1)).toBe(item?.durationSeconds ?? 0);
    const again = await made({ kind: 'music', prompt: 'slow jazz about trains at night', title: 'T' });
    expect(bytesOf(again.items[0]?.source).equals(file)).toBe(true);
    expect(again.items[0]).toMatchObject({ title: 'T', tags: null });
    const other = await made({ kind: 'music', prompt: 'fast rock' });
    expect(bytesOf(other.items[0]?.source).equals(file)).toBe(false);
  });

  test('is lyrics only', async () => {
    const { items } = await made({ kind: 'lyrics', title: 'Night', tags: 'slow' });
    expect(items).toMatchObject([{ source: null, mediaType: null, title: 'Night', tags: 'slow' }]);
    expect(items[0]?.lyrics).toContain('[Chorus]\na fox');
  });

  test('is a cube in each format', async () => {
    const file = async (format: string | null) => {
      const { items } = await made({ kind: '3d', format });
      return { type: items[0]?.mediaType, format: items[0]?.format, bytes: bytesOf(items[0]?.source) };
    };
    const usual = await file(null);
    expect([usual.type, usual.format]).toEqual(['model/gltf-binary', 'glb']);
    const { bytes } = usual;
    expect([bytes.toString('latin1', 0, 4), bytes.readUInt32LE(4), bytes.readUInt32LE(8)]).toEqual([
      'glTF',
      2,
      bytes.length,
    ]);
    const jsonBytes = bytes.readUInt32LE(12);
    const document = JSON.parse(bytes.toString('utf8', 20, 20 + jsonBytes));
    const [{ byteLength }] = document.buffers;
    expect(bytes.readUInt32LE(20 + jsonBytes)).toBe(byteLength);
    expect(20 + jsonBytes + 8 + byteLength).toBe(bytes.length);
    expect(document.bufferViews[1].byteOffset + document.bufferViews[1].byteLength).toBe(byteLength);
    expect(JSON.parse((await file('gltf')).bytes.toString()).buffers[0].uri).toStartWith('data:application/');
    expect((await file('obj')).bytes.toString().match(/^f /gm)).toHaveLength(12);
    expect((await file('stl')).bytes.toString().match(/^facet /gm)).toHaveLength(12);
  });
});

test('jobs are below the base URL of the sandbox', async () => {
  const at = (path: string, init?: RequestInit) =>
    sandboxUpstream(new Request(`http://sandbox.invalid/v1${path}`, init));
  const post = { method: 'POST', body: JSON.stringify({ ...ORDER, options: { delay_ms: 0 } }) };
  const id = idIn(await (await at('/jobs', post)).json());
  expect(await (await at(`/jobs/${id}`)).json()).toMatchObject({ id, status: 'done' });
  expect((await at('/jobs', { method: 'POST', body: '{' })).status).toBe(400);
  expect((await at('/jobs')).status).toBe(405);
  expect((await at(`/jobs/${id}`, { method: 'DELETE' })).status).toBe(405);
  expect((await at('/jobs/job_x')).status).toBe(404);
});
