import { afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { Client } from 'pg';
import { until } from '../../conformance/shared/until.ts';
import type { Logger } from '../../src/engine/ports/logger.ts';
import { migrate } from '../../src/stores/postgres/migrate.ts';
import { MIGRATIONS } from '../../src/stores/postgres/migrations/index.ts';
import type { Backfill, PostgresMigration } from '../../src/stores/postgres/upgrade/migration.ts';
import { type SharedTestPostgres, sharedTestPostgres } from '../../src/stores/shared/testing/postgres.ts';
import { rollStatement } from '../../src/stores/sql/usage/sum-statements.ts';

type Migrations = Readonly<Record<string, PostgresMigration>>;

/** A batch that waits for this advisory lock is inside its transaction. */
const GATE = 7;
const LINES = 2_500;
const BATCH = 1_000;

let server: SharedTestPostgres;
let clients: Client[] = [];
let logged: string[] = [];
const note = (fields: unknown, message: string) => void logged.push(`${message} ${JSON.stringify(fields)}`);
const logger: Logger = { debug: note, info: note, warn: note, error: note };

beforeAll(async () => {
  server = await sharedTestPostgres();
}, 240_000);
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

function upgrade(url: string, migrations: Migrations = MIGRATIONS): Promise<void> {
  return migrate(url, logger, 'a test', migrations);
}

function before(name: string, migrations: Migrations = MIGRATIONS): Migrations {
  return Object.fromEntries(Object.entries(migrations).filter(([migration]) => migration < name));
}

/** Creates a database from before usage roll-ups: every line has a charge of 3, and one line is duplicated. */
async function databaseInUse(): Promise<{ readonly url: string; readonly node: Client }> {
  const url = await server.createDatabase();
  await upgrade(url, before('0020'));
  const node = await connect(url);
  await node.query(`
    insert into request_log (request_id, at_ms, account_id, model_id, status, input_tokens, cost_nano)
      select 'r' || least(n, ${LINES - 1}), 1790000000000 + n, 'acme', 'm', 200, 10, 3 from generate_series(1, ${LINES}) n`);
  await node.query(`
    insert into ledger_entries (idempotency_key, account_id, kind, amount_nano, request_id, at_ms)
      select 'charge:r' || n, 'acme', 'charge', -3, 'r' || n, 1790000000000 + n from generate_series(1, ${LINES - 1}) n`);
  await node.query(`insert into balances (account_id, balance_nano) values ('acme', 1000000)`);
  return { url, node };
}

/** Writes a charge like a node of the previous version. */
async function charge(node: Client, requestId: string, nanoUsd: number): Promise<void> {
  await node.query('select known from ledger_charge($1, $2, $3, $4, $5, $6, $7, $8)', [
    ['old-node'],
    [requestId],
    ['acme'],
    [null],
    [nanoUsd],
    [0],
    [0],
    [1_790_000_100_000],
  ]);
}

/** Makes batches from `from` on wait, after their work, until the gate is free. */
function gated(from: number): Migrations {
  const usage = MIGRATIONS['0020-usage'];
  const counts = usage?.online?.steps.counts as Backfill;
  const waiting = `case when $1 >= ${from} then pg_advisory_xact_lock_shared(${GATE}) end`;
  const batch = `with done as (${counts.sql} returning 1) select count(*), ${waiting} from done`;
  const steps = { ...usage?.online?.steps, counts: { ...counts, rowsPerBatch: BATCH, sql: batch } };
  return { ...MIGRATIONS, '0020-usage': { ...usage, online: { ...usage?.online, steps } } as PostgresMigration };
}

async function waitingForGate(client: Client): Promise<number | undefined> {
  const { rows } = await client.query(
    `select pid from pg_locks where locktype = 'advisory' and objid = ${GATE} and not granted
      and database = (select oid from pg_database where datname = current_database())`,
  );
  return rows[0]?.pid;
}

async function sums(client: Client): Promise<unknown> {
  const { rows } = await client.query(
    `select sum(requests)::integer as requests, sum(input_tokens)::integer as tokens, sum(cost_nano)::integer as cost
      from usage_deltas`,
  );
  return rows[0];
}

test('an old node can charge during a batch of an upgrade, and a starting node waits', async () => {
  const { url, node } = await databaseInUse();
  const holder = await connect(url);
  await holder.query(`select pg_advisory_lock(${GATE})`);
  const upgrading = upgrade(url, gated(0));
  await until('a batch is running', async () => (await waitingForGate(node)) !== undefined);
  await charge(node, 'meanwhile', 7);
  const second = upgrade(url);
  await until('the other node says why it waits', () =>
    logged.some((line) => line.includes('waiting for it to finish')),
  );
  await holder.query(`select pg_advisory_unlock(${GATE})`);
  await Promise.all([upgrading, second]);
  expect(logged.join('\n')).toContain('"estimatedSeconds":1');
  expect(await sums(node)).toEqual({ requests: LINES, tokens: LINES * 10, cost: (LINES - 1) * 3 + 7 });
  const { rows } = await node.query('select from deferred_steps');
  expect(rows).toEqual([]);
});

test('an upgrade interrupted in a batch continues without counting anything twice', async () => {
  const { url, node } = await databaseInUse();
  const holder = await connect(url);
  await holder.query(`select pg_advisory_lock(${GATE})`);
  const interrupted = upgrade(url, gated(BATCH)).catch((error: Error) => error.message);
  let waiting: number | undefined;
  await until('the second batch is running', async () => {
    waiting = await waitingForGate(node);
    return waiting !== undefined;
  });
  await node.query('select pg_terminate_backend($1)', [waiting]);
  expect(await interrupted).toContain('does not respond');
  expect(await sums(node)).toMatchObject({ requests: BATCH });
  await upgrade(url);
  expect(await sums(node)).toEqual({ requests: LINES, tokens: LINES * 10, cost: (LINES - 1) * 3 });
});

test('account days equal the usage roll-ups, even if an old node moves rows meanwhile', async () => {
  const url = await server.createDatabase();
  await upgrade(url, before('0033'));
  const store = await connect(url);
  const day = Date.parse('2026-11-28T00:00:00Z');
  const charged = (accountId: string, atMs: number, nanoUsd: number) =>
    store.query(
      `insert into usage_deltas (at_ms, account_id, requests, cost_nano, tag)
        select $1::bigint, $2, 1, $3::bigint, tag from (values (''), ('team=x')) as tags (tag)`,
      [atMs, accountId, nanoUsd],
    );
  const move = () => {
    const rolled = rollStatement('moved', 'true');
    return store.query(`with moved as (delete from usage_deltas returning *), rolled as (${rolled}) select`);
  };
  await charged('a', day + 5, 3);
  await charged('a', day - 5, 4);
  await move();
  // The schema has changed, and the step that copies the days has not run yet.
  const started = Object.entries(MIGRATIONS).map(([name, migration]) => {
    const { online, ...rest } = migration;
    return [
      name,
      online === undefined || name < '0033' ? migration : { ...rest, online: { ...online, steps: { fill: NOTHING } } },
    ];
  });
  await upgrade(url, Object.fromEntries(started));
  await store.query("insert into deferred_steps (migration, step) values ('0033-account-days', 'fill')");
  await charged('a', day + 6, 10);
  await charged('b', day + 6, 20);
  await move();
  await upgrade(url);
  await charged('b', day + 7, 1);
  await move();
  const { rows } = await store.query(
    `select account_id, (day_ms - ${day}) / 86400000 as day, cost_nano::integer as cost, requests::integer
      from usage_account_days order by 1, 2`,
  );
  expect(rows).toEqual([
    { account_id: 'a', day: '-1', cost: 4, requests: 1 },
    { account_id: 'a', day: '0', cost: 13, requests: 2 },
    { account_id: 'b', day: '0', cost: 21, requests: 2 },
  ]);
});

const NOTHING = { kind: 'statements' as const, statements: [] };

test('an upgraded database has the schema of a new one', async () => {
  const { url, node } = await databaseInUse();
  await upgrade(url);
  expect(await schemaOf(node)).toEqual(await schemaOf(await newDatabase()));
});

test('an upgrade yields to a session that locks a table, names it, and retries', async () => {
  const { url, node } = await databaseInUse();
  const report = await connect(url);
  await report.query("set application_name = 'a report'");
  await report.query('begin');
  await report.query('select count(*) from ledger_entries');
  const upgrading = upgrade(url);
  await until('the upgrade has yielded', () => logged.some((line) => line.includes('while its tables are in use')));
  await charge(node, 'meanwhile', 7);
  await report.query('commit');
  await upgrading;
  expect(logged.find((line) => line.includes('in use'))).toContain('(a report)');
  expect(await sums(node)).toMatchObject({ cost: (LINES - 1) * 3 + 7 });
});

test('a database made with migrations that were edited later gets what they lack', async () => {
  const url = await server.createDatabase();
  await upgrade(url, before('0022', editedLater()));
  await upgrade(url);
  expect(await schemaOf(await connect(url))).toEqual(await schemaOf(await newDatabase()));
});

/** Returns those migrations with their original text. */
function editedLater(): Migrations {
  const followedBy = (name: string, statements: readonly string[]): Migrations => ({
    [name]: {
      async up(db) {
        await MIGRATIONS[name]?.up(db);
        for (const statement of statements) await sql.raw(statement).execute(db);
      },
    },
  });
  const budgets = ['accounts', 'credentials'].flatMap((table) =>
    ['budget_nano_usd', 'budget_per', 'budget_time_zone'].map(
      (column) => `alter table ${table} add column ${column} text`,
    ),
  );
  return {
    ...MIGRATIONS,
    ...followedBy('0003-catalogue', [
      'alter table models alter column status drop not null',
      'alter table models drop column status_stated',
    ]),
    ...followedBy('0004-success-snapshot', ['alter table request_log drop column is_private']),
    ...followedBy('0014-tasks', [
      'drop index tasks_open_by_account',
      "create index tasks_open_by_account on tasks (account_id) where stage not in ('completed', 'failed')",
    ]),
    ...followedBy('0020-usage', [
      'alter table request_log drop column losses',
      'alter table usage_deltas drop column latency_ms_max',
      'alter table usage_rollups drop column latency_ms_max',
      'drop index ledger_entries_by_account',
      'drop index ledger_entries_but_charges',
      'create index ledger_entries_by_account on ledger_entries (account_id, sequence)',
    ]),
    '0021-budgets': {
      async up(db) {
        for (const statement of budgets) await sql.raw(statement).execute(db);
      },
    },
  };
}

async function newDatabase(): Promise<Client> {
  return connect(await server.createMigratedDatabase());
}

/** Resolves to columns, indexes, functions and triggers, independent of their order of creation. */
async function schemaOf(client: Client): Promise<unknown> {
  const { rows } = await client.query(`
    select 'column' as kind, table_name || '.' || column_name as name,
        concat_ws(' ', data_type, collation_name, is_nullable, column_default) as definition
      from information_schema.columns where table_schema = current_schema()
    union all select 'index', indexname, indexdef from pg_indexes where schemaname = current_schema()
    union all select 'function', proname, prosrc from pg_proc where pronamespace = current_schema()::regnamespace
    union all select 'trigger', tgname, pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
    order by 1, 2, 3`);
  return rows;
}
