import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { until } from '../../domain/testing/until.ts';
import type { Store } from '../../engine/ports/store.ts';
import { sampleCharge, sampleEntry, sampleRecord } from '../../engine/ports/testing/samples.ts';
import { openConnection } from './connection.ts';
import { packLine, packLines } from './packed.ts';
import { openSqliteStore } from './sqlite-store.ts';
import { copyEmptyDatabase } from './testing/empty-database.ts';
import { remote, transact } from './writer-link.ts';
import { WriterThread } from './writer-thread.ts';

const clock = { nowMs: () => 1_790_000_000_000, monotonicMs: () => performance.now() };
const silent = () => {};
const logger = { debug: silent, info: silent, warn: silent, error: silent };
let folder: string;
let path: string;
/** For reading and for holding the lock. */
let store: Store;
let workers: Worker[];
let events: string[];
let thread: WriterThread;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-books-'));
  path = join(folder, 'switchyard.sqlite');
  await copyEmptyDatabase(path);
  store = await openSqliteStore({ path, secret: 's', clock, logger });
  workers = [];
  events = [];
  thread = new WriterThread({
    ...{ path, secret: 's', clock },
    onDown: () => void events.push('down'),
    onRestarted: () => void events.push('restarted'),
    onFatal: () => void events.push('fatal'),
    onStarted: (worker) => void workers.push(worker),
  });
});

afterEach(async () => {
  await thread.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Resolves when the thread has begun all earlier calls, which it processes in order. */
async function begun(): Promise<void> {
  await remote(thread, 'nodes').living();
}

/** Locks the file like another process, so that calls neither complete nor fail. */
function lockBooks(): () => void {
  const other = openConnection(path, 'FULL');
  other.run('BEGIN IMMEDIATE');
  return () => {
    other.run('COMMIT');
    other.close();
  };
}

test('charges in flight when the thread dies are written once by the next one', async () => {
  expect(await thread.charge([sampleCharge({ requestId: 'before', costNanoUsd: 1n })])).toEqual(['charged']);
  const unlock = lockBooks();
  const charging = thread.charge([
    sampleCharge({ requestId: 'before', costNanoUsd: 1n }),
    sampleCharge({ requestId: 'under way', costNanoUsd: 2n }),
  ]);
  await begun();
  await workers[0]?.terminate();
  unlock();
  expect(await charging).toEqual(['known', 'charged']);
  expect(events).toEqual(['down', 'restarted']);
  expect((await store.ledger.balance('acme')).balanceNanoUsd).toBe(-3n);
  expect((await store.ledger.verify()).problems).toEqual([]);
});

test('a thread that dies repeatedly during charges loses none and writes none twice', async () => {
  for (let round = 0; round < 10; round++) {
    const mortal = new WriterThread({
      ...{ path, secret: 's', clock, onDown: silent, onRestarted: silent, onFatal: silent },
      onStarted: (worker) => void workers.push(worker),
    });
    const ids = Array.from({ length: 40 }, (_, index) => `r-${round}-${index}`);
    const charging = ids.map((requestId) => mortal.charge([sampleCharge({ requestId, costNanoUsd: 1n })]));
    await charging[round * 2];
    await workers.at(-1)?.terminate();
    await Promise.all(charging);
    await mortal.close();
  }
  expect((await store.ledger.balance('acme')).balanceNanoUsd).toBe(-400n);
  expect((await store.ledger.verify()).problems).toEqual([]);
}, 600_000);

test('an operation that is not idempotent fails with the thread, and the next thread accepts new ones', async () => {
  await store.ledger.append(sampleEntry({ amountNanoUsd: 100n }));
  const ledger = remote(thread, 'ledger', ['append']);
  const unlock = lockBooks();
  const leasing = ledger.lease({ accountId: 'acme', keyId: null }, 10n, 10n, 0n);
  const granting = ledger.append(sampleEntry({ idempotencyKey: 'second', amountNanoUsd: 5n }));
  await begun();
  const failed = leasing.catch((error: Error) => error.message);
  await workers[0]?.terminate();
  unlock();
  expect(await failed).toBe('The writer thread has exited.');
  expect(await granting).toBe('appended');
  expect(await ledger.lease({ accountId: 'acme', keyId: null }, 10n, 10n, 0n)).toBe(10n);
});

test('lines that may have been written before the thread died are written once', async () => {
  const log = remote(thread, 'log');
  const lines = [sampleRecord({ requestId: 'a' }), sampleRecord({ requestId: 'b' })];
  await log.write(packLines(lines.map(packLine)));
  await log.writeMissing(lines, true);
  expect(await store.requestLog.recent(10)).toHaveLength(2);
  await log.writeMissing([...lines, sampleRecord({ requestId: 'c' })], true);
  expect(await store.requestLog.recent(10)).toHaveLength(3);
});

test('a second death is final: pending and new operations fail', async () => {
  await thread.charge([sampleCharge()]);
  await workers[0]?.terminate();
  await until('it was restarted', () => events.includes('restarted'));
  const unlock = lockBooks();
  const charging = thread.charge([sampleCharge({ requestId: 'late' })]).catch((error: Error) => error.message);
  await begun();
  await workers[1]?.terminate();
  expect(await charging).toBe('The writer thread has exited.');
  unlock();
  expect(events).toEqual(['down', 'restarted', 'down', 'fatal']);
  await expect(thread.charge([sampleCharge()])).rejects.toThrow('has exited');
  expect(workers).toHaveLength(2);
});

test('closing waits for pending operations and rejects new ones', async () => {
  const charging = thread.charge([sampleCharge()]);
  await thread.close();
  expect(await charging).toEqual(['charged']);
  await expect(thread.charge([sampleCharge()])).rejects.toThrow('closed');
  expect(events).toEqual([]);
});

test('batches are written in the order in which they were sent', async () => {
  const ids = Array.from({ length: 50 }, (_, index) => `in-order-${index}`);
  await Promise.all(ids.map((requestId) => thread.charge([sampleCharge({ requestId })])));
  const entries = await store.ledger.entries('acme', 100);
  expect(entries.map(({ requestId }) => requestId).reverse()).toEqual(ids);
});

test('an open transaction of several steps blocks other writes, and a slow one is reported', async () => {
  const transactions = remote(thread, 'transactions');
  const [first, second] = [transactions.begin(), transactions.begin()];
  const id = await first;
  const charging = thread.charge([sampleCharge({ requestId: 'waits', costNanoUsd: 1n })]);
  const sql = 'SELECT count(*) AS entries FROM ledger_entries';
  // Calls are processed in this order.
  expect(await transactions.ask(id, { sql, values: [] })).toEqual([{ entries: 0 }]);
  await transactions.commit(id, []);
  await transactions.undo(await second);
  expect(await charging).toEqual(['charged']);
  await expect(transactions.ask(id, { sql, values: [] })).rejects.toMatchObject({
    message: 'The change took too long and was rolled back. Try again.',
    code: 'SQLITE_BUSY_TIMEOUT',
  });
});

test('a transaction is rolled back if a step fails or its caller abandons it', async () => {
  const put = { sql: "INSERT INTO settings (section, words) VALUES ('x', '{}')", values: [] };
  const failing = transact(thread, async (ask) => {
    await ask(put);
    throw new Error('No.');
  });
  await expect(failing).rejects.toThrow('No.');
  const forgotten = await remote(thread, 'transactions').begin();
  await remote(thread, 'transactions').ask(forgotten, put);
  // Waits until the other transaction has timed out.
  expect(await thread.charge([sampleCharge({ requestId: 'late' })])).toEqual(['charged']);
  expect(await store.settings.read()).toEqual({});
}, 600_000);
