import { Database } from 'bun:sqlite';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { archiveLedger, YOUNGEST_DAYS } from '../src/engine/admin/ledger/archive-ledger.ts';
import type { Store } from '../src/engine/ports/store.ts';
import { FileArchiveFolder } from '../src/stores/ledger-files/archive-folder.ts';
import { openPostgresStore } from '../src/stores/postgres/postgres-store.ts';
import { startTestPostgres } from '../src/stores/shared/testing/postgres.ts';
import { openSqliteStore } from '../src/stores/sqlite/sqlite-store.ts';
import { type Customer, chargeAt, customers, lineOf, timesOf } from './storage-traffic.ts';

/*
 * The bytes and rows that a request leaves in the database, with a reseller's mix of accounts: a tenth of them sends half of the requests.
 * `bun bench/storage-size.ts [accounts] [requests of one account in a day] [days]`. Figures of docs/sizing.md.
 */

const ACCOUNTS = Number(process.argv[2] ?? 5_000);
const PER_DAY = Number(process.argv[3] ?? 20);
const DAYS = Number(process.argv[4] ?? 1);
const AT_ONCE = 500;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A Monday. */
const BEGIN_MS = Date.parse('2026-06-01T00:00:00Z');

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };
const TABLES = ['request_log', 'ledger_entries', 'usage_rollups', 'usage_account_days'] as const;

/** The queries that measure each of the two databases. */
interface Measured {
  readonly name: string;
  readonly store: Store;
  /** Resolves to the bytes of a table with its indexes, after the space of deleted rows has been released. */
  bytes(table: string): Promise<number>;
  rows(sql: string): Promise<number>;
}

async function fill({ store }: Measured): Promise<number> {
  const all = customers(ACCOUNTS);
  let requests = 0;
  for (let day = 0; day < DAYS; day++) {
    const times = all.flatMap((customer) =>
      timesOf(customer, PER_DAY, BEGIN_MS + day * DAY_MS).map((atMs): [Customer, number] => [customer, atMs]),
    );
    times.sort(([, one], [, other]) => one - other);
    for (let from = 0; from < times.length; from += AT_ONCE) {
      const charges = times.slice(from, from + AT_ONCE).map(([customer, atMs]) => chargeAt(customer, atMs));
      await Promise.all(charges.map((charge) => store.ledger.charge(charge)));
      for (const charge of charges) store.requestLog.append(lineOf(charge));
    }
    requests += times.length;
    await store.requestLog.flush();
    while ((await store.usage.roll(1_000)).isMore);
  }
  return requests;
}

async function thin({ store }: Measured, minutesBeforeMs: number, hoursBeforeMs: number): Promise<void> {
  const task = { sinceMs: 0, minutesBeforeMs, hoursBeforeMs, limit: 2_000 };
  for (let next: string | null = ''; next !== null; )
    next = await store.retention.thinSums({ ...task, fromAccount: next });
}

async function report(measured: Measured, stage: string, requests: number, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    const bytes = await measured.bytes(table);
    console.log(`${measured.name}, ${stage}: ${table} ${(bytes / requests).toFixed(0)} bytes per request`);
  }
  const levels = ['minute', 'hour', 'day'].map(async (level) => {
    const rows = await measured.rows(
      `SELECT count(*) AS rows FROM usage_rollups WHERE level = '${level}' AND account_id <> ''`,
    );
    return `${level} ${(rows / requests).toFixed(2)}`;
  });
  const ofAll = await measured.rows(`SELECT count(*) AS rows FROM usage_rollups WHERE account_id = ''`);
  console.log(
    `  roll-up rows per request: ${(await Promise.all(levels)).join(', ')}; for all accounts together ${ofAll} rows`,
  );
}

async function measure(measured: Measured): Promise<void> {
  const requests = await fill(measured);
  const endMs = BEGIN_MS + (DAYS + 1) * DAY_MS;
  console.log(`${measured.name}: ${requests} requests of ${ACCOUNTS} accounts in ${DAYS} days`);
  await report(measured, 'new', requests, TABLES);
  await thin(measured, endMs, 0);
  await report(measured, 'quarter hours', requests, ['usage_rollups']);
  await thin(measured, endMs, endMs);
  await report(measured, 'days', requests, ['usage_rollups']);
  await archive(measured, endMs, requests);
  await measured.store.close();
}

async function archive(measured: Measured, beforeMs: number, requests: number): Promise<void> {
  const { ledgerArchive } = measured.store;
  if (ledgerArchive === null) throw new Error('This store has no archive.');
  const path = await mkdtemp(join(tmpdir(), 'switchyard-bench-archive-'));
  try {
    const folder = new FileArchiveFolder(path);
    const later = { nowMs: () => beforeMs + (YOUNGEST_DAYS + 1) * DAY_MS };
    const beganAtMs = performance.now();
    const { archived } = await archiveLedger({ archive: ledgerArchive, folder, clock: later }, beforeMs);
    const perSecond = (requests * 1_000) / (performance.now() - beganAtMs);
    const [size = 0] = await Promise.all(archived.map(async ({ fileName }) => (await stat(join(path, fileName))).size));
    console.log(`${measured.name}: ${perSecond.toFixed(0)} charges archived per second`);
    console.log(`  files ${(size / requests).toFixed(1)} bytes per request`);
    await report(measured, 'archived', requests, ['ledger_entries', 'ledger_archived']);
  } finally {
    await rm(path, { recursive: true });
  }
}

async function onSqlite(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-bench-'));
  try {
    const path = join(folder, 'switchyard.db');
    const store = await openSqliteStore({ path, secret: 'bench', clock, logger: silent });
    const database = new Database(path);
    const one = (sql: string) => Number(Object.values(database.query(sql).get() ?? {})[0] ?? 0);
    await measure({
      name: 'SQLite',
      store,
      bytes: async (table) => {
        // Later rows would fill the half-empty pages that deletions leave.
        const copy = join(folder, `copy-${crypto.randomUUID()}.db`);
        database.run(`VACUUM INTO '${copy}'`);
        const compact = new Database(copy);
        const sql = `SELECT sum(pgsize) AS bytes FROM dbstat WHERE name IN (SELECT name FROM sqlite_master WHERE tbl_name = ?)`;
        const { bytes } = compact.query<{ bytes: number }, [string]>(sql).get(table) ?? { bytes: 0 };
        compact.close();
        await rm(copy);
        return bytes;
      },
      rows: async (sql) => one(sql),
    });
    database.close();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function onPostgres(): Promise<void> {
  const server = await startTestPostgres();
  const url = await server.createDatabase();
  const store = await openPostgresStore({ url, secret: 'a long master secret', clock, logger: silent });
  const client = new Client({ connectionString: url });
  await client.connect();
  const one = async (sql: string) => Number(Object.values((await client.query(sql)).rows[0] ?? {})[0] ?? 0);
  try {
    await measure({
      name: 'PostgreSQL',
      store,
      bytes: async (table) => {
        await client.query(`VACUUM FULL ${table}`);
        const parts = `SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree('${table}')`;
        return one(`SELECT coalesce((${parts}), pg_total_relation_size('${table}')) AS bytes`);
      },
      rows: one,
    });
  } finally {
    await client.end();
    await server.stop();
  }
}

await onSqlite();
await onPostgres();
