import type { Histogram } from '../../../domain/metrics/histogram.ts';
import type { KeyPlace } from '../../../engine/ports/key-use-store.ts';
import type {
  Balance,
  BudgetPool,
  BudgetSpending,
  Charge,
  Credits,
  EntryPlace,
  EntryQuery,
  KeySpending,
  LeasePlace,
  Ledger,
  LedgerEntry,
  LedgerPage,
  LedgerReport,
  NewEntry,
  PoolLease,
  SpendingPool,
} from '../../../engine/ports/ledger.ts';
import type { StoreQueues } from '../../../engine/ports/store.ts';
import type { ChargeQueue } from '../../shared/charge-queue.ts';
import type { SqlReader } from '../program.ts';
import {
  balanceOf,
  creditsOf,
  entriesOf,
  entryPage,
  entryWithKey,
  knownBalances,
  spendingOf,
} from './read-programs.ts';

/**
 * The ledger. Each database has its own leases and its own way to write entries, since leases of several gateways are rows, and those of one
 * gateway belong to its processes.
 */
export abstract class SqlLedger implements Ledger {
  abstract readonly isShared: boolean;
  readonly #reader: SqlReader;
  readonly #search: SqlReader;
  #verifying: Promise<LedgerReport> | null = null;

  /**
   * @param reader must return integers as `bigint`
   * @param search reads pages, which may take longer
   */
  constructor(
    { reader, search }: { readonly reader: SqlReader; readonly search: SqlReader },
    protected readonly charges: ChargeQueue,
  ) {
    this.#reader = reader;
    this.#search = search;
  }

  abstract lease(pool: SpendingPool, wanted: bigint, least: bigint, limitNanoUsd?: bigint): Promise<bigint>;
  abstract giveBack(pool: SpendingPool, amountNanoUsd: bigint): Promise<void>;
  abstract giveBackUnneeded(heldNanoUsd: (pool: SpendingPool) => bigint): Promise<readonly PoolLease[]>;
  abstract onLeasesLost(listener: () => void): void;
  abstract onRecall(listener: (place: LeasePlace) => Promise<boolean>): void;
  abstract append(entry: NewEntry): Promise<'appended' | 'known' | 'insufficient'>;
  abstract budgetSpending(pools: readonly BudgetPool[]): Promise<readonly BudgetSpending[]>;
  protected abstract verifyNow(): Promise<LedgerReport>;

  /** The charges that are not durable yet. */
  get queue(): StoreQueues['charges'] {
    return { ...this.charges.figures, lateMs: this.charges.lateMs };
  }

  /** The durations of durable writes of charges. */
  get commits(): Histogram {
    return this.charges.commits;
  }

  charge(charge: Charge): Promise<'charged' | 'known'> {
    return this.charges.add(charge);
  }

  balance(accountId: string): Promise<Balance> {
    return this.#reader.read(() => balanceOf(this.#reader.dialect, accountId));
  }

  credits(accountId: string): Promise<Credits> {
    return this.#reader.read(() => creditsOf(this.#reader.dialect, accountId));
  }

  balances(only?: readonly string[]): Promise<readonly Balance[]> {
    return this.#reader.read(() => knownBalances(this.#reader.dialect, only));
  }

  spending(only?: readonly KeyPlace[]): Promise<readonly KeySpending[]> {
    return this.#reader.read(() => spendingOf(this.#reader.dialect, only));
  }

  entries(accountId: string, limit: number): Promise<readonly LedgerEntry[]> {
    return this.#reader.read(() => entriesOf(this.#reader.dialect, accountId, limit));
  }

  page(query: EntryQuery, after: EntryPlace | null, limit: number): Promise<LedgerPage> {
    return this.#search.read(() => entryPage(this.#search.dialect, query, after, limit));
  }

  find(idempotencyKey: string): Promise<LedgerEntry | null> {
    return this.#reader.read(() => entryWithKey(this.#reader.dialect, idempotencyKey));
  }

  /** Takes long and uses a connection or thread of its own, so concurrent callers share one report. */
  verify(): Promise<LedgerReport> {
    this.#verifying ??= this.verifyNow().finally(() => {
      this.#verifying = null;
    });
    return this.#verifying;
  }
}
