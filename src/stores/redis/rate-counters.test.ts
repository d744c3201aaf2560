import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Quota } from '../../engine/ports/rate-counters.ts';
import { MemoryRateCounters } from '../memory/rate-counters.ts';
import { rateCountersTests, taken } from '../shared/testing/rate-counters-contract.ts';
import { RedisRateCounters } from './rate-counters.ts';
import { freePort, hasRedis, RedisServer, redisTest } from './testing/redis-server.ts';

setDefaultTimeout(60_000);

interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

let log: LogLine[] = [];
const line = (level: string) => (fields: Readonly<Record<string, unknown>>, message: string) =>
  void log.push({ level, message, fields });
const logger = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
const clock = { monotonicMs: () => performance.now() };

const opened: RedisRateCounters[] = [];
async function open(url: string, whenAway: 'local' | 'refuse' = 'refuse'): Promise<RedisRateCounters> {
  const counters = await RedisRateCounters.connect({ url, whenAway, local: new MemoryRateCounters(clock), logger });
  opened.push(counters);
  return counters;
}

let server: RedisServer;
beforeAll(async () => {
  if (hasRedis) server = await RedisServer.start();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((counters) => counters.close()));
  log = [];
});
afterAll(async () => {
  if (hasRedis) await server.stop();
});

/** Timers may fire a little early. */
async function wait(ms: number): Promise<void> {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs) await Bun.sleep(Math.max(0, untilMs - performance.now()));
}

let quotas = 0;
function quotaOf(limit: number, windowMs = 60_000, maxConcurrent: number | null = null): Quota {
  const account = `{test-${quotas++}}`;
  const places = maxConcurrent === null ? null : { scope: `${account}:running`, limit: maxConcurrent };
  return { windows: [{ scope: `${account}:requests`, limit, windowMs, amount: 1 }], places };
}

async function admittedOf(counters: RedisRateCounters, quota: Quota, asks: number): Promise<number> {
  const answers = await Promise.all(Array.from({ length: asks }, () => counters.take(quota)));
  return answers.filter((answer) => 'decisions' in answer && answer.isAdmitted).length;
}

describe('the contract of counters', () => {
  let counters: RedisRateCounters;
  const define = (name: string, body: () => void | Promise<void>) =>
    redisTest(name, async () => {
      counters = await open(server.url);
      await body();
      expect(log).toEqual([]);
    });
  rateCountersTests(define, () => ({ counters, nowMs: clock.monotonicMs, wait }));
});

describe('gateways that share a Redis', () => {
  redisTest('together admit no more than one would', async () => {
    const nodes = await Promise.all([open(server.url), open(server.url), open(server.url)]);
    const quota = quotaOf(100);
    const admitted = await Promise.all(nodes.map((node) => admittedOf(node, quota, 80)));
    expect(admitted.reduce((sum, one) => sum + one)).toBe(100);
  });

  redisTest('share places, and a place that one leaves is free for another', async () => {
    const [a, b] = [await open(server.url), await open(server.url)];
    const quota = quotaOf(1_000, 60_000, 1);
    const first = await taken(a, quota);
    expect((await taken(b, quota)).hasFreePlace).toBe(false);
    if (quota.places !== null) a.leave(quota.places, first.place ?? '');
    await wait(20);
    expect((await taken(b, quota)).isAdmitted).toBe(true);
  });

  redisTest('see tokens that another has added', async () => {
    const [a, b] = [await open(server.url), await open(server.url)];
    const window = { scope: '{tokens}:tokens', limit: 1_000, windowMs: 60_000, amount: 0 };
    a.add(window, 1_000);
    await wait(20);
    expect((await taken(b, { windows: [window], places: null })).isAdmitted).toBe(false);
  });

  redisTest('leave nothing behind in Redis when a window is over', async () => {
    const counters = await open(server.url);
    const quota = quotaOf(5, 200);
    await taken(counters, quota);
    const exists = async () => Number(await server.run('exists', `switchyard:limits:${quota.windows[0]?.scope}`));
    expect(await exists()).toBe(1);
    await wait(300);
    expect(await exists()).toBe(0);
  });
});

describe('places', () => {
  redisTest('are held for 30 s at a time, for as long as the request runs', async () => {
    const counters = await open(server.url);
    const quota = quotaOf(10, 60_000, 1);
    const { place } = await taken(counters, quota);
    const heldForMs = async () => {
      const score = await server.run('zscore', `switchyard:limits:${quota.places?.scope}`, place ?? '');
      return Number(score) - Date.now();
    };
    expect(await heldForMs()).toBeWithin(29_000, 30_500);
    await wait(10_500);
    expect(await heldForMs()).toBeWithin(29_000, 30_500);
  });

  redisTest('of a gateway that has died are free when their time is over', async () => {
    const counters = await open(server.url);
    const quota = quotaOf(10, 60_000, 1);
    const places = `switchyard:limits:${quota.places?.scope}`;
    await server.run('zadd', places, String(Date.now() + 10_000), 'dead:1');
    expect((await taken(counters, quota)).hasFreePlace).toBe(false);
    await server.run('zadd', places, String(Date.now() - 1), 'dead:1');
    expect((await taken(counters, quota)).isAdmitted).toBe(true);
  });
});

describe("when the server's clock is set back", () => {
  const MINUTE_MS = 60_000;

  async function afterCountingAt(aheadMs: number): Promise<{ readonly remaining: number; readonly waitMs: number }> {
    const counters = await open(server.url);
    const quota = quotaOf(5);
    const cameAtUs = (Date.now() + aheadMs) * 1_000;
    await server.run('rpush', `switchyard:limits:${quota.windows[0]?.scope}`, '0 0', `${cameAtUs} 3`);
    const { remaining = -1 } = (await taken(counters, quota)).decisions[0] ?? {};
    await taken(counters, quota);
    const refused = (await taken(counters, quota)).decisions[0];
    return { remaining, waitMs: refused?.retryAfterMs ?? -1 };
  }

  redisTest('by a little, time stands still for as long', async () => {
    const { remaining, waitMs } = await afterCountingAt(900);
    expect(remaining).toBe(1);
    expect(waitMs).toBeWithin(MINUTE_MS + 500, MINUTE_MS + 901);
  });

  redisTest('by much, what was counted counts as if it came now', async () => {
    const { remaining, waitMs } = await afterCountingAt(3_600_000);
    expect(remaining).toBe(1);
    expect(waitMs).toBeWithin(MINUTE_MS - 1_000, MINUTE_MS + 1);
  });
});

describe('what a decision costs', () => {
  redisTest('is one command, whatever limits the request', async () => {
    const counters = await open(server.url);
    const both = { windows: [...quotaOf(5).windows, ...quotaOf(5).windows], places: null };
    await taken(counters, both);
    const calls = async () => {
      const stats = await server.run('info', 'commandstats');
      const of = (command: string) => Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
      return { evalsha: of('evalsha'), eval: of('eval') };
    };
    const before = await calls();
    for (let count = 0; count < 10; count++) await taken(counters, both);
    const after = await calls();
    expect({ evalsha: after.evalsha - before.evalsha, eval: after.eval - before.eval }).toEqual({
      evalsha: 10,
      eval: 0,
    });
  });
});

describe('while Redis is away', () => {
  redisTest('nobody is admitted where the setting says so, and the log says it once', async () => {
    const own = await RedisServer.start();
    const counters = await open(own.url, 'refuse');
    const quota = quotaOf(5, 60_000, 3);
    expect(await admittedOf(counters, quota, 2)).toBe(2);
    await own.kill();
    await wait(50);
    for (let count = 0; count < 5; count++) {
      const answer = await counters.take(quota);
      expect('decisions' in answer).toBe(false);
      if (!('decisions' in answer)) expect(answer.retryAfterMs).toBeWithin(1, 1_001);
    }
    expect(log).toEqual([
      {
        level: 'error',
        message: expect.stringContaining('503'),
        fields: { server: own.host, reason: expect.any(String) },
      },
    ]);
    await own.restart();
    await wait(2_000);
    expect((await taken(counters, quota)).isAdmitted).toBe(true);
    expect(log.map(({ level }) => level)).toEqual(['error', 'warn']);
    await own.stop();
  });

  redisTest('each gateway goes on counting where the setting says so, from what it has admitted', async () => {
    const own = await RedisServer.start();
    const nodes = [await open(own.url, 'local'), await open(own.url, 'local')] as const;
    const quota = quotaOf(10);
    expect(await admittedOf(nodes[0], quota, 4)).toBe(4);
    await own.kill();
    await wait(50);
    expect(await admittedOf(nodes[0], quota, 20)).toBe(6);
    expect(await admittedOf(nodes[1], quota, 20)).toBe(10);
    // A Redis that comes back knows nothing; the gateways still do.
    await own.restart();
    await wait(2_000);
    expect(await admittedOf(nodes[0], quota, 20)).toBe(0);
    expect(await admittedOf(nodes[1], quota, 20)).toBe(0);
    expect(log.map(({ level }) => level)).toEqual(['error', 'error', 'warn', 'warn']);
    await own.stop();
  });

  redisTest('a Redis that says nothing holds up the requests that wait for it, and none after them', async () => {
    const own = await RedisServer.start();
    const counters = await open(own.url, 'local');
    const quota = quotaOf(1_000, 60_000, 500);
    await taken(counters, quota);
    own.pause();
    const startMs = performance.now();
    expect(await admittedOf(counters, quota, 50)).toBe(50);
    expect(performance.now() - startMs).toBeWithin(200, 5_000);
    const nextMs = performance.now();
    expect(await admittedOf(counters, quota, 50)).toBe(50);
    expect(performance.now() - nextMs).toBeLessThan(200);
    own.resume();
    await wait(2_000);
    // It carried out what it had been sent, and was told that nobody has those places.
    const cardinality = await own.run('zcard', `switchyard:limits:${quota.places?.scope}`);
    expect(Number(cardinality)).toBe(101);
    expect((await taken(counters, quota)).decisions[0]?.remaining).toBe(1_000 - 102);
    await own.stop();
  });

  redisTest('places taken meanwhile are known to the others when it is back', async () => {
    const own = await RedisServer.start();
    const [a, b] = [await open(own.url, 'local'), await open(own.url, 'local')];
    const quota = quotaOf(1_000, 60_000, 2);
    await own.kill();
    await wait(50);
    expect(await admittedOf(a, quota, 5)).toBe(2);
    await own.restart();
    await wait(2_000);
    expect((await taken(b, quota)).hasFreePlace).toBe(false);
    await own.stop();
  });

  redisTest('a gateway starts, and uses it when it comes', async () => {
    const url = `redis://127.0.0.1:${await freePort()}`;
    const counters = await open(url, 'local');
    expect((await taken(counters, quotaOf(1))).isAdmitted).toBe(true);
    expect(log).toHaveLength(1);
    expect(log[0]?.fields.reason).toContain('ECONNREFUSED');
  });

  redisTest('no password is in the log', async () => {
    await open(`redis://user:secret-word@127.0.0.1:${server.port}`, 'local');
    expect(log).toHaveLength(1);
    expect(JSON.stringify(log)).not.toContain('secret-word');
  });
});

test('an address that cannot be read is refused at once', async () => {
  await expect(open('http://127.0.0.1')).rejects.toThrow('redis://');
});
