import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { channelTo, chatAnswer, streamedAnswer } from '../first-light/upstream.ts';
import { CLIENT_FORMATS } from '../routing/client.ts';
import { TestClock } from '../shared/test-clock.ts';
import { until } from '../shared/until.ts';
import { ask, asked, type LimitsBed, startLimitsBed } from './bed.ts';

/*
 * Limits of channels as clients of one gateway see them. The rules of the queue are in conformance/engine/channel-limiters.test.ts, several
 * gateways in acceptance/redis/channel-limits.test.ts.
 */

const clock = new TestClock();
let bed: LimitsBed;
/** Requests for the model `held` are answered when the test says so. */
let release = Promise.withResolvers<void>();
const node = () => bed.nodes[0] ?? expect.unreachable();
const requestsFor = (model: string) => bed.upstream.requests.filter((request) => request.model === model).length;

const LEFT = { 'x-ratelimit-limit-requests': '100', 'x-ratelimit-remaining-requests': '0' };

beforeAll(async () => {
  const once = { requests_per_minute: 1 };
  const oneAtOnce = { limits: { max_concurrent: 1 }, queue: { max_waiting: 10, max_wait_ms: 60_000 } };
  bed = await startLimitsBed({
    accounts: { acme: { requests_per_minute: 1_000 }, other: { requests_per_minute: 1_000 } },
    clock,
    settings: { server: { ping_interval_ms: 1_000 } },
    channels: (to) => [
      channelTo(to, { id: 'first', priority: 1, limits: once, models: { shared: 'of-first' } }),
      channelTo(to, { id: 'second', priority: 2, models: { shared: 'of-second' } }),
      channelTo(to, { id: 'only', models: ['only', 'few'], limits: { models: { only: once, few: once } } }),
      channelTo(to, { id: 'queued', models: ['held'], ...oneAtOnce }),
      channelTo(to, { id: 'stated', models: ['stated'] }),
      channelTo(to, { id: 'unread', models: ['unread'], follow_provider_limits: false }),
    ],
    answer: async (request) => {
      const { model, stream } = request;
      if (model === 'held') await release.promise;
      if (model !== 'stated' && model !== 'unread') return stream ? streamedAnswer(request) : chatAnswer(request);
      const response = chatAnswer(request);
      for (const [name, value] of Object.entries(LEFT)) response.headers.set(name, value);
      response.headers.set('x-ratelimit-reset-requests', '50s');
      return response;
    },
  });
});
afterAll(() => bed.stop());

/** Waits until this number of requests for the model have reached the upstream. */
const untilAsked = (model: string, count: number) =>
  until(`${count} requests for ${model}`, () => requestsFor(model) === count);

describe('a channel at its limit', () => {
  test('leaves its requests to the next channel, without a failure', async () => {
    for (let count = 0; count < 3; count++) {
      const response = await asked(node(), 'acme', { model: 'shared' });
      expect(response.status).toBe(200);
      expect(JSON.parse(response.headers.get('x-routing') ?? '{}')).toMatchObject({ retryCount: 0 });
    }
    expect([requestsFor('of-first'), requestsFor('of-second')]).toEqual([1, 2]);
    clock.advance(60_000);
    await asked(node(), 'acme', { model: 'shared' });
    expect(requestsFor('of-first')).toBe(2);
  });

  test.each(CLIENT_FORMATS)('that is the only one makes a 429 of %s that is true', async (format) => {
    clock.advance(60_000);
    expect((await asked(node(), 'acme', { model: 'only', format })).status).toBe(200);
    clock.advance(20_000);
    const refused = await ask(node(), 'acme', { model: 'only', format });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '40']);
    expect(await refused.text()).toContain('Every channel of the model `only` is at its limit now.');
    clock.advance(40_000);
    expect((await asked(node(), 'acme', { model: 'only', format })).status).toBe(200);
  });

  test('of one model serves the others', async () => {
    clock.advance(60_000);
    expect((await asked(node(), 'acme', { model: 'only' })).status).toBe(200);
    expect((await asked(node(), 'acme', { model: 'few' })).status).toBe(200);
    expect((await asked(node(), 'acme', { model: 'few' })).status).toBe(429);
  });
});

describe('requests that wait', () => {
  test('are sent one after the other, and streams get pings meanwhile', async () => {
    release = Promise.withResolvers();
    const before = requestsFor('held');
    const first = asked(node(), 'acme', { model: 'held' });
    await untilAsked('held', before + 1);
    const stream = await ask(node(), 'other', { model: 'held', stream: true });
    // The head comes with a ping, before an upstream was asked.
    expect(stream.status).toBe(200);
    expect(requestsFor('held')).toBe(before + 1);
    release.resolve();
    expect((await first).status).toBe(200);
    const text = await stream.text();
    expect(text).toStartWith(': keep-alive\n');
    expect(text).toContain('[DONE]');
  });

  test('end when their client leaves, and their place goes to the next', async () => {
    release = Promise.withResolvers();
    const before = requestsFor('held');
    const first = asked(node(), 'acme', { model: 'held' });
    await untilAsked('held', before + 1);
    const leaving = new AbortController();
    const left = ask(node(), 'acme', { model: 'held', signal: leaving.signal }).catch(() => 'left');
    const next = asked(node(), 'other', { model: 'held' });
    leaving.abort();
    expect(await left).toBe('left');
    release.resolve();
    expect([(await first).status, (await next).status]).toEqual([200, 200]);
    expect(requestsFor('held')).toBe(before + 2);
  });
});

describe('limits that a provider states', () => {
  test('stop requests before it refuses them', async () => {
    expect((await asked(node(), 'acme', { model: 'stated' })).status).toBe(200);
    const refused = await asked(node(), 'acme', { model: 'stated' });
    // One of 100 comes back every half second.
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect(requestsFor('stated')).toBe(1);
    clock.advance(500);
    expect((await asked(node(), 'acme', { model: 'stated' })).status).toBe(200);
  });

  test('are not followed if the channel says so', async () => {
    for (let count = 0; count < 3; count++) {
      expect((await asked(node(), 'acme', { model: 'unread' })).status).toBe(200);
    }
  });
});
