import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { until } from '../../conformance/shared/until.ts';
import type { CacheStore } from '../../src/engine/ports/cache-store.ts';
import {
  answerOf,
  cacheEntryId,
  digestOf,
  randomAnswer,
  sampleCacheEntry,
  sampleQuestion,
} from '../../src/engine/ports/testing/sample-cache-entry.ts';
import type { CacheSettings } from '../../src/engine/settings/settings.ts';
import { openRedisCache, type RedisCacheOptions } from '../../src/stores/redis/cache.ts';
import { RedisServer } from '../../src/stores/redis/testing/redis-server.ts';
import { cacheStoreTests, heardFrom, TEST_CACHE, TestClock } from '../../src/stores/shared/testing/cache-contract.ts';

setDefaultTimeout(600_000);

const MIB = 1024 * 1024;
const HOUR_MS = 3_600_000;
const page = { limit: 1_000, before: null, accountId: null };

let log: string[] = [];
const line = (level: string) => (_fields: object, message: string) => void log.push(`${level} ${message}`);
const logger = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };

/** Factors on the time-outs for Redis: a slow machine must not look like an outage. */
const PATIENT = 1_000;
/** Without Redis, a gateway gives up in a tenth of the time. */
const IMPATIENT = 0.1;
let patience = PATIENT;

let server: RedisServer;
const opened: CacheStore[] = [];
beforeAll(async () => {
  server = await RedisServer.start();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
  log = [];
  patience = PATIENT;
  await server.run('flushall');
});
afterAll(async () => {
  await server.stop();
});

type Options = Partial<Omit<RedisCacheOptions, 'settings'>> & { readonly settings?: Partial<CacheSettings> };

async function open({ settings, ...options }: Options = {}): Promise<CacheStore> {
  const store = await openRedisCache({
    ...{ url: server.url, masterSecret: 'master', clock: new TestClock(), logger, ...options },
    patience: () => patience,
    settings: { ...TEST_CACHE, ...settings },
  });
  opened.push(store);
  return store;
}

/** Opens gateways that have received each other's announcements. */
async function gateways(count: number, options: Options = {}): Promise<CacheStore[]> {
  return Promise.all(Array.from({ length: count }, () => open(options)));
}

async function pair(options: Options = {}) {
  const [a, b] = await gateways(2, options);
  return [a ?? expect.unreachable(), b ?? expect.unreachable()] as const;
}

/** Resolves when Redis has the written entries. */
async function written(store: CacheStore): Promise<void> {
  await store.list({ ...page, limit: 1 });
}

describe('the contract of the cache', () => {
  cacheStoreTests(test, (clock, settings = {}) => open({ clock, settings }));
});

describe('the contract of the cache without local memory', () => {
  const skipped = ['at once', 'least recently used', 'listeners hear'];
  cacheStoreTests(
    (name, body) => (skipped.some((part) => name.includes(part)) ? undefined : test(name, body)),
    (clock, settings = {}) => open({ clock, settings: { ...settings, memoryBytes: 0 } }),
  );
});

describe('gateways that share a Redis', () => {
  test('find entries of others by key and id, and receive their questions', async () => {
    const [a, b] = await pair();
    const heard = heardFrom(b);
    const entry = sampleCacheEntry('one', { question: sampleQuestion('p', 'ä\n?', 512), isShared: true });
    a.put(entry);
    await written(a);
    expect(await b.find(entry.key)).toEqual(entry);
    expect(b.find(entry.key)).toEqual(entry);
    expect(await b.findById(entry.id)).toEqual(entry);
    await until('the entry is announced', () => heard.includes(`added ${entry.key}`));
    expect((await b.questions(digestOf('p'), 5))[0]?.vector).toEqual(entry.question?.vector ?? new Float32Array());
    const keys = Array.from({ length: 40 }, (_, index) => `k${index}`);
    for (const key of keys) a.put(sampleCacheEntry(key));
    await written(a);
    const found = await b.findAll([...keys, 'none'].map(digestOf));
    expect(found.map((one) => one?.id)).toEqual([...keys.map(cacheEntryId), undefined]);
    b.look();
    await until('the other gateway knows all 41 entries', () => b.statistics().beyond?.entries === 41);
    expect(log).toEqual([]);
  });

  test('drop their copies at once when an entry is invalidated, replaced or cleared', async () => {
    const [a, b] = await pair();
    const heard = heardFrom(b);
    const names = ['one', 'two', 'three', 'four'];
    for (const name of names) a.put(sampleCacheEntry(name, { accountId: name === 'four' ? 'globex' : 'acme' }));
    await written(a);
    for (const name of names) expect(await b.find(digestOf(name))).not.toBeNull();
    expect(b.statistics().memory.entries).toBe(4);

    await a.invalidate(sampleCacheEntry('one'), Date.now() + HOUR_MS);
    await until('the copy is dropped', () => b.statistics().memory.entries === 3);
    expect(await b.find(digestOf('one'))).toBeNull();
    expect(await b.wasInvalidated(cacheEntryId('one'))).toBe(true);
    b.put(sampleCacheEntry('one'));
    expect(await b.find(digestOf('one'))).toBeNull();
    expect(heard).toContain(`removed ${digestOf('one')}`);

    a.put(sampleCacheEntry('two', { id: cacheEntryId('other') }));
    await until('the replaced copy is dropped', () => b.statistics().memory.entries === 2);
    expect((await b.find(digestOf('two')))?.id).toBe(cacheEntryId('other'));

    expect(await a.clear('acme')).toBe(2);
    await until('the account’s copies are dropped', () => b.statistics().memory.entries === 1);
    expect(b.find(digestOf('four'))).toHaveProperty('id');
    expect(heard).toContain('cleared');
    expect(await a.clear(null)).toBe(1);
    await until('all copies are dropped', () => b.statistics().memory.entries === 0);
    expect(await b.find(digestOf('four'))).toBeNull();
  });

  test('load blocks, invalidated entries and services from before their start', async () => {
    const a = await open();
    const entry = sampleCacheEntry('one', { isShared: true });
    a.served(entry, 'globex');
    await a.invalidate(entry, Date.now() + HOUR_MS);
    await written(a);
    const b = await open();
    expect(await b.wasInvalidated(entry.id)).toBe(true);
    expect(await b.wasServed(entry, 'globex')).toBe(true);
    expect(await b.wasServed(entry, 'initech')).toBe(false);
    b.put(entry);
    await written(b);
    expect(b.statistics().memory.entries).toBe(1);
    expect(await a.find(entry.key)).toBeNull();
    expect(await (await open()).find(entry.key)).toBeNull();
  });

  test('agree when they put the same key at once', async () => {
    const stores = await gateways(3);
    for (let round = 0; round < 20; round++) {
      for (const [index, store] of stores.entries()) {
        store.put(sampleCacheEntry('one', { id: cacheEntryId(`${round} ${index}`) }));
      }
      await Promise.all(stores.map(written));
    }
    const winner = (await (await open()).find(digestOf('one')))?.id;
    const ids = () => Promise.all(stores.map(async (store) => (await store.find(digestOf('one')))?.id));
    // Messages are in flight.
    await until('all gateways have the same entry', async () => (await ids()).every((id) => id === winner));
    expect(winner).toBeDefined();
  });

  test('drop their copies when messages were lost', async () => {
    const [a, b] = await pair();
    a.put(sampleCacheEntry('one'));
    await written(a);
    await b.find(digestOf('one'));
    const heard = heardFrom(b);
    await server.run('client', 'kill', 'type', 'pubsub');
    await until('all copies are dropped', () => b.statistics().memory.entries === 0);
    expect(heard).toContain('cleared');
    await b.find(digestOf('one'));
    expect(b.statistics().memory.entries).toBe(1);
    // A delivered message is followed by one of which only the number arrives.
    a.put(sampleCacheEntry('two', { question: sampleQuestion('p') }));
    await until('the entry is announced', () => heard.includes(`added ${digestOf('two')}`));
    for (let part = 0; part < 4; part++) await server.run('incr', `switchyard:cache:{${part}}:sequence`);
    await until('the copies are dropped after lost messages', () => {
      b.look();
      return b.statistics().memory.entries === 0;
    });
    expect(await b.find(digestOf('one'))).not.toBeNull();
    expect(log).toEqual([]);
  });

  test('ignore foreign messages', async () => {
    const [a, b] = await pair();
    a.put(sampleCacheEntry('one'));
    await written(a);
    await b.find(digestOf('one'));
    for (const message of [
      '',
      '\n\n\n',
      'put',
      'put\nx\ny\nz',
      'nonsense\na\nb\n1\nc',
      'invalidated\nx\ny\nNaN\nk\ni\nlong',
    ]) {
      await server.run('publish', 'switchyard:cache:changes', message);
    }
    // A valid message after them is still handled.
    const heard = heardFrom(b);
    a.put(sampleCacheEntry('two', { question: sampleQuestion('p') }));
    await until('the entry is announced', () => heard.includes(`added ${digestOf('two')}`));
    expect(b.find(digestOf('one'))).toHaveProperty('id');
  });
});

describe('encryption', () => {
  test('makes Redis unreadable, and another secret finds nothing', async () => {
    const a = await open();
    const question = sampleQuestion('p', 'the question itself');
    a.put(sampleCacheEntry('one', { accountId: 'account-acme', answer: answerOf('the answer itself'), question }));
    a.served(sampleCacheEntry('one'), 'account-globex');
    await written(a);
    const dump = await everything();
    expect(dump).toContain(digestOf('one'));
    for (const secret of ['account-acme', 'account-globex', 'itself', 'gpt-4o']) expect(dump).not.toContain(secret);
    const stranger = await open({ masterSecret: 'other' });
    expect(await stranger.find(digestOf('one'))).toBeNull();
    expect(await stranger.list(page)).toEqual([]);
    await until('the unreadable entry is removed', async () => !(await everything()).includes(digestOf('one')));
  });

  test('can be disabled', async () => {
    const settings = { encrypt: false };
    const [a, b] = await pair({ settings });
    a.put(sampleCacheEntry('one', { answer: answerOf('the answer itself') }));
    await written(a);
    expect(await everything()).toContain('the answer itself');
    expect(await b.find(digestOf('one'))).not.toBeNull();
  });
});

async function everything(): Promise<string> {
  let text = '';
  for (const key of (await server.run('keys', '*')).trim().split('\n')) {
    const kind = (await server.run('type', key)).trim();
    if (kind === 'hash') text += await server.run('hgetall', key);
    else if (kind === 'zset') text += await server.run('zrange', key, '0', '-1');
  }
  return text;
}

describe('bounds', () => {
  test('evict the least recently used entries, give an account at most half, and announce evictions', async () => {
    const clock = new TestClock();
    const settings = { redisBytes: 8 * MIB, memoryBytes: 0 };
    const [a, b] = await pair({ clock, settings });
    const heard = heardFrom(b);
    a.put(sampleCacheEntry('of globex', { accountId: 'globex' }));
    for (let index = 0; index < 400; index++) {
      a.put(sampleCacheEntry(`k${index}`, { answer: randomAnswer(50_000), question: sampleQuestion('p') }));
      if (index % 10 === 0) {
        await a.find(digestOf('k0'));
        await written(a);
        clock.pass(1_000);
      }
    }
    await written(a);
    const ids = (await a.list(page)).map(({ id }) => id);
    expect(ids.length).toBeWithin(50, 82);
    for (const name of ['of globex', 'k0', 'k399']) expect(ids).toContain(cacheEntryId(name));
    await until(
      'the evictions are announced',
      () => new Set(heard.filter((text) => text.startsWith('removed'))).size >= 401 - ids.length,
    );
    expect(log).toEqual([]);
  });

  test('keep Redis close to the configured size', async () => {
    const a = await open({ settings: { redisBytes: 6 * MIB } });
    const before = await usedMemory();
    for (let index = 0; index < 6_000; index++) {
      const question = index % 2 === 0 ? sampleQuestion(`p${index}`) : null;
      a.put(sampleCacheEntry(`k${index}`, { accountId: `a${index}`, answer: randomAnswer(index % 600), question }));
      if (index % 200 === 0) await written(a);
    }
    await written(a);
    expect((await usedMemory()) - before).toBeWithin(4.5 * MIB, 7 * MIB);
    // Sums and entries agree, and an empty cache takes no space.
    await a.clear(null);
    await a.clear(null);
    a.look();
    await until('the statistics report an empty cache', () => a.statistics().beyond?.entries === 0);
    expect(a.statistics().beyond?.bytes).toBe(0);
  });

  test('remove expired entries that nobody looks up', async () => {
    const clock = new TestClock();
    const [a, b] = await pair({ clock, settings: { memoryBytes: 0 } });
    const heard = heardFrom(b);
    for (let index = 0; index < 20; index++) a.put(sampleCacheEntry(`k${index}`));
    await written(a);
    clock.pass(2 * HOUR_MS);
    await until('the expired entries are removed', () => {
      a.look();
      return a.statistics().beyond?.entries === 0;
    });
    await until('the removal is announced', () => heard.includes(`removed ${digestOf('k7')}`));
    expect((await everything()).trim()).not.toContain(digestOf('k'));
  });

  test('a server that evicted a part of the cache starts over', async () => {
    const a = await open({ settings: { memoryBytes: 0 } });
    for (let index = 0; index < 20; index++) a.put(sampleCacheEntry(`k${index}`));
    await written(a);
    for (let part = 0; part < 4; part++) await server.run('del', `switchyard:cache:{${part}}:used`);
    for (let index = 20; index < 40; index++) a.put(sampleCacheEntry(`k${index}`));
    await written(a);
    expect(await a.find(digestOf('k30'))).not.toBeNull();
    a.look();
    await until('the statistics count 20 entries', () => a.statistics().beyond?.entries === 20);
  });

  test('a server without free memory leaves each local memory, and removals still work', async () => {
    const own = await RedisServer.start('--maxmemory', '6mb', '--maxmemory-policy', 'noeviction');
    try {
      const [a, b] = await pair({ url: own.url });
      a.put(sampleCacheEntry('early'));
      await written(a);
      await b.find(digestOf('early'));
      for (let index = 0; log.length === 0; index++) {
        a.put(sampleCacheEntry(`k${index}`, { accountId: `a${index}`, answer: randomAnswer(200_000) }));
        await written(a);
      }
      expect(log).toEqual(['warn Redis is out of memory: new cache entries are not shared with other gateways']);
      a.put(sampleCacheEntry('late'));
      expect(a.find(digestOf('late'))).toHaveProperty('id');
      await a.invalidate(sampleCacheEntry('early'), Date.now() + HOUR_MS);
      await until('the removed entry is not found', async () => (await b.find(digestOf('early'))) === null);
    } finally {
      await own.stop();
    }
  });
});

/** Returns the memory of the stored data, without connection buffers. */
async function usedMemory(): Promise<number> {
  return Number(/used_memory_dataset:(\d+)/.exec(await server.run('info', 'memory'))?.[1]);
}

describe('while Redis is unavailable', () => {
  test('each gateway uses its memory, and invalidations made meanwhile apply everywhere afterwards', async () => {
    const own = await RedisServer.start();
    try {
      const [a, b] = await pair({ url: own.url });
      for (const name of ['one', 'two']) a.put(sampleCacheEntry(name));
      await written(a);
      for (const name of ['one', 'two']) await b.find(digestOf(name));
      own.pause();
      patience = 1;
      await Promise.all(Array.from({ length: 50 }, (_, index) => a.find(digestOf(`other ${index}`))));
      patience = PATIENT;
      expect(a.find(digestOf('two'))).toHaveProperty('id');
      await a.invalidate(sampleCacheEntry('one'), Date.now() + HOUR_MS);
      a.put(sampleCacheEntry('alone'));
      expect(a.find(digestOf('alone'))).toHaveProperty('id');
      expect(await a.list(page)).toHaveLength(2);
      expect(await a.findById(cacheEntryId('none'))).toBeNull();
      own.resume();
      await until('the invalidated entry is not found', async () => (await b.find(digestOf('one'))) === null);
      expect(await b.wasInvalidated(cacheEntryId('one'))).toBe(true);
      await until('the cache is shared again', () =>
        log.some((text) => text === 'warn the cache is shared over Redis again'),
      );
      b.put(sampleCacheEntry('new'));
      await written(b);
      await until('the new entry is found', async () => (await a.find(digestOf('new'))) !== null);
    } finally {
      await own.stop();
    }
  });

  test('a restarted server is empty, and earlier local copies are dropped', async () => {
    const own = await RedisServer.start();
    try {
      const [a, b] = await pair({ url: own.url });
      a.put(sampleCacheEntry('one'));
      await written(a);
      await b.find(digestOf('one'));
      await own.kill();
      await a.clear('acme');
      expect(await b.find(digestOf('one'))).not.toBeNull();
      await own.restart();
      await until('all copies are dropped', () => b.statistics().memory.entries === 0);
      expect(await b.find(digestOf('one'))).toBeNull();
      a.put(sampleCacheEntry('two'));
      await until('the new entry is found', async () => {
        a.put(sampleCacheEntry('two'));
        await written(a);
        return (await b.find(digestOf('two'))) !== null;
      });
    } finally {
      await own.stop();
    }
  });

  test('a gateway can start', async () => {
    const own = await RedisServer.start();
    await own.kill();
    patience = IMPATIENT;
    const alone = await open({ url: own.url });
    patience = PATIENT;
    alone.put(sampleCacheEntry('one'));
    expect(alone.find(digestOf('one'))).toHaveProperty('id');
    expect(await alone.find(digestOf('two'))).toBeNull();
    expect(await alone.clear(null)).toBe(1);
    expect(log).toHaveLength(1);
    await own.stop();
  });
});
