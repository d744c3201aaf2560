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
import { copyOldDatabase, OLD_DATABASE } from '../../testing/2026-11-28/index.ts';
import { SQLITE_CHAIN } from '../index.ts';
import { UNRELEASED } from './index.ts';

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
let path: string;
let opened: Database[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-import-'));
  path = join(folder, 'old.sqlite');
  await copyOldDatabase(path);
});
afterEach(() => {
  for (const database of opened) database.close();
  opened = [];
  rmSync(folder, { recursive: true, force: true });
});

const HISTORY = Object.keys(SQLITE_CHAIN.migrations);

function open(file = path): Database {
  const database = openConnection(file, 'FULL');
  opened.push(database);
  return database;
}

async function newDatabase(): Promise<Database> {
  const file = join(folder, 'new.sqlite');
  const database = open(file);
  await migrate(database, file);
  return database;
}

function historyOf(database: Database): unknown[] {
  return database.query('SELECT name FROM kysely_migration ORDER BY name').values().flat();
}

test('a database from before the baseline gets the schema and the history of a new one', async () => {
  const database = open();
  await migrate(database, path, { logger });
  const fresh = await newDatabase();
  expect(schemaOf(database)).toEqual(schemaOf(fresh));
  expect(historyOf(database)).toEqual(HISTORY);
  expect(historyOf(fresh)).toEqual(HISTORY);
});

test.each([1, 6, 14])('a database with %i of the unreleased migrations gets the others', async (count) => {
  const database = open();
  const db = new Kysely<unknown>({ dialect: bunSqliteDialect(database) });
  for (const [name, { up }] of Object.entries(UNRELEASED).slice(0, count)) {
    if (typeof up === 'string') database.run(up);
    else await up(db);
    database.run("INSERT INTO kysely_migration (name, timestamp) VALUES (?, '')", [name]);
  }
  await migrate(database, path);
  expect(schemaOf(database)).toEqual(schemaOf(await newDatabase()));
});

test('every row is still there', async () => {
  const database = open();
  const before = rowsOf(database, columnsOf(database));
  expect(before.ledger_entries).toHaveLength(6);
  const columns = columnsOf(database);
  await migrate(database, path);
  expect(rowsOf(database, columns)).toEqual({
    ...before,
    // The former section `tasks` had the retention of tasks.
    settings: [['retention', '{"tasks_days":3}'], expect.anything()],
  });
});

test('a task retention that was set over the API moves to the section "retention"', async () => {
  const database = open();
  database.run(`UPDATE settings SET words = '{"keep_days":3,"rehost":true}'`);
  await migrate(database, path);
  expect(database.query('SELECT section, words FROM settings ORDER BY section').values()).toEqual([
    ['retention', '{"tasks_days":3}'],
    ['tasks', '{"rehost":true}'],
  ]);
});

test('a database made with migrations that were edited later gets what they lack', async () => {
  const old = open();
  for (const statement of Object.values(ADDED_LATER).flat()) old.run(statement);

  const store = await openSqliteStore({
    path,
    secret: OLD_DATABASE.secret,
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
  expect(await store.ledger.verify()).toMatchObject({ accounts: 1, entries: 7, problems: [] });
  await store.close();
  const fresh = await newDatabase();
  expect(namesOf(old)).toEqual(namesOf(fresh));
});

test('of two that open it at once, one imports', async () => {
  const databases = [open(), open()];
  await Promise.all(databases.map((database) => migrate(database, path)));
  for (const database of databases) expect(historyOf(database)).toEqual(HISTORY);
});

test('an interrupted import changes nothing', async () => {
  const database = open();
  const before = schemaOf(database);
  const broken = {
    ...UNRELEASED,
    '0046-ledger-archive': { up: 'create table partial (id integer); select no_such_column' },
  };
  await expect(migrate(database, path, { logger, chain: { ...SQLITE_CHAIN, unreleased: broken } })).rejects.toThrow(
    'no_such_column',
  );
  expect(schemaOf(database)).toEqual(before);
  await migrate(database, path);
  expect(historyOf(database)).toEqual(HISTORY);
});

test('an older database is refused, with what to do', async () => {
  const database = open();
  database.run("DELETE FROM kysely_migration WHERE name = '0032-cache-savings'");
  await expect(migrate(database, path)).rejects.toThrow(
    /old\.sqlite: a development version from before 2026-11-28 has made it\. Start a version of 2026-11-28 or 2026-11-29 \(commit [0-9a-f]+\) with it once, then this one\.$/,
  );
});

test('an old history with an unknown migration is that of a newer version', async () => {
  const database = open();
  database.run("INSERT INTO kysely_migration (name, timestamp) VALUES ('0047-unknown', '')");
  await expect(migrate(database, path)).rejects.toThrow('a newer version has changed it (0047-unknown)');
});

/** Returns the columns of each table with rows, without those of the migrator. */
function columnsOf(database: Database): Readonly<Record<string, readonly string[]>> {
  const tables = database.query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const named = tables.map(({ name }) => {
    const columns = database.query<{ name: string }, [string]>('SELECT name FROM pragma_table_info(?)').all(name);
    return [name, columns.map((column) => column.name)] as const;
  });
  return Object.fromEntries(named.filter(([name]) => !name.startsWith('kysely_')));
}

function rowsOf(
  database: Database,
  columns: Readonly<Record<string, readonly string[]>>,
): Readonly<Record<string, unknown[]>> {
  const read = ([table, names]: readonly [string, readonly string[]]) => {
    const listed = names.map((name) => `"${name}"`).join(', ');
    const rows = database.query(`SELECT ${listed} FROM ${table}`).values();
    return [table, rows.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))] as const;
  };
  return Object.fromEntries(Object.entries(columns).map(read));
}

/** Returns everything that determines the schema, however its statements are written. */
function schemaOf(database: Database): unknown {
  const rows = database
    .query<{ type: string; name: string; sql: string | null }, []>('SELECT type, name, sql FROM sqlite_schema')
    .all();
  const all = (sql: string, name: string) => database.query(sql).all(name);
  const parts = rows.map(({ type, name, sql }) => {
    const text = (sql ?? '')
      .replace(/"(\w+)"/g, '$1')
      .replace(/\s+/g, ' ')
      .trim();
    if (type !== 'table') return [`${type} ${name}`, text] as const;
    const description = {
      options: all("SELECT wr, strict FROM pragma_table_list WHERE schema = 'main' AND name = ?", name),
      columns: all('SELECT cid, name, type, "notnull", dflt_value, pk FROM pragma_table_xinfo(?)', name),
      indexes: all('SELECT name, "unique", origin, partial FROM pragma_index_list(?) ORDER BY name', name),
      references: all('SELECT "from", "table", "to", on_delete FROM pragma_foreign_key_list(?)', name),
      checks: [...text.matchAll(/\bcheck ?\((?:[^()]|\([^()]*\))*\)/g)].map(([check]) => check).sort(),
      counts: text.includes('autoincrement'),
    };
    return [`table ${name}`, description] as const;
  });
  return Object.fromEntries(parts);
}

/** Returns tables with their columns sorted by name, and indexes with their text. */
function namesOf(database: Database): unknown[] {
  return database
    .query(
      `SELECT m.name, c.name AS "column", c.type, c."notnull" AS required
        FROM sqlite_schema m JOIN pragma_table_info(m.name) c WHERE m.type = 'table'
      UNION ALL
      SELECT name, rtrim(replace(sql, '"', ''), ' ' || char(10)), '', 0 FROM sqlite_schema WHERE type = 'index'
      ORDER BY 1, 2`,
    )
    .all();
}
