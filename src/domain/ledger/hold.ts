import type { BudgetWindow } from '../money/budget.ts';

/** The amount that a hold reserves in one period of a budget. */
export interface HeldBudget {
  /** `null` for the account's budget. */
  readonly keyId: string | null;
  readonly window: BudgetWindow;
  readonly heldNanoUsd: bigint;
  /** The budget at that time. */
  readonly budgetNanoUsd: bigint;
}

/**
 * A durable reservation for one request whose answer may outlive a process, such as a video. While a hold is open, its amounts
 * cannot be spent by anything else, on any node and after any restart. It ends once: it is settled with a charge, or released. An
 * expired hold stays open, because only a poller or an operator knows the outcome of its request.
 */
export interface NewHold {
  /** The request's id: a request has one hold, and its charge has the same id. */
  readonly holdId: string;
  readonly accountId: string;
  readonly keyId: string | null;
  /** The amount reserved from the account's balance, in nano-USD; `null` if no balance limits it. */
  readonly fromBalanceNanoUsd: bigint | null;
  /** The amount reserved from the key's limit; `null` if the key has none. */
  readonly fromLimitNanoUsd: bigint | null;
  /** The limit at that time; `null` if the key has none. */
  readonly keyLimitNanoUsd: bigint | null;
  /**
   * The amounts reserved from budgets, in the periods that contain `atMs`; the charge counts in these periods, however late it is
   * made.
   */
  readonly budgets: readonly HeldBudget[];
  /** The data needed to settle it, as JSON; stores do not read it. */
  readonly terms: string;
  /** Milliseconds since 1970, like all times. */
  readonly atMs: number;
  /** When it should have ended; after that it is overdue. */
  readonly expiresAtMs: number;
}

export const HOLD_STATES = ['open', 'settled', 'released'] as const;
export type HoldState = (typeof HOLD_STATES)[number];

export interface Hold extends NewHold {
  readonly state: HoldState;
  /** The amount charged on settlement; zero before that, and if it was released. */
  readonly chargedNanoUsd: bigint;
  /** `null` while it is open. */
  readonly closedAtMs: number | null;
}

/** How a hold has ended, by this call or by an earlier one. */
export interface ClosedHold {
  readonly state: 'settled' | 'released';
  readonly chargedNanoUsd: bigint;
}

/** Returns whether a known hold is the same one, sent again. */
export function isSameHold(known: NewHold, hold: NewHold): boolean {
  return (
    known.accountId === hold.accountId &&
    known.keyId === hold.keyId &&
    known.fromBalanceNanoUsd === hold.fromBalanceNanoUsd &&
    known.fromLimitNanoUsd === hold.fromLimitNanoUsd &&
    known.keyLimitNanoUsd === hold.keyLimitNanoUsd
  );
}

/** The amounts available to a hold in addition to what it reserves itself. */
export interface FreeBeside {
  readonly balanceNanoUsd: bigint;
  readonly limitNanoUsd: bigint;
  /** One for each of its budgets, in order. */
  readonly budgetsNanoUsd: readonly bigint[];
}

/**
 * Returns how much of a cost a hold can be charged: as much as the reserved and the available amounts cover. A balance, limit or
 * budget that does not restrict the request is ignored.
 */
export function chargeableOf(hold: NewHold, costNanoUsd: bigint, free: FreeBeside): bigint {
  const { fromBalanceNanoUsd, fromLimitNanoUsd, budgets } = hold;
  const ofBalance = fromBalanceNanoUsd === null ? costNanoUsd : fromBalanceNanoUsd + atLeastZero(free.balanceNanoUsd);
  const ofLimit = fromLimitNanoUsd === null ? costNanoUsd : fromLimitNanoUsd + atLeastZero(free.limitNanoUsd);
  const ofBudgets = budgets.map(
    ({ heldNanoUsd }, index) => heldNanoUsd + atLeastZero(free.budgetsNanoUsd[index] ?? 0n),
  );
  return [costNanoUsd, ofBalance, ofLimit, ...ofBudgets].reduce((least, amount) => (amount < least ? amount : least));
}

function atLeastZero(amountNanoUsd: bigint): bigint {
  return amountNanoUsd > 0n ? amountNanoUsd : 0n;
}
