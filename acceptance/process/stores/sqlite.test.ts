import { afterAll, beforeAll } from 'bun:test';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../../src/engine/ports/clock.ts';
import { describeStoreContract, describeStoreLaws } from '../../../src/stores/shared/testing/contract.ts';
import { openConnection } from '../../../src/stores/sqlite/connection.ts';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store.ts';
import { copyEmptyDatabase } from '../../../src/stores/sqlite/testing/empty-database.ts';
import { WriterThread } from '../../../src/stores/sqlite/writer-thread.ts';

/*
 * Repeats the tests of src/stores/sqlite/sqlite-store.test.ts with the writer thread and many histories. Starting the thread is most of the
 * work of a test, so the contract's tests share one, and a file that is emptied for each.
 */

const HISTORIES = 500;
const SECRET = 'master';
/** Tables that have rows from the beginning. */
const OWN_TABLES = ['kysely_migration', 'directory_version', 'audit_erasure'];
const silent = () => {};
const logger = { debug: silent, info: silent, warn: silent, error: silent };
let folder: string;
let shared: string;
let thread: WriterThread;
let current: Clock = { nowMs: Date.now, monotonicMs: () => performance.now() };

beforeAll(async () => {
  // Uses a folder in memory if there is one: the tests are about what is written, not about the disk.
  folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'switchyard-laws-'));
  shared = join(folder, 'shared.sqlite');
  await copyEmptyDatabase(shared);
  const clock = { nowMs: () => current.nowMs(), monotonicMs: () => current.monotonicMs() };
  thread = new WriterThread({
    ...{ path: shared, secret: SECRET, clock },
    ...{ onDown: silent, onRestarted: silent, onFatal: silent },
  });
});
afterAll(async () => {
  await thread.close();
  rmSync(folder, { recursive: true, force: true });
});

describeStoreContract('sqlite', async (clock) => {
  current = clock;
  emptyTables(shared);
  return openSqliteStore({ path: shared, secret: SECRET, clock, logger, link: thread });
});

describeStoreLaws(
  'sqlite',
  async (clock) => {
    const path = join(folder, `${crypto.randomUUID()}.sqlite`);
    await copyEmptyDatabase(path);
    return openSqliteStore({ path, secret: SECRET, clock, logger });
  },
  HISTORIES,
);

function emptyTables(path: string): void {
  const database = openConnection(path, 'NORMAL');
  const named = (type: string) =>
    database
      .query<{ name: string; sql: string }, [string]>('SELECT name, sql FROM sqlite_schema WHERE type = ?')
      .all(type);
  const triggers = named('trigger');
  const tables = named('table').filter(({ name }) => !OWN_TABLES.includes(name));
  database.run('PRAGMA foreign_keys = OFF');
  database.run('BEGIN IMMEDIATE');
  // Some triggers prevent deleting rows.
  for (const { name } of triggers) database.run(`DROP TRIGGER ${name}`);
  for (const { name } of tables) database.run(`DELETE FROM ${name}`);
  for (const { sql } of triggers) database.run(sql);
  database.run('COMMIT');
  database.close();
}
