import { afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import { Client } from 'pg';
import { until } from '../../conformance/shared/until.ts';
import type { Logger } from '../../src/engine/ports/logger.ts';
import { migrate } from '../../src/stores/postgres/migrate.ts';
import { POSTGRES_CHAIN } from '../../src/stores/postgres/migrations/index.ts';
import { UNRELEASED } from '../../src/stores/postgres/migrations/unreleased/index.ts';
import type { PostgresMigration } from '../../src/stores/postgres/upgrade/migration.ts';
import { type SharedTestPostgres, sharedTestPostgres } from '../../src/stores/shared/testing/postgres.ts';
import { loadOldDatabase, migrateOldDatabase } from './2026-11-28/index.ts';

/* Upgrades a database from before the baseline (2026-11-28/README.md). */

type Migrations = Readonly<Record<string, PostgresMigration>>;

let server: SharedTestPostgres;
let url: string;
let client: Client;
let clients: Client[] = [];
let logged: string[] = [];
const note = (fields: unknown, message: string) => void logged.push(`${message} ${JSON.stringify(fields)}`);
const logger: Logger = { debug: note, info: note, warn: note, error: note };

beforeAll(async () => {
  server = await sharedTestPostgres();
}, 600_000);
beforeEach(async () => {
  logged = [];
  url = await server.createDatabase();
  await loadOldDatabase(url);
  client = await connect(url);
});
afterEach(async () => {
  await Promise.all(clients.map((one) => one.end()));
  clients = [];
});

async function connect(to: string): Promise<Client> {
  const opened = new Client({ connectionString: to });
  opened.on('error', () => {});
  await opened.connect();
  clients.push(opened);
  return opened;
}

function upgrade(unreleased: Migrations = UNRELEASED): Promise<unknown> {
  return migrate(url, logger, 'a test', { ...POSTGRES_CHAIN, unreleased });
}

async function history(): Promise<unknown> {
  return (await client.query('select name from kysely_migration order by name')).rows;
}

/** The roll-up of the versions before the baseline, which have no latency counts. */
const ROLL = `
  insert into usage_rollups (level, bucket_ms, account_id, tag, requests, cost_nano)
    select level, at_ms - at_ms % size, case of_all when 1 then '' else account_id end, tag, sum(requests), sum(cost_nano)
    from moved
      cross join (values ('minute', 60000), ('hour', 3600000), ('day', 86400000)) as levels (level, size)
      cross join (values (0), (1)) as wholes (of_all)
    where of_all = 0 or tag = ''
    group by 1, 2, 3, 4
  on conflict (account_id, level, bucket_ms, key_id, model_id, channel_id, status, tag) do update set
    requests = usage_rollups.requests + excluded.requests, cost_nano = usage_rollups.cost_nano + excluded.cost_nano
`;
/** The migrations of a new store. */
const HISTORY = Object.keys(POSTGRES_CHAIN.migrations).map((name) => ({ name }));

test('it gets the schema and the history of a new one', async () => {
  await upgrade();
  expect(await schemaOf(client)).toEqual(await schemaOf(await newDatabase()));
  expect(await history()).toEqual(HISTORY);
});

test.each(['0032', '0034', '0099'])('one with the migrations before %s gets the others', async (name) => {
  await migrateOldDatabase(url, logger, name);
  await upgrade();
  expect(await schemaOf(client)).toEqual(await schemaOf(await newDatabase()));
});

test('every row is still there', async () => {
  const columns = await columnsOf(client);
  const before = await rowsOf(client, columns);
  expect(before.ledger_entries).toHaveLength(6);
  await upgrade();
  expect(await rowsOf(client, columns)).toEqual({
    ...before,
    // The former section `tasks` had the retention of tasks.
    settings: [
      { section: 'retention', words: '{"tasks_days":3}' },
      { section: 'tasks', words: '{}' },
    ],
  });
});

test('of two nodes that start at once, one imports', async () => {
  await Promise.all([upgrade(), upgrade()]);
  expect(await history()).toEqual(HISTORY);
  expect(logged.filter((line) => line.includes('has been imported'))).toHaveLength(1);
});

test('an interrupted import is continued', async () => {
  const partitions = UNRELEASED['0043-log-partitions'];
  const online = partitions?.online;
  const failing = { kind: 'statements' as const, statements: ['select no_such_column'] };
  const broken = { ...partitions, online: { ...online, steps: { ...online?.steps, check: failing } } };
  await expect(upgrade({ ...UNRELEASED, '0043-log-partitions': broken as PostgresMigration })).rejects.toThrow(
    'no_such_column',
  );
  expect(await history()).toHaveLength(43);
  await upgrade();
  expect(await history()).toEqual(HISTORY);
  expect(await schemaOf(client)).toEqual(await schemaOf(await newDatabase()));
});

test('an import yields to a session that locks a table, names it, and retries', async () => {
  const report = await connect(url);
  await report.query("set application_name = 'a report'");
  await report.query('begin');
  await report.query('select count(*) from audit_log');
  const upgrading = upgrade();
  await until('the import has yielded', () => logged.some((line) => line.includes('while its tables are in use')));
  await client.query("insert into request_log (request_id) values ('meanwhile')");
  await report.query('commit');
  await upgrading;
  expect(logged.find((line) => line.includes('in use'))).toContain('(a report)');
  expect(await history()).toEqual(HISTORY);
});

test('account days equal the usage roll-ups, even if an old node moves rows meanwhile', async () => {
  await migrateOldDatabase(url, logger, '0033');
  const day = Date.parse('2026-11-28T00:00:00Z');
  const charged = (accountId: string, atMs: number, nanoUsd: number) =>
    client.query(
      `insert into usage_deltas (at_ms, account_id, requests, cost_nano, tag)
        select $1::bigint, $2, 1, $3::bigint, tag from (values (''), ('team=x')) as tags (tag)`,
      [atMs, accountId, nanoUsd],
    );
  const move = () => client.query(`with moved as (delete from usage_deltas returning *), rolled as (${ROLL}) select`);
  await charged('a', day + 5, 3);
  await charged('a', day - 5, 4);
  await move();
  // The schema has changed, and the step that copies the days has not run yet.
  const days = UNRELEASED['0033-account-days'];
  const nothing = { kind: 'statements' as const, statements: [] };
  const started = { ...days, online: { ...days?.online, steps: { fill: nothing } } } as PostgresMigration;
  await migrateOldDatabase(url, logger, '9999', { ...UNRELEASED, '0033-account-days': started });
  await client.query("insert into deferred_steps (migration, step) values ('0033-account-days', 'fill')");
  await charged('a', day + 6, 10);
  await charged('b', day + 6, 20);
  await move();
  await upgrade();
  await charged('b', day + 7, 1);
  await move();
  const { rows } = await client.query(
    `select account_id, (day_ms - ${day}) / 86400000 as day, cost_nano::integer as cost, requests::integer
      from usage_account_days where account_id in ('a', 'b') order by 1, 2`,
  );
  expect(rows).toEqual([
    { account_id: 'a', day: '-1', cost: 4, requests: 1 },
    { account_id: 'a', day: '0', cost: 13, requests: 2 },
    { account_id: 'b', day: '0', cost: 21, requests: 2 },
  ]);
});

test('a database made with migrations that were edited later gets what they lack', async () => {
  for (const statement of ADDED_LATER) await client.query(statement);
  await upgrade();
  const unordered = (columns: readonly { readonly kind: string; readonly definition: string }[]) =>
    columns.map((row) => (row.kind === 'column' ? { ...row, definition: row.definition.replace(/^\d+ /, '') } : row));
  expect(unordered(await schemaOf(client))).toEqual(unordered(await schemaOf(await newDatabase())));
});

/** Undoes what the first text of these migrations lacked. */
const ADDED_LATER = [
  'alter table models alter column status drop not null',
  'alter table models drop column status_stated',
  'alter table request_log drop column is_private',
  'drop index tasks_open_by_account',
  "create index tasks_open_by_account on tasks (account_id) where stage not in ('completed', 'failed')",
  'alter table request_log drop column losses',
  'alter table usage_deltas drop column latency_ms_max',
  'alter table usage_rollups drop column latency_ms_max',
  'drop index ledger_entries_by_account',
  'drop index ledger_entries_but_charges',
  'create index ledger_entries_by_account on ledger_entries (account_id, sequence)',
];

test('databases that were made or left by an earlier version are refused, with what to do', async () => {
  await client.query('alter table ledger_entries drop column counted_at_ms');
  await expect(upgrade()).rejects.toThrow(/a development version from before 2026-11-28 has made it\. Start a version/);
  await client.query("delete from kysely_migration where name = '0029-cache-savings'");
  await expect(upgrade()).rejects.toThrow(/a development version from before 2026-11-28 has made it\. Start a version/);
  await client.query("insert into kysely_migration values ('0029-cache-savings', ''), ('0044-unknown', '')");
  await expect(upgrade()).rejects.toThrow('a newer version has changed it (0044-unknown)');
  await client.query("delete from kysely_migration where name = '0044-unknown'");
  await client.query("insert into deferred_steps (migration, step) values ('0020-usage', 'counts')");
  await expect(upgrade()).rejects.toThrow(
    'an upgrade by an earlier version was interrupted (0020-usage). Start that version until it is ready, then this one.',
  );
});

async function newDatabase(): Promise<Client> {
  return connect(await server.createMigratedDatabase());
}

interface SchemaPart {
  readonly kind: string;
  readonly name: string;
  readonly definition: string;
}

/** Resolves to everything that determines the schema, whenever it was created. */
async function schemaOf(of: Client): Promise<readonly SchemaPart[]> {
  const { rows } = await of.query<SchemaPart>(`
    with own as (select * from pg_class where relnamespace = current_schema()::regnamespace)
    select 'relation' as kind, relname as name,
        concat_ws(' ', relkind, reloptions, relispartition, pg_get_partkeydef(oid),
          regexp_replace(pg_get_expr(relpartbound, oid), '[0-9]{12,}', 'N')) as definition
      from own
    union all select 'column', relname || '.' || attname,
        concat_ws(' ', row_number() over (partition by own.oid order by attnum), format_type(atttypid, atttypmod), collname,
          attnotnull, attidentity, attstorage, pg_get_expr(adbin, adrelid))
      from own join pg_attribute on attrelid = own.oid and attnum > 0 and not attisdropped
        left join pg_attrdef on adrelid = own.oid and adnum = attnum left join pg_collation c on c.oid = attcollation
      where relkind in ('r', 'p')
    union all select 'constraint', conrelid::regclass || '.' || conname, pg_get_constraintdef(oid)
      from pg_constraint where connamespace = current_schema()::regnamespace
    union all select 'index', indexname, indexdef from pg_indexes where schemaname = current_schema()
    union all select 'attached', inhrelid::regclass::text, inhparent::regclass::text from pg_inherits
    union all select 'function', proname, pg_get_functiondef(oid)
      from pg_proc where pronamespace = current_schema()::regnamespace
    union all select 'trigger', tgrelid::regclass || '.' || tgname, pg_get_triggerdef(oid)
      from pg_trigger where not tgisinternal
    order by 1, 2, 3`);
  return rows;
}

/** Resolves to the columns of each table, without those of the migrator. */
async function columnsOf(of: Client): Promise<Readonly<Record<string, string>>> {
  const { rows } = await of.query(`
    select table_name as table, string_agg('"' || column_name || '"', ', ' order by ordinal_position) as columns
      from information_schema.columns where table_schema = current_schema() and table_name not like 'kysely%' group by 1`);
  return Object.fromEntries(rows.map(({ table, columns }) => [table, columns]));
}

async function rowsOf(
  of: Client,
  columns: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, unknown[]>>> {
  const found: Record<string, unknown[]> = {};
  for (const [table, listed] of Object.entries(columns)) {
    const { rows } = await of.query(`select ${listed} from ${table} as row order by row::text`);
    found[table] = rows;
  }
  return found;
}
