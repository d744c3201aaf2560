import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout } from 'bun:test';
import type { Remembered, RememberedKind } from '../../engine/ports/conversation-state.ts';
import { MemoryConversationState } from '../memory/conversation-state.ts';
import { conversationStateTests, kindOf } from '../shared/testing/conversation-state-contract.ts';
import { RedisConversationState } from './conversation-state.ts';
import { freePort, hasRedis, RedisServer, redisTest } from './testing/redis-server.ts';

setDefaultTimeout(60_000);

const MIB = 1024 * 1024;

let log: string[] = [];
const line = (level: string) => (_fields: object, message: string) => void log.push(`${level} ${message}`);
const logger = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };

const opened: RedisConversationState[] = [];
async function open(url: string, maxBytes = 384 * MIB, masterSecret = 'master'): Promise<RedisConversationState> {
  const local = new MemoryConversationState();
  const state = await RedisConversationState.connect({ url, local, masterSecret, maxBytes, logger });
  opened.push(state);
  return state;
}

const COLLIDING: Partial<RememberedKind<string>> = {
  collision: { value: 'COLLIDED', isLikely: (key) => key.startsWith('counted') },
};

let server: RedisServer;
beforeAll(async () => {
  if (hasRedis) server = await RedisServer.start();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((state) => state.close()));
  log = [];
  if (hasRedis) await server.run('flushall');
});
afterAll(async () => {
  if (hasRedis) await server.stop();
});

/** Several gateways, with no memory in common but Redis. */
async function gateways(
  count: number,
  extra: Partial<RememberedKind<string>> = {},
  maxBytes?: number,
): Promise<Remembered<string>[]> {
  const states = await Promise.all(Array.from({ length: count }, () => open(server.url, maxBytes)));
  return states.map((state) => state.open(kindOf(1_000_000_000, extra)));
}

/** What the gateway knows after it has asked. */
async function learned(memory: Remembered<string>, accountId: string, key: string): Promise<string | undefined> {
  await memory.fetch(accountId, [key]);
  return memory.get(accountId, key);
}

/** Until Redis has what was told to it: nobody waits for that. */
const written = () => Bun.sleep(30);

async function fieldsOf(kind = 'states'): Promise<{ readonly key: string; readonly fields: readonly string[] }[]> {
  const found = [];
  for (let part = 0; part < 4; part++) {
    const key = `switchyard:state:{${part}}:${kind}:values`;
    const fields = (await server.run('hkeys', key)).trim().split('\n').filter(Boolean);
    if (fields.length > 0) found.push({ key, fields });
  }
  return found;
}

/** What redis-cli can carry of bytes: it takes escapes in a quoted text, and shows them the same way. */
async function quotedValue(key: string, field: string): Promise<string> {
  return (await server.run('--no-raw', 'hget', key, field)).trim();
}
async function replaceValue(key: string, field: string, quoted: string): Promise<void> {
  const child = Bun.spawn(['redis-cli', '-p', String(server.port)], { stdin: 'pipe', stdout: 'ignore' });
  child.stdin.write(`hset ${key} ${field} ${quoted}\n`);
  await child.stdin.end();
  await child.exited;
}

describe('the contract of conversation state', () => {
  const define = (name: string, body: () => void | Promise<void>) => redisTest(name, body);
  conversationStateTests(define, () => open(server.url));
});

describe('gateways that share a Redis', () => {
  redisTest('learn from each other, and ask only for what they do not know', async () => {
    const [a, b] = await pair();
    a.set('acme', 'k', 'ä thought');
    expect(a.fetch('acme', ['k'])).toBeNull();
    await written();
    expect(b.get('acme', 'k')).toBeUndefined();
    expect(await learned(b, 'acme', 'k')).toBe('ä thought');
    expect(b.fetch('acme', ['k'])).toBeNull();
    expect(log).toEqual([]);
  });

  redisTest('do not ask again at once for what nobody has', async () => {
    const [a, b] = await pair({ absentMs: 300 });
    expect(await learned(b, 'acme', 'k')).toBeUndefined();
    expect(b.fetch('acme', ['k'])).toBeNull();
    a.set('acme', 'k', 'late');
    await Bun.sleep(350);
    expect(await learned(b, 'acme', 'k')).toBe('late');
  });

  redisTest('learn what was said last, and many at a time', async () => {
    const [a, b] = await pair();
    const keys = Array.from({ length: 1_000 }, (_, index) => `k${index}`);
    for (const key of keys) a.set('acme', key, `of ${key}`);
    a.set('acme', 'k7', 'later');
    await until(async () => (await fieldsOf()).flatMap(({ fields }) => fields).length === keys.length);
    await written();
    await b.fetch('acme', keys);
    expect(keys.map((key) => b.get('acme', key))).toEqual(keys.map((key) => (key === 'k7' ? 'later' : `of ${key}`)));
  });

  redisTest('two values under one key mean neither, wherever one of them is known', async () => {
    const [a, b, c] = await trio(COLLIDING);
    for (const key of ['counted', 'random']) {
      a.set('acme', key, 'of a');
      await written();
      b.set('acme', key, 'of b');
      await written();
      expect(b.get('acme', key)).toBe('COLLIDED');
      expect(await learned(c, 'acme', key)).toBe('COLLIDED');
    }
    // Known here is not enough for a key that others may have come to as well.
    expect(await learned(a, 'acme', 'counted')).toBe('COLLIDED');
    expect(a.fetch('acme', ['random'])).toBeNull();
    a.set('acme', 'counted', 'of a');
    await written();
    expect(await learned(b, 'acme', 'counted')).toBe('COLLIDED');
  });

  redisTest('the same value twice is none the worse', async () => {
    const [a, b] = await pair(COLLIDING);
    a.set('acme', 'counted', 'same');
    await written();
    b.set('acme', 'counted', 'same');
    await written();
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

describe('secrecy', () => {
  redisTest('nothing in Redis can be read: no account, no key, no value', async () => {
    const [a] = await pair();
    a.set('account-acme', 'tool-name\ncall_1', 'the thought itself');
    await written();
    const dump = await everything();
    expect(dump).toContain('switchyard:state:');
    for (const secret of ['account-acme', 'tool-name', 'call_1', 'thought']) expect(dump).not.toContain(secret);
  });

  redisTest("another account's key, and another secret, learn nothing", async () => {
    const [a, b] = await pair();
    a.set('acme', 'k', 'a thought');
    await written();
    expect(await learned(b, 'globex', 'k')).toBeUndefined();
    const stranger = (await open(server.url, 384 * MIB, 'other secret')).open(kindOf(1_000));
    expect(await learned(stranger, 'acme', 'k')).toBeUndefined();
  });

  redisTest(
    'a value that was moved to another account or key, or changed, is not used, and the log says so once',
    async () => {
      const [a, b] = await pair();
      const accounts = Array.from({ length: 12 }, (_, index) => `account-${index}`);
      for (const account of accounts) a.set(account, 'k', `of ${account}`);
      await written();
      // Each part's fields get each other's values, and the ones that stand alone get a changed one.
      for (const { key, fields } of await fieldsOf()) {
        const values = await Promise.all(fields.map((field) => quotedValue(key, field)));
        for (const [index, field] of fields.entries()) {
          const other = values[(index + 1) % values.length] ?? '';
          await replaceValue(key, field, fields.length > 1 ? other : `${other.slice(0, -2)}x"`);
        }
      }
      for (const account of accounts) expect(await learned(b, account, 'k')).toBeUndefined();
      expect(log).toEqual([
        'warn conversation state in Redis is damaged, or was put there by somebody else: it is not used',
      ]);
      // The next write is used again.
      a.set('account-0', 'k', 'anew');
      await written();
      expect(await learned(b, 'account-0', 'k')).toBe('anew');
    },
  );
});

async function everything(): Promise<string> {
  let text = '';
  for (const key of (await server.run('keys', '*')).trim().split('\n')) {
    const kind = (await server.run('type', key)).trim();
    const read = kind === 'hash' ? ['hgetall', key] : ['zrange', key, '0', '-1', 'withscores'];
    text += `${key}\n${await server.run(...read)}\n`;
  }
  return text;
}

describe('bounds', () => {
  redisTest('an account loses its own oldest, and pushes out nobody', async () => {
    const [a, b] = await pair({}, 24 * MIB);
    // 4 MiB for a part of the states, 2 MiB for an account.
    const others = Array.from({ length: 8 }, (_, index) => `small-${index}`);
    for (const account of others) a.set(account, 'k', 'small');
    for (let index = 0; index < 300; index++) {
      a.set('large', `k${index}`, `${index} `.padEnd(50_000, 'x'));
      if (index % 20 === 0) await written();
    }
    await written();
    for (const account of others) expect(await learned(b, account, 'k')).toBe('small');
    expect(await learned(b, 'large', 'k0')).toBeUndefined();
    expect(await learned(b, 'large', 'k255')).toBeUndefined();
    expect(await learned(b, 'large', 'k299')).toStartWith('299 ');
    expect(await learned(b, 'large', 'k265')).toStartWith('265 ');
  });

  redisTest('many accounts together take what the setting says of the memory of Redis, and no more', async () => {
    const [a] = await pair({}, 12 * MIB);
    const before = await usedMemory();
    for (let index = 0; index < 20_000; index++) {
      a.set(`account-${index}`, `k${index}`, 'x'.repeat(index % 600));
      if (index % 200 === 199) await written();
    }
    await Bun.sleep(300);
    const grown = (await usedMemory()) - before;
    // Two thirds of it are for the states.
    expect(grown).toBeWithin(6 * MIB, 8.5 * MIB);
    const [{ key = '' } = {}] = await fieldsOf();
    const sizes = (await server.run('hgetall', key.replace('values', 'sizes'))).trim().split('\n').length / 2;
    const fields = Number(await server.run('hlen', key));
    for (const name of ['order', 'accounts']) {
      expect(Number(await server.run('zcard', key.replace('values', name)))).toBe(fields);
    }
    expect(sizes).toBe(fields + 1);
    expect(log).toEqual([]);
  });

  redisTest('what is too old is not found, and goes with the next write; all of it goes by itself', async () => {
    const [a, b] = await pair({ keptMs: 400, absentMs: 0 });
    a.set('acme', 'k', 'old');
    await written();
    expect((await fieldsOf()).flatMap(({ fields }) => fields)).toHaveLength(1);
    await Bun.sleep(450);
    expect(await learned(b, 'acme', 'k')).toBeUndefined();
    expect(await fieldsOf()).toEqual([]);
    a.set('acme', 'old', 'old');
    await Bun.sleep(250);
    a.set('acme', 'young', 'young');
    await Bun.sleep(200);
    expect(await learned(b, 'acme', 'old')).toBeUndefined();
    expect(await learned(b, 'acme', 'young')).toBe('young');
    a.set('acme', 'new', 'new');
    await written();
    expect((await fieldsOf()).flatMap(({ fields }) => fields)).toHaveLength(2);
  });

  redisTest('a value that is too large stays where it is, and the latest of many come first', async () => {
    const [a, b] = await pair();
    a.set('acme', 'huge', 'x'.repeat(600_000));
    const keys = Array.from({ length: 40 }, (_, index) => `k${index}`);
    for (const key of keys) {
      a.set('acme', key, key.padEnd(200_000, 'x'));
      await written();
    }
    expect(await learned(b, 'acme', 'huge')).toBeUndefined();
    const isKnown = (key: string) => b.get('acme', key) !== undefined;
    // On a busy machine four megabytes may come too late for who asks; nothing of them is taken then.
    const ask = async () => {
      const before = keys.filter(isKnown).length;
      for (let asked = 0; asked < 20 && keys.filter(isKnown).length === before; asked++) {
        if (asked > 0) await Bun.sleep(250);
        await b.fetch('acme', keys);
      }
    };
    await ask();
    const known = keys.map(isKnown);
    expect(known.filter(Boolean).length).toBeWithin(18, 22);
    expect(known.slice(0, 18)).not.toContain(false);
    // What found no room is asked for again.
    await ask();
    expect(keys.filter(isKnown).length).toBeGreaterThan(36);
  });

  redisTest('a server that has thrown away a part of it begins anew', async () => {
    const [a, b] = await pair();
    a.set('acme', 'k', 'a thought');
    await written();
    const [{ key = '' } = {}] = await fieldsOf();
    await server.run('del', key.replace('values', 'order'));
    expect(await learned(b, 'acme', 'k')).toBeUndefined();
    a.set('acme', 'k2', 'another');
    await written();
    expect(await learned(b, 'acme', 'k2')).toBe('another');
    expect(Number(await server.run('hlen', key))).toBe(1);
  });
});

async function usedMemory(): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await server.run('info', 'memory'))?.[1]);
}

describe('while Redis is away', () => {
  redisTest('a request waits a moment once, then nobody does, and afterwards it is shared again', async () => {
    const own = await RedisServer.start();
    try {
      const [a, b] = (await Promise.all([open(own.url), open(own.url)])).map((state) => state.open(kindOf(1_000)));
      if (!a || !b) throw new Error('two were opened');
      a.set('acme', 'k', 'before');
      await written();
      own.pause();
      const startedMs = performance.now();
      await Promise.all(Array.from({ length: 50 }, (_, index) => b.fetch('acme', ['k', `k${index}`])));
      expect(performance.now() - startedMs).toBeLessThan(200);
      expect(b.isShared).toBe(false);
      expect(b.fetch('acme', ['k'])).toBeNull();
      b.set('acme', 'alone', 'known here');
      expect(b.get('acme', 'alone')).toBe('known here');
      expect(log.filter((text) => text.startsWith('error'))).toHaveLength(1);
      own.resume();
      await until(() => b.isShared);
      expect(await learned(b, 'acme', 'k')).toBe('before');
      expect(log.at(-1)).toBe('warn conversation state is shared by Redis again');
    } finally {
      await own.stop();
    }
  });

  redisTest('a gateway starts without it, and shares when it comes', async () => {
    const port = await freePort();
    const alone = (await open(`redis://127.0.0.1:${port}`)).open(kindOf(1_000));
    alone.set('acme', 'k', 'known here');
    expect(alone.get('acme', 'k')).toBe('known here');
    expect(alone.fetch('acme', ['other'])).toBeNull();
    expect(log).toHaveLength(1);
  });

  redisTest('a server that has no memory left is read all the same, and the log says it once', async () => {
    const own = await RedisServer.start('--maxmemory', '3mb', '--maxmemory-policy', 'noeviction');
    try {
      const [a, b] = [await open(own.url), await open(own.url)].map((state) => state.open(kindOf(1_000_000_000)));
      if (!a || !b) throw new Error('two were opened');
      for (let index = 0; index < 60; index++) {
        a.set('acme', `k${index}`, 'x'.repeat(100_000));
        await written();
      }
      expect(await learned(b, 'acme', 'k59')).toBeUndefined();
      expect(await learned(b, 'acme', 'k0')).toHaveLength(100_000);
      expect(log).toEqual([expect.stringContaining('no memory left')]);
    } finally {
      await own.stop();
    }
  });

  redisTest('a server that has lost everything, its scripts too, is filled again', async () => {
    const [a, b] = await pair();
    a.set('acme', 'k', 'before');
    await written();
    await server.run('flushall');
    await server.run('script', 'flush');
    expect(await learned(b, 'acme', 'k')).toBeUndefined();
    a.set('acme', 'k2', 'after');
    await written();
    expect(await learned(b, 'acme', 'k2')).toBe('after');
    expect(log).toEqual([]);
  });
});

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + 10_000;
  while (!(await holds())) {
    if (performance.now() > deadlineMs) throw new Error('not in time');
    await Bun.sleep(20);
  }
}
