import type { Database } from 'bun:sqlite';
import { dirname } from 'node:path';
import type { Clock } from '../../engine/ports/clock.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import type { NodeRegistry } from '../../engine/ports/node-registry.ts';
import type { Store } from '../../engine/ports/store.ts';
import { createContentBox } from '../shared/content-box.ts';
import { checkSecret } from '../shared/secret/change-secret.ts';
import type { UpgradePolicy } from '../shared/upgrade-plan.ts';
import { WriteHealth } from '../shared/write-health.ts';
import { newestEntry } from '../sql/ledger/read-programs.ts';
import { queuesOf } from '../sql/queues.ts';
import { Crashes } from '../sql/request-log/crashes.ts';
import { LostLines, type RecoverPage } from '../sql/request-log/lost-lines.ts';
import { storeParts } from '../sql/store-parts.ts';
import { transactionOf } from './change-secret.ts';
import { Checkpoints } from './checkpoints.ts';
import { BUSY_TIMEOUT_MS, makeFile, openConnection, retryWhileBusy, setBusyTimeout } from './connection.ts';
import { lockFolder } from './folder-lock.ts';
import { SqliteLedger } from './ledger.ts';
import { migrate } from './migrate.ts';
import { toStoreOpenError } from './open-error.ts';
import { SqliteOutcomes } from './outcomes.ts';
import { SqliteConnectionReader, SqliteReader } from './reader.ts';
import { ReadingThread } from './reading-thread.ts';
import { sqliteRequestLog } from './request-log.ts';
import { SharedWriter } from './shared-writer.ts';
import { endLeases } from './spending-pools.ts';
import { createWriteProbe } from './store-health.ts';
import { SqliteStoreRunner } from './store-runner.ts';
import { refuseUnfinishedRestore } from './unfinished-restore.ts';
import { remote, type WriterLink } from './writer-link.ts';
import { type OwnWriter, WriterThread, type WriterThreadOptions } from './writer-thread.ts';

const FACTS =
  'SELECT sqlite_version() AS version, page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()';
const DEFAULT_QUEUE_CAPACITY = 100_000;

export interface SqliteStoreOptions {
  /** The database file, created with its folder if missing. */
  readonly path: string;
  /** The master secret, which encrypts upstream keys and stored responses. */
  readonly secret: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called once if the file is found to be damaged outside of a request: nothing more can be stored. */
  readonly onFatal?: (error: unknown) => void;
  /**
   * Set by the gateway itself: while the store is open, no other process may open the folder exclusively. Leases of an earlier gateway are
   * released, and its tasks lose their owner. Without it, a command can use the folder next to a gateway.
   */
  readonly exclusive?: boolean;
  /** Whether and how a file of an earlier version is upgraded; automatically by default. */
  readonly upgrade?: UpgradePolicy | undefined;
  /**
   * Set for one of several processes that serve the file: the link to the process that writes for all of them and owns the folder
   * (`openSqliteOwner`), and has migrated it.
   */
  readonly link?: WriterLink;
  /** Makes the writer of this process; a thread by default. Tests that start many stores write without one. */
  readonly makeWriter?: MakeWriter | undefined;
  /** The write latency beyond which requests that cost money are refused. Default 1 s. */
  readonly chargesLateAfterMs?: number | undefined;
  /** The most request log lines in the queue, beyond which the oldest are dropped. Default 100,000. */
  readonly requestLogQueueCapacity?: number;
  /** How long after a crash of another process its lost request log lines are recovered. Default 60 s; less is for tests. */
  readonly recoverLinesAfterMs?: number;
}

export type MakeWriter = (options: WriterThreadOptions) => OwnWriter;

/** Read-only connections. */
interface Connections {
  readonly reading: Database;
  /** Returns integers as `bigint`. */
  readonly amounts: Database;
}

/** Opens the database, and creates or migrates it if necessary. Rejects with a `StoreOpenError`. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { store } = await openWith(options);
  return store;
}

/** Opens the store of the process that writes for others as well, and the writer through which each of them gets a link. */
export async function openSqliteOwner(
  options: Omit<SqliteStoreOptions, 'exclusive' | 'link'>,
): Promise<{ readonly store: Store; readonly writer: SharedWriter }> {
  const { store, link, crashes } = await openWith({ ...options, exclusive: true });
  return { store, writer: new SharedWriter(link, () => crashes.noticed()) };
}

interface Opened {
  readonly store: Store;
  readonly link: WriterLink;
  /** Crashes of the processes that this one writes for. */
  readonly crashes: Crashes;
}

async function openWith(options: SqliteStoreOptions): Promise<Opened> {
  const { path, exclusive, link } = options;
  const opened: Database[] = [];
  let unlock = () => {};
  const open = async (safeIntegers: boolean) => {
    const connection = await retryWhileBusy(() => openConnection(path, 'FULL', safeIntegers));
    opened.push(connection);
    return connection;
  };
  try {
    refuseUnfinishedRestore(dirname(path));
    makeFile(path);
    if (exclusive === true) unlock = await lockFolder(path);
    const reading = await open(false);
    const { logger, upgrade: policy } = options;
    if (link === undefined) await migrate(reading, path, { logger, policy, ownsFolder: exclusive === true });
    if (link === undefined) await retryWhileBusy(() => checkSecret(transactionOf(reading), options.secret, path));
    setBusyTimeout(reading, BUSY_TIMEOUT_MS);
    if (exclusive === true) {
      await retryWhileBusy(() => endLeases(reading));
      // No task and no export has a live owner now. Only a process that owns the folder can know that.
      await retryWhileBusy(() => void reading.run('DELETE FROM task_owners'));
      await retryWhileBusy(() => void reading.run('UPDATE request_exports SET holder = NULL'));
      // The folder belongs to this gateway, so no other one is running.
      await retryWhileBusy(() => void reading.run('DELETE FROM gateway_nodes'));
    }
    const connections = { reading, amounts: await open(true) };
    for (const connection of opened) onlyRead(connection);
    return assemble(options, connections, unlock);
  } catch (error) {
    for (const connection of opened) connection.close();
    unlock();
    throw toStoreOpenError(path, error);
  }
}

function assemble(options: SqliteStoreOptions, connections: Connections, unlock: () => void): Opened {
  const { path, clock, logger } = options;
  const onDamage = onceFatal(options);
  const capacity = options.requestLogQueueCapacity ?? DEFAULT_QUEUE_CAPACITY;
  const reading = new ReadingThread(path);
  const write = (nowMs: number) => remote(thread, 'probe').write(nowMs);
  const storeHealth = new WriteHealth(createWriteProbe({ write, path, clock }));
  const { link: thread, close: closeThread } = linkOf(options, storeHealth, onDamage);
  const { reading: database, amounts } = connections;
  const search = new SqliteReader(reading);
  const box = createContentBox(options.secret);
  const requestLog = sqliteRequestLog({ database, thread, clock, logger, capacity, onDamage, reading, box });
  const outcomes = new SqliteOutcomes({ path, database, requestLog, onDamage });
  const ledger = new SqliteLedger({
    database: amounts,
    thread,
    clock,
    logger,
    health: storeHealth,
    onDamage,
    reading,
    lateAfterMs: options.chargesLateAfterMs,
  });
  const { crashes, close: closeRecovery } = startRecovery(options, database, thread);
  let closing: Promise<void> | null = null;
  const close = async () => {
    await closeRecovery();
    await Promise.all([requestLog, ledger, outcomes].map((part) => part.close()));
    await Promise.all([reading.close(), closeThread()]);
    for (const connection of Object.values(connections)) connection.close();
    unlock();
  };
  const store: Store = {
    ...elsewhere(thread),
    ...storeParts({
      runner: new SqliteStoreRunner(database, thread, search),
      snapshots: reading.snapshots,
      appender: remote(thread, 'audit'),
      roller: remote(thread, 'usage'),
      secret: options.secret,
      kind: 'sqlite',
      facts: FACTS,
      search,
    }),
    requestLog,
    ledger,
    outcomes,
    storeHealth,
    queues: queuesOf(ledger, requestLog),
    figures: {
      kind: 'sqlite',
      commits: ledger.commits,
      get pools() {
        return [
          { pool: 'writer', waiting: thread.waiting, connections: null },
          { pool: 'reading', waiting: reading.waiting, connections: null },
        ];
      },
      uncoveredNanoUsd: 0n,
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
  return { store, link: thread, crashes };
}

/** Recovers the lines lost by the previous process in the background. It has exited, so there is nothing to wait for. */
function startRecovery(options: SqliteStoreOptions, database: Database, thread: WriterLink) {
  const { clock, logger, exclusive, recoverLinesAfterMs: recoverAfterMs } = options;
  const recoverPage: RecoverPage = (task) => remote(thread, 'log').recover(task);
  const lostLines = new LostLines({ recoverPage, clock, logger });
  const reader = new SqliteConnectionReader(database);
  const openedAtMs = clock.nowMs();
  const newest = exclusive === true ? reader.read(newestEntry) : null;
  const recovering = newest?.then((place) => place && lostLines.recover(place, openedAtMs));
  const crashes = new Crashes({ reader, recoverPage, clock, logger, recoverAfterMs });
  const close = async () => {
    lostLines.close();
    await Promise.all([recovering, crashes.close()]);
  };
  return { crashes, close };
}

/** Returns the parts that both read and write in the writer thread. */
function elsewhere(thread: WriterLink) {
  return {
    holds: remote(thread, 'holds'),
    heldCharges: remote(thread, 'heldCharges'),
    upstreamSpending: remote(thread, 'upstreamSpending'),
    tasks: remote(thread, 'tasks'),
    batches: remote(thread, 'batches'),
    batchRelays: remote(thread, 'batchRelays'),
    files: remote(thread, 'files'),
    responses: remote(thread, 'responses'),
    cacheReports: remote(thread, 'cacheReports'),
    idempotency: remote(thread, 'idempotency'),
    health: remote(thread, 'health'),
    keyUse: remote(thread, 'keyUse'),
    objects: remote(thread, 'objects'),
    snapshots: remote(thread, 'snapshots'),
    nodes: nodesOf(thread),
    retention: remote(thread, 'retention'),
  };
}

/** Makes no notifications: changes are only found by polling the file, which the gateway does five times a second. */
function nodesOf(thread: WriterLink): NodeRegistry {
  const { beat, leave, living } = remote(thread, 'nodes');
  return { beat, leave, living, onChange: () => () => {} };
}

/** Returns the link to this process's writer thread, or to the process that writes for several. */
function linkOf(options: SqliteStoreOptions, health: WriteHealth, onFatal: (error: unknown) => void) {
  if (options.link !== undefined) return { link: options.link, close: async () => {} };
  const checkpoints = new Checkpoints(options.path);
  const thread = startThread(options, { health, onFatal, onWritten: () => checkpoints.written() });
  const close = async () => {
    await thread.close();
    await checkpoints.close();
  };
  return { link: thread, close };
}

function startThread(
  { path, secret, clock, logger, exclusive, makeWriter }: SqliteStoreOptions,
  { health, ...on }: Pick<WriterThreadOptions, 'onFatal' | 'onWritten'> & { readonly health: WriteHealth },
): OwnWriter {
  const onDown = (error: Error) => {
    logger.error({ error: error.message }, 'the writer thread has exited');
    health.chargesFailed('the writer thread has exited');
  };
  const own = { path, secret, clock, onDown, onRestarted: () => health.chargesWritten(), ...on };
  const thread = makeWriter?.(own) ?? new WriterThread(own);
  if (exclusive === true) thread.start();
  return thread;
}

/** Makes a connection read-only. All writes go to the writer thread, so that nothing here waits for the disk. */
function onlyRead(connection: Database): void {
  connection.run('PRAGMA query_only = ON');
}

/** Reports a damaged file only once. */
function onceFatal({ onFatal }: SqliteStoreOptions): (error: unknown) => void {
  let isTold = false;
  return (error) => {
    if (isTold) return;
    isTold = true;
    onFatal?.(error);
  };
}
