import { booksOver } from '../stores/sqlite/far-books.ts';
import { openSqliteOwner, openSqliteStore } from '../stores/sqlite/sqlite-store.ts';
import { HttpUpstream } from '../upstream/http-upstream.ts';
import { runCommandLine } from './cli/command-line.ts';
import type { OpenStoreOptions, ServeCommand, ServeGroupCommand } from './cli/context.ts';
import { proxiesFrom } from './cli/settings.ts';
import { joinGroup, type Membership } from './group/membership.ts';
import { createLogger, LOG_LEVELS } from './logging.ts';
import { openCacheStore } from './open-cache-store.ts';
import { systemClock } from './system.ts';

const logger = createLogger(logLevel());
let membership: Membership | null = null;
let stopOnFatal: ((reason: string) => void) | null = null;

function logLevel(): string {
  const level = process.env.LOG_LEVEL || 'info';
  if (LOG_LEVELS.includes(level)) return level;
  process.stderr.write(
    `switchyard: LOG_LEVEL: must be one of ${LOG_LEVELS.join(', ')} (got ${JSON.stringify(level)})\n`,
  );
  process.exit(2);
}

async function openStore({ databasePath, databaseUrl, exclusive, ...own }: OpenStoreOptions) {
  const common = { ...own, clock: systemClock, logger };
  if (exclusive) membership = await joinGroup(process.env, logger);
  if (databaseUrl !== null) {
    const { openPostgresStore } = await import('../stores/postgres/postgres-store.ts');
    return openPostgresStore({ ...common, url: databaseUrl });
  }
  const file = { ...common, path: databasePath, onFatal };
  return membership === null
    ? openSqliteStore({ ...file, exclusive })
    : openSqliteStore({ ...file, link: booksOver(membership.peer, membership.offered) });
}

function onFatal(error: unknown): void {
  stopOnFatal?.(error instanceof Error ? error.message : String(error));
}

function stopWhenDamaged(): () => boolean {
  let isDamaged = false;
  stopOnFatal = (reason) => {
    isDamaged = true;
    process.stderr.write(`switchyard: the database is damaged: ${reason}\n`);
    process.kill(process.pid, 'SIGTERM');
  };
  return () => isDamaged;
}

const print = (line: string) => void process.stdout.write(`${line}\n`);

async function serveGroupCommand({ workers, settings, store }: ServeGroupCommand): Promise<number> {
  const isDamaged = stopWhenDamaged();
  const { host, databaseUrl, databasePath: path, dataDirectory } = settings;
  const { portForGroup } = await import('./listen.ts');
  const port = portForGroup(settings);
  const { serveGroup } = await import('./group/owner.ts');
  const books =
    databaseUrl === null ? await openSqliteOwner({ ...store, path, clock: systemClock, logger, onFatal }) : null;
  const argv = [...process.argv.slice(2), '--host', host, '--port', String(port)];
  const exitCode = await serveGroup({ workers, argv, environment: process.env, dataDirectory, books, logger, print });
  return isDamaged() ? 1 : exitCode;
}

async function serveCommand({
  host,
  port,
  settings,
  configuration,
  storedSettings,
  environment,
  store,
  secret,
}: ServeCommand): Promise<number> {
  const isDamaged = stopWhenDamaged();
  const { serve } = await import('./serve.ts');
  const exitCode = await serve({
    host,
    port,
    configuration,
    storedSettings,
    environment,
    store,
    secret,
    logger,
    proxies: proxiesFrom(environment),
    redisUrl: settings.redisUrl,
    dataDirectory: settings.dataDirectory,
    membership,
    print: membership?.speaks === false ? () => {} : print,
  });
  return isDamaged() ? 1 : exitCode;
}

/** Runs what the command line says, and ends the process. What only some commands need, they load themselves. */
export async function run(argv: readonly string[]): Promise<never> {
  const exitCode = await runCommandLine(argv, {
    serve: serveCommand,
    serveGroup: serveGroupCommand,
    openStore,
    openCache: ({ settings, dataDirectory, redisUrl, secret }) =>
      openCacheStore({
        settings,
        dataFolder: dataDirectory,
        redisUrl,
        masterSecret: secret,
        logger,
        isGateway: false,
      }),
    upstream: () => new HttpUpstream({ proxies: proxiesFrom(process.env) }),
    providers: async () => (await import('../providers/index.ts')).providers,
    environment: process.env,
    clock: systemClock,
    stdout: process.stdout,
    stderr: process.stderr,
  });
  // Writes to a pipe are asynchronous: the process must wait for the last one.
  await Promise.all([process.stdout, process.stderr].map(ended));
  return process.exit(exitCode);
}

/** Resolves when all that was written has gone out, or nobody reads it any more. */
function ended(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.once('error', () => resolve());
    stream.end(() => resolve());
  });
}
