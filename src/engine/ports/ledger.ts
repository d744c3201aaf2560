import type { BudgetWindow } from '../../domain/money/budget.ts';
import type { KeyPlace } from './key-use-store.ts';
import type { ChargeUsage } from './usage-store.ts';

/** What a sum of money is kept in: an account's balance, what a key with a limit may still spend, or one period of a budget. */
export interface Purse {
  readonly accountId: string;
  /** `null` for what is the account's. */
  readonly keyId: string | null;
  /** The period of the account's or the key's budget; absent for the balance and the limit. */
  readonly window?: BudgetWindow;
}

export function isSamePurse(one: Purse, other: Purse): boolean {
  return (
    one.accountId === other.accountId &&
    one.keyId === other.keyId &&
    one.window?.startsAtMs === other.window?.startsAtMs &&
    one.window?.endsAtMs === other.window?.endsAtMs
  );
}

/** Whose money is leased. */
export type LeasePlace = Pick<Purse, 'accountId' | 'keyId'>;

/** What this gateway has leased of a purse. */
export interface PurseLease {
  readonly purse: Purse;
  readonly leasedNanoUsd: bigint;
}

export interface BudgetPurse extends Purse {
  readonly window: BudgetWindow;
}

export interface BudgetSpending extends BudgetPurse {
  /** The sum of the charges that count in this period, as a positive number, whether or not there was a budget then. */
  readonly spentNanoUsd: bigint;
  /** What gateways and holds keep of it. */
  readonly leasedNanoUsd: bigint;
}

/** How a charge counts against budgets; its whole cost is paid from what was leased of the periods that are named. */
export interface ChargedBudgets {
  /** When the money was put aside, in milliseconds since 1970: the charge counts in the periods that this belongs to. */
  readonly countedAtMs: number;
  readonly account: BudgetWindow | null;
  readonly key: BudgetWindow | null;
}

/** What an entry does: `grant` and `refund` add, `charge` takes, an `adjustment` may do either. */
export const ENTRY_KINDS = ['grant', 'charge', 'refund', 'adjustment'] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

/** An entry of the ledger before it is written. Entries are never changed and never deleted. */
export interface NewEntry {
  /**
   * The same entry, appended again after a crash or a lost answer, has the same key, and is stored once. The same key with
   * another account, key, kind, amount or request is a mistake (`LedgerConflict`).
   */
  readonly idempotencyKey: string;
  readonly accountId: string;
  readonly keyId: string | null;
  readonly kind: EntryKind;
  /** In nano-USD (1e-9); positive adds to the balance. */
  readonly amountNanoUsd: bigint;
  readonly requestId: string | null;
  /** In milliseconds since 1970. */
  readonly atMs: number;
  readonly note: string | null;
}

export interface LedgerEntry extends NewEntry {
  /** Ascending in the order of writing. */
  readonly sequence: number;
}

/** What one request costs; its idempotency key is `charge:` and the request's id. */
export interface Charge {
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string | null;
  /** Zero or more. A charge of zero is an entry too: it says that the request was settled. */
  readonly costNanoUsd: bigint;
  /** How much of it is paid from what was leased of the account's balance; the rest is taken from the balance as it stands. */
  readonly fromAccountLease: bigint;
  /** How much of it is counted against what was leased of the key's limit. */
  readonly fromKeyLease: bigint;
  readonly atMs: number;
  /** Absent where neither account nor key has a budget; then `atMs` decides in which period it counts. */
  readonly budgets?: ChargedBudgets;
  /** What it is summed by; written with the charge, in one transaction. */
  readonly usage: ChargeUsage;
}

export interface Balance {
  readonly accountId: string;
  /** The sum of the account's entries. */
  readonly balanceNanoUsd: bigint;
  /** What gateways hold of it for requests, and no other can take. */
  readonly leasedNanoUsd: bigint;
}

export interface KeySpending extends KeyPlace {
  /** The sum of the key's charges, as a positive number. */
  readonly spentNanoUsd: bigint;
  readonly leasedNanoUsd: bigint;
}

export interface LedgerReport {
  readonly accounts: number;
  /** In the ledger itself. */
  readonly entries: number;
  readonly charges: number;
  /** Charges in archives, of which the ledger keeps the sums. */
  readonly archived: number;
  /** One sentence for each mismatch; empty if the books are right. */
  readonly problems: readonly string[];
}

/** Which entries are to be listed; all conditions that are given hold. */
export interface EntryQuery {
  readonly accountId: string;
  readonly keyId?: string;
  readonly kind?: EntryKind;
  /** In milliseconds since 1970; `toMs` is not part of it. */
  readonly fromMs?: number;
  readonly toMs?: number;
}

/** Where in the list an entry stands. */
export interface EntryPlace {
  readonly atMs: number;
  readonly sequence: number;
}

export interface LedgerPage {
  readonly entries: readonly LedgerEntry[];
  /** Where the next page begins; `null` where there is none. A page may have fewer entries than were asked for and a next. */
  readonly next: EntryPlace | null;
}

/**
 * Entries are written in the order of their times but for what the clocks of gateways differ, and what a charge waits for the
 * database: none is written so much later than it says.
 */
export const LONGEST_DISORDER_MS = 3_600_000;

/** The same idempotency key was used for another entry. */
export class LedgerConflict extends Error {}

/**
 * The books: append-only entries, and the balances that are their sums. Money is spent in two steps: a gateway leases a part of
 * a purse, which no other gateway can lease, reserves from it in memory, and charges what a request has cost. So a purse can
 * not be overdrawn by any number of requests and gateways, and no request waits for the store.
 */
export interface Ledger {
  /** Whether other gateways lack what is leased and idle here: they lease from the same purses, and cannot ask for it back. */
  readonly isShared: boolean;
  /**
   * Leases up to `wantedNanoUsd` of what is free of a purse (balance, limit or budget, less what is spent and leased), or nothing
   * where that would be less than `leastNanoUsd`. Resolves to what was leased. `limitNanoUsd` is the key's limit, for a key's purse,
   * and the amount of the budget for a period of one. Rejects if the leases of this gateway are lost while the call waits or is under
   * way: what it resolves to belongs to the leases that were there when it was called.
   */
  lease(purse: Purse, wantedNanoUsd: bigint, leastNanoUsd: bigint, limitNanoUsd?: bigint): bigint | Promise<bigint>;
  giveBack(purse: Purse, amountNanoUsd: bigint): Promise<void>;
  /**
   * Compares the leases of this gateway with what it still needs of them, and gives back the rest. A lease whose answer got lost, a
   * charge that could not be written, or a failed `giveBack` would otherwise keep money from everybody until this gateway ends.
   *
   * @param heldNanoUsd how much of a purse is free, reserved, being charged or being given back in this gateway at the moment of the call
   */
  giveBackUnheld(heldNanoUsd: (purse: Purse) => bigint): Promise<readonly PurseLease[]>;
  /** Called when the leases of this gateway have expired (it could not renew them in time): it holds nothing any more. */
  onLeasesLost(listener: () => void): void;
  /**
   * Called when another gateway lacks money that this one may have leased and not reserved: of the account, and of the key if one is
   * named. Resolves when that is given back, to whether there was anything to give. Not every store can ask for it.
   */
  onRecall(listener: (place: LeasePlace) => Promise<boolean>): void;
  /** Resolves once the charge is durable (written together with others); to `known` where it had been. */
  charge(charge: Charge): Promise<'charged' | 'known'>;
  /**
   * Appends a grant, a refund or an adjustment, durably. One that takes more than is free of the balance is `insufficient`.
   * Throws `LedgerConflict`.
   */
  append(entry: NewEntry): Promise<'appended' | 'known' | 'insufficient'>;
  balance(accountId: string): Promise<Balance>;
  /** Of these accounts, or of all, as far as they have entries. */
  balances(only?: readonly string[]): Promise<readonly Balance[]>;
  /** Of these keys, or of all, as far as they have spent something. */
  spending(only?: readonly KeyPlace[]): Promise<readonly KeySpending[]>;
  /** Of these periods of budgets, each of them, in this order. */
  budgetSpending(purses: readonly BudgetPurse[]): Promise<readonly BudgetSpending[]>;
  /** The newest first. */
  entries(accountId: string, limit: number): Promise<readonly LedgerEntry[]>;
  /** The newest first; page by page each entry that was there at the first is given once. */
  page(query: EntryQuery, after: EntryPlace | null, limit: number): Promise<LedgerPage>;
  /** The entry of this idempotency key. */
  find(idempotencyKey: string): Promise<LedgerEntry | null>;
  /** Computes all sums again and reports what does not match: balances, keys, budgets, and charges against the request log. */
  verify(): Promise<LedgerReport>;
}
