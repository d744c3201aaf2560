import { Database } from 'bun:sqlite';
import { afterEach, describe, expect, test } from 'bun:test';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LogFields } from '../../domain/logs/fields.ts';
import { until } from '../../domain/testing/until.ts';
import type { CacheStore } from '../../engine/ports/cache-store.ts';
import {
  answerOf,
  cacheEntryId,
  digestOf,
  randomAnswer,
  sampleCacheEntry,
  sampleQuestion,
} from '../../engine/ports/testing/sample-cache-entry.ts';
import type { CacheSettings } from '../../engine/settings/settings.ts';
import { cacheStoreTests, heardFrom, TEST_CACHE, TestClock } from '../shared/testing/cache-contract.ts';
import { type DiskCacheOptions, openDiskCache } from './cache.ts';

const MIB = 1024 * 1024;
const folders: string[] = [];
const opened: CacheStore[] = [];
let log: string[] = [];
const line = (level: string) => (fields: LogFields, message: string) =>
  void log.push(`${level} ${fields.notice ?? message}`);
const logger = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };

afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  log = [];
});

function newPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-cache-'));
  folders.push(folder);
  return join(folder, 'cache.sqlite');
}

type Options = Partial<Omit<DiskCacheOptions, 'settings'>> & { readonly settings?: Partial<CacheSettings> };

async function open({ settings, ...options }: Options = {}): Promise<CacheStore> {
  const store = await openDiskCache({
    path: options.path ?? newPath(),
    masterSecret: 'master',
    isOwner: true,
    clock: new TestClock(),
    logger,
    ...options,
    settings: { ...TEST_CACHE, ...settings },
  });
  opened.push(store);
  return store;
}

const page = { limit: 1_000, before: null, accountId: null };

/** Reopens the same file, as after a restart. */
async function reopened(store: CacheStore, options: Options & { readonly path: string }): Promise<CacheStore> {
  await store.close();
  return open(options);
}

function bytesOnDisk(path: string): number {
  const sizes = ['', '-wal', '-shm'].map((suffix) => statSync(path + suffix, { throwIfNoEntry: false })?.size ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0);
}

describe('the contract of the cache', () => {
  cacheStoreTests(
    (name, body) => test(name, body),
    (clock, settings = {}) => open({ clock, settings }),
  );
});

describe('the contract of the cache without memory', () => {
  const skipped = ['at once', 'least recently used', 'listeners hear'];
  cacheStoreTests(
    (name, body) => (skipped.some((part) => name.includes(part)) ? undefined : test(name, body)),
    (clock, settings = {}) => open({ clock, settings: { ...settings, memoryBytes: 0 } }),
  );
});

describe('a file', () => {
  test('keeps entries, blocks and services over a restart', async () => {
    const path = newPath();
    const first = await open({ path });
    const entry = sampleCacheEntry('one', { question: sampleQuestion('p', 'ä?', 64), isShared: true });
    first.put(entry);
    first.put(sampleCacheEntry('bad'));
    first.served(entry, 'globex');
    await first.invalidate(sampleCacheEntry('bad'), Date.now() + 60_000);
    const second = await reopened(first, { path });
    expect(second.find(entry.key)).toEqual(entry);
    expect(second.findById(entry.id)).toEqual(entry);
    expect(second.wasServed(entry, 'globex')).toBe(true);
    expect(second.wasInvalidated(cacheEntryId('bad'))).toBe(true);
    second.put(sampleCacheEntry('bad'));
    expect(second.find(digestOf('bad'))).toBeNull();
    expect(await second.questions(digestOf('p'), 5)).toHaveLength(1);
    expect(statSync(path).mode & 0o077).toBe(0);
    expect(log).toEqual([]);
  });

  test('returns the questions of a large partition, also those of the same moment', async () => {
    const path = newPath();
    const first = await open({ path });
    const storedAtMs = Date.now();
    for (let index = 0; index < 600; index++) {
      first.put(sampleCacheEntry(`k${index}`, { storedAtMs, question: sampleQuestion('p', `${index}?`, 8) }));
    }
    const second = await reopened(first, { path });
    const keysOf = async (limit: number) => {
      const found = await second.questions(digestOf('p'), limit);
      return new Set(found.map(({ key }) => key)).size;
    };
    expect(await keysOf(1_000)).toBe(600);
    expect(await keysOf(300)).toBe(300);
    const late = second.questions(digestOf('p'), 1_000);
    await second.close();
    expect((await late).length).toBeLessThanOrEqual(600);
    expect(log).toEqual([]);
  });

  test('keeps what the memory evicts, and announces an entry as gone only when both lost it', async () => {
    const store = await open({ settings: { memoryBytes: 200_000 } });
    const heard = heardFrom(store);
    for (let index = 0; index < 20; index++) {
      store.put(sampleCacheEntry(`k${index}`, { answer: randomAnswer(20_000), question: sampleQuestion('p') }));
    }
    expect(store.find(digestOf('k0'))).not.toBeNull();
    await store.list(page);
    expect(store.statistics()).toMatchObject({ beyond: { kind: 'disk', entries: 20 } });
    for (let index = 0; index < 20; index++)
      expect((await store.find(digestOf(`k${index}`)))?.id).toBe(cacheEntryId(`k${index}`));
    const removed = heard.slice(heard.findLastIndex((text) => text.startsWith('added')));
    expect(removed).toHaveLength(1);
  });

  test('is bounded with its WAL, evicts the least recently used, limits accounts to half, and announces evictions', async () => {
    const path = newPath();
    const clock = new TestClock();
    const settings = { memoryBytes: 100_000, diskBytes: 16 * MIB };
    const store = await open({ path, clock, settings });
    const heard = heardFrom(store);
    store.put(sampleCacheEntry('of globex', { accountId: 'globex' }));
    for (let index = 0; index < 150; index++) {
      store.put(sampleCacheEntry(`k${index}`, { answer: randomAnswer(200_000) }));
      if (index % 10 === 0) store.find(digestOf('k0'));
      clock.pass(1_000);
      if (index % 10 === 0) await store.list(page);
      expect(bytesOnDisk(path)).toBeLessThanOrEqual(16 * MIB);
    }
    const known = await store.list(page);
    // 12 MiB without the WAL, half of it for one account.
    expect(known.length).toBeWithin(20, 34);
    const names = known.map(({ id }) => id);
    expect(names).toContain(cacheEntryId('of globex'));
    expect(names).toContain(cacheEntryId('k0'));
    expect(names).toContain(cacheEntryId('k149'));
    expect(names).not.toContain(cacheEntryId('k1'));
    expect(new Set(heard.filter((text) => text.startsWith('removed'))).size).toBeGreaterThanOrEqual(151 - known.length);
    expect(log).toEqual([]);
  });

  test('shrinks when its limit is lowered', async () => {
    const path = newPath();
    const store = await open({ path, settings: { diskBytes: 32 * MIB } });
    for (let index = 0; index < 60; index++) {
      store.put(sampleCacheEntry(`k${index}`, { accountId: `a${index}`, answer: randomAnswer(300_000) }));
    }
    const clock = { nowMs: () => Date.now(), monotonicMs: () => monotonicMs };
    let monotonicMs = 0;
    const smaller = await reopened(store, { path, clock, settings: { diskBytes: 8 * MIB } });
    await until('it is so', () => {
      monotonicMs += 10_000;
      smaller.look();
      return bytesOnDisk(path) <= 8 * MIB;
    });
    smaller.put(sampleCacheEntry('new'));
    expect((await smaller.list(page)).length).toBeGreaterThan(0);
    expect(smaller.find(digestOf('new'))).not.toBeNull();
    expect(log).toEqual([]);
  });

  test('is recreated after it was removed, with a line in the log', async () => {
    const path = newPath();
    let monotonicMs = 0;
    const clock = { nowMs: () => Date.now(), monotonicMs: () => monotonicMs };
    const store = await open({ path, clock });
    store.put(sampleCacheEntry('one'));
    expect(await store.list(page)).toHaveLength(1);
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
    await until('it is so', () => {
      monotonicMs += 10_000;
      store.look();
      return existsSync(path);
    });
    expect(store.find(digestOf('one'))).not.toBeNull();
    store.put(sampleCacheEntry('two'));
    const again = await reopened(store, { path });
    expect(again.find(digestOf('one'))).toBeNull();
    expect(again.find(digestOf('two'))).not.toBeNull();
    expect(log).toEqual(['warn the cache file was removed or replaced; the file now at its path is used']);
  });

  test('is unreadable without the secret, and with it in another place', async () => {
    const path = newPath();
    const store = await open({ path });
    const question = sampleQuestion('p', 'the question itself');
    store.put(sampleCacheEntry('one', { answer: answerOf('the answer itself'), question }));
    store.put(sampleCacheEntry('two'));
    await store.close();
    expect(readFileSync(path).includes('itself')).toBe(false);
    const tool = new Database(path);
    tool.run('UPDATE entries SET body = (SELECT body FROM entries WHERE id = ?)', [cacheEntryId('two')]);
    tool.close();
    const moved = await open({ path, settings: { memoryBytes: 0 } });
    expect(moved.find(digestOf('one'))).toBeNull();
    expect(moved.find(digestOf('two'))).not.toBeNull();
    await moved.close();
    const stranger = await open({ path, masterSecret: 'other' });
    expect(stranger.find(digestOf('two'))).toBeNull();
    expect(await stranger.list(page)).toEqual([]);
    expect(await reopened(stranger, { path }).then((store) => store.find(digestOf('two')))).toBeNull();
    expect(log).toEqual([]);
  });

  test('may be unencrypted, and is then not read where encryption is required', async () => {
    const path = newPath();
    const plain = { path, settings: { encrypt: false } };
    const store = await open(plain);
    const entry = sampleCacheEntry('one', { answer: answerOf('the answer itself'), question: sampleQuestion('p') });
    for (const name of ['two', 'three']) store.put(sampleCacheEntry(name));
    store.put(entry);
    const again = await reopened(store, plain);
    expect(readFileSync(path).includes('the answer itself')).toBe(true);
    expect(again.find(entry.key)).toEqual(entry);
    await again.close();
    const tool = new Database(path);
    tool.run("UPDATE entries SET body = x'000102030405060708090a0b' WHERE id = ?", [cacheEntryId('two')]);
    tool.run("UPDATE entries SET head = x'' WHERE id = ?", [cacheEntryId('three')]);
    tool.close();
    const damaged = await open(plain);
    expect(damaged.find(digestOf('two'))).toBeNull();
    expect(damaged.find(digestOf('three'))).toBeNull();
    await damaged.close();
    const encrypted = await open({ path });
    expect(encrypted.find(entry.key)).toBeNull();
    expect(log).toEqual([]);
  });
});

describe('a file that cannot be used', () => {
  const damages: readonly (readonly [string, (path: string) => void])[] = [
    ['is garbage', (path) => writeFileSync(path, 'garbage '.repeat(10_000))],
    ['is cut', (path) => truncateSync(path, 20_000)],
    ['has lost its middle', (path) => writeFileSync(path, readFileSync(path).fill(7, 4_096, 60_000))],
    ['is of another release', (path) => edit(path, 'PRAGMA user_version = 99')],
    ['is another database', (path) => edit(path, 'PRAGMA application_id = 1')],
  ];
  for (const [what, damage] of damages) {
    test(`because it ${what} is replaced with a line in the log, and then used`, async () => {
      const path = newPath();
      const store = await open({ path });
      for (let index = 0; index < 50; index++)
        store.put(sampleCacheEntry(`k${index}`, { answer: randomAnswer(5_000) }));
      await store.close();
      damage(path);
      const after = await open({ path });
      after.find(digestOf('k1'));
      await until('it is so', async () => {
        await after.list(page);
        return log.length > 0;
      });
      after.put(sampleCacheEntry('new'));
      await until('it is so', async () => (await after.list(page)).some(({ id }) => id === cacheEntryId('new')));
      const again = await reopened(after, { path });
      expect(again.find(digestOf('new'))).not.toBeNull();
      expect(log).toHaveLength(1);
      expect(log[0]).toContain('the cache file cannot be used');
    });
  }

  test('is moved aside if it is foreign, and left alone by a command', async () => {
    const path = newPath();
    writeFileSync(path, 'a letter');
    const command = await open({ path, isOwner: false });
    expect(await command.list(page)).toEqual([]);
    expect(readFileSync(path, 'utf8')).toBe('a letter');
    await command.close();
    await open({ path });
    expect(readFileSync(`${path}.set-aside`, 'utf8')).toBe('a letter');
  });

  test('because a folder is in its place leaves only the memory, and is tried again', async () => {
    const path = newPath();
    mkdirSync(path);
    let monotonicMs = 0;
    const store = await open({ path, clock: { nowMs: () => Date.now(), monotonicMs: () => monotonicMs } });
    expect(log).toEqual(['error the cache cannot be stored on disk and is in memory only for now']);
    store.put(sampleCacheEntry('one'));
    expect(store.find(digestOf('one'))).not.toBeNull();
    expect(await store.list(page)).toHaveLength(1);
    await store.invalidate(sampleCacheEntry('one'), Date.now() + 60_000);
    expect(store.find(digestOf('one'))).toBeNull();
    rmSync(path, { recursive: true });
    await until('it is so', () => {
      monotonicMs += 10_000;
      store.look();
      return log.length > 1;
    });
    expect(log[1]).toBe('warn the cache is stored on disk again');
    store.put(sampleCacheEntry('two'));
    const again = await reopened(store, { path });
    expect(again.find(digestOf('two'))).not.toBeNull();
    expect(again.wasInvalidated(cacheEntryId('one'))).toBe(true);
  });

  function edit(path: string, sql: string): void {
    const tool = new Database(path);
    tool.run(sql);
    tool.close();
  }
});

describe('two processes', () => {
  test('a gateway applies the removals of a command', async () => {
    const path = newPath();
    const gateway = await open({ path });
    const heard = heardFrom(gateway);
    for (const name of ['one', 'two', 'three']) gateway.put(sampleCacheEntry(name));
    gateway.put(sampleCacheEntry('of globex', { accountId: 'globex' }));
    await gateway.list(page);
    const command = await open({ path, isOwner: false });
    expect(await command.list(page)).toHaveLength(4);
    await command.invalidate(sampleCacheEntry('one'), Date.now() + 60_000);
    gateway.look();
    expect(gateway.find(digestOf('one'))).toBeNull();
    expect(gateway.wasInvalidated(cacheEntryId('one'))).toBe(true);
    gateway.put(sampleCacheEntry('one'));
    expect(gateway.find(digestOf('one'))).toBeNull();
    expect(heard).toContain(`removed ${digestOf('one')}`);
    expect(await command.clear('acme')).toBe(2);
    gateway.look();
    expect(gateway.find(digestOf('two'))).toBeNull();
    expect(gateway.find(digestOf('of globex'))).not.toBeNull();
    expect(heard).toContain('cleared');
    expect(await command.clear(null)).toBe(1);
    gateway.look();
    expect(gateway.find(digestOf('of globex'))).toBeNull();
    expect(log).toEqual([]);
  });
});
