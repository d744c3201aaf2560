import type { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely } from 'kysely';
import { openConnection } from '../../connection.ts';
import { bunSqliteDialect } from '../../dialect.ts';
import { migrate } from '../../migrate.ts';
import { openSqliteStore } from '../../sqlite-store.ts';
import { MIGRATIONS } from '../index.ts';

const silent = () => {};
const logger = { debug: silent, info: silent, warn: silent, error: silent };

/** Undoes what the first text of these migrations lacked. */
const ADDED_LATER: Readonly<Record<string, readonly string[]>> = {
  '0006-catalogue': ['alter table models drop column status_stated'],
  '0007-success-snapshot': ['alter table request_log drop column is_private'],
  '0017-tasks': [
    'drop index tasks_open_by_account',
    "create index tasks_open_by_account on tasks (account_id) where stage not in ('completed', 'failed')",
  ],
  '0023-usage': [
    'alter table request_log drop column losses',
    'alter table usage_deltas drop column latency_ms_max',
    'alter table usage_rollups drop column latency_ms_max',
    'drop index ledger_entries_by_account',
    'drop index ledger_entries_but_charges',
    'create index ledger_entries_by_account on ledger_entries (account_id)',
  ],
  '0024-budgets': [
    'drop table budget_spending',
    'alter table holds drop column budgets',
    'alter table ledger_entries drop column counted_at_ms',
  ],
};

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-migration-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a database made with migrations that were edited later gets what they lack', async () => {
  const path = join(folder, 'old.sqlite');
  const old = openConnection(path, 'FULL');
  await migrateTo(old, path, '0024');
  for (const statement of Object.values(ADDED_LATER).flat()) old.run(statement);
  old.close();

  const store = await openSqliteStore({
    path,
    secret: 'a long master secret',
    clock: { nowMs: () => 1_790_000_000_000, monotonicMs: () => 1 },
    logger,
    exclusive: true,
  });
  await store.ledger.append({
    idempotencyKey: 'g',
    accountId: 'acme',
    keyId: null,
    kind: 'grant',
    amountNanoUsd: 5n,
    requestId: null,
    atMs: 1,
    note: null,
  });
  expect(await store.ledger.verify()).toMatchObject({ accounts: 1, entries: 1, problems: [] });
  await store.close();

  const upgraded = openConnection(path, 'FULL');
  const freshPath = join(folder, 'new.sqlite');
  const fresh = openConnection(freshPath, 'FULL');
  await migrateTo(fresh, freshPath, '9999');
  expect(schemaOf(upgraded)).toEqual(schemaOf(fresh));
  for (const database of [upgraded, fresh]) database.close();
});

async function migrateTo(database: Database, path: string, last: string): Promise<void> {
  const some = Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < `${last}~`));
  await migrate(database, new Kysely({ dialect: bunSqliteDialect(database) }), path, some);
}

/** Returns tables with their columns sorted by name, and indexes with their text. */
function schemaOf(database: Database): unknown[] {
  return database
    .query(
      `SELECT m.name, c.name AS "column", c.type, c."notnull" AS required
        FROM sqlite_schema m JOIN pragma_table_info(m.name) c WHERE m.type = 'table'
      UNION ALL
      SELECT name, sql, '', 0 FROM sqlite_schema WHERE type = 'index'
      ORDER BY 1, 2`,
    )
    .all();
}
