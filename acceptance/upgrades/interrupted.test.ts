import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdir, stat } from 'node:fs/promises';
import { Client } from 'pg';
import { freePort } from '../../conformance/shared/free-port.ts';
import { until } from '../../conformance/shared/until.ts';
import { sharedTestPostgres } from '../../src/stores/shared/testing/postgres.ts';
import { copyOldDatabase, OLD_DATABASE } from '../../src/stores/sqlite/testing/2026-11-28/index.ts';
import { loadOldDatabase, OLD_DATABASE as OLD_POSTGRES } from '../postgres/2026-11-28/index.ts';
import { ProcessWorkspace, type ServingProcess } from '../shared/process-workspace.ts';

/* Upgrades of a database from before the baseline, by processes that are killed or have to wait. */

/** The advisory lock of a process that upgrades (src/stores/postgres/migrate.ts). */
const UPGRADE_LOCK = 0x73_77_69_74_63_69n;
/** Enough for the upgrade to write to the disk before it commits. */
const ROWS = 200_000;
const WRITTEN_BYTES = 4 * 1024 * 1024;
const TIMEOUT_MS = 600_000;

let space: ProcessWorkspace;
let clients: Client[] = [];

beforeEach(async () => {
  space = await ProcessWorkspace.create();
});
afterEach(async () => {
  await Promise.all(clients.map((client) => client.end()));
  clients = [];
  await space.remove();
});

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  clients.push(client);
  return client;
}

/** Starts `migrate`, and kills it with SIGKILL once the condition holds. */
async function killWhen(
  env: Record<string, string>,
  what: string,
  holds: (said: string) => boolean | Promise<boolean>,
): Promise<void> {
  const command = space.begin(['migrate'], { env });
  await until(what, async () => (await holds(command.stdout)) || command.exitCode !== null);
  process.kill(-command.pid, 'SIGKILL');
  await command.exited;
}

async function ledgerOf(env: Record<string, string>): Promise<string> {
  const { stdout, exitCode } = await space.runHere(['ledger', 'verify'], { env });
  expect(exitCode).toBe(0);
  return stdout;
}

test(
  'an upgrade of an SQLite file that is killed has changed nothing, and is repeated by the next start',
  async () => {
    const env = { SWITCHYARD_SECRET: OLD_DATABASE.secret };
    await mkdir(space.data, { mode: 0o700 });
    await copyOldDatabase(space.database);
    const count = fillRollups(space.database);
    const walBytes = () =>
      stat(`${space.database}-wal`).then(
        ({ size }) => size,
        () => 0,
      );
    await killWhen(env, 'the upgrade is writing', async () => (await walBytes()) > WRITTEN_BYTES);

    const database = new Database(space.database);
    expect(database.query('PRAGMA integrity_check').values()).toEqual([['ok']]);
    database.close();
    const port = String(await freePort());
    const gateway = await space.serve({ env: { ...env, PORT: port } });
    expect(gateway.port).toBe(Number(port));
    expect(await (await fetch(`${gateway.origin}/readyz`)).json()).toEqual({ status: 'ready' });
    await gateway.stop();
    expect(fillRollups(space.database, 0)).toBe(count);
    expect(await ledgerOf(env)).toContain('accounts 1, entries 6');
    expect((await space.runHere(['migrate', '--check'], { env })).exitCode).toBe(0);
  },
  TIMEOUT_MS,
);

test.each(['1', '2'])(
  'a gateway with %s processes upgrades the file, and serves on the port on which it was not ready',
  async (workers) => {
    await mkdir(space.data, { mode: 0o700 });
    await copyOldDatabase(space.database);
    const PORT = String(await freePort());
    const env = { SWITCHYARD_SECRET: OLD_DATABASE.secret, SWITCHYARD_WORKERS: workers, PORT };
    const gateway = await space.serve({ env });
    expect(gateway.port).toBe(Number(PORT));
    expect(gateway.stdout).toMatch(/the database file is being upgraded[\s\S]*the database file has been upgraded/);
    expect((await fetch(`${gateway.origin}/readyz`)).status).toBe(200);
    expect(await gateway.stop()).toBe(0);
  },
  TIMEOUT_MS,
);

test(
  'a port in use stops the start before the upgrade',
  async () => {
    await mkdir(space.data, { mode: 0o700 });
    await copyOldDatabase(space.database);
    const other = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() });
    const env = { SWITCHYARD_SECRET: OLD_DATABASE.secret, PORT: String(other.port) };
    const { exitCode, stderr } = await space.run(['serve'], { env });
    await other.stop(true);
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^switchyard: Port \d+ on 127.0.0.1 is in use\./)]);
    expect((await space.runHere(['migrate', '--check'], { env })).exitCode).toBe(10);
  },
  TIMEOUT_MS,
);

/** Adds sums of usage, and returns how many there are. */
function fillRollups(path: string, rows = ROWS): number {
  const database = new Database(path);
  database.run(
    `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
      INSERT INTO usage_rollups (level, bucket_ms, account_id) SELECT 'minute', n * 60000, 'acme' FROM numbers WHERE ? > 0`,
    [rows, rows],
  );
  const [[count]] = database.query('SELECT count(*) FROM usage_rollups').values() as [[number]];
  database.close();
  return count;
}

test(
  'an upgrade of a PostgreSQL database that is killed between its steps is continued by the next one',
  async () => {
    const url = await (await sharedTestPostgres()).createDatabase();
    const env = { DATABASE_URL: url, SWITCHYARD_SECRET: OLD_POSTGRES.secret };
    await loadOldDatabase(url);
    // An index is only complete when every earlier snapshot has ended.
    const reader = await connect(url);
    await reader.query('begin isolation level repeatable read');
    await reader.query('select 1');
    await killWhen(env, 'the index is being built', (said) => said.includes('"step":"index"'));
    const check = await space.runHere(['migrate', '--check'], { env });
    expect([check.exitCode, check.stdout]).toEqual([
      10,
      expect.stringMatching(/^0043-log-partitions \(index\) +online /m),
    ]);
    await reader.query('rollback');
    expect(await space.run(['migrate'], { env })).toMatchObject({ exitCode: 0, stderr: '' });
    expect((await space.runHere(['migrate', '--check'], { env })).exitCode).toBe(0);
    expect(await ledgerOf(env)).toContain('accounts 1, entries 6');
  },
  TIMEOUT_MS,
);

test(
  'while another process upgrades, a starting gateway is alive but not ready, says for whom it waits, and then serves',
  async () => {
    const url = await (await sharedTestPostgres()).createDatabase();
    await loadOldDatabase(url);
    const other = await connect(url);
    await other.query("set application_name = 'another version'");
    await other.query('select pg_advisory_lock($1)', [UPGRADE_LOCK]);
    const port = await freePort();
    const env = { DATABASE_URL: url, SWITCHYARD_SECRET: OLD_POSTGRES.secret, PORT: String(port) };
    const gateway: ServingProcess = space.begin(['serve'], { env });
    const at = `http://127.0.0.1:${port}`;
    const status = (path: string) =>
      fetch(`${at}${path}`).then(
        (answer) => answer.status,
        () => 0,
      );
    await until('it is alive', async () => (await status('/healthz')) === 200);
    expect([await status('/readyz'), await status('/v1/models')]).toEqual([503, 503]);
    expect(await (await fetch(`${at}/readyz`)).json()).toEqual({
      status: 'not_ready',
      reason: 'The database is being upgraded.',
    });
    await until('it says for whom it waits', () => gateway.stdout.includes('waiting for it to finish'));
    expect(gateway.stdout).toContain('"holder":"another version"');
    await other.query('select pg_advisory_unlock($1)', [UPGRADE_LOCK]);
    await until('it serves', async () => (await status('/readyz')) === 200);
    await until('it says where it listens', () => gateway.origin === at);
    await gateway.stop();
  },
  TIMEOUT_MS,
);
