import type { BudgetWindow } from '../money/budget.ts';

/** What a hold keeps of one period of a budget. */
export interface HeldBudget {
  /** `null` for the account's budget. */
  readonly keyId: string | null;
  readonly window: BudgetWindow;
  readonly heldNanoUsd: bigint;
  /** The budget itself, as it was then. */
  readonly budgetNanoUsd: bigint;
}

/**
 * Money that is put aside durably for one request whose answer may take longer than a process lives, such as a video. While a
 * hold is open, what it holds can be spent by nobody else, on any node and after any restart. It ends once: it is settled
 * with a charge, or released. An expired hold stays open: only a poller or an operator knows what has become of its request.
 */
export interface NewHold {
  /** The request's id: of a request there is one hold, and its charge has the same id. */
  readonly holdId: string;
  readonly accountId: string;
  readonly keyId: string | null;
  /** What is held of the account's balance, in nano-USD; `null` where no balance limits it. */
  readonly fromBalanceNanoUsd: bigint | null;
  /** What is held of the key's limit; `null` where the key has none. */
  readonly fromLimitNanoUsd: bigint | null;
  /** The limit itself, as it was then; `null` where the key has none. */
  readonly keyLimitNanoUsd: bigint | null;
  /** What is held of budgets, in the periods that `atMs` belongs to; its charge counts in these, however late it is made. */
  readonly budgets: readonly HeldBudget[];
  /** What whoever settles it has to know, as JSON; stores do not read it. */
  readonly terms: string;
  /** In milliseconds since 1970, as all times. */
  readonly atMs: number;
  /** When it should have ended; after that it is overdue. */
  readonly expiresAtMs: number;
}

export const HOLD_STATES = ['open', 'settled', 'released'] as const;
export type HoldState = (typeof HOLD_STATES)[number];

export interface Hold extends NewHold {
  readonly state: HoldState;
  /** What was charged when it was settled; zero until then, and where it was released. */
  readonly chargedNanoUsd: bigint;
  /** `null` while it is open. */
  readonly closedAtMs: number | null;
}

/** How a hold has ended, whether by this call or by one before it. */
export interface ClosedHold {
  readonly state: 'settled' | 'released';
  readonly chargedNanoUsd: bigint;
}

/** Whether a hold that is known is the same one, sent again. */
export function isSameHold(known: NewHold, hold: NewHold): boolean {
  return (
    known.accountId === hold.accountId &&
    known.keyId === hold.keyId &&
    known.fromBalanceNanoUsd === hold.fromBalanceNanoUsd &&
    known.fromLimitNanoUsd === hold.fromLimitNanoUsd &&
    known.keyLimitNanoUsd === hold.keyLimitNanoUsd
  );
}

/** What is free of the purses of a hold, beside what it holds itself. */
export interface FreeBeside {
  readonly balanceNanoUsd: bigint;
  readonly limitNanoUsd: bigint;
  /** One for each of its budgets, in their order. */
  readonly budgetsNanoUsd: readonly bigint[];
}

/**
 * How much of a cost a hold can be charged: all of it, as far as what it holds and what is free beside it go. A purse that
 * does not limit the request is not asked.
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
