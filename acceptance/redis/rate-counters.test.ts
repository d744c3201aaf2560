import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, spyOn, test } from 'bun:test';
import { until } from '../../conformance/shared/until.ts';
import type { Quota } from '../../src/engine/ports/rate-counters.ts';
import { MemoryRateCounters } from '../../src/stores/in-process/rate-counters.ts';
import { RedisRateCounters } from '../../src/stores/redis/rate-counters.ts';
import { RedisServer } from '../../src/stores/redis/testing/redis-server.ts';
import { rateCountersTests, taken } from '../../src/stores/shared/testing/rate-counters-contract.ts';

setDefaultTimeout(600_000);

interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

let log: LogLine[] = [];
const line = (level: string) => (fields: Readonly<Record<string, unknown>>, message: string) =>
  void log.push({ level, message, fields });
const logger = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
/** Added to the real time of gateway and server by a test. */
let movedMs = 0;
const clock = { monotonicMs: () => performance.now() + movedMs };

/** Factors on the time-outs for Redis: a slow machine must not look like an outage. */
const PATIENT = 1_000;
/** Without Redis, a gateway gives up in a tenth of the time. */
const IMPATIENT = 0.1;
let patience = PATIENT;

const opened: RedisRateCounters[] = [];
interface OpenOptions {
  readonly whenAway?: 'local' | 'refuse';
  readonly gatewaysAtStart?: number;
}

async function open(url: string, { whenAway = 'refuse', gatewaysAtStart = 1 }: OpenOptions = {}) {
  const local = new MemoryRateCounters(clock);
  const options = { url, whenAway, local, gatewaysAtStart, logger, patience: () => patience };
  const counters = await RedisRateCounters.connect(options);
  opened.push(counters);
  return counters;
}

/** Opens gateways that keep counting while Redis is unavailable. Each knows the number of gateways from the start. */
function openNodes(url: string, count: number): Promise<RedisRateCounters[]> {
  const options = { whenAway: 'local', gatewaysAtStart: count } as const;
  return Promise.all(Array.from({ length: count }, () => open(url, options)));
}

let server: RedisServer;
beforeAll(async () => {
  server = await RedisServer.start();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((counters) => counters.close()));
  log = [];
  patience = PATIENT;
});
afterAll(async () => {
  await server.stop();
});

/**
 * Advances time for the contract's scopes by making all their data in Redis older, since its clock cannot be moved. KEYS: none. ARGV:
 * microseconds.
 */
const GROW_OLDER = `
for _, key in ipairs(redis.call('KEYS', 'switchyard:limits:{contract*')) do
  local kind = redis.call('TYPE', key).ok
  if kind == 'list' then
    for index = 0, redis.call('LLEN', key) - 1 do
      local at, total = string.match(redis.call('LINDEX', key, index), '(%d+) (%d+)')
      if at ~= '0' then redis.call('LSET', key, index, string.format('%.0f %s', at - ARGV[1], total)) end
    end
  elseif kind == 'zset' then
    for _, place in ipairs(redis.call('ZRANGE', key, 0, -1)) do redis.call('ZINCRBY', key, -ARGV[1] / 1000, place) end
  end
end`;

async function wait(counters: RedisRateCounters, ms: number): Promise<void> {
  // Earlier commands arrive first, since they use the same connection.
  await taken(counters, quotaOf(1));
  const us = Math.ceil(ms * 1_000);
  await server.run('eval', GROW_OLDER, '0', String(us));
  movedMs += us / 1_000;
}

/** Retries until it is admitted, since many writes to Redis are not awaited. */
async function untilAdmitted(counters: RedisRateCounters, quota: Quota): Promise<void> {
  await until('the request is admitted', async () => (await taken(counters, quota)).isAdmitted);
}

async function untilBack(...counters: readonly RedisRateCounters[]): Promise<void> {
  await until('Redis is back', () => counters.every(({ isAway }) => !isAway));
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
    test(name, async () => {
      counters = await open(server.url);
      await body();
      expect(log).toEqual([]);
    });
  rateCountersTests(define, () => ({ counters, nowMs: clock.monotonicMs, wait: (ms) => wait(counters, ms) }));
});

describe('gateways that share a Redis', () => {
  test('together admit no more than one would', async () => {
    const nodes = await Promise.all([open(server.url), open(server.url), open(server.url)]);
    const quota = quotaOf(100);
    const admitted = await Promise.all(nodes.map((node) => admittedOf(node, quota, 80)));
    expect(admitted.reduce((sum, one) => sum + one)).toBe(100);
  });

  test('share places, and a released place is free for another', async () => {
    const [a, b] = [await open(server.url), await open(server.url)];
    const quota = quotaOf(1_000, 60_000, 1);
    const first = await taken(a, quota);
    expect((await taken(b, quota)).hasFreePlace).toBe(false);
    if (quota.places !== null) a.leave(quota.places, first.place ?? '');
    await untilAdmitted(b, quota);
  });

  test('see tokens added by another', async () => {
    const [a, b] = [await open(server.url), await open(server.url)];
    const window = { scope: '{tokens}:tokens', limit: 1_000, windowMs: 60_000, amount: 0 };
    a.add(window, 1_000);
    await until(
      'the other gateway sees the tokens',
      async () => !(await taken(b, { windows: [window], places: null })).isAdmitted,
    );
  });

  test('leave nothing behind in Redis after a window', async () => {
    const counters = await open(server.url);
    const quota = quotaOf(5, 200);
    await taken(counters, quota);
    const exists = async () => Number(await server.run('exists', `switchyard:limits:${quota.windows[0]?.scope}`));
    await until('the key is gone', async () => (await exists()) === 0);
  });
});

describe('a Redis that loses its data', () => {
  const LIMIT = 60;
  const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
  const admittedOfAll = async (nodes: readonly RedisRateCounters[], quota: Quota, asks: number) =>
    sum(await Promise.all(nodes.map((node) => admittedOf(node, quota, asks))));

  /** Advances the clock past the period in which each gateway reports its admissions to Redis. */
  function passCaution(): void {
    movedMs += 3_000;
  }

  test('gets the admissions of each gateway, so that together they admit no more than one would', async () => {
    const nodes = await openNodes(server.url, 3);
    const quota = quotaOf(LIMIT, 600_000);
    expect(await admittedOfAll(nodes, quota, 15)).toBe(45);
    for (let flush = 0; flush < 3; flush++) {
      await server.run('flushall');
      // The first gateway to ask does not know the admissions of the others yet.
      const [first = expect.unreachable()] = nodes;
      expect(await admittedOf(first, quota, 70)).toBe(flush === 0 ? LIMIT / 3 - 15 : 0);
    }
    expect(await admittedOfAll(nodes, quota, 70)).toBe(LIMIT - 50);
    passCaution();
    expect(await admittedOfAll(nodes, quota, 70)).toBe(0);
  });

  test('gets the admissions of an idle gateway too', async () => {
    const nodes = await openNodes(server.url, 2);
    const [asked = expect.unreachable(), silent = expect.unreachable()] = nodes;
    const quota = quotaOf(LIMIT, 600_000);
    expect(await admittedOf(silent, quota, 50)).toBe(50);
    expect(await admittedOf(asked, quota, 1)).toBe(1);
    await server.run('flushall');
    const key = `switchyard:limits:${quota.windows[0]?.scope}`;
    await until('both gateways have reported their admissions', async () =>
      (await server.run('lindex', key, '-1')).endsWith(' 51'),
    );
    expect(await admittedOf(asked, quota, 70)).toBe(LIMIT - 51);
    passCaution();
    expect(await admittedOfAll(nodes, quota, 70)).toBe(0);
  });

  test('gets every window of an account, its tokens and the places of its running requests', async () => {
    const counters = await open(server.url);
    const account = '{every-window}';
    const windowOf = (name: string, limit: number, amount = 1) => ({
      ...{ scope: `${account}:${name}`, limit, windowMs: 600_000, amount },
    });
    const tokens = windowOf('tokens', 1_000, 0);
    const places = { scope: `${account}:running`, limit: 4 };
    const quotaOfKey = (key: string) => ({ windows: [windowOf('requests', 9), windowOf(key, 5), tokens], places });
    const [a, b] = [quotaOfKey('key:a'), quotaOfKey('key:b')];
    expect(await admittedOf(counters, a, 2)).toBe(2);
    expect(await admittedOf(counters, b, 1)).toBe(1);
    counters.add(tokens, 400);
    await server.run('flushall');
    counters.add(tokens, 300);
    // The next one takes the last place.
    const last = await taken(counters, b);
    expect([last.isAdmitted, last.decisions.map(({ remaining }) => remaining)]).toEqual([true, [5, 3, 300]]);
    expect(await taken(counters, a)).toMatchObject({ isAdmitted: false, hasFreePlace: false });
    const other = await open(server.url);
    const asked = await taken(other, a);
    expect([asked.hasFreePlace, asked.decisions.map(({ remaining }) => remaining)]).toEqual([false, [5, 3, 300]]);
  });

  test('counts admissions made during the outage when it is back, and earlier ones once', async () => {
    const own = await RedisServer.start();
    const nodes = await openNodes(own.url, 2);
    const [a = expect.unreachable(), b = expect.unreachable()] = nodes;
    const quota = quotaOf(LIMIT, 600_000);
    expect(await admittedOf(a, quota, 10)).toBe(10);
    await own.run('client', 'kill', 'type', 'normal');
    await until('Redis is unavailable', async () => (await taken(a, quota)).isAdmitted && a.isAway);
    const alone = await admittedOf(a, quota, 70);
    await untilBack(a, b);
    passCaution();
    const left = await admittedOfAll(nodes, quota, 70);
    expect(alone).toBeLessThanOrEqual(LIMIT / 2);
    expect(left).toBeGreaterThan(0);
    expect((await taken(b, quota)).decisions[0]?.remaining).toBe(0);
    await own.stop();
  });
});

/** The difference between the clocks of this process and the server. */
const CLOCKS_DIFFER_MS = 10;
const RENEWED_EVERY_MS = 10_000;

describe('places', () => {
  test('are held for 30 s at a time while the request runs', async () => {
    const intervals = spyOn(globalThis, 'setInterval');
    const counters = await open(server.url);
    const renew = intervals.mock.calls.find(([, ms]) => ms === RENEWED_EVERY_MS)?.[0];
    intervals.mockRestore();
    const quota = quotaOf(10, 60_000, 1);
    const { place } = await taken(counters, quota);
    const heldUntilMs = async () =>
      Number(await server.run('zscore', `switchyard:limits:${quota.places?.scope}`, place ?? ''));
    const firstMs = await heldUntilMs();
    expect(firstMs - Date.now()).toBeLessThanOrEqual(30_000 + CLOCKS_DIFFER_MS);
    renew?.();
    await until('the place is renewed', async () => (await heldUntilMs()) > firstMs);
    expect((await heldUntilMs()) - Date.now()).toBeLessThanOrEqual(30_000 + CLOCKS_DIFFER_MS);
  });

  test('of a dead gateway expire', async () => {
    const counters = await open(server.url);
    const quota = quotaOf(10, 60_000, 1);
    const places = `switchyard:limits:${quota.places?.scope}`;
    await server.run('zadd', places, String(Date.now() + 600_000), 'dead:1');
    expect((await taken(counters, quota)).hasFreePlace).toBe(false);
    await server.run('zadd', places, String(Date.now() - 1), 'dead:1');
    expect((await taken(counters, quota)).isAdmitted).toBe(true);
  });
});

describe("when the server's clock is set back", () => {
  const MINUTE_MS = 60_000;

  async function afterCountingAt(aheadMs: number) {
    const counters = await open(server.url);
    const quota = quotaOf(5);
    // Uses the server's clock.
    const [seconds = 0, microseconds = 0] = (await server.run('time')).split('\n').map(Number);
    const cameAtUs = seconds * 1_000_000 + microseconds + aheadMs * 1_000;
    const key = `switchyard:limits:${quota.windows[0]?.scope}`;
    await server.run('rpush', key, '0 0', `${cameAtUs} 3`);
    const { remaining = -1 } = (await taken(counters, quota)).decisions[0] ?? {};
    await taken(counters, quota);
    const refused = (await taken(counters, quota)).decisions[0];
    const isKept = (await server.run('lindex', key, '1')).startsWith(`${cameAtUs} `);
    return { remaining, isKept, waitMs: refused?.retryAfterMs ?? -1 };
  }

  test('by a little, time stands still for that long', async () => {
    const { remaining, isKept, waitMs } = await afterCountingAt(1_000);
    expect([remaining, isKept]).toEqual([1, true]);
    // A minute after the future entries, minus the time the test has taken.
    expect(waitMs).toBeWithin(1, MINUTE_MS + 1_001);
  });

  test('by much, earlier entries count as if they came now', async () => {
    const { remaining, isKept, waitMs } = await afterCountingAt(3_600_000);
    expect([remaining, isKept]).toEqual([1, false]);
    expect(waitMs).toBeWithin(1, MINUTE_MS + 1);
  });
});

describe('what a decision costs', () => {
  test('is one command, however many limits apply', async () => {
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

describe('while Redis is unavailable', () => {
  test('requests are refused if configured so, and the log says so once', async () => {
    const own = await RedisServer.start();
    const counters = await open(own.url);
    const quota = quotaOf(5, 60_000, 3);
    expect(await admittedOf(counters, quota, 2)).toBe(2);
    await own.kill();
    await until('the outage is detected', async () => !('decisions' in (await counters.take(quota))));
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
    await untilBack(counters);
    expect((await taken(counters, quota)).isAdmitted).toBe(true);
    expect(log.map(({ level }) => level)).toEqual(['error', 'warn']);
    await own.stop();
  });

  test('each gateway counts on by itself if configured so, including its earlier admissions', async () => {
    const own = await RedisServer.start();
    const nodes = (await openNodes(own.url, 2)) as [RedisRateCounters, RedisRateCounters];
    const quota = quotaOf(10, 600_000);
    expect(await admittedOf(nodes[0], quota, 4)).toBe(4);
    await own.kill();
    // Each has half of the limit, which includes the first gateway's earlier admissions.
    expect(await admittedOf(nodes[0], quota, 20)).toBe(1);
    expect(await admittedOf(nodes[1], quota, 20)).toBe(5);
    // The returning Redis is empty; the gateways still have their counts.
    await own.restart();
    await untilBack(...nodes);
    expect(await admittedOf(nodes[0], quota, 20)).toBe(0);
    expect(await admittedOf(nodes[1], quota, 20)).toBe(0);
    expect(log.map(({ level }) => level)).toEqual(['error', 'error', 'warn', 'warn']);
    await own.stop();
  });

  test('a silent Redis delays only the requests that already wait for it', async () => {
    const own = await RedisServer.start();
    const [counters = expect.unreachable()] = await openNodes(own.url, 1);
    const quota = quotaOf(1_000, 600_000, 500);
    await taken(counters, quota);
    own.pause();
    patience = 1;
    expect(await admittedOf(counters, quota, 50)).toBe(50);
    // A request that asked it now would wait longer than this test may take.
    patience = PATIENT;
    expect(await admittedOf(counters, quota, 50)).toBe(50);
    own.resume();
    await untilBack(counters);
    // Redis ran the commands it had received, and then learned that the places are unused. Those requests count twice, in Redis and in the
    // gateway, since nothing can tell that the commands were run.
    const places = () => own.run('zcard', `switchyard:limits:${quota.places?.scope}`);
    await until('Redis has the taken places', async () => Number(await places()) === 101);
    expect((await taken(counters, quota)).decisions[0]?.remaining).toBe(1_000 - 152);
    await own.stop();
  });

  test('places taken during the outage are visible to the others when it is back', async () => {
    const own = await RedisServer.start();
    const [a, b] = (await openNodes(own.url, 2)) as [RedisRateCounters, RedisRateCounters];
    const quota = quotaOf(1_000, 60_000, 2);
    await own.kill();
    expect(await admittedOf(a, quota, 5)).toBe(1);
    await own.restart();
    await untilBack(a, b);
    await until('Redis has the place', async () => {
      return Number(await own.run('zcard', `switchyard:limits:${quota.places?.scope}`)) === 1;
    });
    expect(await admittedOf(b, quota, 5)).toBe(1);
    await own.stop();
  });

  test('a gateway can start, and uses Redis once it is available', async () => {
    const own = await RedisServer.start();
    await own.kill();
    patience = IMPATIENT;
    const counters = await open(own.url, { whenAway: 'local' });
    patience = PATIENT;
    expect((await taken(counters, quotaOf(1))).isAdmitted).toBe(true);
    expect(log).toHaveLength(1);
    expect(log[0]?.fields.reason).toContain('ECONNREFUSED');
    await own.restart();
    await untilBack(counters);
    expect((await taken(counters, quotaOf(1))).isAdmitted).toBe(true);
    await own.stop();
  });

  test('no password is logged', async () => {
    patience = IMPATIENT;
    await open(`redis://user:secret-word@127.0.0.1:${server.port}`, { whenAway: 'local' });
    expect(log).toHaveLength(1);
    expect(JSON.stringify(log)).not.toContain('secret-word');
  });
});

test('an invalid address is refused at once', async () => {
  await expect(open('http://127.0.0.1')).rejects.toThrow('redis://');
});
