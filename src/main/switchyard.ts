import { providers } from '../providers/index.ts';
import { openPostgresStore } from '../stores/postgres/postgres-store.ts';
import { openSqliteStore } from '../stores/sqlite/sqlite-store.ts';
import { HttpUpstream } from '../upstream/http-upstream.ts';
import { runCommandLine } from './cli/command-line.ts';
import type { OpenStoreOptions, ServeCommand } from './cli/context.ts';
import { isBehindProxy } from './cli/settings.ts';
import { createLogger, LOG_LEVELS } from './logging.ts';
import { openCacheStore } from './open-cache-store.ts';
import { restartWithFetchLimit } from './process-limits.ts';
import { serve } from './serve.ts';
import { systemClock } from './system.ts';

const argv = process.argv.slice(2);
const restarted = restartWithFetchLimit(argv, process.env);
if (restarted !== null) process.exit(await restarted);

const level = process.env.LOG_LEVEL || 'info';
if (!LOG_LEVELS.includes(level)) {
  process.stderr.write(
    `switchyard: LOG_LEVEL: must be one of ${LOG_LEVELS.join(', ')} (got ${JSON.stringify(level)})\n`,
  );
  process.exit(2);
}
const logger = createLogger(level);
let stopOnFatal: ((reason: string) => void) | null = null;

async function openStore({ databasePath, databaseUrl, exclusive, ...own }: OpenStoreOptions) {
  const common = { ...own, clock: systemClock, logger };
  if (databaseUrl !== null) return openPostgresStore({ ...common, url: databaseUrl });
  const onFatal = (error: unknown) => stopOnFatal?.(error instanceof Error ? error.message : String(error));
  return openSqliteStore({ ...common, path: databasePath, onFatal, exclusive });
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
  let isDamaged = false;
  stopOnFatal = (reason) => {
    isDamaged = true;
    process.stderr.write(`switchyard: the database is damaged: ${reason}\n`);
    process.kill(process.pid, 'SIGTERM');
  };
  const exitCode = await serve({
    host,
    port,
    configuration,
    storedSettings,
    environment,
    store,
    secret,
    logger,
    behindProxy: isBehindProxy(environment),
    redisUrl: settings.redisUrl,
    dataDirectory: settings.dataDirectory,
    print: (line) => void process.stdout.write(`${line}\n`),
  });
  return isDamaged ? 1 : exitCode;
}

const exitCode = await runCommandLine(argv, {
  serve: serveCommand,
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
  upstream: () => new HttpUpstream({ behindProxy: isBehindProxy(process.env) }),
  providers,
  environment: process.env,
  clock: systemClock,
  stdout: process.stdout,
  stderr: process.stderr,
});
// Writes to a pipe are asynchronous: the process must wait for the last one.
await Promise.all([process.stdout, process.stderr].map(ended));
process.exit(exitCode);

/** Resolves when all that was written has gone out, or nobody reads it any more. */
function ended(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.once('error', () => resolve());
    stream.end(() => resolve());
  });
}
