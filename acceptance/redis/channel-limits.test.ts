import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { channelTo, streamedAnswer } from '../../conformance/first-light/upstream.ts';
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

/* Limits of a channel that several gateways share through Redis. */

setDefaultTimeout(600_000);

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

const ACCOUNT = { acme: { requests_per_minute: 10_000 }, other: { requests_per_minute: 10_000 } };

async function start(limits: object, options: Partial<LimitsBedOptions> = {}) {
  const redis = await RedisServer.start();
  stops.push(() => redis.stop());
  const channels: LimitsBedOptions['channels'] = (to) => [channelTo(to, { models: [MODEL], ...limits })];
  const bed = await startLimitsBed({
    ...{ accounts: ACCOUNT, nodes: 3, channels, env: { REDIS_URL: redis.url } },
    ...options,
  });
  stops.push(bed.stop);
  return { redis, bed };
}

const admittedBy = (nodes: readonly Serving[], asks: number) =>
  Promise.all(nodes.map((node) => burst(node, 'acme', asks)));
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
const nodeOf = (bed: LimitsBed, index: number) => bed.nodes[index] ?? expect.unreachable();

describe('three gateways', () => {
  test('send no more to a channel than one would, and each its part while Redis is away', async () => {
    const clock = new RunningClock();
    const { redis, bed } = await start({ limits: { requests_per_minute: 30 } }, { clock });
    await untilAllKnow(redis);
    expect(sum(await admittedBy(bed.nodes, 5))).toBe(15);
    expect(sum(await admittedBy(bed.nodes, 20))).toBe(15);
    expect(bed.upstream.requests).toHaveLength(30);
    clock.advance(60_000);
    await redis.run('flushall');
    await redis.kill();
    expect(await admittedBy(bed.nodes, 20)).toEqual([10, 10, 10]);
    await redis.restart();
    await until('all gateways use Redis again', () =>
      bed.nodes.every(({ stdout }) => stdout.includes('Redis is back')),
    );
    // Redis has lost its data and gets the counts of the last minute again.
    expect(sum(await admittedBy(bed.nodes, 5))).toBe(0);
    expect(bed.upstream.requests).toHaveLength(60);
  });

  test('share the places of a channel: a waiting request gets the place that another gateway has freed', async () => {
    const release = Promise.withResolvers<void>();
    const answer: LimitsBedOptions['answer'] = (request) => streamedAnswer(request, { rest: release.promise });
    const limits = { limits: { max_concurrent: 2 }, queue: { max_waiting: 10, max_wait_ms: 60_000 } };
    const { redis, bed } = await start(limits, { answer });
    const leaving = new AbortController();
    const stream = { stream: true, signal: leaving.signal };
    await Promise.all([ask(nodeOf(bed, 0), 'acme', stream), ask(nodeOf(bed, 1), 'acme', stream)]);
    const waiting = asked(nodeOf(bed, 2), 'other', { stream: true });
    await until('the third gateway counts the places', async () =>
      (await redis.run('zcard', 'switchyard:limits:{channel:main}:running')).includes('2'),
    );
    expect(bed.upstream.requests).toHaveLength(2);
    leaving.abort();
    await until('the waiting request is sent', () => bed.upstream.requests.length === 3);
    release.resolve();
    expect((await waiting).status).toBe(200);
  });

  test('serve waiting requests while Redis is away', async () => {
    const release = Promise.withResolvers<void>();
    const answer: LimitsBedOptions['answer'] = (request) => streamedAnswer(request, { rest: release.promise });
    const limits = { limits: { max_concurrent: 1 }, queue: { max_waiting: 10, max_wait_ms: 60_000 } };
    const { redis, bed } = await start(limits, { answer });
    const leaving = new AbortController();
    await ask(nodeOf(bed, 0), 'acme', { stream: true, signal: leaving.signal });
    const waiting = [1, 2].map((node) => asked(nodeOf(bed, node), 'other', { stream: true }));
    const first = asked(nodeOf(bed, 0), 'other', { stream: true });
    await redis.kill();
    // Each gateway has one place then: the limit divided by three, and at least one.
    await until('the other gateways send theirs', () => bed.upstream.requests.length === 3);
    leaving.abort();
    await until('the first gateway sends the next', () => bed.upstream.requests.length === 4);
    release.resolve();
    expect((await Promise.all([...waiting, first])).map(({ status }) => status)).toEqual([200, 200, 200]);
    await redis.restart();
    await until('the places are free in Redis', async () => {
      const { status } = await asked(nodeOf(bed, 1), 'acme', { stream: true });
      return status === 200;
    });
  });
});
