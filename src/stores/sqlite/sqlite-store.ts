import type { Database } from 'bun:sqlite';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { Kysely } from 'kysely';
import { type AlertStore, KEPT_ALERTS_MS } from '../../engine/ports/alert-store.ts';
import { CAPTURE_BATCH, type CaptureStore } from '../../engine/ports/capture-store.ts';
import type { Clock } from '../../engine/ports/clock.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import { MOST_OBJECTS_OF_ACCOUNT } from '../../engine/ports/object-origins.ts';
import type { PeopleStore } from '../../engine/ports/people-store.ts';
import type { Store } from '../../engine/ports/store.ts';
import { DEFAULT_CACHE } from '../../engine/settings/cache-settings.ts';
import { DEFAULT_CAPTURES } from '../../engine/settings/capture-settings.ts';
import { SqlAlerts } from '../shared/alerts/sql-alerts.ts';
import { SqlCaptures } from '../shared/captures/sql-captures.ts';
import { createContentBox } from '../shared/content-box.ts';
import { SqlPeople } from '../shared/people/sql-people.ts';
import { RETENTION_BATCH_ROWS, type RetentionOptions, startRetention } from '../shared/retention.ts';
import { createSecretBox } from '../shared/secret-box.ts';
import { SqlSettings } from '../shared/sql-settings.ts';
import type { Schema } from '../shared/tables/schema.ts';
import { WriteHealth } from '../shared/write-health.ts';
import { SqliteAuditLog } from './audit-log.ts';
import { SqliteBooks } from './books.ts';
import { BooksThread } from './books-thread.ts';
import { SqliteCacheReports } from './cache-reports.ts';
import { BUSY_TIMEOUT_MS, isDamage, openConnection, retryWhileBusy, setBusyTimeout } from './connection.ts';
import { describeSqlite } from './describe.ts';
import { bunSqliteDialect } from './dialect.ts';
import { SqliteDirectory, type SqliteDirectoryOptions } from './directory.ts';
import { lockFolder } from './folder-lock.ts';
import { SqliteHealth } from './health.ts';
import { SqliteHeldCharges } from './held-charges.ts';
import { SqliteHolds } from './holds.ts';
import { SqliteIdempotency } from './idempotency.ts';
import { SqliteKeyUse } from './key-use.ts';
import { SqliteLedger } from './ledger.ts';
import { endLeases } from './ledger-writer.ts';
import { migrate } from './migrate.ts';
import { MIGRATIONS } from './migrations/index.ts';
import { forgetNodes, SqliteNodes } from './nodes.ts';
import { SqliteObjectOrigins } from './object-origins.ts';
import { toStoreOpenError } from './open-error.ts';
import { SqliteOutcomes } from './outcomes.ts';
import { SqlitePeopleRunner } from './people.ts';
import { ReadingThread } from './reading-thread.ts';
import { SqliteRequestLog } from './request-log.ts';
import { SqliteResponses } from './responses.ts';
import { deleteOldLogLines } from './retention.ts';
import { SqliteSnapshots } from './snapshots.ts';
import { createWriteProbe } from './store-health.ts';
import { endTaskOwners, SqliteTasks } from './tasks.ts';
import { SqliteUsage } from './usage.ts';

/**
 * The log and the channels' health are written on the event loop, and both are kept in memory anyway: they are tried again
 * rather than hold up requests.
 */
const LOG_BUSY_TIMEOUT_MS = 50;
const DEFAULT_QUEUE_CAPACITY = 100_000;
const DEFAULT_RETENTION_DAYS = 30;
const DAY_MS = 86_400_000;

export interface SqliteStoreOptions {
  /** The database's file; it and its folder are made when they are missing. */
  readonly path: string;
  /** The master secret, under which upstream keys and stored responses are encrypted. */
  readonly secret: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called once if the file is found to be damaged outside of a request: nothing more can be stored. */
  readonly onFatal?: (error: unknown) => void;
  /**
   * For the gateway itself: while the store is open, or the process lives, no other process may open the folder in this way.
   * Leases of an earlier gateway are free again, and its tasks are nobody's. Without it a command can use the folder beside a gateway.
   */
  readonly exclusive?: boolean;
  /** Older request log lines are deleted; `null` keeps them all. Default 30. */
  readonly requestLogRetentionDays?: number | null;
  /** Older reports of cached answers are deleted. Default 90 days. */
  readonly cacheReportRetentionMs?: number;
  /** Older captures are deleted. Default 7 days. */
  readonly captureRetentionMs?: number;
  /** How many request log lines may wait to be written before the oldest are dropped. Default 100,000. */
  readonly requestLogQueueCapacity?: number;
}

interface Connections {
  readonly directory: Database;
  readonly log: Database;
  readonly responses: Database;
  readonly books: Database;
  readonly leases: Database;
}

/** Opens, and when needed makes or migrates, the database. Rejects with a `StoreOpenError`. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { path } = options;
  const box = createSecretBox(options.secret);
  const opened: Database[] = [];
  let unlock = () => {};
  const open = async (synchronous: 'FULL' | 'NORMAL', safeIntegers = false) => {
    const connection = await retryWhileBusy(() => openConnection(path, synchronous, safeIntegers));
    opened.push(connection);
    return connection;
  };
  try {
    makeFile(path);
    if (options.exclusive === true) unlock = await lockFolder(path);
    const directory = await open('FULL');
    const db = new Kysely<Schema>({ dialect: bunSqliteDialect(directory) });
    await migrate(directory, db, path, MIGRATIONS);
    setBusyTimeout(directory, BUSY_TIMEOUT_MS);
    const log = await open('NORMAL');
    setBusyTimeout(log, LOG_BUSY_TIMEOUT_MS);
    const responses = await open('FULL');
    const books = await open('FULL', true);
    const leases = await open('NORMAL', true);
    if (options.exclusive === true) {
      await retryWhileBusy(() => endLeases(leases));
      await retryWhileBusy(() => endTaskOwners(leases));
      await retryWhileBusy(() => forgetNodes(leases));
    }
    const connections = { directory, log, responses, books, leases };
    return assemble(options, { db, box }, connections, unlock);
  } catch (error) {
    for (const connection of opened) connection.close();
    unlock();
    throw toStoreOpenError(path, error);
  }
}

/** What gateways have seen, which may be lost in a crash: on the connection of the request log. */
function observationsIn(database: Database, clock: Clock, onDamage: (error: unknown) => void) {
  return {
    health: new SqliteHealth({ database, onDamage }),
    keyUse: new SqliteKeyUse({ database, onDamage }),
    objects: new SqliteObjectOrigins({ database, onDamage }),
    snapshots: new SqliteSnapshots({ database, onDamage }),
    nodes: new SqliteNodes({ database, clock, onDamage }),
  };
}

function assemble(
  options: SqliteStoreOptions,
  configured: Pick<SqliteDirectoryOptions, 'db' | 'box'>,
  connections: Connections,
  unlock: () => void,
): Store {
  const { clock, logger } = options;
  const onDamage = onceFatal(options);
  const onError = (error: unknown) => {
    if (isDamage(error)) onDamage(error);
  };
  const capacity = options.requestLogQueueCapacity ?? DEFAULT_QUEUE_CAPACITY;
  const reading = new ReadingThread(options.path);
  const directory = new SqliteDirectory({ ...configured, database: connections.directory, reading });
  const { log, books, leases } = connections;
  const storeHealth = new WriteHealth(createWriteProbe({ database: leases, path: options.path, clock, onDamage }));
  const thread = startThread(options, storeHealth, onDamage);
  const requestLog = new SqliteRequestLog({ database: log, thread, clock, logger, capacity, onDamage, reading });
  const box = createContentBox(options.secret);
  const responses = new SqliteResponses({ database: connections.responses, box, clock });
  const observations = observationsIn(log, clock, onDamage);
  const outcomes = new SqliteOutcomes({ path: options.path, requestLog, onDamage });
  const ledger = new SqliteLedger({ database: leases, thread, clock, logger, health: storeHealth, onDamage, reading });
  const tasks = new SqliteTasks({ database: books, box });
  const cacheReports = new SqliteCacheReports({ database: connections.responses, box });
  const audit = new SqliteAuditLog(connections.responses, reading);
  const idempotency = new SqliteIdempotency({ database: connections.responses, box });
  const peopleRunner = new SqlitePeopleRunner(connections.responses);
  const people = new SqlPeople(peopleRunner);
  const alerts = new SqlAlerts(peopleRunner, createSecretBox(options.secret));
  const captures = new SqlCaptures(peopleRunner, box);
  const kept = { responses, tasks, cacheReports, idempotency, people, alerts, captures, objects: observations.objects };
  const stopRetentions = startRetentions(options, { ...kept, log, onError });
  let closing: Promise<void> | null = null;
  const close = async () => {
    stopRetentions();
    const parts = [responses, requestLog, ledger, tasks, outcomes, cacheReports, audit, idempotency, peopleRunner];
    await Promise.all(parts.map((part) => part.close()));
    await Promise.all([reading.close(), thread.close()]);
    for (const connection of Object.values(connections)) connection.close();
    unlock();
  };
  return {
    directory,
    requestLog,
    responses,
    ledger,
    holds: new SqliteHolds(books),
    heldCharges: new SqliteHeldCharges(books),
    tasks,
    ...observations,
    outcomes,
    cacheReports,
    audit,
    idempotency,
    people,
    settings: new SqlSettings(peopleRunner),
    signIn: peopleRunner.signIn,
    usage: new SqliteUsage({ database: leases, reading }),
    books: new SqliteBooks(reading),
    alerts,
    captures,
    storeHealth,
    describe: () => describeSqlite(connections.directory),
    close() {
      closing ??= close();
      return closing;
    },
  };
}

function startThread(
  { path, logger, exclusive }: SqliteStoreOptions,
  health: WriteHealth,
  onFatal: (error: unknown) => void,
): BooksThread {
  const onDown = (error: Error) => {
    logger.error({ error: error.message }, 'the thread that writes the books has ended');
    health.chargesFailed('the thread that writes the books has ended');
  };
  const thread = new BooksThread({ path, onDown, onRestarted: () => health.chargesWritten(), onFatal });
  if (exclusive === true) thread.start();
  return thread;
}

/** A broken file is told of once, however many find it. */
function onceFatal({ onFatal }: SqliteStoreOptions): (error: unknown) => void {
  let isTold = false;
  return (error) => {
    if (isTold) return;
    isTold = true;
    onFatal?.(error);
  };
}

interface Retained {
  readonly log: Database;
  readonly responses: SqliteResponses;
  readonly objects: SqliteObjectOrigins;
  readonly tasks: SqliteTasks;
  readonly cacheReports: SqliteCacheReports;
  readonly idempotency: SqliteIdempotency;
  readonly people: PeopleStore;
  readonly alerts: AlertStore;
  readonly captures: CaptureStore;
  readonly onError: (error: unknown) => void;
}

/** Gives what stops them. */
function startRetentions(
  {
    clock,
    logger,
    requestLogRetentionDays: days = DEFAULT_RETENTION_DAYS,
    cacheReportRetentionMs = DEFAULT_CACHE.feedback.keepReportsMs,
    captureRetentionMs = DEFAULT_CAPTURES.keepMs,
  }: SqliteStoreOptions,
  { log, responses, objects, tasks, cacheReports, idempotency, people, alerts, captures, onError }: Retained,
): () => void {
  const limit = RETENTION_BATCH_ROWS;
  const start = (what: string, deleteBatch: RetentionOptions['deleteBatch']) =>
    startRetention({ what, deleteBatch, logger, onError });
  const stops = [
    start('stored responses', async () => (await responses.removeExpired(clock.nowMs(), limit)) > 0),
    start(
      'origins of objects',
      async () => (await objects.removeOld(clock.nowMs(), MOST_OBJECTS_OF_ACCOUNT, limit)) > 0,
    ),
    start('tasks', async () => (await tasks.removeExpired(clock.nowMs(), limit)) === limit),
    start(
      'cache reports',
      async () => (await cacheReports.removeOld(clock.nowMs() - cacheReportRetentionMs, limit)) === limit,
    ),
    start('idempotent requests', async () => (await idempotency.removeOld(clock.nowMs() - DAY_MS, limit)) === limit),
    start('sessions and links', async () => (await people.removeOld(clock.nowMs(), limit)) >= limit),
    start('alerts', async () => (await alerts.removeOld(clock.nowMs() - KEPT_ALERTS_MS, limit)) === limit),
    start('captures', async () => {
      return (await captures.removeOld(clock.nowMs() - captureRetentionMs, CAPTURE_BATCH)) === CAPTURE_BATCH;
    }),
  ];
  if (days !== null)
    stops.push(start('request log lines', () => deleteOldLogLines(log, clock.nowMs() - days * DAY_MS)));
  return () => {
    for (const stop of stops) stop();
  };
}

/** The file holds hashes and sealed keys, so it is its owner's alone; SQLite gives its side files the same mode. */
function makeFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
}
