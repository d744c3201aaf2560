import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { streamedAnswer } from '../../conformance/first-light/upstream.ts';
import {
  ask,
  asked,
  burst,
  type LimitsBed,
  type LimitsBedOptions,
  startLimitsBed,
} from '../../conformance/limits/bed.ts';
import type { Serving } from '../../conformance/shared/serving.ts';
import { until } from '../../conformance/shared/until.ts';
import { RedisServer } from '../../src/stores/redis/testing/redis-server.ts';

/* Several gateways that share their limits through Redis. */

setDefaultTimeout(60_000);

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

  test('share places, and a client that leaves one of them frees its place for the others', async () => {
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
  test('each gateway goes on by itself within the limit, and shares again when Redis is back', async () => {
    const accounts = { acme: { requests_per_minute: 60 }, late: { requests_per_minute: 60 } };
    const { redis, bed } = await start({ accounts, nodes: 3 });
    expect(sum(await admittedOf(bed.nodes, 'acme', 10))).toBe(30);
    await redis.kill();
    // None has admitted more than its own 60, those of before included.
    const more = await admittedOf(bed.nodes, 'acme', 70);
    for (const admitted of more) expect(admitted).toBe(50);
    await redis.restart();
    const isBack = ({ stdout }: Serving) => stdout.includes('Redis is back');
    await until('all gateways share again', () => bed.nodes.every(isBack));
    expect(sum(await admittedOf(bed.nodes, 'late', 70))).toBe(60);
    for (const { stdout } of bed.nodes) {
      expect(stdout.match(/Redis cannot be asked for rate limits/g)).toHaveLength(1);
      expect(stdout.match(/Redis is back/g)).toHaveLength(1);
    }
  });

  test('nobody is admitted uncounted where the setting says so, and the 503 is no fault of the client', async () => {
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
      await until('it admits again', async () => (await asked(node, 'acme')).status === 200);
  });
});
