import { describe, expect, test } from 'bun:test';
import { Failure } from '../../domain/failure/failure.ts';
import { nextUrl, readParts } from './answer-parts.ts';
import type { AnswerPart, Lane, LaneRequest } from './lane.ts';
import { fakePorts } from './testing/fake-ports.ts';
import type { Scripted } from './testing/fake-upstream.ts';
import { bufferedOf } from './testing/sample-lanes.ts';
import { channelOf, targetOf } from './testing/sample-routes.ts';

const prepared: LaneRequest = { body: null, headers: null, losses: [], extras: null };
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const timeouts = { connectMs: 1_000, firstByteMs: 60_000, idleMs: 60_000, totalMs: 60_000 };

/**
 * Interprets an answer of a job: `working` is polled again after two seconds, `again` at the previous URL, `failed` is a failure, and
 * anything else is the result.
 */
const next = ({ bytes }: AnswerPart) => {
  const said = text(bytes);
  if (said === 'failed') return new Failure('upstream_error', { kind: 'job_failed', message: 'The job has failed.' });
  if (said === 'again') return { method: 'GET', url: null, afterMs: 1_000, body: null } as const;
  return said === 'working' ? ({ method: 'GET', url: '/jobs/1', afterMs: 2_000, body: null } as const) : null;
};

async function job(first: Scripted, ...polls: readonly (Scripted | Failure)[]) {
  return jobWithin(timeouts.firstByteMs, first, ...polls);
}

async function jobWithin(firstByteMs: number, first: Scripted, ...polls: readonly (Scripted | Failure)[]) {
  const fakes = fakePorts();
  fakes.upstream.script('a', first, ...polls);
  const target = targetOf(channelOf('a', 'chatting'));
  const { signal } = new AbortController();
  const lane: Pick<Lane, 'next'> = { next };
  const times = { ...timeouts, firstByteMs };
  const input = {
    lane,
    prepared,
    target,
    timeouts: times,
    deadlineMs: Number.POSITIVE_INFINITY,
    client: { signal },
    buffered: bufferedOf(1_000),
    ids: null,
    outcome: { heard: () => {} },
  };
  const answer = await fakes.upstream.send({
    ...{ url: target.url, method: 'POST', headers: {}, body: null, timeouts, client: { signal } },
  });
  if (answer instanceof Failure) throw new Error('the submit has failed');
  const result = await readParts(fakes.ports, input, answer);
  const told = result instanceof Failure ? result : result.map(({ bytes }) => text(bytes));
  return { result: told, asked: fakes.upstream.sent.slice(1), waits: fakes.waits };
}

const working: Scripted = { pieces: ['working'] };
const done: Scripted = { pieces: ['done'] };
const broken: Scripted = { status: 500, pieces: ['{}'] };

describe('polling a job', () => {
  test('does not happen if the first response is the result', async () => {
    expect(await job(done)).toMatchObject({ result: ['done'], asked: [], waits: [] });
  });

  test('goes below the base address, with the key and without a body, until the job is done', async () => {
    const { result, asked, waits } = await job(working, working, working, done);
    expect(result).toEqual(['done']);
    expect(waits).toEqual([2_000, 2_000, 2_000]);
    for (const { request } of asked) {
      expect(request).toMatchObject({ url: 'http://a.example/v1/jobs/1', method: 'GET', body: null });
      expect(request.headers.authorization).toStartWith('Bearer ');
      expect(request.headers['content-type']).toBeUndefined();
    }
  });

  test('may use the last address again if the upstream allowed that before', async () => {
    const again: Scripted = { pieces: ['again'] };
    const { result, asked } = await job(working, again, broken, again, done);
    expect(result).toEqual(['done']);
    expect(new Set(asked.map(({ request }) => request.url))).toEqual(new Set(['http://a.example/v1/jobs/1']));
    expect((await job(again, done)).result).toMatchObject({ kind: 'garbage', side: 'upstream' });
  });

  test('reports a failed job', async () => {
    expect((await job(working, { pieces: ['failed'] })).result).toMatchObject({ kind: 'job_failed' });
  });

  test('survives failed polls, and slows down', async () => {
    const { result, waits } = await job(working, broken, broken, working, done);
    expect(result).toEqual(['done']);
    expect(waits).toEqual([2_000, 3_000, 4_000, 2_000]);
  });

  test('ends after several failures in a row', async () => {
    const { result, asked } = await jobWithin(600_000, working, ...new Array<Scripted>(20).fill(broken));
    expect(result).toMatchObject({ side: 'upstream', kind: 'http_500' });
    expect(asked).toHaveLength(9);
  });

  test('tolerates an unknown job at first, but not for long', async () => {
    const unknown: Scripted = { status: 404, pieces: ['{}'] };
    expect((await job(working, unknown, unknown, done)).result).toEqual(['done']);
    expect((await job(working, ...new Array<Scripted>(9).fill(unknown))).asked).toHaveLength(4);
  });

  test.each([400, 401, 403, 422])('ends after a %d', async (status) => {
    const { asked } = await job(working, { status, pieces: ['{}'] }, done);
    expect(asked).toHaveLength(1);
  });

  test('is limited by the first-byte timeout', async () => {
    const { result, asked } = await job(working, ...new Array<Scripted>(100).fill(working));
    expect(result).toMatchObject({ code: 'timeout_error', kind: 'job_timeout' });
    expect(asked).toHaveLength(29);
  });
});

test('a client that disconnects ends the polling', async () => {
  const fakes = fakePorts();
  const leaving = new AbortController();
  const ports = { ...fakes.ports, sleep: async () => leaving.abort() };
  fakes.upstream.script('a', working);
  const target = targetOf(channelOf('a', 'chatting'));
  const client = { signal: leaving.signal };
  const answer = await fakes.upstream.send({
    url: target.url,
    method: 'POST',
    headers: {},
    body: null,
    timeouts,
    client,
  });
  if (answer instanceof Failure) throw new Error('the submit has failed');
  const deadlineMs = Number.POSITIVE_INFINITY;
  const input = {
    lane: { next },
    prepared,
    target,
    timeouts,
    deadlineMs,
    client,
    buffered: bufferedOf(100),
    ids: null,
    outcome: { heard: () => {} },
  };
  expect(await readParts(ports, input, answer)).toMatchObject({ code: 'client_closed_request' });
  expect(fakes.upstream.sent).toHaveLength(1);
});

test.each([
  ['https://api.replicate.com/v1', '/predictions/a?x=1', 'https://api.replicate.com/v1/predictions/a?x=1'],
  ['https://api.bfl.ai/v1', 'https://api.eu1.bfl.ai/v1/get_result?id=a', 'https://api.eu1.bfl.ai/v1/get_result?id=a'],
  ['https://queue.fal.run', 'https://queue.fal.run/fal-ai/x/requests/a', 'https://queue.fal.run/fal-ai/x/requests/a'],
  ['http://127.0.0.1:9/v1', 'https://api.bfl.ai/v1/get_result?id=a', 'http://127.0.0.1:9/v1/get_result?id=a'],
])('at %s the next address for %s is %s', (base, said, url) => {
  expect(nextUrl(base, said)).toBe(url);
});

test.each([
  'https://evil.example/v1/get?id=a',
  'https://api.bfl.ai.evil.example/v1/get?id=a',
  'https://evilbfl.ai/v1/get?id=a',
  'http://api.eu1.bfl.ai/v1/get?id=a',
  'https://api.eu1.bfl.ai:444/v1/get?id=a',
  'https://user:password@evil.example/v1/get?id=a',
  '//evil.example/v1/get?id=a',
  'https:\\\\evil.example/v1/get?id=a',
])('%s is polled at the address of the channel', (said) => {
  expect(nextUrl('https://api.bfl.ai/v1', said)).toBe('https://api.bfl.ai/v1/get?id=a');
});

test('an invalid or non-http URL is replaced by the address of the channel', () => {
  for (const said of ['', 'file:///etc/passwd', 'javascript:alert(1)', 'https://[', '\u0000']) {
    expect(new URL(nextUrl('https://api.bfl.ai/v1', said)).origin).toBe('https://api.bfl.ai');
  }
});

test('IP addresses never share a domain', () => {
  expect(nextUrl('https://10.0.0.1/v1', 'https://10.9.0.1/a')).toBe('https://10.0.0.1/a');
});
