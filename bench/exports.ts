import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExportBatch, ExportDestination } from '../src/engine/ports/export-destination.ts';
import type { Store } from '../src/engine/ports/store.ts';
import { Exporter } from '../src/engine/request-export/exporter.ts';
import { ParquetBatch } from '../src/stores/exports/parquet-batch.ts';
import { ParquetThread } from '../src/stores/exports/parquet-thread.ts';
import { openPostgresStore } from '../src/stores/postgres/postgres-store.ts';
import { startTestPostgres } from '../src/stores/shared/testing/postgres.ts';
import { openSqliteStore } from '../src/stores/sqlite/sqlite-store.ts';
import { chargeAt, customers, lineOf, timesOf } from './storage-traffic.ts';

/*
 * How many lines of the request log an export reads and encodes per second, and how large they are in Parquet, with a reseller's mix of
 * accounts. `bun bench/exports.ts [accounts] [requests of one account in a day] [file]` writes the last batch to `file`, for other engines.
 * Figures of docs/analytics.md.
 */

const ACCOUNTS = Number(process.argv[2] ?? 5_000);
const PER_DAY = Number(process.argv[3] ?? 20);
const FILE = process.argv[4];
const MAX_ROWS = 250_000;
const AT_ONCE = 2_000;
/** A Monday. */
const BEGIN_MS = Date.parse('2026-06-01T00:00:00Z');

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };

async function fill({ requestLog }: Store): Promise<number> {
  const charges = customers(ACCOUNTS).flatMap((customer) =>
    timesOf(customer, PER_DAY, BEGIN_MS).map((atMs) => chargeAt(customer, atMs)),
  );
  charges.sort((one, other) => one.atMs - other.atMs);
  for (let from = 0; from < charges.length; from += AT_ONCE) {
    for (const charge of charges.slice(from, from + AT_ONCE)) requestLog.append(lineOf(charge));
    await requestLog.flush();
  }
  return charges.length;
}

/** Encodes batches and counts their bytes, without sending them. */
class Counted implements ExportDestination {
  bytes = 0;
  files = 0;
  private readonly thread = new ParquetThread('bench');

  open(): ExportBatch {
    return new ParquetBatch({
      thread: this.thread,
      partOf: () => '',
      send: async ({ bytes }) => {
        this.bytes += bytes.length;
        this.files++;
        if (FILE !== undefined) await writeFile(FILE, bytes);
      },
    });
  }

  check = async () => [];
  close = () => this.thread.close();
}

/** Measures how late timers run, as a request would be delayed. */
function watchedLoop(): () => number {
  let latestMs = 0;
  let expectedMs = performance.now() + 5;
  const timer = setInterval(() => {
    latestMs = Math.max(latestMs, performance.now() - expectedMs);
    expectedMs = performance.now() + 5;
  }, 5);
  return () => {
    clearInterval(timer);
    return latestMs;
  };
}

async function measure(name: string, store: Store): Promise<void> {
  const lines = await fill(store);
  const counted = new Counted();
  const exporter = new Exporter({
    settings: {
      ...{ id: 'bench', names: false, start: 'oldest', intervalMs: 0, maxRows: MAX_ROWS, maxBytes: 2 ** 30 },
      to: { kind: 'clickhouse', table: { url: '', database: '', table: '', user: '', password: '' } },
    },
    destination: async () => counted,
    ...{ store: store.exports, log: store.requestLog, directory: store.directory, clock, logger: silent },
    counters: { exported() {}, skipped() {}, failed() {} },
    holder: 'bench',
    random: Math.random,
    pause: () => Bun.sleep(5),
  });
  const lateness = watchedLoop();
  const [beganAtMs, before] = [performance.now(), process.cpuUsage()];
  await exporter.look();
  const { user, system } = process.cpuUsage(before);
  const [wallMs, cpuUs] = [performance.now() - beganAtMs, user + system];
  const latestMs = lateness();
  await exporter.stop();
  const perCpuSecond = (lines / cpuUs) * 1e6;
  console.log(
    `${name}: ${lines} lines in ${counted.files} files, ${(counted.bytes / lines).toFixed(1)} bytes per line, ` +
      `${(cpuUs / lines).toFixed(1)} µs of CPU per line (${perCpuSecond.toFixed(0)} lines per second of CPU), ` +
      `${((lines / wallMs) * 1_000).toFixed(0)} lines per second, timers late by at most ${latestMs.toFixed(0)} ms`,
  );
}

const folder = await mkdtemp(join(tmpdir(), 'switchyard-bench-'));
try {
  const path = join(folder, 'switchyard.db');
  const sqlite = await openSqliteStore({ path, secret: 'a long master secret', clock, logger: silent });
  await measure('SQLite', sqlite);
  await sqlite.close();
} finally {
  await rm(folder, { recursive: true });
}
const server = await startTestPostgres();
try {
  const url = await server.createDatabase();
  const postgres = await openPostgresStore({ url, secret: 'a long master secret', clock, logger: silent });
  await measure('PostgreSQL', postgres);
  await postgres.close();
} finally {
  await server.stop();
}
