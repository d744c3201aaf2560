import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { readdir, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TASK_STAGES, type TaskStage } from '../../../src/domain/tasks/task.ts';
import { FakeClock } from '../../../src/engine/admin/testing/fake-clock.ts';
import type { Store } from '../../../src/engine/ports/store.ts';
import { FolderShelf } from '../../../src/stores/media/folder-shelf.ts';
import { HOUR_MS, mediaOver } from '../../../src/stores/media/testing/media-contract.ts';
import { TEST_CACHE, TestClock } from '../../../src/stores/shared/testing/cache-contract.ts';
import { openDiskCache } from '../../../src/stores/sqlite/cache.ts';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store.ts';
import { archiveKillTests } from './archive-kill-contract.ts';
import { killedAfter, killedWhen } from './killed.ts';

/* A process that is killed while writing loses nothing that it reported as durable, and the next one continues at once. */

const MIB = 1024 * 1024;
const silent = () => {};
const clock = { nowMs: () => 1, monotonicMs: () => performance.now() };

let folder: string;
let path: string;
let log: string[];
const line = (level: string) => (_fields: object, message: string) => void log.push(`${level} ${message}`);
const logger = { debug: silent, info: silent, warn: line('warn'), error: line('error') };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-kill-'));
  path = join(folder, 'store.sqlite');
  log = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Opens the data folder as the next gateway. */
function openNext(): Promise<Store> {
  return openSqliteStore({ path, secret: 'crash', clock, logger, exclusive: true });
}

/** Picks a random moment for each kill. */
const upTo = (lines: number) => 1 + Math.floor(Math.random() * lines);

test('kill -9 leaves all or nothing of a directory write, and keeps every reported generation', async () => {
  for (let round = 0; round < 3; round++) {
    const said = await killedAfter(upTo(30), 'directory-writer.child.ts', path, 'Infinity');
    const store = await openNext();
    const { accounts, models } = await store.directory.read('all');
    await store.close();
    const generations = new Set([...accounts.map(({ name }) => name), ...models.map(({ ownedBy }) => ownedBy)]);
    expect(accounts).toHaveLength(50);
    expect(models).toHaveLength(50);
    expect(generations.size).toBe(1);
    expect(Number([...generations][0]) - Number(said.at(-1))).toBeOneOf([0, 1]);
  }
});

test('kill -9 loses no reported charge, and books none twice', async () => {
  const reported = new Map<string, bigint>();
  for (let round = 0; round < 3; round++) {
    for (const said of await killedAfter(40 + upTo(200), 'charge-writer.child.ts', path)) {
      const [requestId = '', cost = ''] = said.split(' ');
      reported.set(requestId, BigInt(cost));
    }
    const next = await openNext();
    const charges = new Map(
      (await next.ledger.entries('acme', 1_000_000))
        .filter(({ kind }) => kind === 'charge')
        .map(({ requestId, amountNanoUsd }) => [requestId, -amountNanoUsd]),
    );
    for (const [requestId, cost] of reported) expect(charges.get(requestId)).toBe(cost);
    expect((await next.ledger.verify()).problems).toEqual([]);
    expect((await next.ledger.balance('acme')).leasedNanoUsd).toBe(0n);
    const startsAtMs = Date.UTC(2026, 10, 23);
    const budget = { accountId: 'acme', keyId: null, window: { startsAtMs, endsAtMs: startsAtMs + 86_400_000 } };
    const spentNanoUsd = [...charges.values()].reduce((sum, cost) => sum + cost, 0n);
    expect(await next.ledger.budgetSpending([budget])).toEqual([{ ...budget, spentNanoUsd, leasedNanoUsd: 0n }]);
    await next.close();
  }
  expect(reported.size).toBeGreaterThan(100);
});

test('kill -9 loses no reported hold or its end, and charges none twice', async () => {
  /** The last report for each hold; a gateway may end a hold of an earlier one. */
  const reported = new Map<string, readonly [state: string, amount: bigint]>();
  for (let round = 0; round < 3; round++) {
    for (const said of await killedAfter(20 + upTo(60), 'hold-writer.child.ts', path)) {
      const [state = '', holdId = '', amount = ''] = said.split(' ');
      reported.set(holdId, [state, BigInt(amount)]);
    }
    const next = await openNext();
    const known = await next.holds.list({}, 1_000_000);
    const byId = new Map(known.map((hold) => [hold.holdId, hold]));
    for (const [holdId, [state, amount]] of reported) {
      const hold = byId.get(holdId);
      // A hold may have ended without a report.
      if (state === 'held') expect(hold?.fromBalanceNanoUsd).toBe(amount);
      else expect([hold?.state, hold?.chargedNanoUsd]).toEqual([state as 'settled', amount]);
    }
    expect((await next.ledger.verify()).problems).toEqual([]);
    // The leases of the dead gateway have ended, its holds have not.
    const open = known.filter(({ state }) => state === 'open');
    expect((await next.ledger.balance('acme')).leasedNanoUsd).toBe(50n * BigInt(open.length));
    await next.close();
  }
  const states = new Set([...reported.values()].map(([state]) => state));
  expect([...states].sort()).toEqual(['held', 'released', 'settled']);
});

test('kill -9 loses no reported task or change, and the next gateway takes the tasks over', async () => {
  /** The last report for each task. */
  const reported = new Map<string, { stage: TaskStage; claim: number; progress: number }>();
  const endings = new Map<string, unknown>();
  for (let round = 1; round <= 3; round++) {
    // More than one step over all open tasks.
    for (const said of await killedAfter(60 + upTo(60), 'task-writer.child.ts', path, String(round))) {
      const [id = '', stage = '', claim = '', progress = ''] = said.split(' ');
      // The child only prints values of its own types.
      reported.set(id, { stage: stage as TaskStage, claim: Number(claim), progress: Number(progress) });
    }
    const { tasks, close } = await openNext();
    for (const [id, said] of reported) {
      const task = await tasks.find(id);
      const stage = task?.stage ?? 'created';
      expect(task?.claim).toBe(said.claim);
      // It may have advanced further without a report.
      expect(TASK_STAGES.indexOf(stage)).toBeGreaterThanOrEqual(TASK_STAGES.indexOf(said.stage));
      if (stage === said.stage) expect(task?.progress ?? 0).toBe(said.progress);
      const isEnded = stage === 'closing' || stage === 'completed';
      expect(task?.ending !== null).toBe(isEnded);
      if (!isEnded) continue;
      if (endings.has(id)) expect(task?.ending).toEqual(endings.get(id) as null);
      endings.set(id, task?.ending);
    }
    await close();
  }
  const stages = new Set([...reported.values()].map(({ stage }) => stage));
  expect(stages).toContain('completed');
  expect(new Set([...reported.values()].map(({ claim }) => claim)).size).toBeGreaterThan(1);
});

test('kill -9 loses no response that was reported as stored', async () => {
  for (let round = 0; round < 2; round++) {
    const said = await killedAfter(upTo(40), 'response-writer.child.ts', path);
    const store = await openNext();
    for (const id of said) expect((await store.responses.get('acme', id))?.id).toBe(id);
    await store.close();
  }
});

test('a gateway killed while writing leaves a readable cache', async () => {
  const sizes = () =>
    ['', '-wal', '-shm'].map((suffix) => statSync(path + suffix, { throwIfNoEntry: false })?.size ?? 0);
  for (let run = 0; run < 3; run++) {
    const lines = upTo(150);
    const isEnough = (said: readonly string[]) => said.length >= lines && Number(said.at(-1)) > 20;
    await killedWhen(isEnough, 'cache-writer.child.ts', path, String(run));
    const store = await openDiskCache({
      ...{ path, masterSecret: 'master', isOwner: true, clock: new TestClock(), logger },
      settings: { ...TEST_CACHE, memoryBytes: MIB, diskBytes: 24 * MIB },
    });
    const entries = await store.list({ limit: 1_000, before: null, accountId: null });
    expect(entries.length).toBeGreaterThan(20);
    for (const { key, id } of entries) expect((await store.find(key))?.id).toBe(id);
    expect(sizes().reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(24 * MIB);
    await store.close();
    const tool = new Database(path);
    expect(tool.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    const [sums] = tool
      .query('SELECT (SELECT count(*) FROM entries) = (SELECT sum(entries) FROM accounts) AS ok')
      .all();
    expect(sums).toEqual({ ok: 1 });
    tool.close();
  }
  expect(existsSync(`${path}.set-aside`)).toBe(false);
  expect(log).toEqual([]);
});

test('media of a killed writer leave a file that counts towards the limit and is removed after an hour', async () => {
  await killedAfter(1, 'endless-media-writer.child.ts', folder);
  const names = await readdir(join(folder, 'unfinished'));
  expect(names).toHaveLength(1);
  const left = join(folder, 'unfinished', names[0] ?? '');
  const fake = new FakeClock(Date.now());
  const media = mediaOver(new FolderShelf({ folder, minFreeBytes: 0, clock: fake }), fake);
  await media.tend();
  expect(media.figures().bytes).toBe((await stat(left)).size);
  const old = new Date(fake.nowMs() - HOUR_MS - 1_000);
  await utimes(left, old, old);
  await media.tend();
  expect(media.figures().bytes).toBe(0);
  expect(existsSync(left)).toBe(false);
  await media.close();
});

archiveKillTests(() => ({ place: path, folder, open: openNext }));
