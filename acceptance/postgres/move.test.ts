import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { Client, types } from 'pg';
import { checkRelease } from '../../conformance/releases/check.ts';
import { copyRelease, knownOf, releases } from '../../conformance/releases/release.ts';
import { until } from '../../conformance/shared/until.ts';
import { Workspace } from '../../conformance/shared/workspace.ts';
import { DEMO_STORE, filled } from '../../src/demo/testing/filled-demo.ts';
import { sampleRecord, sampleResponse } from '../../src/engine/ports/testing/samples.ts';
import { rotateSecret } from '../../src/main/change-secret.ts';
import { systemClock } from '../../src/main/system.ts';
import { openPostgresStore } from '../../src/stores/postgres/postgres-store.ts';
import { LEFT_TABLES, MOVED_TABLES } from '../../src/stores/shared/move/moved-tables.ts';
import { type SharedTestPostgres, sharedTestPostgres } from '../../src/stores/shared/testing/postgres.ts';
import { openSqliteStore } from '../../src/stores/sqlite/sqlite-store.ts';
import { ProcessWorkspace } from '../shared/process-workspace.ts';
import { addRunningBatch, BATCH_ID, NOTED_REQUEST } from './running-batch.ts';

const TIMEOUT_MS = 600_000;
const SECRET = DEMO_STORE.secret;
const silent = () => {};
const logger = { debug: silent, info: silent, warn: silent, error: silent };

let server: SharedTestPostgres;
let space: ProcessWorkspace;
let target: string;

beforeAll(async () => {
  server = await sharedTestPostgres();
  space = await ProcessWorkspace.create();
  await mkdir(space.data, { recursive: true });
  await writeFile(space.path('data', 'master-secret'), `${SECRET}\n`, { mode: 0o600 });
  const store = await openSqliteStore({ ...DEMO_STORE, path: space.database });
  await filled(store, space.data);
  store.requestLog.append(sampleRecord({ requestId: 'line-of-a-failure', told: TOLD, costNanoUsd: 0n }));
  await store.requestLog.flush();
  await store.responses.put(sampleResponse({ inputJson: JSON.stringify('x'.repeat(2_000_000)) }));
  await addRunningBatch(store, 'halyard');
  await store.directory.write('all', (writer) => {
    writer.putGuard({
      ...{ id: 'words', name: 'Words', stages: ['input'], patterns: [], pii: [], unguarded: 'refuse' },
      terms: [{ name: 'blocked', terms: ['swordfish'], withinWords: false, leetspeak: false, action: 'refuse' }],
      ...{ createdAtMs: 1, origin: 'operator' },
    });
  });
  await store.close();
  const database = new Database(space.database);
  // The newest columns, of which the demo has none.
  for (const [table, column, value] of [
    ['models', 'batch_price_percent', '50'],
    ['models', 'guards', `'["words"]'`],
    ['models', 'search', "'none'"],
    ['tasks', 'guards', `'[{"guard":"words","rule":"any","stage":"input","action":"flag","count":1}]'`],
    ['accounts', 'guards', `'["words"]'`],
    ['credentials', 'guards', `'["words"]'`],
    ['credentials', 'capture', "'none'"],
    ['accounts', 'capture_days', '3'],
    ['request_log', 'batch_id', `'${BATCH_ID}'`],
  ]) {
    database.run(`UPDATE ${table} SET ${column} = ${value} WHERE rowid = (SELECT min(rowid) FROM ${table})`);
  }
  database.run(
    "UPDATE models SET description = 'with a NUL' || char(0) || '.' WHERE id = (SELECT min(id) FROM models)",
  );
  database.close();
  target = await server.createDatabase();
}, TIMEOUT_MS);
afterAll(() => space?.remove(), TIMEOUT_MS);

const TOLD = { message: 'It broke: "quoted", \\ and {braces}.', param: 'size' };

const move = (url: string) => space.runHere(['move', '--to', url]);

async function ask<Row>(url: string, sql: string): Promise<readonly Row[]> {
  const client = new Client({
    connectionString: url,
    types: { getTypeParser: (oid: number) => (oid === 20 ? BigInt : types.getTypeParser(oid)) },
  });
  try {
    await client.connect();
    return (await client.query(sql)).rows as Row[];
  } finally {
    await client.end();
  }
}

function askSqlite<Row>(sql: string): readonly Row[] {
  const database = new Database(space.database, { readonly: true, safeIntegers: true });
  try {
    return database.query<Row, []>(sql).all();
  } finally {
    database.close();
  }
}

/** Converts a value of either database to the same text. */
function plain(value: unknown): string | null {
  if (value === null) return null;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'boolean') return value ? '1' : '0';
  return String(value).replaceAll('\0', '\u{fffd}');
}

async function batchIn(url: string) {
  interface Row {
    readonly stage: string;
    readonly sums: string;
    readonly cost_nano: bigint;
    readonly ended_at_ms: bigint | null;
  }
  return (await ask<Row>(url, `SELECT * FROM batches WHERE id = '${BATCH_ID}'`))[0];
}

interface Column {
  readonly table_name: string;
  readonly column_name: string;
}

async function columnsOf(url: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await ask<Column>(
    url,
    `SELECT table_name, column_name FROM information_schema.columns
      JOIN pg_class ON relname = table_name AND relnamespace = current_schema()::regnamespace
      WHERE table_schema = current_schema() AND NOT relispartition AND relkind IN ('r', 'p')`,
  );
  const tables = Map.groupBy(rows, (row) => row.table_name);
  return new Map([...tables].map(([table, columns]) => [table, columns.map((column) => column.column_name).sort()]));
}

function sqliteColumns(): ReadonlyMap<string, readonly string[]> {
  const rows = askSqlite<Column>(
    `SELECT tables.name AS table_name, columns.name AS column_name FROM sqlite_schema tables JOIN pragma_table_info(tables.name) columns
      WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite_%'`,
  );
  const tables = Map.groupBy(rows, (row) => row.table_name);
  return new Map([...tables].map(([table, columns]) => [table, columns.map((column) => column.column_name).sort()]));
}

test(
  'every table and column of both schemas is copied or left for a reason',
  async () => {
    const migrated = await server.createMigratedDatabase();
    const [postgres, sqlite] = [await columnsOf(migrated), sqliteColumns()];
    const known = [...MOVED_TABLES.map(({ name }) => name), ...Object.keys(LEFT_TABLES)];
    expect([...new Set([...postgres.keys(), ...sqlite.keys()])].sort()).toEqual([...known].sort());
    for (const { name, leftColumns = {} } of MOVED_TABLES) {
      const copied = (columns: readonly string[] = []) =>
        columns.filter((column) => !Object.hasOwn(leftColumns, column));
      expect([name, copied(sqlite.get(name))]).toEqual([name, [...copied(postgres.get(name))]]);
      for (const column of Object.keys(leftColumns)) {
        const sides = [sqlite.get(name), postgres.get(name)].filter((columns) => columns?.includes(column));
        expect([name, column, sides.length]).toEqual([name, column, 1]);
      }
    }
  },
  TIMEOUT_MS,
);

test(
  'a move that is killed leaves the database empty, and can be run again',
  async () => {
    await server.dropDatabase(target);
    target = await server.createMigratedDatabase();
    const blocker = new Client({ connectionString: target });
    await blocker.connect();
    // The move waits here, when it has copied all tables before the alerts.
    await blocker.query('BEGIN; LOCK TABLE alert_events IN SHARE MODE');
    const child = space.start(['move', '--to', target]);
    const waiting = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    await until('the move waits', async () => child.exitCode !== null || (await ask(target, waiting)).length === 1);
    expect(child.exitCode).toBeNull();
    process.kill(child.pid, 'SIGKILL');
    await child.exited;
    await blocker.query('COMMIT');
    await blocker.end();
    await until('the server has noticed', async () => {
      const [row] = await ask<{ open: bigint }>(
        target,
        "SELECT count(*) AS open FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'switchyard'",
      );
      return row?.open === 0n;
    });
    expect(await ask(target, 'SELECT FROM accounts')).toEqual([]);
    expect(await ask(target, 'SELECT FROM ledger_entries')).toEqual([]);
    const { exitCode, stdout, stderr } = await move(target);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toContain('verified on both sides');
    expect(stdout).toContain(`SWITCHYARD_SECRET='the content of ${space.data}/master-secret'`);
    expect(stdout).toMatch(/1 texts had characters that PostgreSQL cannot store/);
  },
  TIMEOUT_MS,
);

test(
  'every row is the same in both databases',
  async () => {
    const columns = sqliteColumns();
    for (const { name, leftColumns = {} } of MOVED_TABLES) {
      const copied = (columns.get(name) ?? []).filter((column) => !Object.hasOwn(leftColumns, column));
      const list = copied.map((column) => `"${column}"`).join(', ');
      const sql = `SELECT ${list} FROM ${name}`;
      const rowsOf = (rows: readonly Record<string, unknown>[]) =>
        rows.map((row) => JSON.stringify(copied.map((column) => plain(row[column])))).sort();
      const [here, there] = [rowsOf(askSqlite(sql)), rowsOf(await ask(target, sql))];
      expect([name, there]).toEqual([name, here]);
    }
  },
  TIMEOUT_MS,
);

test(
  'a gateway continues in PostgreSQL: content is readable, and numbers continue',
  async () => {
    const store = await openPostgresStore({ ...DEMO_STORE, url: target });
    expect((await store.ledger.verify()).problems).toEqual([]);
    const lines = await store.requestLog.recent(1_000);
    expect(lines.find(({ requestId }) => requestId === 'line-of-a-failure')).toMatchObject({ told: TOLD });
    const { channels } = await store.directory.read('all');
    expect(channels.length).toBeGreaterThan(0);
    await store.close();
    const env = { DATABASE_URL: target, SWITCHYARD_SECRET: SECRET };
    const highest = askSqlite<{ entries: bigint; audit: bigint }>(
      'SELECT (SELECT max(sequence) FROM ledger_entries) AS entries, (SELECT max(sequence) FROM audit_log) AS audit',
    );
    const granted = await space.runHere(['accounts', 'grant', 'halyard', '1'], { env });
    expect([granted.exitCode, granted.stderr]).toEqual([0, '']);
    const [next] = await ask<{ entries: bigint; audit: bigint }>(
      target,
      'SELECT (SELECT max(sequence) FROM ledger_entries) AS entries, (SELECT max(sequence) FROM audit_log) AS audit',
    );
    expect(next).toEqual({ entries: (highest[0]?.entries ?? 0n) + 1n, audit: (highest[0]?.audit ?? 0n) + 1n });
    const serving = await space.serve({ env });
    await until('the batch has ended', async () => (await batchIn(target))?.ended_at_ms !== null);
    expect(await serving.stop()).toBe(0);
    const batch = await batchIn(target);
    expect(batch).toMatchObject({ stage: 'completed', cost_nano: 7n });
    expect(JSON.parse(batch?.sums ?? '').counts).toMatchObject({ succeeded: 2, errored: 1 });
    const noted = `SELECT amount_nano FROM ledger_entries WHERE request_id = '${NOTED_REQUEST}'`;
    expect(await ask(target, noted)).toEqual([{ amount_nano: -7n }]);
    expect(await ask(target, "SELECT FROM files WHERE id = 'file-of-a-batch'")).toEqual([]);
    expect((await space.runHere(['ledger', 'verify'], { env })).stdout).toContain('ledger verified');
  },
  TIMEOUT_MS,
);

test(
  'a database with data is refused, and stays as it is',
  async () => {
    const { exitCode, stderr } = await move(target);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('it is not empty (')]);
    const env = { DATABASE_URL: target, SWITCHYARD_SECRET: SECRET };
    expect((await space.runHere(['ledger', 'verify'], { env })).stdout).toContain('ledger verified');
  },
  TIMEOUT_MS,
);

test(
  'the secret of a moved database can be changed, and a person erased',
  async () => {
    const place = { databasePath: '', databaseUrl: target, clock: systemClock, logger };
    const counts = await rotateSecret(place, SECRET, 'the secret after the move 0123456789');
    expect(counts).toMatchObject({ request_log: expect.any(Number) });
    const env = { DATABASE_URL: target, SWITCHYARD_SECRET: 'the secret after the move 0123456789' };
    const [person] = await ask<{ email: string }>(
      target,
      `SELECT email FROM users WHERE NOT operator AND id NOT IN (SELECT user_id FROM memberships WHERE role = 'owner')
        ORDER BY email LIMIT 1`,
    );
    const erased = await space.runHere(['users', 'erase', person?.email ?? '', '--yes'], { env });
    expect([erased.exitCode, erased.stderr]).toEqual([0, '']);
    expect(await ask(target, `SELECT FROM users WHERE email = '${person?.email}'`)).toEqual([]);
    expect((await space.runHere(['ledger', 'verify'], { env })).stdout).toContain('ledger verified');
  },
  TIMEOUT_MS,
);

test(
  'a ledger with a problem is not moved',
  async () => {
    const other = await ProcessWorkspace.create();
    await mkdir(other.data);
    await copyFile(space.path('data', 'master-secret'), other.path('data', 'master-secret'));
    await copyFile(space.database, other.database);
    const database = new Database(other.database);
    database.run('UPDATE balances SET balance_nano = balance_nano + 1');
    database.close();
    const empty = await server.createDatabase();
    const refused = await other.runHere(['move', '--to', empty]);
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('nothing was copied')]);
    const accepted = await other.runHere(['move', '--accept-problems', '--to', empty]);
    expect([accepted.exitCode, accepted.stderr]).toEqual([0, '']);
    expect(accepted.stdout).toContain('equal on both sides');
    await other.remove();
  },
  TIMEOUT_MS,
);

test.each(releases().map(({ version }) => version))(
  'the data of %s is moved, and this version works with it',
  async (version) => {
    const [from, to] = [await Workspace.create(), await Workspace.create()];
    const DATABASE_URL = await server.createDatabase();
    try {
      const known = await knownOf(version, 'sqlite');
      await copyRelease(version, from.database);
      const env = { SWITCHYARD_SECRET: known.secret };
      const moved = await from.run(['move', '--to', DATABASE_URL], { env });
      expect([moved.exitCode, moved.stderr]).toEqual([0, '']);
      await checkRelease(to, known, { DATABASE_URL });
    } finally {
      await Promise.all([from.remove(), to.remove()]);
      await server.dropDatabase(DATABASE_URL);
    }
  },
  TIMEOUT_MS,
);
