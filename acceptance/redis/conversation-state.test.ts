import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { until } from '../../conformance/shared/until.ts';
import type { Remembered, RememberedKind } from '../../src/engine/ports/conversation-state.ts';
import { MemoryConversationState } from '../../src/stores/in-process/conversation-state.ts';
import { RedisConversationState } from '../../src/stores/redis/conversation-state.ts';
import { TAG_CHARACTERS } from '../../src/stores/redis/state-scripts.ts';
import { RedisServer } from '../../src/stores/redis/testing/redis-server.ts';
import { conversationStateTests, kindOf } from '../../src/stores/shared/testing/conversation-state-contract.ts';

setDefaultTimeout(600_000);

const MIB = 1024 * 1024;
const HOUR_MS = 3_600_000;

let log: string[] = [];
const line = (level: string) => (_fields: object, message: string) => void log.push(`${level} ${message}`);
const logger = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };

/** Factors on the time-outs for Redis: a slow machine must not look like an outage. */
const PATIENT = 1_000;
/** Without Redis, a gateway gives up in a tenth of the time. */
const IMPATIENT = 0.1;
let patience = PATIENT;

const opened: RedisConversationState[] = [];
async function open(url: string, maxBytes = 384 * MIB, masterSecret = 'master'): Promise<RedisConversationState> {
  const local = new MemoryConversationState();
  const state = await RedisConversationState.connect({
    ...{ url, local, masterSecret, maxBytes, logger },
    patience: () => patience,
  });
  opened.push(state);
  return state;
}

const COLLIDING: Partial<RememberedKind<string>> = {
  collision: { value: 'COLLIDED', isLikely: (key) => key.startsWith('counted') },
};

let server: RedisServer;
beforeAll(async () => {
  server = await RedisServer.start();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((state) => state.close()));
  log = [];
  patience = PATIENT;
  await server.run('flushall');
});
afterAll(async () => {
  await server.stop();
});

/** Opens several gateways that share only Redis. */
async function gateways(
  count: number,
  extra: Partial<RememberedKind<string>> = {},
  maxBytes?: number,
): Promise<Remembered<string>[]> {
  const states = await Promise.all(Array.from({ length: count }, () => open(server.url, maxBytes)));
  return states.map((state) => state.open(kindOf(1_000_000_000, extra)));
}

/** Resolves to the gateway's value after a fetch. */
async function learned(memory: Remembered<string>, accountId: string, key: string): Promise<string | undefined> {
  await memory.fetch(accountId, [key]);
  return memory.get(accountId, key);
}

/** Keys that cover all parts of Redis. */
const MARKED = Array.from({ length: 16 }, (_, index) => `marked-${index}`);
let marks = 0;

/** Waits until Redis has received earlier writes, which are not awaited: a later mark is in each of its parts. */
async function settled(memory: Remembered<string>, url = server.url): Promise<void> {
  const mark = `mark ${++marks}`;
  for (const account of MARKED) memory.set(account, mark, mark);
  const reader = (await open(url)).open(kindOf(1_000_000, { absentMs: 0 }));
  await until('the reader finds the markers', async () => {
    await Promise.all(MARKED.map((account) => reader.fetch(account, [mark])));
    return MARKED.every((account) => reader.get(account, mark) === mark);
  });
}

/** Resolves when Redis has exactly this number of values. */
async function written(values: number): Promise<void> {
  await until('the values are written', async () => (await allFields()).length === values);
}

async function allFields(): Promise<readonly string[]> {
  return (await fieldsOf()).flatMap(({ fields }) => fields);
}

async function fieldsOf(kind = 'states'): Promise<{ readonly key: string; readonly fields: readonly string[] }[]> {
  const found = [];
  for (let part = 0; part < 4; part++) {
    const key = `switchyard:state:{${part}}:${kind}:values`;
    const fields = (await server.run('hkeys', key)).trim().split('\n').filter(Boolean);
    if (fields.length > 0) found.push({ key, fields });
  }
  return found;
}

describe('the contract of conversation state', () => {
  conversationStateTests(test, () => open(server.url));
});

describe('gateways that share a Redis', () => {
  test('share state, and ask only for what they do not have', async () => {
    const [a, b] = await pair();
    a.set('acme', 'k', 'ä thought');
    expect(a.fetch('acme', ['k'])).toBeNull();
    await settled(a);
    expect(b.get('acme', 'k')).toBeUndefined();
    expect(await learned(b, 'acme', 'k')).toBe('ä thought');
    expect(b.fetch('acme', ['k'])).toBeNull();
    expect(log).toEqual([]);
  });

  test('do not ask again at once for state that no gateway has', async () => {
    const [a, waiting] = await pair({ absentMs: 3_600_000 });
    const [, asking] = await pair({ absentMs: 0 });
    for (const one of [waiting, asking]) expect(await learned(one, 'acme', 'k')).toBeUndefined();
    a.set('acme', 'k', 'late');
    await settled(a);
    expect(waiting.fetch('acme', ['k'])).toBeNull();
    expect(await learned(asking, 'acme', 'k')).toBe('late');
  });

  test('get the latest value, also for many keys at once', async () => {
    const [a, b] = await pair();
    const keys = Array.from({ length: 1_000 }, (_, index) => `k${index}`);
    for (const key of keys) a.set('acme', key, `of ${key}`);
    a.set('acme', 'k7', 'later');
    await settled(a);
    await b.fetch('acme', keys);
    expect(keys.map((key) => b.get('acme', key))).toEqual(keys.map((key) => (key === 'k7' ? 'later' : `of ${key}`)));
  });

  test('treat two values under one key as a collision, wherever one of them is known', async () => {
    const [a, b, c] = await trio(COLLIDING);
    for (const key of ['counted', 'random']) {
      a.set('acme', key, 'of a');
      await settled(a);
      b.set('acme', key, 'of b');
      await until('the values have collided', () => b.get('acme', key) === 'COLLIDED');
      expect(await learned(c, 'acme', key)).toBe('COLLIDED');
    }
    // Local state is not enough for a key that another gateway may also have written.
    expect(await learned(a, 'acme', 'counted')).toBe('COLLIDED');
    expect(a.fetch('acme', ['random'])).toBeNull();
    a.set('acme', 'counted', 'of a');
    await settled(a);
    expect(await learned(b, 'acme', 'counted')).toBe('COLLIDED');
  });

  test('learn a newer value of another gateway, and keep their own if it is newer', async () => {
    const [a, b] = await pair({ absentMs: 0, isNewer: (value, than) => Number(value) > Number(than) });
    a.set('acme', 'k', '1');
    await settled(a);
    expect(await learned(b, 'acme', 'k')).toBe('1');
    b.set('acme', 'k', '2');
    await settled(b);
    expect(await learned(a, 'acme', 'k')).toBe('2');
    // An older value that arrives late in Redis.
    a.set('acme', 'k', '1');
    await settled(a);
    expect(await learned(b, 'acme', 'k')).toBe('2');
  });

  test('accept the same value twice', async () => {
    const [a, b] = await pair(COLLIDING);
    a.set('acme', 'counted', 'same');
    await settled(a);
    b.set('acme', 'counted', 'same');
    await settled(b);
    expect(await learned(a, 'acme', 'counted')).toBe('same');
    expect(await learned(b, 'acme', 'counted')).toBe('same');
  });
});

async function pair(extra: Partial<RememberedKind<string>> = {}, maxBytes?: number) {
  const [a, b] = await gateways(2, extra, maxBytes);
  return [a ?? expect.unreachable(), b ?? expect.unreachable()] as const;
}

async function trio(extra: Partial<RememberedKind<string>>) {
  const [a, b, c] = await gateways(3, extra);
  return [a ?? expect.unreachable(), b ?? expect.unreachable(), c ?? expect.unreachable()] as const;
}

describe('encryption', () => {
  test('hides accounts, keys and values in Redis', async () => {
    const [a] = await pair();
    a.set('account-acme', 'tool-name\ncall_1', 'the thought itself');
    await settled(a);
    const dump = await everything();
    expect(dump).toContain('switchyard:state:');
    for (const secret of ['account-acme', 'tool-name', 'call_1', 'thought']) expect(dump).not.toContain(secret);
  });

  test('hides state from other accounts and other secrets', async () => {
    const [a, b] = await pair();
    a.set('acme', 'k', 'a thought');
    await settled(a);
    expect(await learned(b, 'globex', 'k')).toBeUndefined();
    const stranger = (await open(server.url, 384 * MIB, 'other secret')).open(kindOf(1_000));
    expect(await learned(stranger, 'acme', 'k')).toBeUndefined();
  });

  test('rejects a moved or changed value, and logs it once', async () => {
    const [a, b] = await pair();
    const accounts = Array.from({ length: 12 }, (_, index) => `account-${index}`);
    for (const account of accounts) a.set(account, 'k', `of ${account}`);
    await written(accounts.length);
    // Swaps the values within each part, and changes the values that stand alone.
    for (const { key, fields } of await fieldsOf()) {
      const values = await Promise.all(fields.map((field) => server.client().hgetBuffer(key, field)));
      for (const [index, field] of fields.entries()) {
        const other = values[(index + 1) % values.length] ?? Buffer.alloc(0);
        const changed = Buffer.concat([other.subarray(0, -1), Buffer.from([(other.at(-1) ?? 0) ^ 1])]);
        await server.run('hset', key, field, fields.length > 1 ? other : changed);
      }
    }
    for (const account of accounts) expect(await learned(b, account, 'k')).toBeUndefined();
    expect(log).toEqual(['warn conversation state in Redis is damaged or foreign and is ignored']);
    // The next write is valid again.
    a.set('account-0', 'k', 'anew');
    await settled(a);
    expect(await learned(b, 'account-0', 'k')).toBe('anew');
  });
});

async function everything(): Promise<string> {
  let text = '';
  for (const key of (await server.run('keys', '*')).trim().split('\n')) {
    const kind = (await server.run('type', key)).trim();
    const [command = '', ...values] = kind === 'hash' ? ['hgetall', key] : ['zrange', key, '0', '-1', 'withscores'];
    text += `${key}\n${await server.run(command, ...values)}\n`;
  }
  return text;
}

describe('bounds', () => {
  test('an account evicts only its own oldest state', async () => {
    const [a, b] = await pair({}, 24 * MIB);
    // 4 MiB per part of the states, 2 MiB per account.
    const others = Array.from({ length: 8 }, (_, index) => `small-${index}`);
    for (const account of others) a.set(account, 'k', 'small');
    for (let index = 0; index < 300; index++) {
      a.set('large', `k${index}`, `${index} `.padEnd(50_000, 'x'));
    }
    await settled(a);
    for (const account of others) expect(await learned(b, account, 'k')).toBe('small');
    expect(await learned(b, 'large', 'k0')).toBeUndefined();
    expect(await learned(b, 'large', 'k255')).toBeUndefined();
    expect(await learned(b, 'large', 'k299')).toStartWith('299 ');
    expect(await learned(b, 'large', 'k265')).toStartWith('265 ');
  });

  test('many accounts together stay within the configured memory of Redis', async () => {
    const [a] = await pair({}, 6 * MIB);
    const before = await usedMemory();
    for (let index = 0; index < 10_000; index++) {
      a.set(`account-${index}`, `k${index}`, 'x'.repeat(index % 600));
    }
    await settled(a);
    const grown = (await usedMemory()) - before;
    // Two thirds of it are for the states.
    expect(grown).toBeWithin(3 * MIB, 4.5 * MIB);
    const [{ key = '' } = {}] = await fieldsOf();
    const sizes = (await server.run('hgetall', key.replace('values', 'sizes'))).trim().split('\n').length / 2;
    const fields = Number(await server.run('hlen', key));
    for (const name of ['order', 'accounts']) {
      expect(Number(await server.run('zcard', key.replace('values', name)))).toBe(fields);
    }
    expect(sizes).toBe(fields + 1);
    expect(log).toEqual([]);
  });

  test('expired state is not found, is removed by the next write, and expires in Redis', async () => {
    const [a, b] = await pair({ keptMs: HOUR_MS, absentMs: 0 });
    a.set('acme', 'old', 'old');
    await written(1);
    await growOlder(HOUR_MS / 2);
    a.set('acme', 'young', 'young');
    await written(2);
    await growOlder(HOUR_MS / 2);
    expect(await learned(b, 'acme', 'old')).toBeUndefined();
    expect(await learned(b, 'acme', 'young')).toBe('young');
    const [{ fields: before = [], key = '' } = {}] = await fieldsOf();
    expect(before).toHaveLength(2);
    a.set('acme', 'new', 'new');
    await until('the oldest value is evicted', async () =>
      (await allFields()).some((field) => !before.includes(field)),
    );
    expect(await allFields()).toHaveLength(2);
    for (const name of ['values', 'order', 'accounts', 'sizes'])
      expect(Number(await server.run('pttl', key.replace('values', name)))).toBeWithin(1, HOUR_MS + 1);
  });

  test('an oversized value stays local, and the latest of many values come first', async () => {
    const [a, b] = await pair();
    a.set('acme', 'huge', 'x'.repeat(600_000));
    const keys = Array.from({ length: 40 }, (_, index) => `k${index}`);
    for (const key of keys) a.set('acme', key, key.padEnd(200_000, 'x'));
    await settled(a);
    expect(await learned(b, 'acme', 'huge')).toBeUndefined();
    const isKnown = (key: string) => b.get('acme', key) !== undefined;
    await b.fetch('acme', keys);
    const known = keys.map(isKnown);
    expect(known.filter(Boolean).length).toBeWithin(18, 22);
    expect(known.slice(0, 18)).not.toContain(false);
    // Values that did not fit are fetched again.
    await b.fetch('acme', keys);
    expect(keys.filter(isKnown).length).toBeGreaterThan(36);
  });

  test('a server that evicted a part of the state starts over', async () => {
    const [a, b] = await pair();
    const [, asking] = await pair({ absentMs: 0 });
    a.set('acme', 'k', 'a thought');
    await written(1);
    const [{ key = '' } = {}] = await fieldsOf();
    await server.run('del', key.replace('values', 'order'));
    expect(await learned(b, 'acme', 'k')).toBeUndefined();
    a.set('acme', 'k2', 'another');
    await until('the value is found', async () => (await learned(asking, 'acme', 'k2')) === 'another');
    expect(Number(await server.run('hlen', key))).toBe(1);
  });
});

/** Makes all data in Redis older, since its clock cannot be moved. KEYS: none. ARGV: milliseconds. */
const GROW_OLDER = `
for _, key in ipairs(redis.call('KEYS', 'switchyard:state:*:order')) do
  local accounts = string.gsub(key, 'order$', 'accounts')
  for _, field in ipairs(redis.call('ZRANGE', key, 0, -1)) do
    local function place(at)
      return string.sub(field, 1, ${TAG_CHARACTERS}) .. string.format('%015.0f', at) .. string.sub(field, ${TAG_CHARACTERS + 1})
    end
    local at = tonumber(redis.call('ZSCORE', key, field))
    redis.call('ZREM', accounts, place(at))
    redis.call('ZADD', accounts, 0, place(at - ARGV[1]))
    redis.call('ZADD', key, string.format('%.0f', at - ARGV[1]), field)
  end
end`;

async function growOlder(ms: number): Promise<void> {
  await server.run('eval', GROW_OLDER, '0', String(ms));
}

/** Returns the memory of the stored data, without connection buffers. */
async function usedMemory(): Promise<number> {
  return Number(/used_memory_dataset:(\d+)/.exec(await server.run('info', 'memory'))?.[1]);
}

describe('while Redis is unavailable', () => {
  test('only the first request waits, and state is shared again afterwards', async () => {
    const own = await RedisServer.start();
    try {
      const [a, b] = (await Promise.all([open(own.url), open(own.url)])).map((state) => state.open(kindOf(1_000)));
      if (!a || !b) throw new Error('two were opened');
      a.set('acme', 'k', 'before');
      await settled(a, own.url);
      own.pause();
      patience = 1;
      await Promise.all(Array.from({ length: 50 }, (_, index) => b.fetch('acme', ['k', `k${index}`])));
      patience = PATIENT;
      expect(b.isShared).toBe(false);
      expect(b.fetch('acme', ['k'])).toBeNull();
      b.set('acme', 'alone', 'known here');
      expect(b.get('acme', 'alone')).toBe('known here');
      expect(log.filter((text) => text.startsWith('error'))).toHaveLength(1);
      own.resume();
      await until('state is shared again', () => b.isShared);
      expect(await learned(b, 'acme', 'k')).toBe('before');
      expect(log.at(-1)).toBe('warn conversation state is shared over Redis again');
    } finally {
      await own.stop();
    }
  });

  test('a gateway can start, and shares state once Redis is available', async () => {
    const own = await RedisServer.start();
    await own.kill();
    try {
      patience = IMPATIENT;
      const alone = (await open(own.url)).open(kindOf(1_000));
      patience = PATIENT;
      alone.set('acme', 'k', 'known here');
      expect(alone.get('acme', 'k')).toBe('known here');
      expect(alone.fetch('acme', ['other'])).toBeNull();
      expect(log).toHaveLength(1);
      await own.restart();
      await until('state is shared', () => alone.isShared);
    } finally {
      await own.stop();
    }
  });

  test('a server without free memory is still read, and the log says so once', async () => {
    const own = await RedisServer.start('--maxmemory', '3mb', '--maxmemory-policy', 'noeviction');
    try {
      const [a, b] = [await open(own.url), await open(own.url)].map((state) => state.open(kindOf(1_000_000_000)));
      if (!a || !b) throw new Error('two were opened');
      for (let index = 0; index < 60; index++) a.set('acme', `k${index}`, 'x'.repeat(100_000));
      await until('Redis has no memory left', () => log.length > 0);
      expect(await learned(b, 'acme', 'k59')).toBeUndefined();
      expect(await learned(b, 'acme', 'k0')).toHaveLength(100_000);
      expect(log).toEqual([expect.stringContaining('out of memory')]);
    } finally {
      await own.stop();
    }
  });

  test('a server that lost its data and scripts is filled again', async () => {
    const [a, b] = await pair();
    a.set('acme', 'k', 'before');
    await settled(a);
    await server.run('flushall');
    await server.run('script', 'flush');
    expect(await learned(b, 'acme', 'k')).toBeUndefined();
    a.set('acme', 'k2', 'after');
    await settled(a);
    expect(await learned(b, 'acme', 'k2')).toBe('after');
    expect(log).toEqual([]);
  });
});
