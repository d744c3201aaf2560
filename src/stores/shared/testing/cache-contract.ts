import { expect } from 'bun:test';
import type { CacheStore } from '../../../engine/ports/cache-store.ts';
import {
  cacheEntryId,
  digestOf,
  randomAnswer,
  sampleCacheEntry,
  sampleQuestion,
} from '../../../engine/ports/testing/sample-cache-entry.ts';
import { type CacheSettings, DEFAULT_CACHE } from '../../../engine/settings/settings.ts';

const MIB = 1024 * 1024;
const HOUR_MS = 3_600_000;

/** A clock that tests can advance. */
export class TestClock {
  #nowMs = Date.now();
  readonly nowMs = () => this.#nowMs;
  readonly monotonicMs = () => performance.now();
  pass(ms: number): void {
    this.#nowMs += ms;
  }
}

export const TEST_CACHE: CacheSettings = {
  ...DEFAULT_CACHE,
  memoryBytes: 4 * MIB,
  diskBytes: 64 * MIB,
  redisBytes: 64 * MIB,
};

/** Returns the events that a listener receives, as text. */
export function heardFrom(store: CacheStore): string[] {
  const heard: string[] = [];
  store.listen({
    added: ({ key }) => void heard.push(`added ${key}`),
    removed: (keys) => void heard.push(...keys.map((key) => `removed ${key}`)),
    cleared: () => void heard.push('cleared'),
  });
  return heard;
}

type Define = (name: string, body: () => void | Promise<void>) => void;
type Open = (clock: TestClock, settings?: Partial<CacheSettings>) => CacheStore | Promise<CacheStore>;

/** Tests for every cache store, in the process that stored the entries. */
export function cacheStoreTests(define: Define, open: Open): void {
  entryTests(define, open);
  removalTests(define, open);
  questionTests(define, open);
  listTests(define, open);
}

function entryTests(define: Define, open: Open): void {
  define('an entry is found at once, by key and id, and alone', async () => {
    const store = await open(new TestClock());
    const entry = sampleCacheEntry('one', { question: sampleQuestion('p', 'ä?'), isShared: true });
    store.put(entry);
    expect(store.find(entry.key)).toEqual(entry);
    expect(store.findById(entry.id)).toEqual(entry);
    expect(await store.find(digestOf('other'))).toBeNull();
    expect(await store.findById(cacheEntryId('other'))).toBeNull();
    expect(await store.findAll([digestOf('x'), entry.key, digestOf('y'), entry.key])).toEqual([
      null,
      entry,
      null,
      entry,
    ]);
    expect(await store.findAll([])).toEqual([]);
  });

  define('the entry of a key is replaced, and its id is unknown then', async () => {
    const store = await open(new TestClock());
    const [first, second] = [sampleCacheEntry('one'), sampleCacheEntry('one', { id: cacheEntryId('second') })];
    store.put(first);
    store.put(second);
    expect(await store.find(first.key)).toEqual(second);
    expect(await store.findById(first.id)).toBeNull();
    expect(await store.findById(second.id)).toEqual(second);
    expect(await store.list({ limit: 10, before: null, accountId: null })).toHaveLength(1);
  });

  define('an entry is not served from the moment on at which it expires', async () => {
    const clock = new TestClock();
    const store = await open(clock);
    const entry = sampleCacheEntry('one', { storedAtMs: clock.nowMs(), expiresAtMs: clock.nowMs() + HOUR_MS });
    store.put(entry);
    clock.pass(HOUR_MS - 1);
    expect(await store.find(entry.key)).toEqual(entry);
    clock.pass(1);
    expect(await store.find(entry.key)).toBeNull();
    expect(await store.findById(entry.id)).toBeNull();
    expect(await store.list({ limit: 10, before: null, accountId: null })).toEqual([]);
    store.put(entry);
    expect(await store.find(entry.key)).toBeNull();
  });

  define('what is too large is not kept, and an empty answer is', async () => {
    const store = await open(new TestClock(), { maxEntryBytes: 10_000 });
    store.put(sampleCacheEntry('large', { answer: randomAnswer(10_001) }));
    store.put(sampleCacheEntry('fits', { answer: randomAnswer(10_000) }));
    store.put(sampleCacheEntry('empty', { answer: new Uint8Array(0) }));
    expect(await store.find(digestOf('large'))).toBeNull();
    expect(await store.find(digestOf('fits'))).not.toBeNull();
    expect((await store.find(digestOf('empty')))?.answer).toEqual(new Uint8Array(0));
  });

  define('bytes that are a part of something larger are kept alone', async () => {
    const store = await open(new TestClock());
    const request = randomAnswer(1_000_000);
    store.put(sampleCacheEntry('one', { answer: request.subarray(10, 20) }));
    expect((await store.find(digestOf('one')))?.answer.buffer.byteLength).toBe(10);
    expect((await store.find(digestOf('one')))?.answer).toEqual(request.slice(10, 20));
  });

  define('the memory is bounded, the least recently used go first, and one account has at most half', async () => {
    const store = await open(new TestClock(), { memoryBytes: MIB });
    store.put(sampleCacheEntry('of globex', { accountId: 'globex' }));
    for (let index = 0; index < 100; index++) {
      store.put(sampleCacheEntry(`k${index}`, { answer: randomAnswer(20_000) }));
      store.find(digestOf('k0'));
      expect(store.statistics().memory.bytes).toBeLessThanOrEqual(MIB);
    }
    expect(store.statistics().memory.bytes).toBeLessThanOrEqual(MIB / 2 + 10_000);
    expect(store.find(digestOf('k0'))).toHaveProperty('id');
    expect(store.find(digestOf('k99'))).toHaveProperty('id');
    expect(store.find(digestOf('of globex'))).toHaveProperty('id');
  });
}

function removalTests(define: Define, open: Open): void {
  define('an invalidated entry is gone, and nothing is put under its key until that is free', async () => {
    const clock = new TestClock();
    const store = await open(clock);
    const [entry, next] = [sampleCacheEntry('one'), sampleCacheEntry('one', { id: cacheEntryId('next') })];
    store.put(entry);
    expect(await store.wasInvalidated(entry.id)).toBe(false);
    await store.invalidate(entry, clock.nowMs() + 1_000);
    expect(await store.find(entry.key)).toBeNull();
    expect(await store.findById(entry.id)).toBeNull();
    expect(await store.wasInvalidated(entry.id)).toBe(true);
    store.put(next);
    expect(await store.find(entry.key)).toBeNull();
    clock.pass(1_000);
    expect(await store.wasInvalidated(entry.id)).toBe(false);
    store.put(next);
    expect(await store.find(entry.key)).toEqual(next);
  });

  define('what is not there can be invalidated, with any end of the block', async () => {
    const store = await open(new TestClock());
    const entry = sampleCacheEntry('one');
    await store.invalidate(entry, Number.POSITIVE_INFINITY);
    store.put(entry);
    expect(await store.find(entry.key)).toBeNull();
    const other = sampleCacheEntry('two');
    await store.invalidate(other, 0);
    store.put(other);
    expect(await store.find(other.key)).toEqual(other);
  });

  define('all entries are cleared, or those of an account', async () => {
    const store = await open(new TestClock());
    for (const name of ['a', 'b', 'c']) store.put(sampleCacheEntry(name));
    store.put(sampleCacheEntry('of globex', { accountId: 'globex' }));
    const heard = heardFrom(store);
    expect(await store.clear('acme')).toBe(3);
    expect(await store.find(digestOf('a'))).toBeNull();
    expect(await store.find(digestOf('of globex'))).not.toBeNull();
    expect(await store.clear('nobody')).toBe(0);
    expect(await store.clear(null)).toBe(1);
    expect(await store.find(digestOf('of globex'))).toBeNull();
    expect(await store.findById(cacheEntryId('of globex'))).toBeNull();
    expect(heard).toContain('cleared');
    store.put(sampleCacheEntry('a'));
    expect(await store.find(digestOf('a'))).not.toBeNull();
    expect(await store.list({ limit: 10, before: null, accountId: null })).toHaveLength(1);
  });

  define('who was served a shared entry is known', async () => {
    const store = await open(new TestClock());
    const entry = sampleCacheEntry('one', { isShared: true });
    store.put(entry);
    store.served(entry, 'globex');
    store.served(entry, 'globex');
    expect(await store.wasServed(entry, 'globex')).toBe(true);
    expect(await store.wasServed(entry, 'initech')).toBe(false);
    expect(await store.wasServed(sampleCacheEntry('two'), 'globex')).toBe(false);
  });
}

function questionTests(define: Define, open: Open): void {
  define('the newest questions of a partition are found, with their vectors', async () => {
    const store = await open(new TestClock());
    const nowMs = Date.now();
    for (let index = 0; index < 30; index++) {
      const question = sampleQuestion(index % 2 === 0 ? 'even' : 'odd', 'x'.repeat(index), 64);
      store.put(sampleCacheEntry(`k${index}`, { storedAtMs: nowMs + index, question }));
    }
    store.put(sampleCacheEntry('without'));
    const found = await store.questions(digestOf('even'), 3);
    expect(found.map(({ key }) => key)).toEqual(['k28', 'k26', 'k24'].map(digestOf));
    expect(found[0]?.vector).toEqual(sampleQuestion('even', 'x'.repeat(28), 64).vector);
    expect(found[0]?.partition).toBe(digestOf('even'));
    await store.invalidate(sampleCacheEntry('k28'), nowMs + HOUR_MS);
    expect((await store.questions(digestOf('even'), 1))[0]?.key).toBe(digestOf('k26'));
    expect(await store.questions(digestOf('none'), 10)).toEqual([]);
  });

  define('listeners hear of questions, and of what is gone', async () => {
    const clock = new TestClock();
    const store = await open(clock);
    const heard = heardFrom(store);
    const question = sampleQuestion('p');
    const [one, two] = [sampleCacheEntry('one', { question }), sampleCacheEntry('two')];
    store.put(one);
    store.put(two);
    expect(heard.filter((text) => text.startsWith('added'))).toEqual([`added ${one.key}`]);
    heard.length = 0;
    store.put({ ...one, id: cacheEntryId('other') });
    expect(heard).toEqual([`removed ${one.key}`, `added ${one.key}`]);
    await store.invalidate(one, clock.nowMs() + HOUR_MS);
    expect(heard.filter((text) => text === `removed ${one.key}`).length).toBeGreaterThan(1);
    heard.length = 0;
    store.put(one);
    expect(heard).toEqual([]);
    clock.pass(2 * HOUR_MS);
    store.look();
    expect(heard).toContain(`removed ${two.key}`);
  });
}

function listTests(define: Define, open: Open): void {
  define('entries are listed page by page, the newest first, without their content', async () => {
    const store = await open(new TestClock());
    const nowMs = Date.now();
    for (let index = 0; index < 25; index++) {
      const accountId = index % 5 === 0 ? 'globex' : 'acme';
      const question = index === 24 ? sampleQuestion('p') : null;
      // Two entries per millisecond.
      store.put(sampleCacheEntry(`k${index}`, { accountId, storedAtMs: nowMs + Math.floor(index / 2), question }));
    }
    const ids: string[] = [];
    let before: { id: string; storedAtMs: number } | null = null;
    for (;;) {
      const page = await store.list({ limit: 7, before, accountId: null });
      if (page.length === 0) break;
      ids.push(...page.map(({ id }) => id));
      before = page.at(-1) ?? null;
    }
    expect(ids).toHaveLength(25);
    expect(new Set(ids).size).toBe(25);
    const [newest] = await store.list({ limit: 1, before: null, accountId: null });
    const { answer: _, question: __, ...facts } = sampleCacheEntry('k24', { storedAtMs: nowMs + 12 });
    expect(newest).toEqual({ ...facts, isSemantic: true, bytes: newest?.bytes ?? 0 });
    expect(newest?.bytes).toBeGreaterThan(20);
    const ofGlobex = await store.list({ limit: 100, before: null, accountId: 'globex' });
    expect(ofGlobex.map(({ id }) => id)).toEqual(['k20', 'k15', 'k10', 'k5', 'k0'].map(cacheEntryId));
  });
}
