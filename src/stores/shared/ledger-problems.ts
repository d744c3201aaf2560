import { formatNanoUsd } from '../../domain/money/nano-usd.ts';
import type { BudgetPool } from '../../engine/ports/ledger.ts';

/** The most problems of one kind that are listed; the rest are only counted. */
export const MAX_TOLD_PROBLEMS = 100;

/** The messages of `switchyard ledger verify`, the same for every store. */
export const ledgerProblems = {
  balance: (accountId: string, balance: bigint, sum: bigint) =>
    `The balance of the account "${accountId}" is ${usd(balance)}, but its entries add up to ${usd(sum)}.`,
  negative: (accountId: string, balance: bigint) =>
    `The prepaid account "${accountId}" has a negative balance: ${usd(balance)}.`,
  accountLease: (accountId: string, leased: bigint, balance: bigint) =>
    `The prepaid account "${accountId}" has a balance of ${usd(balance)}, but ${usd(leased)} is leased.`,
  spending: (accountId: string, keyId: string, spent: bigint, sum: bigint) =>
    `The key "${keyId}" of the account "${accountId}" has spent ${usd(spent)}, but its charges add up to ${usd(sum)}.`,
  budget: (pool: BudgetPool, spent: bigint, sum: bigint) =>
    `For ${periodOf(pool)}, ${usd(spent)} is recorded as spent, but the charges of that period add up to ${usd(sum)}.`,
  budgetLeases: (pool: BudgetPool, leased: bigint, held: bigint) =>
    `For ${periodOf(pool)}, ${usd(leased)} is recorded as leased, but nodes and holds have ${usd(held)}.`,
  budgetHolds: (pool: BudgetPool, leased: bigint, held: bigint) =>
    `For ${periodOf(pool)}, holds reserve ${usd(held)}, but only ${usd(leased)} is recorded as leased.`,
  nodeLeases: (accountId: string, keyId: string | null, leased: bigint, held: bigint) =>
    `For ${keyId === null ? 'the balance' : `the limit of ${keyOf(keyId)}`} of the account "${accountId}", ${usd(leased)} is recorded as leased, but nodes and holds have ${usd(held)}.`,
  holdNotKept: (accountId: string, keyId: string | null, leased: bigint, held: bigint) =>
    `For ${keyId === null ? 'the balance' : `the limit of ${keyOf(keyId)}`} of the account "${accountId}", holds reserve ${usd(held)}, but only ${usd(leased)} is recorded as leased.`,
  holdCharge: (holdId: string, accountId: string, state: string, settled: bigint, charged: bigint) =>
    `The hold "${holdId}" of the account "${accountId}" is ${state} with ${usd(settled)}, but ${usd(charged)} was charged for it.`,
  chargedTwice: (requestId: string, accountId: string, charges: bigint | number) =>
    `The request "${requestId}" of the account "${accountId}" was charged ${charges} times.`,
  malformed: (sequence: bigint | number, accountId: string) =>
    `The entry ${sequence} of the account "${accountId}" is malformed: its sign or its idempotency key does not match its kind.`,
  notCharged: (requestId: string, accountId: string | null, cost: bigint) =>
    `The request "${requestId}" of ${accountOf(accountId)} cost ${usd(cost)}, but there is no charge for it.`,
  otherPool: (
    requestId: string,
    accountId: string | null,
    keyId: string | null,
    charged: string,
    chargedKey: string | null,
  ) =>
    `The request "${requestId}" was made by ${accountOf(accountId)} with ${keyOf(keyId)}, but the account "${charged}" was charged for it, with ${keyOf(chargedKey)}.`,
  otherCharge: (requestId: string, accountId: string | null, cost: bigint, charged: bigint) =>
    `The request "${requestId}" of ${accountOf(accountId)} cost ${usd(cost)}, but ${usd(charged)} was charged.`,
};

/** Returns at most `MAX_TOLD_PROBLEMS` problems, and how many more there are. */
export function toldProblems(problems: readonly string[]): string[] {
  const more = problems.length - MAX_TOLD_PROBLEMS;
  if (more <= 0) return [...problems];
  return [...problems.slice(0, MAX_TOLD_PROBLEMS), `There are ${more} more problems of this kind.`];
}

function accountOf(accountId: string | null): string {
  return accountId === null ? 'no account' : `the account "${accountId}"`;
}

function periodOf({ accountId, keyId, window }: BudgetPool): string {
  const owner = keyId === null ? accountOf(accountId) : `the key "${keyId}" of ${accountOf(accountId)}`;
  const [from, to] = [window.startsAtMs, window.endsAtMs].map((timeMs) => new Date(timeMs).toISOString());
  return `the budget of ${owner} from ${from} to ${to}`;
}

function keyOf(keyId: string | null): string {
  return keyId === null ? 'no key' : `the key "${keyId}"`;
}

function usd(amountNanoUsd: bigint): string {
  return `${formatNanoUsd(amountNanoUsd)} USD`;
}
