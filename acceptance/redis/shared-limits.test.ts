import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { channelTo, chatAnswer, clientKey, streamedAnswer } from '../../conformance/first-light/upstream.ts';
import {
  ask,
  asked,
  burst,
  type LimitsBed,
  type LimitsBedOptions,
  MODEL,
  startLimitsBed,
} from '../../conformance/limits/bed.ts';
import type { Serving } from '../../conformance/shared/serving.ts';
import { RunningClock } from '../../conformance/shared/test-clock.ts';
import { until } from '../../conformance/shared/until.ts';
import { RedisServer } from '../../src/stores/redis/testing/redis-server.ts';
import { untilAllKnow } from './known-gateways.ts';

/* Several gateways that share their limits through Redis. */

setDefaultTimeout(600_000);

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function start(options: LimitsBedOptions): Promise<{ readonly redis: RedisServer; readonly bed: LimitsBed }> {
  const redis = await RedisServer.start();
  stops.push(() => redis.stop());
  const bed = await startLimitsBed({ ...options, env: { REDIS_URL: redis.url } });
  stops.push(bed.stop);
  return { redis, bed };
}

const admittedOf = (nodes: readonly Serving[], account: string, asks: number) =>
  Promise.all(nodes.map((node) => burst(node, account, asks)));
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

describe('three gateways on one Redis', () => {
  test('together admit no more than one would', async () => {
    const { bed } = await start({ accounts: { acme: { role: 'User' } }, nodes: 3 });
    expect(sum(await admittedOf(bed.nodes, 'acme', 15))).toBe(45);
    expect(sum(await admittedOf(bed.nodes, 'acme', 40))).toBe(15);
    expect(sum(await admittedOf(bed.nodes, 'acme', 10))).toBe(0);
  });

  test('share places, and a client that leaves one gateway frees its place for the others', async () => {
    const answer: LimitsBedOptions['answer'] = (request) => streamedAnswer(request, { pieces: 200, gapMs: 50 });
    const { bed } = await start({ accounts: { acme: { max_concurrent: 2 } }, nodes: 3, answer });
    const leaving = new AbortController();
    const options = { stream: true, signal: leaving.signal };
    const streams = await Promise.all(bed.nodes.slice(0, 2).map((node) => ask(node, 'acme', options)));
    expect(streams.map(({ status }) => status)).toEqual([200, 200]);
    const third = bed.nodes[2] ?? expect.unreachable();
    expect((await asked(third, 'acme')).status).toBe(429);
    leaving.abort();
    const again = new AbortController();
    await until('the third gateway admits', async () => {
      const { status } = await ask(third, 'acme', { stream: true, signal: again.signal });
      return status === 200;
    });
    again.abort();
  });
});

describe('when Redis dies under load', () => {
  test('each gateway still falls back to another model, and counts the requests of all of them', async () => {
    const { redis, bed } = await start({
      ...{ accounts: { acme: { requests_per_minute: 60 } }, nodes: 3 },
      channels: (to) => [channelTo(to, { models: { [MODEL]: 'down', spare: 'spare' } })],
      settings: { models: [{ id: MODEL, fallbacks: ['spare'] }] },
      answer: (request) =>
        request.model === 'down'
          ? Response.json({ error: { message: 'Down.' } }, { status: 500 })
          : chatAnswer(request),
    });
    await untilAllKnow(redis);
    const models = async () => {
      const answers = await Promise.all(bed.nodes.map((node) => ask(node, 'acme')));
      return Promise.all(answers.map(async (answer) => ((await answer.json()) as { readonly model: string }).model));
    };
    expect(await models()).toEqual(['spare', 'spare', 'spare']);
    await redis.kill();
    expect(await models()).toEqual(['spare', 'spare', 'spare']);
    // A request with a fallback counts once: two of each gateway's twenty are used.
    expect(await admittedOf(bed.nodes, 'acme', 30)).toEqual([18, 18, 18]);
  });

  test('each gateway admits its share of the limit, and counts are shared again when Redis is back', async () => {
    const accounts = { acme: { requests_per_minute: 60 }, late: { requests_per_minute: 60 } };
    const clock = new RunningClock();
    const { redis, bed } = await start({ accounts, nodes: 3, clock });
    await untilAllKnow(redis);
    expect(sum(await admittedOf(bed.nodes, 'acme', 10))).toBe(30);
    await redis.kill();
    // A third of the limit each, including earlier admissions.
    expect(await admittedOf(bed.nodes, 'acme', 70)).toEqual([10, 10, 10]);
    await redis.restart();
    // It has lost its data and gets the counts again.
    expect(sum(await admittedOf(bed.nodes, 'acme', 70))).toBe(0);
    const isBack = ({ stdout }: Serving) => stdout.includes('Redis is back');
    await until('all gateways use Redis again', () => bed.nodes.every(isBack));
    // Until then no gateway admits more than its share.
    clock.advance(3_000);
    expect(sum(await admittedOf(bed.nodes, 'late', 70))).toBe(60);
    for (const { stdout } of bed.nodes) {
      expect(stdout.match(/Redis is unavailable for rate limits/g)).toHaveLength(1);
      expect(stdout.match(/Redis is back/g)).toHaveLength(1);
    }
  });

  test('reads of usage have a limit of their own, of which each gateway then admits its share', async () => {
    const { redis, bed } = await start({ accounts: { acme: {}, late: {} }, nodes: 3 });
    await untilAllKnow(redis);
    const admitted = async (node: Serving, account: string, reads: number) => {
      const headers = { authorization: `Bearer ${clientKey(account)}` };
      const answers = Array.from({ length: reads }, () => fetch(`${node.origin}/v1/usage`, { headers }));
      return (await Promise.all(answers)).filter(({ status }) => status === 200).length;
    };
    const together = (account: string, reads: number) =>
      Promise.all(bed.nodes.map((node) => admitted(node, account, reads)));
    expect(await together('acme', 20)).toEqual([20, 20, 20]);
    expect(await together('acme', 5)).toEqual([0, 0, 0]);
    expect(sum(await admittedOf(bed.nodes, 'acme', 2))).toBe(6);
    await redis.kill();
    expect(await together('acme', 5)).toEqual([0, 0, 0]);
    expect(await together('late', 30)).toEqual([20, 20, 20]);
  });

  test("uncounted requests get a 503 if configured so, which is not counted as the client's error", async () => {
    const settings = { billing: { when_counters_are_away: 'refuse' } };
    const { redis, bed } = await start({ accounts: { acme: { requests_per_minute: 60 } }, nodes: 2, settings });
    expect(sum(await admittedOf(bed.nodes, 'acme', 10))).toBe(20);
    await redis.kill();
    for (const node of bed.nodes) {
      for (let count = 0; count < 5; count++) {
        const response = await ask(node, 'acme');
        expect(response.status).toBe(503);
        expect(response.headers.get('retry-after')).toBe('1');
        expect(await response.json()).toMatchObject({
          error: { code: 'limits_unavailable', retryable: true, retry_after: 1, hint: expect.any(String) },
        });
      }
    }
    expect(bed.upstream.requests).toHaveLength(20);
    await redis.restart();
    for (const node of bed.nodes)
      await until('the gateway admits requests again', async () => (await asked(node, 'acme')).status === 200);
  });
});
