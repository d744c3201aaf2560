import type { BudgetWindow } from '../../domain/money/budget.ts';
import type { KeyPlace } from './key-use-store.ts';
import type { ChargeUsage } from './usage-store.ts';

/** A spendable amount: an account's balance, the rest of a key's limit, or one budget period. */
export interface SpendingPool {
  readonly accountId: string;
  /** `null` for the account's own spending pool. */
  readonly keyId: string | null;
  /** The budget period of the account or key; absent for the balance and the limit. */
  readonly window?: BudgetWindow;
}

export function isSamePool(one: SpendingPool, other: SpendingPool): boolean {
  return (
    one.accountId === other.accountId &&
    one.keyId === other.keyId &&
    one.window?.startsAtMs === other.window?.startsAtMs &&
    one.window?.endsAtMs === other.window?.endsAtMs
  );
}

/** The account or key whose money is leased. */
export type LeasePlace = Pick<SpendingPool, 'accountId' | 'keyId'>;

/** The amount that this gateway has leased from a spending pool. */
export interface PoolLease {
  readonly pool: SpendingPool;
  readonly leasedNanoUsd: bigint;
}

export interface BudgetPool extends SpendingPool {
  readonly window: BudgetWindow;
}

export interface BudgetSpending extends BudgetPool {
  /** The sum of the charges in this period, as a positive number, whether or not there was a budget then. */
  readonly spentNanoUsd: bigint;
  /** The amount in leases and holds. */
  readonly leasedNanoUsd: bigint;
}

/** The budget periods that a charge counts in. Its full cost is paid from the leases of the named periods. */
export interface ChargedBudgets {
  /** When the money was reserved, in milliseconds since 1970. It decides the budget period. */
  readonly countedAtMs: number;
  readonly account: BudgetWindow | null;
  readonly key: BudgetWindow | null;
}

/** The kinds of entries. `grant` and `refund` add, `charge` subtracts, `adjustment` does either. */
export const ENTRY_KINDS = ['grant', 'charge', 'refund', 'adjustment'] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

/** A ledger entry before it is written. Entries are immutable; they are never deleted, except for charges that are moved to an archive. */
export interface NewEntry {
  /**
   * An entry that is appended again after a crash or a lost response has the same key and is stored once. Reusing the key with another
   * account, key, kind, amount or request throws `LedgerConflict`.
   */
  readonly idempotencyKey: string;
  readonly accountId: string;
  readonly keyId: string | null;
  readonly kind: EntryKind;
  /** In nano-USD (1e-9 USD); a positive amount increases the balance. */
  readonly amountNanoUsd: bigint;
  readonly requestId: string | null;
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly note: string | null;
}

export interface LedgerEntry extends NewEntry {
  /** Ascends in write order. */
  readonly sequence: number;
}

/** The cost of one request. Its idempotency key is `charge:` and the request's id. */
export interface Charge {
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string | null;
  /** Zero or more. A zero charge is an entry too; it records that the request was settled. */
  readonly costNanoUsd: bigint;
  /** The part paid from the lease on the account's balance. The rest is taken from the balance directly. */
  readonly fromAccountLease: bigint;
  /** The part counted against the lease on the key's limit. */
  readonly fromKeyLease: bigint;
  readonly atMs: number;
  /** Absent if neither account nor key has a budget; then `atMs` decides the period. */
  readonly budgets?: ChargedBudgets;
  /** The dimensions of its usage sums, which are written in the same transaction. */
  readonly usage: ChargeUsage;
}

export interface Balance {
  readonly accountId: string;
  /** The sum of the account's entries. */
  readonly balanceNanoUsd: bigint;
  /** The part that gateways have leased and that no other gateway can lease. */
  readonly leasedNanoUsd: bigint;
}

/** An account's balance, and what was added to it. */
export interface Credits {
  readonly balanceNanoUsd: bigint;
  /** The sum of the account's grants, refunds and adjustments. Less the balance, it is what the account has spent. */
  readonly creditedNanoUsd: bigint;
}

export interface KeySpending extends KeyPlace {
  /** The sum of the key's charges, as a positive number. */
  readonly spentNanoUsd: bigint;
  readonly leasedNanoUsd: bigint;
}

export interface LedgerReport {
  readonly accounts: number;
  /** The number of entries in the ledger itself. */
  readonly entries: number;
  readonly charges: number;
  /** The number of archived charges, of which the ledger keeps sums. */
  readonly archived: number;
  /** One sentence per mismatch; empty if the books are consistent. */
  readonly problems: readonly string[];
}

/** Conditions that must all hold; omitted ones are ignored. */
export interface EntryQuery {
  readonly accountId: string;
  readonly keyId?: string;
  readonly kind?: EntryKind;
  /** The time range in milliseconds since 1970; `toMs` is exclusive. */
  readonly fromMs?: number;
  readonly toMs?: number;
}

/** The position of an entry in the list. */
export interface EntryPlace {
  readonly atMs: number;
  readonly sequence: number;
}

export interface LedgerPage {
  readonly entries: readonly LedgerEntry[];
  /** The start of the next page; `null` on the last page. A page that is not the last may have fewer entries than requested. */
  readonly next: EntryPlace | null;
}

/**
 * The most by which an entry's time may lag behind those written before it. It covers clock skew between gateways and charges that wait for
 * the database.
 */
export const LONGEST_DISORDER_MS = 3_600_000;

/** Thrown if the idempotency key was used for a different entry. */
export class LedgerConflict extends Error {}

/**
 * The ledger: append-only entries, and balances as their sums. Spending takes two steps: a gateway leases part of a spending pool exclusively,
 * reserves from the lease in memory, and charges the actual cost. No number of concurrent requests and gateways can overdraw a spending pool, and
 * no request waits for the store.
 */
export interface Ledger {
  /** Whether other gateways lease from the same spending pools but cannot recall idle leases from this one. */
  readonly isShared: boolean;
  /**
   * Leases up to `wantedNanoUsd` from the free part of a spending pool (balance, limit or budget, minus spending and leases), or nothing if that is
   * less than `leastNanoUsd`. Resolves to the leased amount. `limitNanoUsd` is the limit for a key's spending pool and the amount for a budget
   * period. Rejects if this gateway's leases are lost before it resolves, since its result belongs to the leases that existed when it was
   * called.
   */
  lease(
    pool: SpendingPool,
    wantedNanoUsd: bigint,
    leastNanoUsd: bigint,
    limitNanoUsd?: bigint,
  ): bigint | Promise<bigint>;
  giveBack(pool: SpendingPool, amountNanoUsd: bigint): Promise<void>;
  /**
   * Releases whatever this gateway has leased but no longer needs, and resolves to that. Otherwise a lease whose response was lost, a
   * charge that could not be written or a failed `giveBack` would lock money until this gateway ends.
   *
   * @param neededNanoUsd returns how much of a spending pool is free, reserved, being charged or being released in this gateway at the moment of the
   * call
   */
  giveBackUnneeded(neededNanoUsd: (pool: SpendingPool) => bigint): Promise<readonly PoolLease[]>;
  /** Registers a listener for the loss of all of this gateway's leases, which expire if it cannot renew them in time. */
  onLeasesLost(listener: () => void): void;
  /**
   * Registers a listener for another gateway's recall of unreserved leases on the account and, if named, the key. The listener resolves,
   * after releasing them, to whether there was anything to release. Not every store supports recalls.
   */
  onRecall(listener: (place: LeasePlace) => Promise<boolean>): void;
  /** Writes the charge in a batch with others and resolves when it is durable; to `known` if it was already written. */
  charge(charge: Charge): Promise<'charged' | 'known'>;
  /**
   * Appends a grant, a refund or an adjustment durably. Resolves to `insufficient` if it would take more than the free balance. Throws
   * `LedgerConflict`.
   */
  append(entry: NewEntry): Promise<'appended' | 'known' | 'insufficient'>;
  balance(accountId: string): Promise<Balance>;
  /** Resolves to the balance and the credits of one moment. It reads one row per entry that is no charge. */
  credits(accountId: string): Promise<Credits>;
  /** Resolves to the balances of the given accounts, or of all. Accounts without entries are omitted. */
  balances(only?: readonly string[]): Promise<readonly Balance[]>;
  /** Resolves to the spending of the given keys, or of all. Keys without spending are omitted. */
  spending(only?: readonly KeyPlace[]): Promise<readonly KeySpending[]>;
  /** Resolves to the spending in each of these budget periods, in order. */
  budgetSpending(pools: readonly BudgetPool[]): Promise<readonly BudgetSpending[]>;
  /** Resolves to entries from newest to oldest. */
  entries(accountId: string, limit: number): Promise<readonly LedgerEntry[]>;
  /**
   * Resolves to a page of entries from newest to oldest. Successive pages return each entry that existed at the first page exactly once.
   */
  page(query: EntryQuery, after: EntryPlace | null, limit: number): Promise<LedgerPage>;
  /** Finds an entry by its idempotency key. */
  find(idempotencyKey: string): Promise<LedgerEntry | null>;
  /** Recomputes all sums and reports mismatches: balances, keys, budgets, and charges against the request log. */
  verify(): Promise<LedgerReport>;
}
