import { afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import { Client, type Pool } from 'pg';
import { until } from '../../conformance/shared/until.ts';
import type { Logger } from '../../src/engine/ports/logger.ts';
import type { Store } from '../../src/engine/ports/store.ts';
import { sampleRecord } from '../../src/engine/ports/testing/samples.ts';
import { openPool } from '../../src/stores/postgres/connection.ts';
import { migrate } from '../../src/stores/postgres/migrate.ts';
import { openPostgresStore } from '../../src/stores/postgres/postgres-store.ts';
import { logPartitions, tendLogPartitions } from '../../src/stores/postgres/retention-parts.ts';
import { type SharedTestPostgres, sharedTestPostgres } from '../../src/stores/shared/testing/postgres.ts';
import { loadOldDatabase, migrateOldDatabase, OLD_DATABASE } from './2026-11-28/index.ts';

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
const RETENTION_MS = 30 * DAY_MS;

let server: SharedTestPostgres;
let url: string;
let pool: Pool;
let logged: string[] = [];
const note = (_fields: unknown, message: string) => void logged.push(message);
const logger: Logger = { debug: note, info: note, warn: note, error: note };
const others: Client[] = [];

beforeAll(async () => {
  server = await sharedTestPostgres();
}, 600_000);
beforeEach(async () => {
  logged = [];
  url = await server.createDatabase();
  pool = openPool({ url, logger });
});
afterEach(async () => {
  await Promise.all(others.splice(0).map((client) => client.end()));
  await pool.end();
  await server.dropDatabase(url);
});

const open = (secret = 'a long master secret'): Promise<Store> =>
  openPostgresStore({ url, secret, clock: { nowMs: Date.now, monotonicMs: () => 0 }, logger });

async function other(): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  others.push(client);
  return client;
}

async function count(table: string): Promise<number> {
  return Number((await pool.query(`select count(*) as lines from ${table}`)).rows[0].lines);
}

/** Resolves to the names of the weekly tables, oldest first. */
async function weeks(): Promise<readonly string[]> {
  return (await logPartitions(pool)).filter(({ fromMs }) => fromMs !== null).map(({ table }) => table);
}

async function firstMonday(): Promise<number> {
  const first = (await logPartitions(pool)).find(({ table }) => table === 'request_log_first');
  return first?.toMs ?? 0;
}

async function write(store: Store, times: Readonly<Record<string, number>>): Promise<void> {
  for (const [requestId, atMs] of Object.entries(times)) store.requestLog.append(sampleRecord({ requestId, atMs }));
  await store.requestLog.flush();
}

test('weekly tables are created ahead, receive their lines, and are dropped once all lines have expired', async () => {
  const store = await open();
  const monday = await firstMonday();
  expect(new Date(monday).toISOString()).toMatch(/T00:00:00.000Z$/);
  expect(new Date(monday).getUTCDay()).toBe(1);
  const tend = (nowMs: number) => store.retention.tendLog(nowMs, nowMs - RETENTION_MS);
  await tend(monday - 1);
  expect(await weeks()).toHaveLength(2);
  await tend(monday);
  const names = await weeks();
  expect(names).toHaveLength(3);
  await write(store, { before: monday - 1, first: monday, last: monday + WEEK_MS - 1, next: monday + WEEK_MS });
  expect([await count('request_log_first'), await count(names[0] ?? ''), await count(names[1] ?? '')]).toEqual([
    1, 2, 1,
  ]);
  expect((await store.requestLog.recent(9)).map(({ requestId }) => requestId)).toEqual([
    'next',
    'last',
    'first',
    'before',
  ]);
  // The last line of the week has not expired yet.
  await tend(monday + WEEK_MS + RETENTION_MS - 1);
  expect(await count('request_log')).toBe(3);
  expect(await weeks()).toContain(names[0] ?? '');
  await tend(monday + WEEK_MS + RETENTION_MS);
  expect((await store.requestLog.recent(9)).map(({ requestId }) => requestId)).toEqual(['next']);
  expect((await logPartitions(pool)).map(({ table }) => table)).not.toContain('request_log_first');
  await store.close();
});

test('a line outside every week is kept, moves to its week, and is deleted by age', async () => {
  const store = await open();
  const monday = await firstMonday();
  const far = monday + 40 * WEEK_MS;
  await write(store, { far, later: far + 9 * WEEK_MS });
  await pool.query("insert into request_log (request_id) values ('timeless')");
  expect(await count('request_log_rest')).toBe(3);
  await store.retention.tendLog(far, far - RETENTION_MS);
  expect(await count('request_log_rest')).toBe(2);
  expect(await count('request_log')).toBe(3);
  expect((await store.requestLog.recent(9)).map(({ requestId }) => requestId)).toContain('far');
  // A clock that was far ahead does not prevent the current weeks from being created.
  await store.retention.tendLog(monday, monday - RETENTION_MS);
  expect((await logPartitions(pool)).map(({ fromMs }) => fromMs)).toContain(monday);
  const old = far + 9 * WEEK_MS + 1;
  expect(await store.retention.removeOld('request_log', old, 10)).toBe(1);
  expect(await count('request_log_rest')).toBe(1);
  await store.close();
});

test('ids increase across weeks, so that live views find new lines', async () => {
  const store = await open();
  const monday = await firstMonday();
  await store.retention.tendLog(monday, 0);
  await write(store, { one: monday - 1 });
  const [topId = 0] = await store.requestLog.lastWritten(1);
  await write(store, { two: monday });
  await write(store, { three: monday + WEEK_MS });
  const lines = await store.requestLog.written({ topId, missing: [] }, 10);
  expect(lines.map(({ id, record }) => [id, record.requestId])).toEqual([
    [topId + 1, 'two'],
    [topId + 2, 'three'],
  ]);
  await store.close();
});

test('a long read delays dropping an old week without blocking new lines', async () => {
  const store = await open();
  const monday = await firstMonday();
  await store.retention.tendLog(monday, 0);
  const reader = await other();
  await reader.query('begin');
  await reader.query('select count(*) from request_log');
  const later = monday + 2 * WEEK_MS;
  await expect(tendLogPartitions(pool, monday, later)).rejects.toThrow('lock timeout');
  await write(store, { meanwhile: monday });
  await reader.query('commit');
  await tendLogPartitions(pool, monday, later);
  expect((await logPartitions(pool)).filter(({ toMs }) => toMs !== null && toMs <= later)).toEqual([]);
  await store.close();
});

test('a log in use is replaced by a weekly one while an old node writes and another session reads', async () => {
  await loadOldDatabase(url);
  await migrateOldDatabase(url, logger, '0043');
  const node = await other();
  await node.query('truncate request_log');
  const insert = (requestId: string, atMs: number | null) =>
    node.query('insert into request_log (request_id, at_ms) values ($1, $2) returning id', [requestId, atMs]);
  const now = Date.now();
  for (let index = 0; index < 50; index++) await insert(`old-${index}`, now - index * DAY_MS);
  await insert('timeless', null);
  await insert('far', now + 400 * DAY_MS);
  const reader = await other();
  await reader.query("set application_name = 'a report'");
  await reader.query('begin');
  await reader.query('select count(*) from request_log');
  const upgrading = migrate(url, logger, 'a test');
  await until('the upgrade has yielded', () => logged.some((line) => line.includes('while its tables are in use')));
  await insert('meanwhile', now);
  await reader.query('commit');
  await upgrading;
  const { rows } = await insert('after', now);
  expect(Number(rows[0]?.id)).toBeGreaterThan(53);
  expect(await count('request_log')).toBe(52);
  expect((await logPartitions(pool)).map(({ table }) => table)).toEqual(['request_log_first', 'request_log_rest']);
  const plan = await pool.query(`explain select * from request_log where at_ms >= ${now + 30 * DAY_MS}`);
  expect(JSON.stringify(plan.rows)).not.toContain('request_log_first');
  // The next node to start finds it done.
  await (await open(OLD_DATABASE.secret)).close();
});
