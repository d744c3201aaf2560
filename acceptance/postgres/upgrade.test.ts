import { afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import { hostname } from 'node:os';
import { sql } from 'kysely';
import { Client } from 'pg';
import { until } from '../../conformance/shared/until.ts';
import type { Logger } from '../../src/engine/ports/logger.ts';
import { migrate, planDatabaseUpgrade, upgradeDatabase } from '../../src/stores/postgres/migrate.ts';
import { POSTGRES_CHAIN } from '../../src/stores/postgres/migrations/index.ts';
import type { Backfill, PostgresChain, PostgresMigration } from '../../src/stores/postgres/upgrade/migration.ts';
import { type SharedTestPostgres, sharedTestPostgres } from '../../src/stores/shared/testing/postgres.ts';
import type { UpgradePlan, UpgradePolicy } from '../../src/stores/shared/upgrade-plan.ts';

/** A batch that waits for this advisory lock is inside its transaction. */
const GATE = 7;
const LINES = 2_500;
const BATCH = 1_000;
const BALANCE = 1_000_000;
/** The name of this process's connections while it upgrades, as the server shows it. */
const UPGRADER = `switchyard upgrade, ${hostname()}:${process.pid}`.slice(0, 63);

let server: SharedTestPostgres;
let clients: Client[] = [];
let logged: string[] = [];
const note = (fields: unknown, message: string) => void logged.push(`${message} ${JSON.stringify(fields)}`);
const logger: Logger = { debug: note, info: note, warn: note, error: note };

beforeAll(async () => {
  server = await sharedTestPostgres();
}, 600_000);
beforeEach(() => {
  logged = [];
});
afterEach(async () => {
  await Promise.all(clients.map((client) => client.end()));
  clients = [];
});

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  clients.push(client);
  return client;
}

function upgrade(url: string, chain: PostgresChain = POSTGRES_CHAIN, policy?: UpgradePolicy): Promise<UpgradePlan> {
  return migrate(url, logger, 'a test', chain, policy);
}

/** Creates a database with lines in the log. */
async function databaseInUse(): Promise<{ readonly url: string; readonly node: Client }> {
  const url = await server.createMigratedDatabase();
  const node = await connect(url);
  await node.query(`
    insert into request_log (request_id, at_ms) select 'r' || n, 1790000000000 + n from generate_series(1, ${LINES}) n`);
  await node.query(`insert into balances (account_id, balance_nano) values ('acme', ${BALANCE})`);
  return { url, node };
}

/** Charges as a node of the previous version does during an upgrade. */
async function charge(node: Client, requestId: string, nanoUsd: number): Promise<void> {
  const parameters = Array.from({ length: 18 }, (_, index) => `$${index + 1}`);
  await node.query(`select known from ledger_charge_2(${parameters})`, [
    ...[['old-node'], [requestId], ['acme'], [null], [nanoUsd]],
    ...[[0], [0], [1_790_000_100_000], [null]],
    ...[[null], [null], [null], [null]],
    ...[['gpt-4o-mini'], ['channel'], [200], [], []],
  ]);
}

async function balance(node: Client): Promise<number> {
  const { rows } = await node.query("select balance_nano from balances where account_id = 'acme'");
  return Number(rows[0]?.balance_nano);
}

const COPY: Backfill = {
  kind: 'backfill',
  rows: 'lines of the request log',
  table: 'request_log',
  sql: 'insert into copied_lines (line) select id from request_log where $1 < id and id <= $2',
  rowsPerBatch: BATCH,
  rowsPerSecond: LINES,
};

/** A migration that copies the lines of the log in batches. Those from `from` on wait, after their work, until the gate is free. */
function copying(from = Number.POSITIVE_INFINITY): PostgresChain {
  const waiting = `case when $1 >= ${from} then pg_advisory_xact_lock_shared(${GATE}) end`;
  const gated = `with done as (${COPY.sql} returning 1) select count(*), ${waiting} from done`;
  const migration: PostgresMigration = {
    up: 'create table copied_lines (line bigint); insert into copied_lines (line) select id from request_log',
    online: {
      async up(db) {
        await sql`create table copied_lines (line bigint)`.execute(db);
        const { rows } = await sql<{ last: bigint }>`select max(id) as last from request_log`.execute(db);
        return { lines: { after: 0n, upTo: rows[0]?.last ?? 0n } };
      },
      steps: {
        lines: { ...COPY, sql: Number.isFinite(from) ? gated : COPY.sql },
        index: { kind: 'index', name: 'copied_lines_by_line', on: 'copied_lines (line)' },
      },
    },
  };
  return { ...POSTGRES_CHAIN, migrations: { ...POSTGRES_CHAIN.migrations, '9000-copy': migration } };
}

async function waitingForGate(client: Client): Promise<number | undefined> {
  const { rows } = await client.query(
    `select pid from pg_locks where locktype = 'advisory' and objid = ${GATE} and not granted
      and database = (select oid from pg_database where datname = current_database())`,
  );
  return rows[0]?.pid;
}

async function copied(client: Client): Promise<unknown> {
  const { rows } = await client.query(
    'select count(*)::integer as lines, count(distinct line)::integer as different from copied_lines',
  );
  return rows[0];
}

test('an old node can charge during a batch of an upgrade, and a starting node waits', async () => {
  const { url, node } = await databaseInUse();
  const holder = await connect(url);
  await holder.query(`select pg_advisory_lock(${GATE})`);
  const upgrading = upgrade(url, copying(0));
  await until('a batch is running', async () => (await waitingForGate(node)) !== undefined);
  await charge(node, 'meanwhile', 7);
  const second = upgrade(url, copying());
  await until('the other node says why it waits', () =>
    logged.some((line) => line.includes('waiting for it to finish')),
  );
  await holder.query(`select pg_advisory_unlock(${GATE})`);
  await Promise.all([upgrading, second]);
  expect(logged.join('\n')).toContain('"secondsLeft":1');
  expect(logged.join('\n')).toContain(
    `another node is upgrading the database; waiting for it to finish {"holder":"${UPGRADER}"}`,
  );
  expect(await copied(node)).toEqual({ lines: LINES, different: LINES });
  expect(await balance(node)).toBe(BALANCE - 7);
  const { rows } = await node.query('select from deferred_steps');
  expect(rows).toEqual([]);
});

test('an upgrade interrupted in a batch continues without copying anything twice', async () => {
  const { url, node } = await databaseInUse();
  const holder = await connect(url);
  await holder.query(`select pg_advisory_lock(${GATE})`);
  const interrupted = upgrade(url, copying(BATCH)).catch((error: Error) => error.message);
  let waiting: number | undefined;
  await until('the second batch is running', async () => {
    waiting = await waitingForGate(node);
    return waiting !== undefined;
  });
  await node.query('select pg_terminate_backend($1)', [waiting]);
  expect(await interrupted).toContain('does not respond');
  expect(await copied(node)).toEqual({ lines: BATCH, different: BATCH });
  await upgrade(url, copying());
  expect(await copied(node)).toEqual({ lines: LINES, different: LINES });
});

test('a new database gets the plain form of a migration', async () => {
  const url = await server.createDatabase();
  await upgrade(url, copying());
  expect(await copied(await connect(url))).toEqual({ lines: 0, different: 0 });
});

test('functions are replaced by those of a higher version, and kept from those of a lower one', async () => {
  const url = await server.createMigratedDatabase();
  const client = await connect(url);
  const { version } = POSTGRES_CHAIN.functions;
  const replaced = `create or replace function audit_refuse_change() returns trigger language plpgsql as $$
    begin
      raise exception 'changed';
    end
  $$`;
  const body = async () =>
    (await client.query("select prosrc from pg_proc where proname = 'audit_refuse_change'")).rows[0]?.prosrc;
  const earlier = await body();
  await upgrade(url, { ...POSTGRES_CHAIN, functions: { version, sql: replaced } });
  expect(await body()).toBe(earlier);
  await upgrade(url, { ...POSTGRES_CHAIN, functions: { version: version + 1, sql: replaced } });
  expect(await body()).toContain("raise exception 'changed'");
  expect(logged).toEqual([
    'the database is being upgraded {"atOnce":["functions"],"online":[],"rows":0}',
    `the schema has been migrated {"migrations":[],"functions":${version + 1}}`,
  ]);
  await upgrade(url);
  expect(await body()).toContain("raise exception 'changed'");
});

const REFUSE: UpgradePolicy = { mode: 'refuse' };

const ONLINE: ReadonlySet<string> = new Set(['0006-request-identity', '0012-task-lists']);

test('a plan says what is missing, and changes nothing', async () => {
  const url = await server.createDatabase();
  const [database, client] = [`${new URL(url).pathname.slice(1)} on ${new URL(url).host}`, await connect(url)];
  const plan = () => planDatabaseUpgrade({ url, logger });
  expect(await plan()).toMatchObject({ database, kind: 'postgresql', state: 'absent', usedBy: null });
  const { rows: tables } = await client.query('select from pg_tables where schemaname = current_schema()');
  expect(tables).toEqual([]);

  expect((await upgradeDatabase({ url, logger })).state).toBe('absent');
  expect(await plan()).toEqual({ database, kind: 'postgresql', state: 'current', changes: [], usedBy: null });
  await client.query("delete from kysely_migration where name > '0005'; update functions_version set version = 1");
  const missing = Object.keys(POSTGRES_CHAIN.migrations).filter((name) => name > '0005');
  expect(await plan()).toMatchObject({
    state: 'due',
    changes: ['functions', ...missing].map((name) => ({
      ...{ name, rows: 0 },
      how: ONLINE.has(name) ? 'online' : 'at_once',
    })),
  });
  await client.query("insert into kysely_migration values ('9999-newer', '')");
  await expect(plan()).rejects.toThrow('a newer version has changed it (9999-newer)');
});

test('a node that must not upgrade refuses, says what is due, and creates an empty database', async () => {
  const { url, node } = await databaseInUse();
  await expect(upgrade(url, copying(), REFUSE)).rejects.toThrow(
    'it must be upgraded first (9000-copy), and DATABASE_UPGRADE is "refuse". Run "switchyard migrate"',
  );
  const { rows } = await node.query("select to_regclass('copied_lines') as copied");
  expect(rows).toEqual([{ copied: null }]);
  const empty = await server.createDatabase();
  expect((await upgrade(empty, copying(), REFUSE)).state).toBe('absent');
  expect((await upgrade(empty, copying(), REFUSE)).state).toBe('current');
});

test('a node that must not upgrade waits for another one, and answers meanwhile', async () => {
  const { url, node } = await databaseInUse();
  const holder = await connect(url);
  await holder.query(`select pg_advisory_lock(${GATE})`);
  const upgrading = upgrade(url, copying(0));
  await until('a batch is running', async () => (await waitingForGate(node)) !== undefined);
  const before: UpgradePlan[] = [];
  const waiting = upgrade(url, copying(), { ...REFUSE, beforeUpgrade: async (plan) => void before.push(plan) });
  await until('it waits', () => logged.some((line) => line.includes('waiting for it to finish')));
  expect(before).toEqual([
    expect.objectContaining({
      state: 'due',
      usedBy: UPGRADER,
      changes: [
        { name: '9000-copy (lines)', how: 'online', rows: LINES },
        { name: '9000-copy (index)', how: 'online', rows: 0 },
      ],
    }),
  ]);
  await holder.query(`select pg_advisory_unlock(${GATE})`);
  await Promise.all([upgrading, waiting]);
  expect(await copied(node)).toEqual({ lines: LINES, different: LINES });
});

test('the rows of a backfill are estimated before the upgrade', async () => {
  const { url, node } = await databaseInUse();
  const plans: UpgradePlan[] = [];
  const beforeUpgrade = async (plan: UpgradePlan) => void plans.push(plan);
  await node.query('analyze request_log');
  await upgrade(url, copying(), { mode: 'auto', beforeUpgrade });
  expect(plans).toEqual([expect.objectContaining({ changes: [{ name: '9000-copy', how: 'online', rows: LINES }] })]);
});

/** The index of the log by a client's id and those of its partitions, with whether they are complete. */
async function clientIdIndexes(client: Client): Promise<unknown> {
  const { rows } = await client.query(`
    select pg_get_indexdef(indexrelid) as definition, indisvalid as valid,
        (select inhparent::regclass::text from pg_inherits where inhrelid = indexrelid) as parent
      from pg_index where pg_get_indexdef(indexrelid) like '%client_request_id%' order by 1`);
  return rows;
}

test('an index of the request log is built while lines are written, and equals that of a new database', async () => {
  const { '0006-request-identity': identity, ...rest } = POSTGRES_CHAIN.migrations;
  const earlier = Object.fromEntries(Object.entries(rest).filter(([name]) => name < '0006'));
  const url = await server.createDatabase();
  await upgrade(url, { ...POSTGRES_CHAIN, migrations: earlier });
  const [node, other, holder] = [await connect(url), await connect(url), await connect(url)];
  const write = (client: Client) => client.query('insert into request_log (at_ms) values (1790000000000)');
  await write(node);
  await holder.query(`select pg_advisory_lock(${GATE})`);
  const online = identity?.online;
  const gate = { kind: 'statements' as const, statements: [`select pg_advisory_xact_lock(${GATE})`] };
  const gated = { ...identity, online: { ...online, steps: { gate, ...online?.steps } } } as PostgresMigration;
  const upgrading = upgrade(url, { ...POSTGRES_CHAIN, migrations: { ...earlier, '0006-request-identity': gated } });
  await until('the schema is changed', async () => (await waitingForGate(other)) !== undefined);
  await node.query('begin');
  await write(node);
  await holder.query(`select pg_advisory_unlock(${GATE})`);
  await until('an index waits for the transaction', async () => {
    const { rows } = await other.query("select from pg_stat_progress_create_index where phase like 'waiting%'");
    return rows.length > 0;
  });
  await write(other);
  await node.query('commit');
  await upgrading;
  await upgrade(url);
  expect(await clientIdIndexes(node)).toEqual(
    await clientIdIndexes(await connect(await server.createMigratedDatabase())),
  );
  const { rows } = await node.query('select count(*)::integer as lines from request_log');
  expect(rows).toEqual([{ lines: 3 }]);
});
