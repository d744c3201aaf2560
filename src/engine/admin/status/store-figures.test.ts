import { expect, test } from 'bun:test';
import { type StatusStore, StoreFigureReader } from './store-figures.ts';

function benchOf(describe: () => Promise<unknown>) {
  const clock = { nowMs: 0, monotonicMs: () => clock.nowMs };
  const reads = { count: 0 };
  const store = {
    describe: () => {
      reads.count++;
      return describe();
    },
    nodes: { living: async () => [] },
    directory: { state: async () => ({ accessVersion: 1, servingVersion: 1 }) },
    tasks: { figures: async () => [] },
    alerts: { figures: async () => ({ raised: 0 }), raised: async () => [] },
    audit: { page: async () => [{ atMs: 7, after: { problems: 3 } }] },
  } as unknown as StatusStore;
  const sleeping = Promise.withResolvers<void>();
  const reader = new StoreFigureReader(store, clock, () => sleeping.promise);
  return { clock, reads, reader, wake: sleeping.resolve };
}

test('the database is read at most once in five seconds', async () => {
  const { clock, reads, reader } = benchOf(async () => ({ kind: 'sqlite' }));
  const [first] = await Promise.all([reader.read(), reader.read()]);
  expect(first?.ledger).toEqual({ atMs: 7, problems: 3 });
  clock.nowMs = 4_999;
  await reader.read();
  expect(reads.count).toBe(1);
  clock.nowMs = 5_000;
  await reader.read();
  expect(reads.count).toBe(2);
});

test('a database that fails or does not answer in time has no figures', async () => {
  const failing = benchOf(() => Promise.reject(new Error('away')));
  expect(await failing.reader.read()).toBeNull();
  const silent = benchOf(() => new Promise(() => {}));
  silent.wake();
  expect(await silent.reader.read()).toBeNull();
  expect(await silent.reader.read()).toBeNull();
  expect(silent.reads.count).toBe(1);
});
