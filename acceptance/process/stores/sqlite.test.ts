import type { Database } from 'bun:sqlite';
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
let emptying: Database;
let current: Clock = { nowMs: Date.now, monotonicMs: () => performance.now() };

beforeAll(async () => {
  // Uses a folder in memory if there is one: the tests are about what is written, not about the disk.
  folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'switchyard-laws-'));
  shared = join(folder, 'shared.sqlite');
  await copyEmptyDatabase(shared);
  emptying = openConnection(shared, 'NORMAL');
  emptying.run('PRAGMA foreign_keys = OFF');
  const clock = { nowMs: () => current.nowMs(), monotonicMs: () => current.monotonicMs() };
  thread = new WriterThread({
    ...{ path: shared, secret: SECRET, clock },
    ...{ onDown: silent, onRestarted: silent, onFatal: silent },
  });
});
afterAll(async () => {
  await thread.close();
  emptying.close();
  rmSync(folder, { recursive: true, force: true });
});

describeStoreContract('sqlite', async (clock) => {
  current = clock;
  emptyTables(emptying);
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

interface SchemaRow {
  readonly type: string;
  readonly name: string;
  readonly tbl_name: string;
  readonly sql: string;
}

/** Opening a connection and changing the schema, which all statements then read again, takes longer than deleting rows. */
function emptyTables(database: Database): void {
  const schema = database.query<SchemaRow, []>('SELECT type, name, tbl_name, sql FROM sqlite_schema').all();
  const tables = schema.filter(({ type, name }) => type === 'table' && !OWN_TABLES.includes(name));
  const isFilled = tables.map(({ name }) => `SELECT '${name}' AS name WHERE EXISTS (SELECT 1 FROM ${name})`);
  const filled = database.query<{ name: string }, []>(isFilled.join(' UNION ALL ')).all();
  const triggers = schema.filter(
    ({ type, tbl_name }) => type === 'trigger' && filled.some(({ name }) => name === tbl_name),
  );
  database.run('BEGIN IMMEDIATE');
  // Some triggers prevent deleting rows.
  for (const { name } of triggers) database.run(`DROP TRIGGER ${name}`);
  for (const { name } of filled) database.run(`DELETE FROM ${name}`);
  for (const { sql } of triggers) database.run(sql);
  database.run('COMMIT');
}
