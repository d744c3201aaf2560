import type { Database } from 'bun:sqlite';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { Kysely } from 'kysely';
import type { Clock } from '../../engine/ports/clock.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import { createSecretBox } from '../shared/secret-box.ts';
import type { Store } from '../shared/store.ts';
import { BUSY_TIMEOUT_MS, openConnection, retryWhileBusy, setBusyTimeout } from './connection.ts';
import { bunSqliteDialect } from './dialect.ts';
import { SqliteDirectory } from './directory.ts';
import { migrate } from './migrate.ts';
import { MIGRATIONS } from './migrations/index.ts';
import { toStoreOpenError } from './open-error.ts';
import { SqliteRequestLog } from './request-log.ts';
import { startRetention } from './retention.ts';
import type { Schema } from './tables/schema.ts';

/** The log is written on the event loop and keeps its lines anyway: it tries again rather than hold up requests. */
const LOG_BUSY_TIMEOUT_MS = 50;
const DEFAULT_QUEUE_CAPACITY = 100_000;
const DEFAULT_RETENTION_DAYS = 30;

export interface SqliteStoreOptions {
  /** The database's file; it and its folder are made when they are missing. */
  readonly path: string;
  /** The master secret, under which upstream keys are encrypted. */
  readonly secret: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called once when the file turns out to be damaged while nobody waits for an answer: nothing more can be kept. */
  readonly onFatal?: (error: unknown) => void;
  /** Older request log lines are deleted; `null` keeps them all. Default 30. */
  readonly requestLogRetentionDays?: number | null;
  /** How many request log lines may wait to be written before the oldest are dropped. Default 100,000. */
  readonly requestLogQueueCapacity?: number;
}

/** Opens, and when needed makes or migrates, the database. Rejects with a `StoreOpenError`. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { path } = options;
  const box = createSecretBox(options.secret);
  const opened: Database[] = [];
  try {
    makeFile(path);
    const directoryConnection = await retryWhileBusy(() => openConnection(path, 'FULL'));
    opened.push(directoryConnection);
    const db = new Kysely<Schema>({ dialect: bunSqliteDialect(directoryConnection) });
    await migrate(directoryConnection, db, path, MIGRATIONS);
    setBusyTimeout(directoryConnection, BUSY_TIMEOUT_MS);
    const logConnection = await retryWhileBusy(() => openConnection(path, 'NORMAL'));
    opened.push(logConnection);
    setBusyTimeout(logConnection, LOG_BUSY_TIMEOUT_MS);
    const directory = new SqliteDirectory(directoryConnection, db, box);
    return assemble(options, directory, directoryConnection, logConnection);
  } catch (error) {
    for (const connection of opened) connection.close();
    throw toStoreOpenError(path, error);
  }
}

function assemble(
  options: SqliteStoreOptions,
  directory: SqliteDirectory,
  directoryConnection: Database,
  logConnection: Database,
): Store {
  const { clock, logger, onFatal } = options;
  let damaged = false;
  const onDamage = (error: unknown) => {
    if (damaged) return;
    damaged = true;
    onFatal?.(error);
  };
  const capacity = options.requestLogQueueCapacity ?? DEFAULT_QUEUE_CAPACITY;
  const requestLog = new SqliteRequestLog({ database: logConnection, clock, logger, capacity, onDamage });
  const days = options.requestLogRetentionDays === undefined ? DEFAULT_RETENTION_DAYS : options.requestLogRetentionDays;
  const stopRetention =
    days === null ? () => {} : startRetention({ database: logConnection, clock, logger, days, onDamage });
  let closing: Promise<void> | null = null;
  const close = async () => {
    stopRetention();
    await requestLog.close();
    logConnection.close();
    directoryConnection.close();
  };
  return {
    directory,
    requestLog,
    close() {
      closing ??= close();
      return closing;
    },
  };
}

/** The file holds hashes and sealed keys, so it is its owner's alone; SQLite gives its side files the same mode. */
function makeFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
}
