import { describe, expect, test } from 'bun:test';
import {
  digestOf,
  randomAnswer,
  sampleCacheEntry,
  sampleQuestion,
} from '../../engine/ports/testing/sample-cache-entry.ts';
import { cacheStoreTests, heardFrom, TEST_CACHE, TestClock } from '../shared/testing/cache-contract.ts';
import { MemoryCache } from './cache.ts';

const MIB = 1024 * 1024;
const open = (clock = new TestClock(), settings = {}) =>
  new MemoryCache({ clock, settings: { ...TEST_CACHE, ...settings } });

describe('the contract of the cache', () => {
  cacheStoreTests((name, body) => test(name, body), open);
});

describe('memory', () => {
  test('evictions are announced', () => {
    const store = open(new TestClock(), { memoryBytes: 100_000 });
    const heard = heardFrom(store);
    const question = sampleQuestion('p');
    for (let index = 0; index < 3; index++) {
      store.put(sampleCacheEntry(`k${index}`, { answer: randomAnswer(20_000), question }));
    }
    expect(heard).toEqual(
      [
        ['added', 'k0'],
        ['added', 'k1'],
        ['removed', 'k0'],
        ['added', 'k2'],
      ].map(([what, name = '']) => `${what} ${digestOf(name)}`),
    );
  });

  test('an entry above the limit of an account is not kept and evicts nothing', () => {
    const store = open(new TestClock(), { memoryBytes: 100_000 });
    const heard = heardFrom(store);
    store.put(sampleCacheEntry('small'));
    store.put(sampleCacheEntry('large', { answer: randomAnswer(60_000), question: sampleQuestion('p') }));
    expect(store.find(digestOf('large'))).toBeNull();
    expect(store.find(digestOf('small'))).not.toBeNull();
    expect(heard).toEqual([]);
  });

  test('expired entries are removed without a look-up', () => {
    const clock = new TestClock();
    const store = open(clock, { memoryBytes: 64 * MIB });
    for (let index = 0; index < 5_000; index++) store.put(sampleCacheEntry(`k${index}`, { accountId: `a${index}` }));
    clock.pass(2 * 3_600_000);
    for (let second = 0; second < 60; second++) store.look();
    expect(store.statistics().memory).toEqual({ entries: 0, bytes: 0 });
  });

  test('blocked keys are bounded', async () => {
    const clock = new TestClock();
    const store = open(clock);
    const entries = Array.from({ length: 20_100 }, (_, index) => ({ id: `ce_${index}`, key: `key ${index}` }));
    for (const entry of entries) await store.invalidate(entry, clock.nowMs() + 1_000);
    expect(store.wasInvalidated('ce_0')).toBe(false);
    expect(store.wasInvalidated('ce_20099')).toBe(true);
  });

  test('200 MB of traffic stay within a cache of 4 MB', () => {
    const store = open();
    const source = randomAnswer(MIB);
    const accounts = Array.from({ length: 50 }, (_, index) => `account-${index}`);
    const traffic = (bytes: number) => {
      for (let sent = 0, index = 0; sent < bytes; index++) {
        const length = 1 + Math.floor(Math.random() ** 4 * 500_000);
        const start = Math.floor(Math.random() * (source.length - length));
        const key = `${bytes} ${index} ${Math.random()}`;
        store.put({
          ...sampleCacheEntry('sample', { answer: source.slice(start, start + length) }),
          ...{ key, id: `ce_${key}`, accountId: accounts[index % accounts.length] ?? '' },
        });
        store.find(key);
        sent += length;
        expect(store.statistics().memory.bytes).toBeLessThanOrEqual(4 * MIB);
      }
    };
    traffic(30 * MIB);
    Bun.gc(true);
    const before = process.memoryUsage.rss();
    traffic(170 * MIB);
    Bun.gc(true);
    expect(store.statistics().memory.bytes).toBeGreaterThan(2 * MIB);
    expect(process.memoryUsage.rss() - before).toBeLessThan(48 * MIB);
  });
});
