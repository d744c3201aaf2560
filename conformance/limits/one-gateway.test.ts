import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chatAnswer, streamedAnswer } from '../first-light/upstream.ts';
import type { ClientFormat } from '../readers/index.ts';
import { CLIENT_FORMATS } from '../routing/client.ts';
import { TestClock } from '../shared/test-clock.ts';
import { until } from '../shared/until.ts';
import { ask, asked, type LimitsBed, startLimitsBed } from './bed.ts';

/* The limits of one gateway as its clients see them, while its clock stands still. */

let bed: LimitsBed;
const node = () => bed.nodes[0] ?? expect.unreachable();

beforeAll(async () => {
  const once = { requests_per_minute: 1 };
  bed = await startLimitsBed({
    accounts: {
      ...Object.fromEntries(CLIENT_FORMATS.map((format) => [`once-${format}`, once])),
      'ten-a-minute': { requests_per_minute: 10 },
      'two-at-once': { max_concurrent: 2 },
      'two-streams': { max_concurrent: 2 },
      'few-tokens': { tokens_per_minute: 20 },
      'slow-key': {},
    },
    keys: { 'slow-key': { requests_per_minute: 2 } },
    clock: new TestClock(),
    answer: (request) => (request.stream ? streamedAnswer(request, { pieces: 200, gapMs: 50 }) : chatAnswer(request)),
  });
});
afterAll(() => bed.stop());

const limitsOf = ({ headers }: Response) =>
  ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`x-ratelimit-${name}`) ?? Number.NaN));

describe('a refused request', () => {
  /** Finds the members that the contract requires of a 429 in each format's envelope. */
  const saidIn: Readonly<Record<ClientFormat, (body: Envelope) => object>> = {
    'openai-chat': ({ error }) => error,
    'openai-responses': ({ error }) => error,
    'anthropic-messages': ({ error }) => error,
    gemini: ({ error }) => {
      const { metadata } = error.details?.[0] ?? expect.unreachable();
      return { ...metadata, retryable: metadata.retryable === 'true', retry_after: Number(metadata.retry_after) };
    },
  };

  interface Envelope {
    readonly error: {
      readonly type?: string;
      readonly status?: string;
      readonly message: string;
      readonly details?: readonly { readonly metadata: Readonly<Record<string, string>> }[];
    };
  }

  test.each(CLIENT_FORMATS)('of %s gets a 429 that names the limited account and gives Retry-After', async (format) => {
    const account = `once-${format}`;
    expect((await asked(node(), account, { format })).status).toBe(200);
    const seenBefore = bed.upstream.requests.length;
    const response = await ask(node(), account, { format });
    expect(response.status).toBe(429);
    const retryAfter = Number(response.headers.get('retry-after'));
    expect(retryAfter).toBe(60);
    const body = (await response.json()) as Envelope;
    expect(body.error.message).toContain(`account \`${account}\``);
    expect(saidIn[format](body)).toMatchObject({
      code: 'rate_limit_exceeded',
      retryable: true,
      retry_after: retryAfter,
      hint: expect.any(String),
    });
    const native = { 'anthropic-messages': { type: 'rate_limit_error' }, gemini: { status: 'RESOURCE_EXHAUSTED' } };
    const expected =
      format === 'anthropic-messages' || format === 'gemini' ? native[format] : { type: 'rate_limit_exceeded' };
    expect(body.error).toMatchObject(expected);
    expect(limitsOf(response).slice(0, 2)).toEqual([1, 0]);
    expect(response.headers.get('x-request-id')).toBeString();
    expect(bed.upstream.requests.length).toBe(seenBefore);
  });

  test('names the key whose limit was reached', async () => {
    for (let count = 0; count < 2; count++) expect((await asked(node(), 'slow-key')).status).toBe(200);
    const response = await ask(node(), 'slow-key');
    expect(response.status).toBe(429);
    expect(await response.text()).toContain('API key `slow-key`');
  });

  test('names the token limit once usage has passed it', async () => {
    expect((await asked(node(), 'few-tokens')).status).toBe(200);
    expect((await asked(node(), 'few-tokens')).status).toBe(200);
    const response = await ask(node(), 'few-tokens');
    expect(response.status).toBe(429);
    expect(await response.text()).toContain('20 tokens');
    expect(limitsOf(response).slice(0, 2)).toEqual([20, 0]);
  });
});

test('successes, streams and errors report the remaining requests', async () => {
  const account = 'ten-a-minute';
  expect(limitsOf(await asked(node(), account))).toEqual([10, 9, 60]);
  const leaving = new AbortController();
  const streamed = await ask(node(), account, { stream: true, signal: leaving.signal });
  expect(limitsOf(streamed).slice(0, 2)).toEqual([10, 8]);
  leaving.abort();
  const unknown = await asked(node(), account, { model: 'no-such-model' });
  expect(unknown.status).toBe(404);
  expect(limitsOf(unknown)).toEqual([10, 7, 60]);
});

describe('concurrent requests', () => {
  test('are limited, and a finished one frees its slot', async () => {
    const account = 'two-at-once';
    const leaving = new AbortController();
    const streams = await Promise.all([1, 2].map(() => ask(node(), account, { stream: true, signal: leaving.signal })));
    expect(streams.map(({ status }) => status)).toEqual([200, 200]);
    const refused = await ask(node(), account);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await refused.text()).toContain('2 requests in flight');
    leaving.abort();
    await until('the slots are free', async () => (await asked(node(), account)).status === 200);
  });

  test('that are not streamed free their slots when they finish', async () => {
    for (let count = 0; count < 20; count++) expect((await asked(node(), 'two-streams')).status).toBe(200);
  });

  test.each(CLIENT_FORMATS)('free their slots when a client of %s leaves its stream', async (format) => {
    /** Opens two streams, which shows that both slots were free; returns the controller that aborts them. */
    async function twoStreams(): Promise<AbortController> {
      let leaving = new AbortController();
      await until('both slots are free', async () => {
        leaving = new AbortController();
        const options = { format, stream: true, signal: leaving.signal };
        const both = await Promise.all([1, 2].map(() => ask(node(), 'two-streams', options)));
        const areThere = both.every(({ status }) => status === 200);
        if (!areThere) leaving.abort();
        return areThere;
      });
      return leaving;
    }
    for (let round = 0; round < 6; round++) (await twoStreams()).abort();
    await until('the last streams have ended, too', async () => (await asked(node(), 'two-streams')).status === 200);
  });
});
