import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import type { Logger } from '../../src/engine/ports/logger.ts';
import type { Store } from '../../src/engine/ports/store.ts';
import {
  sampleAccount,
  sampleChannel,
  sampleHealth,
  sampleModel,
  sampleRecord,
  sampleResponse,
} from '../../src/engine/ports/testing/samples.ts';
import { inTransaction, openPool, query } from '../../src/stores/postgres/connection.ts';
import { DatabaseAwayError } from '../../src/stores/postgres/database-away-error.ts';
import { openPostgresStore } from '../../src/stores/postgres/postgres-store.ts';
import { type SharedTestPostgres, sharedTestPostgres } from '../../src/stores/shared/testing/postgres.ts';

const SECRET = 'a long master secret';
const clock = { nowMs: () => 1_790_000_000_000, monotonicMs: () => performance.now() };

let server: SharedTestPostgres;
/** Its tables are emptied before each test that does not make its own database. */
let shared: string;
let opened: Store[] = [];
let logged: string[] = [];
const note = (_fields: unknown, message: string) => void logged.push(message);
const logger: Logger = { debug: note, info: note, warn: note, error: note };

beforeAll(async () => {
  server = await sharedTestPostgres();
  shared = await server.createMigratedDatabase();
  // The first open ties the database to the secret.
  await (await openPostgresStore({ url: shared, secret: SECRET, clock, logger })).close();
}, 600_000);
afterAll(() => server.dropDatabase(shared));
beforeEach(() => {
  logged = [];
});
afterEach(async () => {
  await Promise.all(opened.map((store) => store.close()));
  opened = [];
});

async function open(url: string, secret = SECRET): Promise<Store> {
  const store = await openPostgresStore({ url, secret, clock, logger });
  opened.push(store);
  return store;
}

async function openTwo(): Promise<[url: string, one: Store, other: Store]> {
  await server.emptyDatabase(shared);
  return [shared, await open(shared), await open(shared)];
}

/** Queries the database directly, as a person would. */
async function sql(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const pool = openPool({ url, logger });
  try {
    return (await query(pool, statement)).rows;
  } finally {
    await pool.end();
  }
}

test('several nodes that start at once on an empty database create its tables once', async () => {
  const url = await server.createDatabase();
  const stores = await Promise.all([open(url), open(url), open(url)]);
  await stores[0]?.directory.write('all', (writer) => writer.putModel(sampleModel()));
  for (const { directory } of stores) expect((await directory.read('all')).models).toEqual([sampleModel()]);
});

test('a change of one node is visible to another, which detects it by the version', async () => {
  const [, one, other] = await openTwo();
  const before = await other.directory.state();
  await one.directory.write('all', (writer) => {
    writer.putAccount(sampleAccount());
    writer.putChannel(sampleChannel({ owner: 'acme' }));
  });
  expect(await other.directory.state()).not.toEqual(before);
  expect(await other.directory.read('all')).toEqual(await one.directory.read('all'));
});

test('concurrent changes of two nodes are serialized, and none is lost', async () => {
  const [, one, other] = await openTwo();
  await one.directory.write('all', (writer) => writer.putModel(sampleModel({ tags: [] })));
  const addTag = (store: Store, tag: string) =>
    store.directory.write('all', (writer) => {
      const [model = sampleModel()] = writer.read().models;
      writer.putModel({ ...model, tags: [...(model.tags ?? []), tag] });
    });
  const tags = Array.from({ length: 20 }, (_, index) => `tag-${index}`);
  await Promise.all(tags.map((tag, index) => addTag(index % 2 === 0 ? one : other, tag)));
  const [model] = (await one.directory.read('all')).models;
  expect([...(model?.tags ?? [])].sort()).toEqual([...tags].sort());
});

test('a change by hand raises the version', async () => {
  const [url, one] = await openTwo();
  await one.directory.write('all', (writer) => writer.putModel(sampleModel()));
  const before = await one.directory.state();
  await sql(url, `UPDATE models SET status = 'hold'`);
  expect(await one.directory.state()).not.toEqual(before);
  expect((await one.directory.read('all')).models[0]?.status).toBe('hold');
});

test('upstream keys and stored responses are encrypted', async () => {
  const [url, one] = await openTwo();
  await one.directory.write('all', (writer) => writer.putChannel(sampleChannel({ apiKey: 'sk-upstream-secret' })));
  await one.responses.put(sampleResponse({ inputJson: '["what the client said"]' }));
  const [seen] = await sql(
    url,
    `SELECT (SELECT string_agg(channels::text, '') FROM channels) AS channels,
      (SELECT string_agg(encode(sealed_input || sealed_response, 'escape'), '') FROM responses) AS responses`,
  );
  expect(String(seen?.channels)).toContain('openai-main');
  expect(String(seen?.channels)).not.toContain('sk-upstream-secret');
  expect(String(seen?.responses)).not.toContain('what the client said');
});

test('a node with another master secret is refused with advice', async () => {
  const [url] = await openTwo();
  await expect(open(url, 'not the same master secret')).rejects.toThrow(
    /^Cannot open the database test_\d+_\d+ on 127\.0\.0\.1:\d+: it was created with another master secret\. Give all nodes .* the same SWITCHYARD_SECRET\. .*secret forget/,
  );
});

test('a database migrated by a newer version is refused', async () => {
  const url = await server.createMigratedDatabase();
  await sql(url, `INSERT INTO kysely_migration (name, timestamp) VALUES ('9999-from-the-future', '2100-01-01')`);
  await expect(open(url)).rejects.toThrow('a newer version has changed it (9999-from-the-future); start that version');
});

test('a database that cannot be opened is explained without its password', async () => {
  const wrong = server.url.replace('switchyard@', 'switchyard:hunter2@');
  const cases: [url: string, message: RegExp][] = [
    [wrong.replace('/postgres', '/absent'), /the database absent on 127\.0\.0\.1:\d+: it does not exist; create it/],
    [
      wrong.replace(/:\d+\/postgres/, ':1/postgres'),
      /postgres on 127\.0\.0\.1:1: nothing is listening there; start PostgreSQL/,
    ],
    [wrong.replace('switchyard:', 'nobody:'), /it rejects the user or the password/],
    ['mysql://root:hunter2@localhost/app', /DATABASE_URL must be a URL such as postgres:/],
    ['postgres://user:hunter2@:notaport/app', /DATABASE_URL must be a URL such as postgres:/],
  ];
  for (const [url, message] of cases) {
    const error = await open(url).catch((thrown: Error) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(String(error)).toMatch(message);
    expect(String(error)).not.toContain('hunter2');
  }
});

test('the latest health that two nodes report for a channel is read', async () => {
  const [, one, other] = await openTwo();
  await one.directory.write('all', (writer) => writer.putChannel(sampleChannel()));
  const write = (store: Store, updatedAtMs: number) => store.health.write([sampleHealth({ updatedAtMs })]);
  await Promise.all(Array.from({ length: 20 }, (_, index) => write(index % 2 === 0 ? one : other, index)));
  await write(other, 100);
  expect(await one.health.read()).toEqual([sampleHealth({ updatedAtMs: 100 })]);
});

test('one of several nodes makes the success snapshot from all lines, and all nodes read it', async () => {
  const [, one, other] = await openTwo();
  one.requestLog.append(sampleRecord({ requestId: '1', modelId: 'a' }));
  other.requestLog.append(sampleRecord({ requestId: '2', modelId: 'a', status: 504, errorCode: 'timeout_error' }));
  await Promise.all([one.requestLog.flush(), other.requestLog.flush()]);
  const nowMs = clock.nowMs() + 1;
  const claims = Array.from({ length: 20 }, (_, index) =>
    (index % 2 === 0 ? one : other).snapshots.claim(nowMs, 1_000),
  );
  expect((await Promise.all(claims)).filter((isGranted) => isGranted)).toHaveLength(1);
  const counts = await one.outcomes.count(0, nowMs);
  expect(counts).toEqual([{ modelId: 'a', succeeded: 1, failed: 1 }]);
  await one.snapshots.write({ atMs: nowMs, windowMs: nowMs, counts });
  expect(await other.snapshots.read()).toEqual({ atMs: nowMs, windowMs: nowMs, counts });
  expect(await other.snapshots.claim(nowMs + 999, 1_000)).toBe(false);
});

test('a line with characters that PostgreSQL cannot store does not block the log', async () => {
  const [, one] = await openTwo();
  one.requestLog.append(sampleRecord({ requestId: 'a', modelId: 'a\0b\ud800', latencyMs: Number.NaN }));
  one.requestLog.append(sampleRecord({ requestId: 'b', costNanoUsd: 2n ** 70n }));
  await one.requestLog.flush();
  const [b, a] = await one.requestLog.recent(2);
  expect(a?.modelId).toBe('a\u{fffd}b\u{fffd}');
  expect(b?.costNanoUsd).toBe(2n ** 70n);
});

test('a line is not written again after its response was lost', async () => {
  const [url, one, other] = await openTwo();
  const line = sampleRecord({ requestId: 'once' });
  // Simulates an attempt that seems to fail.
  one.requestLog.append(line);
  await one.requestLog.flush();
  await sql(url, 'ALTER TABLE request_log RENAME TO hidden');
  other.requestLog.append(line);
  await expect(other.requestLog.flush()).rejects.toThrow('request_log');
  await sql(url, 'ALTER TABLE hidden RENAME TO request_log');
  other.requestLog.append(sampleRecord({ requestId: 'new' }));
  await other.requestLog.flush();
  expect((await one.requestLog.recent(10)).map(({ requestId }) => requestId)).toEqual(['new', 'once']);
});

test('a response id that PostgreSQL cannot store is not found', async () => {
  const [, { responses }] = await openTwo();
  expect(await responses.get('acme', 'a\0b')).toBeNull();
  expect(await responses.delete('acme', 'a\0b')).toBe(false);
  const limits = { maxResponses: 10, maxBytes: 1_000 };
  expect(await responses.chain('acme', 'a\0b', limits)).toEqual({ kind: 'missing', id: 'a\0b' });
});

test('a statement that times out fails, and its connection is not reused', async () => {
  const pool = openPool({ url: shared, logger, statementTimeoutMs: 200, maxConnections: 1 });
  const patient = openPool({ url: shared, logger, maxConnections: 1 });
  try {
    await inTransaction(patient, async (session) => {
      await session.query('LOCK TABLE models IN ACCESS EXCLUSIVE MODE');
      await expect(query(pool, 'SELECT * FROM models')).rejects.toBeInstanceOf(DatabaseAwayError);
    });
    expect(pool.totalCount).toBe(0);
  } finally {
    await Promise.all([pool.end(), patient.end()]);
  }
});

test('a failed transaction leaves nothing behind, and its error is passed on unchanged', async () => {
  const [url] = await openTwo();
  const pool = openPool({ url, logger, maxConnections: 1 });
  try {
    const failing = inTransaction(pool, async (session) => {
      await session.query(`INSERT INTO secret_check SELECT 'x' WHERE false`);
      await session.query(`UPDATE directory_version SET version = 77`);
      throw new RangeError('changed my mind');
    });
    await expect(failing).rejects.toThrow(new RangeError('changed my mind'));
    const { rows } = await query<{ version: bigint }>(pool, 'SELECT version FROM directory_version');
    expect(rows[0]?.version).not.toBe(77n);
    await expect(query(pool, 'SELECT nonsense')).rejects.toHaveProperty('code', '42703');
  } finally {
    await pool.end();
  }
});
