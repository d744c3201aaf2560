import type { Account } from '../../../domain/access/account.ts';
import type { Credential } from '../../../domain/access/api-key.ts';
import { type Budget, type BudgetRaise, type BudgetWindow, budgetWindow } from '../../../domain/money/budget.ts';
import { type BudgetHolder, budgetInForce, raiseInForce } from '../../../domain/money/budget-in-force.ts';
import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import { accountRequests, accountTokens, keyRequests } from '../../limits/principal-quota.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DirectoryStore } from '../../ports/directory-store.ts';
import type { KeySpending, Ledger } from '../../ports/ledger.ts';
import type { RateCounters, RateWindow } from '../../ports/rate-counters.ts';
import { existingAccount } from '../accounts/read-accounts.ts';
import { keyState } from '../keys/read-keys.ts';
import { limitOf, type Page, type PageRequest, pageOf, placeAfter } from '../page.ts';
import { budgetFields } from '../schema/fields.ts';
import { isoTime, timeOrNull } from '../view-fields.ts';

export interface LimitPorts {
  readonly directory: Pick<DirectoryStore, 'read' | 'accounts' | 'credentials'>;
  readonly ledger: Pick<Ledger, 'budgetSpending' | 'spending'>;
  readonly counters: Pick<RateCounters, 'take'>;
  readonly clock: Pick<Clock, 'nowMs'>;
}

/** A limit on what happens within any 60 s. */
interface RateInForce {
  readonly limit: number;
  /** How much of the limit was used in the last 60 s; `null` if the counters cannot be reached now. */
  readonly used: number | null;
}

interface AccountLimits {
  readonly account: Account;
  readonly requests: RateInForce;
  readonly tokens: RateInForce | null;
  readonly budget: BudgetState | null;
}

interface KeyLimits {
  readonly credential: Credential;
  readonly requests: RateInForce | null;
  /** The key's total spending, and the reserved part of its limit. */
  readonly spending: Pick<KeySpending, 'spentNanoUsd' | 'leasedNanoUsd'>;
  readonly budget: BudgetState | null;
}

/** Resolves to the limits of an account, and how much of each is used. Throws `AdminError` if the account does not exist. */
export async function accountLimits(ports: LimitPorts, accountId: string): Promise<AccountLimits> {
  const account = await existingAccount(ports.directory, accountId);
  const tokens = accountTokens(account);
  const windows = tokens === null ? [accountRequests(account)] : [accountRequests(account), tokens];
  const [ofRequests = null, ofTokens = null] = await used(ports.counters, windows);
  const nowMs = ports.clock.nowMs();
  const [state = null] = await budgetStates(ports.ledger, nowMs, ownerOf({ accountId, keyId: null }, account, nowMs));
  return {
    account,
    requests: { limit: accountRequests(account).limit, used: ofRequests },
    tokens: tokens === null ? null : { limit: tokens.limit, used: ofTokens },
    budget: state,
  };
}

/**
 * Resolves to a page of the limits of an account's keys, by id. These apply in addition to the account's own. Throws `AdminError` for an
 * invalid page or an account that does not exist.
 */
export async function keyLimits(
  { directory, ledger, counters, clock }: LimitPorts,
  { accountId, ...request }: PageRequest & { readonly accountId: string },
): Promise<Page<KeyLimits>> {
  const limit = limitOf(request);
  const [after] = placeAfter(request, 1) ?? [];
  await existingAccount(directory, accountId);
  const kind = 'inference';
  const place = after === undefined ? null : ({ accountId, kind, id: after } as const);
  const rows = await directory.credentials({ accountId, kind, after: place, limit: limit + 1 });
  const page = pageOf(rows, limit, ({ id }) => [id]);
  const { items } = page;
  const limited = items.flatMap((key) => keyRequests(key) ?? []);
  const nowMs = clock.nowMs();
  const owners = items.flatMap((key) => ownerOf({ accountId, keyId: key.id }, key, nowMs));
  const [uses, spending, states] = await Promise.all([
    used(counters, limited),
    ledger.spending(items.map(({ id }) => ({ accountId, keyId: id }))),
    budgetStates(ledger, nowMs, owners),
  ]);
  const usedOf = new Map(limited.map(({ scope }, index) => [scope, uses[index] ?? null]));
  const spent = new Map(spending.map((row) => [row.keyId, row]));
  const stateOf = new Map(states.map((state) => [state.keyId, state]));
  const inForce = (credential: Credential): KeyLimits => {
    const window = keyRequests(credential);
    return {
      credential,
      requests: window === null ? null : { limit: window.limit, used: usedOf.get(window.scope) ?? null },
      spending: spent.get(credential.id) ?? { spentNanoUsd: 0n, leasedNanoUsd: 0n },
      budget: stateOf.get(credential.id) ?? null,
    };
  };
  return { ...page, items: items.map(inForce) };
}

/** Resolves to how much of each window is used. Asking with an amount of 0 counts nothing. */
async function used(
  counters: LimitPorts['counters'],
  windows: readonly RateWindow[],
): Promise<readonly (number | null)[]> {
  if (windows.length === 0) return [];
  const taken = await counters.take({ windows: windows.map((window) => ({ ...window, amount: 0 })), places: null });
  if (!('decisions' in taken)) return windows.map(() => null);
  return taken.decisions.map(({ limit, remaining }) => limit - remaining);
}

export function accountLimitsView({ account, requests, tokens, budget }: AccountLimits) {
  return {
    account: account.id,
    role: account.role,
    billing: account.billing,
    requests_per_minute: {
      ...requests,
      from: account.requestsPerMinute === null ? ('role' as const) : ('account' as const),
    },
    tokens_per_minute: tokens,
    max_concurrent: account.maxConcurrent,
    budget: budget && budgetStateView(budget),
  };
}

export function keyLimitsView({ credential, requests, spending, budget }: KeyLimits, nowMs: number) {
  const { limitNanoUsd } = credential;
  const { spentNanoUsd, leasedNanoUsd } = spending;
  const left = limitNanoUsd === null ? null : limitNanoUsd - spentNanoUsd - leasedNanoUsd;
  return {
    id: credential.id,
    account: credential.accountId,
    name: credential.name,
    state: keyState(credential, nowMs),
    requests_per_minute: requests,
    limit_usd: limitNanoUsd === null ? null : formatNanoUsd(limitNanoUsd),
    spent_usd: formatNanoUsd(spentNanoUsd),
    left_usd: left === null ? null : formatNanoUsd(left > 0n ? left : 0n),
    budget: budget && budgetStateView(budget),
    models: credential.models,
    expires_at: timeOrNull(credential.expiresAtMs),
  };
}

interface BudgetOwner {
  readonly accountId: string;
  /** `null` for the account's own budget. */
  readonly keyId: string | null;
  /** The budget in force. */
  readonly budget: Budget;
  readonly raise: BudgetRaise | null;
}

function ownerOf(
  place: Pick<BudgetOwner, 'accountId' | 'keyId'>,
  holder: BudgetHolder,
  nowMs: number,
): readonly BudgetOwner[] {
  const budget = budgetInForce(holder, nowMs);
  return budget === null ? [] : [{ ...place, budget, raise: raiseInForce(holder, nowMs) }];
}

/** A budget in its current period. */
interface BudgetState extends BudgetOwner {
  readonly window: BudgetWindow;
  readonly spentNanoUsd: bigint;
  /** The part of the budget that running requests and gateways have reserved. */
  readonly heldNanoUsd: bigint;
  /** Never negative, even if the budget was lowered. */
  readonly leftNanoUsd: bigint;
}

/** The number of budgets that are read at once, so that reading those of many accounts does not keep a store busy for long. */
const READ_AT_ONCE = 500;

/** Resolves to what is spent and left of these budgets now, in their order. This is cheap: it reads one row for each budget. */
async function budgetStates(
  ledger: Pick<Ledger, 'budgetSpending'>,
  nowMs: number,
  owners: readonly BudgetOwner[],
): Promise<readonly BudgetState[]> {
  const states: BudgetState[] = [];
  for (let from = 0; from < owners.length; from += READ_AT_ONCE) {
    const some = owners.slice(from, from + READ_AT_ONCE);
    const pools = some.map(({ accountId, keyId, budget }) => ({
      accountId,
      keyId,
      window: budgetWindow(budget, nowMs),
    }));
    const spending = await ledger.budgetSpending(pools);
    for (const [index, owner] of some.entries()) {
      const { window, spentNanoUsd, leasedNanoUsd } = spending[index] ?? {
        ...NOTHING,
        window: budgetWindow(owner.budget, nowMs),
      };
      const left = owner.budget.amountNanoUsd - spentNanoUsd - leasedNanoUsd;
      states.push({ ...owner, window, spentNanoUsd, heldNanoUsd: leasedNanoUsd, leftNanoUsd: left > 0n ? left : 0n });
    }
  }
  return states;
}

const NOTHING = { spentNanoUsd: 0n, leasedNanoUsd: 0n };

/** Returns the state as JSON: amounts as decimal text in USD, times in RFC 3339 and UTC. */
function budgetStateView({ budget, raise, window, spentNanoUsd, heldNanoUsd, leftNanoUsd }: BudgetState) {
  return {
    ...budgetFields(budget),
    raised_until: timeOrNull(raise?.untilMs ?? null),
    spent_usd: formatNanoUsd(spentNanoUsd),
    held_usd: formatNanoUsd(heldNanoUsd),
    left_usd: formatNanoUsd(leftNanoUsd),
    starts_at: isoTime(window.startsAtMs),
    resets_at: isoTime(window.endsAtMs),
  };
}
