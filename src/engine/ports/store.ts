import type { Histogram } from '../../domain/metrics/histogram.ts';
import type { AccountErasureStore } from './account-erasure-store.ts';
import type { AlertStore } from './alert-store.ts';
import type { AuditLog } from './audit-log.ts';
import type { BatchRelayStore } from './batch-relay-store.ts';
import type { BatchStore } from './batch-store.ts';
import type { CacheReportStore } from './cache-reports.ts';
import type { CaptureStore } from './capture-store.ts';
import type { DirectoryStore } from './directory-store.ts';
import type { ErasureStore } from './erasure-store.ts';
import type { ExportStore } from './export-store.ts';
import type { PoolFigures, QueueFigures } from './figures.ts';
import type { FileStore } from './file-store.ts';
import type { HealthStore } from './health-store.ts';
import type { HeldCharges } from './held-charges.ts';
import type { Holds } from './holds.ts';
import type { IdempotencyStore } from './idempotency-store.ts';
import type { KeyUseStore } from './key-use-store.ts';
import type { Ledger } from './ledger.ts';
import type { LedgerArchive } from './ledger-archive.ts';
import type { ListStore } from './list-store.ts';
import type { NodeRegistry } from './node-registry.ts';
import type { ObjectOriginStore } from './object-origins.ts';
import type { OutcomeSource, SnapshotStore } from './outcomes.ts';
import type { PeopleStore } from './people-store.ts';
import type { RequestLog } from './request-log.ts';
import type { ResponseStore } from './response-store.ts';
import type { RetentionStore } from './retention-store.ts';
import type { SettingsStore } from './settings-store.ts';
import type { SignInDatabase } from './sign-in-database.ts';
import type { StatementStore } from './statement-store.ts';
import type { TaskStore } from './task-store.ts';
import type { UpstreamSpendingStore } from './upstream-spending-store.ts';
import type { UsageStore } from './usage-store.ts';

/** The ports that every kind of store implements. */
export interface Store {
  readonly directory: DirectoryStore;
  readonly requestLog: RequestLog;
  readonly responses: ResponseStore;
  readonly health: HealthStore;
  readonly ledger: Ledger;
  /** `null` if the ledger is not persistent. */
  readonly ledgerArchive: LedgerArchive | null;
  readonly holds: Holds;
  readonly heldCharges: HeldCharges;
  readonly upstreamSpending: UpstreamSpendingStore;
  readonly tasks: TaskStore;
  readonly batches: BatchStore;
  readonly batchRelays: BatchRelayStore;
  readonly files: FileStore;
  readonly keyUse: KeyUseStore;
  readonly objects: ObjectOriginStore;
  /** The outcomes of models, from the request log. */
  readonly outcomes: OutcomeSource;
  readonly snapshots: SnapshotStore;
  readonly cacheReports: CacheReportStore;
  readonly audit: AuditLog;
  readonly idempotency: IdempotencyStore;
  readonly nodes: NodeRegistry;
  readonly people: PeopleStore;
  readonly lists: ListStore;
  readonly erasures: ErasureStore;
  readonly accountErasures: AccountErasureStore;
  readonly signIn: SignInDatabase;
  readonly usage: UsageStore;
  readonly statements: StatementStore;
  readonly alerts: AlertStore;
  readonly settings: SettingsStore;
  readonly exports: ExportStore;
  readonly captures: CaptureStore;
  readonly retention: RetentionStore;
  readonly storeHealth: StoreHealth;
  readonly queues: StoreQueues;
  readonly figures: StoreFigures;
  describe(): Promise<StoreDescription>;
  /** Flushes queued writes and closes the store. Idempotent. */
  close(): Promise<void>;
}

/** A description of the store for operators. */
export interface StoreDescription {
  readonly kind: 'sqlite' | 'postgresql';
  /** The version of the database; `null` if there is none. */
  readonly version: string | null;
  /** The size in bytes; `null` if unknown. */
  readonly bytes: number | null;
  /** The names of applied schema migrations, in order. */
  readonly migrations: readonly string[];
  /** The time of the database server's clock, in milliseconds since 1970; `null` if it has none of its own. */
  readonly nowMs: number | null;
}

/** Reports whether the store can currently be written, above all with charges. */
export interface StoreHealth {
  /**
   * The reason why not, for operators and without paths or secrets, from the latest check or from a charge that has failed to be written
   * since; `null` if it can.
   */
  readonly problem: string | null;
  /** Writes a test entry the same way as a charge and verifies that it can be read back from where it belongs. Never rejects. */
  check(): Promise<void>;
}

/** The write-behind queues of this process. Reading them costs nothing. */
export interface StoreQueues {
  /** The charges that are not durable yet. Dropped ones were given up. */
  readonly charges: QueueFigures & { readonly lateMs: number };
  /** The lines of the request log that are not written yet. */
  readonly requestLog: QueueFigures;
}

/** The store's measurements of itself in this process. They are cheap to read. */
export interface StoreFigures {
  readonly kind: StoreDescription['kind'];
  /** The durations of durable writes of charges, in seconds. */
  readonly commits: Histogram;
  readonly pools: readonly PoolFigures[];
  /** The charges since the start that arrived after their leases had expired, in nano-USD. */
  readonly uncoveredNanoUsd: bigint;
}
