import type { Database } from 'bun:sqlite';
import type { Clock } from '../../engine/ports/clock.ts';
import {
  type BudgetPool,
  type BudgetSpending,
  isSamePool,
  type LeasePlace,
  type LedgerReport,
  type NewEntry,
  type PoolLease,
  type SpendingPool,
} from '../../engine/ports/ledger.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import { ChargeQueue } from '../shared/charge-queue.ts';
import { giveBackUnneeded, PoolTurns } from '../shared/unneeded-leases.ts';
import type { WriteHealth } from '../shared/write-health.ts';
import { SqlLedger } from '../sql/ledger/sql-ledger.ts';
import { inTransaction, isDamage, isOutage } from './connection.ts';
import { SqliteConnectionReader, SqliteReader } from './reader.ts';
import type { ReadingThread } from './reading-thread.ts';
import { SpendingPools } from './spending-pools.ts';
import { writeProblem } from './store-health.ts';
import { type Remote, remote, type WriterLink } from './writer-link.ts';

/** Each commit costs about 0.1 ms of CPU however many charges it contains. */
const GATHER_MS = 1;
const DEFAULT_LATE_AFTER_MS = 1_000;

export interface SqliteLedgerOptions {
  /** A read-only connection that returns integers as `bigint`. */
  readonly database: Database;
  readonly thread: WriterLink;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly health: WriteHealth;
  readonly onDamage: (error: unknown) => void;
  readonly reading: Pick<ReadingThread, 'snapshots' | 'verifyLedger'>;
  readonly giveUpAfterMs?: number;
  /** The write latency beyond which the disk counts as too slow for new requests. Default 1 s. */
  readonly lateAfterMs?: number | undefined;
}

/**
 * The ledger in SQLite for the processes of one gateway. The writer thread makes all changes. Leases are stored in rows, so that other
 * processes, such as `switchyard` next to the gateway, respect them.
 */
export class SqliteLedger extends SqlLedger {
  /** Idle leases can be recalled. */
  readonly isShared = false;
  readonly #database: Database;
  readonly #writer: Remote<'ledger'>;
  readonly #onRecall: (listener: (place: LeasePlace) => Promise<boolean>) => void;
  readonly #reading: Pick<ReadingThread, 'verifyLedger'>;
  readonly #pools: SpendingPools;
  /** Serialises leases only: another process may wait for a release while a lease of this one waits for that process. */
  readonly #turns = new PoolTurns();
  /** Increases with each lease requested and each one granted. */
  #leaseCount = 0;
  /** The value of `#leaseCount` when nothing was leased. */
  #emptyAtCount = 0;

  constructor(options: SqliteLedgerOptions) {
    const { database, thread, clock, logger, health, onDamage, reading, giveUpAfterMs } = options;
    const { lateAfterMs = DEFAULT_LATE_AFTER_MS } = options;
    const charges = new ChargeQueue({
      async write(batch) {
        try {
          return await thread.charge(batch.map(({ charge }) => charge));
        } catch (error) {
          if (isDamage(error)) onDamage(error);
          throw error;
        }
      },
      failureOf: (error) => (isOutage(error) ? 'passing' : isDamage(error) ? 'final' : 'charge'),
      problemOf: writeProblem,
      gatherMs: () => GATHER_MS,
      ...{ clock, logger, health, giveUpAfterMs },
    });
    super({ reader: new SqliteConnectionReader(database), search: new SqliteReader(reading) }, charges);
    health.watch(() => (charges.lateMs >= lateAfterMs ? 'the disk is too slow' : null));
    this.#database = database;
    this.#writer = remote(thread, 'ledger', ['append']);
    this.#reading = reading;
    this.#onRecall = (listener) => thread.onRecall?.(listener);
    this.#pools = new SpendingPools(database);
  }

  async lease(pool: SpendingPool, wanted: bigint, least: bigint, limitNanoUsd = 0n): Promise<bigint> {
    this.#leaseCount += 1;
    try {
      return await this.#turns.run(pool, () => this.#writer.lease(pool, wanted, least, limitNanoUsd));
    } finally {
      this.#leaseCount += 1;
    }
  }

  async giveBack(pool: SpendingPool, amountNanoUsd: bigint): Promise<void> {
    if (amountNanoUsd > 0n) await this.#writer.giveBack(pool, amountNanoUsd);
  }

  async giveBackUnneeded(heldNanoUsd: (pool: SpendingPool) => bigint): Promise<readonly PoolLease[]> {
    // Reading the leases scans all spending pools, about 3 ms for 50,000 accounts.
    if (this.#leaseCount === this.#emptyAtCount) return [];
    return await giveBackUnneeded(heldNanoUsd, {
      turns: this.#turns,
      leases: (only) => this.#leases(only),
      giveBack: (pool, amountNanoUsd) => this.#writer.giveBack(pool, amountNanoUsd),
    });
  }

  onRecall(listener: (place: LeasePlace) => Promise<boolean>): void {
    this.#onRecall(listener);
  }

  onLeasesLost(): void {
    // Leases are never lost: the data folder belongs to this gateway, or to a process that this one does not outlive.
  }

  append(entry: NewEntry): Promise<'appended' | 'known' | 'insufficient'> {
    return this.#writer.append(entry);
  }

  async budgetSpending(pools: readonly BudgetPool[]): Promise<readonly BudgetSpending[]> {
    return inTransaction(this.#database, 'DEFERRED', () => pools.map((pool) => this.#pools.spending(pool)));
  }

  protected verifyNow(): Promise<LedgerReport> {
    return this.#reading.verifyLedger();
  }

  async #leases(only?: SpendingPool): Promise<readonly PoolLease[]> {
    const count = this.#leaseCount;
    const all = await this.#writer.leases();
    if (all.length === 0) this.#emptyAtCount = count;
    return only === undefined ? all : all.filter(({ pool }) => isSamePool(pool, only));
  }

  /** Writes queued charges. The caller closes the connection and the thread. */
  async close(): Promise<void> {
    await this.charges.close();
  }
}
