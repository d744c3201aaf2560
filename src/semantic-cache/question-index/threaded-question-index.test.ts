import { afterAll, afterEach, describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
// Real time: how long a look-up may take is what some tests are about.
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { until } from '../../domain/testing/until.ts';
import type { CacheListener, StoredQuestion } from '../../engine/ports/cache-store.ts';
import { direction, near, randomFrom } from './testing/vectors.ts';
import { type QuestionIndexOptions, ThreadedQuestionIndex } from './threaded-question-index.ts';

const DIMENSIONS = 64;
const random = randomFrom(9);
const vectors = Array.from({ length: 5_000 }, () => direction(DIMENSIONS, random));
const vectorOf = (index: number) => vectors[index] ?? new Float32Array(0);
const question = (partition: string, index: number): StoredQuestion => ({
  key: `${partition}${index}`,
  partition,
  vector: vectorOf(index),
});
const OF = { most: 3, least: 0.9 };

class FakeStore {
  readonly listeners: CacheListener[] = [];
  readonly loads: { partition: string; limit: number }[] = [];
  /** Ordered from the newest. */
  stored: StoredQuestion[] = [];
  /** Reads wait for this promise. */
  gate: Promise<void> = Promise.resolve();
  isFailing = false;

  async questions(partition: string, limit: number): Promise<readonly StoredQuestion[]> {
    this.loads.push({ partition, limit });
    const found = this.stored.filter((one) => one.partition === partition).slice(0, limit);
    await this.gate;
    if (this.isFailing) throw new Error('away');
    return found;
  }

  listen(listener: CacheListener): void {
    this.listeners.push(listener);
  }

  add(...added: readonly StoredQuestion[]): void {
    this.stored.unshift(...added);
    for (const listener of this.listeners) for (const one of added) listener.added(one);
  }

  remove(...keys: readonly string[]): void {
    this.stored = this.stored.filter(({ key }) => !keys.includes(key));
    for (const listener of this.listeners) listener.removed(keys);
  }
}

const folder = await mkdtemp(join(tmpdir(), 'question-index-'));
const opened: ThreadedQuestionIndex[] = [];
const warnings: string[] = [];

function opensWith(store: FakeStore, options: Partial<QuestionIndexOptions> = {}): ThreadedQuestionIndex {
  const logger = { warn: (_: unknown, message: string) => void warnings.push(message) };
  const index = new ThreadedQuestionIndex({
    store,
    logger,
    indexBytes: 64 * 1024 * 1024,
    withinMs: 20_000,
    sleep: (ms, signal) => setTimeout(ms, undefined, { signal }),
    ...options,
  });
  opened.push(index);
  return index;
}

afterEach(async () => {
  for (const index of opened.splice(0)) await index.close();
  warnings.length = 0;
});
afterAll(() => rm(folder, { recursive: true }));

const keysOf = (found: readonly { readonly key: string }[] | null) => found?.map(({ key }) => key) ?? null;

describe('the questions of a partition', () => {
  test('are loaded once, in slices, by the first look-ups', async () => {
    const store = new FakeStore();
    store.stored = vectors.map((_, index) => question('p', index)).reverse();
    const index = opensWith(store);
    const found = await Promise.all([1, 2_500, 4_999].map((at) => index.nearest('p', vectorOf(at), OF)));
    expect(found.map(keysOf)).toEqual([['p1'], ['p2500'], ['p4999']]);
    expect(store.loads).toHaveLength(1);
    expect(keysOf(await index.nearest('p', near(vectorOf(7), 0.95, random), OF))).toEqual(['p7']);
    expect(index.statistics().questions).toBe(5_000);
    expect(index.statistics().bytes).toBeGreaterThan(5_000 * 2 * DIMENSIONS);
    expect(vectorOf(7)).toHaveLength(DIMENSIONS);
  });

  test('follow the changes that the store reports', async () => {
    const store = new FakeStore();
    const index = opensWith(store);
    store.add(question('p', 1));
    expect(keysOf(await index.nearest('p', vectorOf(1), OF))).toEqual(['p1']);
    store.add(question('p', 2), question('never asked for', 2));
    store.remove('p1', 'unknown');
    expect(keysOf(await index.nearest('p', vectorOf(2), OF))).toEqual(['p2']);
    expect(keysOf(await index.nearest('p', vectorOf(1), OF))).toEqual([]);
    store.stored = [question('p', 3)];
    for (const listener of store.listeners) listener.cleared();
    expect(keysOf(await index.nearest('p', vectorOf(2), OF))).toEqual([]);
    expect(keysOf(await index.nearest('p', vectorOf(3), OF))).toEqual(['p3']);
    expect(store.loads).toHaveLength(2);
  });

  test('are correct when they change during loading', async () => {
    const store = new FakeStore();
    store.stored = [question('p', 1), question('p', 2)];
    const index = opensWith(store);
    const gate = Promise.withResolvers<void>();
    store.gate = gate.promise;
    const found = [1, 2, 3].map((at) => index.nearest('p', vectorOf(at), OF));
    await until('it is loading', () => store.loads.length > 0);
    store.remove('p1');
    store.add(question('p', 3));
    gate.resolve();
    expect((await Promise.all(found)).map(keysOf)).toEqual([[], ['p2'], ['p3']]);
  });

  test('are loaded again when everything is cleared during loading', async () => {
    const store = new FakeStore();
    store.stored = [question('p', 1)];
    const index = opensWith(store);
    const gate = Promise.withResolvers<void>();
    store.gate = gate.promise;
    const found = index.nearest('p', vectorOf(1), OF);
    await until('it is loading', () => store.loads.length > 0);
    store.stored = [];
    for (const listener of store.listeners) listener.cleared();
    gate.resolve();
    expect(keysOf(await found)).toEqual([]);
    expect(store.loads).toHaveLength(2);
  });

  test('are limited to the available room and the right vector length', async () => {
    const store = new FakeStore();
    store.stored = [{ key: 'odd', partition: 'p', vector: new Float32Array(3) }];
    store.stored.push(...vectors.map((_, index) => question('p', index)));
    const index = opensWith(store, { indexBytes: 100_000 });
    expect(keysOf(await index.nearest('p', vectorOf(1), OF))).toEqual(['p1']);
    expect(store.loads[0]?.limit).toBeLessThan(200);
    expect(index.statistics().bytes).toBeLessThanOrEqual(100_000);
    expect(index.statistics().questions).toBeGreaterThan(150);
  });
});

describe('without a result', () => {
  test('no thread is started by changes in the store', async () => {
    const store = new FakeStore();
    const index = opensWith(store, { thread: { worker: new URL('file:///nowhere.ts') } });
    store.add(question('p', 1));
    store.remove('p1');
    for (const listener of store.listeners) listener.cleared();
    expect(index.statistics()).toEqual({ questions: 0, bytes: 0 });
    await index.close();
    expect(warnings).toEqual([]);
  });

  test('a look-up ends if the thread cannot start, and no further start is tried for a while', async () => {
    const index = opensWith(new FakeStore(), { thread: { worker: pathToFileURL(join(folder, 'nowhere.ts')) } });
    expect(await index.nearest('p', vectorOf(1), OF)).toBeNull();
    expect(await index.nearest('p', vectorOf(1), OF)).toBeNull();
    expect(warnings).toHaveLength(1);
  });

  test('a look-up ends after its time-out, and when too many wait', async () => {
    const store = new FakeStore();
    store.gate = new Promise(() => {});
    const index = opensWith(store, { withinMs: 100 });
    const found = Array.from({ length: 70 }, () => index.nearest('p', vectorOf(1), OF));
    expect(await Promise.race(found.slice(64))).toBeNull();
    expect(await Promise.all(found)).toEqual(found.map(() => null));
  });

  test('a failing store leaves the partition to the next look-up', async () => {
    const store = new FakeStore();
    store.stored = [question('p', 1)];
    store.isFailing = true;
    const index = opensWith(store);
    expect(await index.nearest('p', vectorOf(1), OF)).toBeNull();
    store.isFailing = false;
    expect(keysOf(await index.nearest('p', vectorOf(1), OF))).toEqual(['p1']);
  });

  test('a closed index returns nothing', async () => {
    const store = new FakeStore();
    const index = opensWith(store);
    const waiting = index.nearest('p', vectorOf(1), OF);
    await index.close();
    expect(await waiting).toBeNull();
    expect(await index.nearest('p', vectorOf(1), OF)).toBeNull();
    store.add(question('p', 1));
    await index.close();
  });
});

describe('a thread that dies', () => {
  /** The real worker, except that look-ups in certain partitions make it crash or hang. */
  async function breakable(): Promise<URL> {
    const real = JSON.stringify(new URL('./question-thread.worker.ts', import.meta.url).href);
    const path = join(folder, 'breakable.ts');
    await Bun.write(
      path,
      `import { parentPort } from 'node:worker_threads';
       const on = parentPort.on.bind(parentPort);
       parentPort.on = (name, listener) => on(name, (envelope) => {
         const { partition } = envelope.message;
         if (partition === 'die') process.exit(1);
         if (partition === 'hang') for (;;);
         listener(envelope);
       });
       await import(${real});`,
    );
    return pathToFileURL(path);
  }

  test.each(['die', 'hang'])('(%p) is restarted, and loads again', async (how) => {
    const store = new FakeStore();
    store.stored = [question('p', 1)];
    // A worker starts slowly on a busy machine and must not count as hung.
    const thread = { worker: await breakable(), restMs: 0, hungMs: 1_500 };
    const index = opensWith(store, { thread, withinMs: 30_000 });
    expect(keysOf(await index.nearest('p', vectorOf(1), OF))).toEqual(['p1']);
    const [lost, other] = [index.nearest(how, vectorOf(1), OF), index.nearest('p', vectorOf(1), OF)];
    expect(await lost).toBeNull();
    expect(await other).toBeNull();
    expect(index.statistics().questions).toBe(0);
    expect(keysOf(await index.nearest('p', vectorOf(1), OF))).toEqual(['p1']);
    expect(store.loads.filter(({ partition }) => partition === 'p')).toHaveLength(2);
    expect(warnings).toHaveLength(1);
  });
});
