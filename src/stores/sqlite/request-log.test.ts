import type { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, spyOn, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../domain/testing/until.ts';
import { sampleRecord } from '../../engine/ports/testing/samples.ts';
import { createContentBox } from '../shared/content-box.ts';
import type { SqlRequestLog } from '../sql/request-log/sql-request-log.ts';
import { openConnection } from './connection.ts';
import { ReadingThread } from './reading-thread.ts';
import { sqliteRequestLog } from './request-log.ts';
import { copyEmptyDatabase } from './testing/empty-database.ts';
import { linkTo } from './testing/writer-link.ts';
import { SqliteWriter } from './writer.ts';

interface LogLine {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

const NEVER_MS = 2 ** 31 - 1;
let folder: string;
let path: string;
let database: Database;
let desk: SqliteWriter;
let lines: LogLine[];
let nowMs: number;
const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs };
const note = (fields: LogLine['fields'], message: string) => void lines.push({ fields, message });
const logger = { debug: note, info: note, warn: note, error: note };

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-log-'));
  path = join(folder, 'switchyard.db');
  lines = [];
  nowMs = 1_790_000_000_000;
  await copyEmptyDatabase(path);
  database = openConnection(path, 'NORMAL');
  desk = new SqliteWriter({ path, secret: 's' });
});

afterEach(() => {
  desk.close();
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

function newLog(capacity = 100_000, onDamage: (error: unknown) => void = () => {}): SqlRequestLog {
  return sqliteRequestLog({
    ...{ database, thread: linkTo(desk), clock, logger, capacity, onDamage },
    reading: new ReadingThread(path),
    box: createContentBox('s'),
  });
}

function storedCount(): number {
  return database.query<{ count: number }, []>('SELECT count(*) AS count FROM request_log').get()!.count;
}

test('50,000 lines are stored once each after a flush', async () => {
  const log = newLog();
  for (let index = 0; index < 50_000; index++) log.append(sampleRecord({ requestId: `req-${index}` }));
  await log.flush();
  const distinct = database.query<{ count: number }, []>('SELECT count(DISTINCT request_id) AS count FROM request_log');
  expect(storedCount()).toBe(50_000);
  expect(distinct.get()?.count).toBe(50_000);
  expect(lines).toEqual([]);
});

test('lines are written soon without a flush', async () => {
  const log = newLog();
  log.append(sampleRecord());
  expect(storedCount()).toBe(0);
  await until('one is stored', () => storedCount() === 1);
});

test('a hundred pending lines are written at once', async () => {
  const log = newLog();
  // Suppresses delayed writes.
  const later = globalThis.setTimeout;
  const timers = spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms = 0) =>
    later(run, ms > 0 ? NEVER_MS : 0)) as typeof setTimeout);
  for (let index = 0; index < 100; index++) log.append(sampleRecord());
  await until('they are stored', () => storedCount() === 100);
  timers.mockRestore();
});

test('close writes pending lines, and later ones are dropped and reported', async () => {
  const log = newLog();
  log.append(sampleRecord());
  await log.close();
  expect(storedCount()).toBe(1);
  log.append(sampleRecord());
  expect(lines).toMatchObject([{ fields: { dropped: 1 } }]);
});

test('the oldest lines are dropped at the limit, and a warning counts them once a second', async () => {
  const log = newLog(10);
  for (let index = 0; index < 30; index++) log.append(sampleRecord({ requestId: `req-${index}` }));
  expect(lines.map(({ fields }) => fields.dropped)).toEqual([1]);
  nowMs += 1_000;
  log.append(sampleRecord({ requestId: 'req-30' }));
  expect(lines.map(({ fields }) => fields.dropped)).toEqual([1, 20]);
  const kept = (await log.recent(100)).map(({ requestId }) => requestId);
  expect(kept).toEqual(Array.from({ length: 10 }, (_, index) => `req-${30 - index}`));
});

test('lines that cannot be written are kept, reported in one line, and written later', async () => {
  const log = newLog();
  desk.connection.database.run('PRAGMA max_page_count = 1');
  for (let index = 0; index < 5_000; index++) log.append(sampleRecord({ requestId: `req-${index}` }));
  await expect(log.flush()).rejects.toThrow('full');
  await expect(log.flush()).rejects.toThrow('full');
  expect(lines).toMatchObject([{ fields: { code: 'SQLITE_FULL' } }]);
  desk.connection.database.run('PRAGMA max_page_count = 1000000');
  await log.flush();
  const distinct = database.query<{ count: number }, []>('SELECT count(DISTINCT request_id) AS count FROM request_log');
  expect(storedCount()).toBe(5_000);
  expect(distinct.get()?.count).toBe(5_000);
});

test('lines wait while another connection holds the write lock, and are then written automatically', async () => {
  const log = newLog();
  const other = openConnection(path, 'NORMAL');
  other.run('BEGIN IMMEDIATE');
  log.append(sampleRecord());
  await until('it is reported', () => lines.length > 0);
  expect(lines).toMatchObject([{ fields: { code: 'SQLITE_BUSY', waiting: 1 } }]);
  other.run('COMMIT');
  other.close();
  await until('one is stored', () => storedCount() === 1);
});

test('a damaged file is reported to the owner', async () => {
  const rootOf = database.query<{ rootpage: number }, []>(
    "SELECT rootpage FROM sqlite_master WHERE name = 'request_log'",
  );
  const page = rootOf.get()!.rootpage;
  database.close();
  desk.close();
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0xff, (page - 1) * 4096, page * 4096));
  database = openConnection(path, 'NORMAL');
  desk = new SqliteWriter({ path, secret: 's' });
  const damages: unknown[] = [];
  const log = newLog(100, (error) => damages.push(error));
  log.append(sampleRecord());
  await expect(log.flush()).rejects.toThrow('malformed');
  expect(damages).toHaveLength(1);
});

test('a line with a number that SQLite cannot store does not block the others', async () => {
  const log = newLog();
  log.append(sampleRecord({ latencyMs: Number.NaN, atMs: 0.5 }));
  log.append(sampleRecord());
  await log.flush();
  expect(storedCount()).toBe(2);
});
