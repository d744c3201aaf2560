import {
  type ClosedHold,
  chargeableOf,
  type FreeBeside,
  type Hold,
  isSameHold,
  type NewHold,
} from '../../domain/ledger/hold.ts';
import type { HoldQuery, HoldShortage, Holds } from '../../engine/ports/holds.ts';
import { type Charge, isSamePool, type SpendingPool } from '../../engine/ports/ledger.ts';
import type { ChargeUsage } from '../../engine/ports/usage-store.ts';
import { chargeOfHold, holdConflict, strayCharge } from '../shared/ledger-rules.ts';
import { removeWhere } from './remove-where.ts';

/** The spending pools that holds reserve from. */
export interface HeldPools {
  free(pool: SpendingPool, limitNanoUsd: bigint): bigint;
  /** Reserves the amount from the free part, or releases it if negative. */
  takeAside(pool: SpendingPool, amountNanoUsd: bigint): void;
  charge(charge: Charge): 'charged' | 'known';
}

export class MemoryHolds implements Holds {
  readonly #pools: HeldPools;
  readonly #holds = new Map<string, Hold>();

  constructor(pools: HeldPools) {
    this.#pools = pools;
  }

  /** Removes or counts ended holds of an account. */
  removeOf(accountId: string, isCounted: boolean): number {
    return removeWhere(this.#holds, isCounted, (hold) => hold.accountId === accountId && hold.state !== 'open');
  }

  async hold(hold: NewHold): Promise<'held' | 'known' | HoldShortage> {
    const known = this.#holds.get(hold.holdId);
    if (known !== undefined) {
      if (!isSameHold(known, hold)) throw holdConflict(hold.holdId);
      return 'known';
    }
    const { fromBalanceNanoUsd, fromLimitNanoUsd } = hold;
    const free = this.#freeBeside(hold);
    if (fromBalanceNanoUsd !== null && free.balanceNanoUsd < fromBalanceNanoUsd) return 'balance';
    if (fromLimitNanoUsd !== null && free.limitNanoUsd < fromLimitNanoUsd) return 'limit';
    const short = hold.budgets.find(({ heldNanoUsd }, index) => (free.budgetsNanoUsd[index] ?? 0n) < heldNanoUsd);
    if (short !== undefined) return short.keyId === null ? 'account_budget' : 'key_budget';
    this.#move(hold, 1n);
    this.#holds.set(hold.holdId, { ...hold, state: 'open', chargedNanoUsd: 0n, closedAtMs: null });
    return 'held';
  }

  /** Returns the amount of a spending pool that open holds reserve. */
  keptOf(pool: SpendingPool): bigint {
    const open = [...this.#holds.values()].filter(
      ({ state, accountId }) => state === 'open' && accountId === pool.accountId,
    );
    return open
      .flatMap(partsOf)
      .reduce((sum, part) => (isSamePool(part.pool, pool) ? sum + part.amountNanoUsd : sum), 0n);
  }

  async find(holdId: string): Promise<Hold | null> {
    return this.#holds.get(holdId) ?? null;
  }

  async settle(holdId: string, costNanoUsd: bigint, atMs: number, usage: ChargeUsage): Promise<ClosedHold | null> {
    const hold = this.#holds.get(holdId);
    if (hold === undefined || hold.state !== 'open') return closedOf(hold);
    const chargedNanoUsd = chargeableOf(hold, costNanoUsd, this.#freeBeside(hold));
    const charge = chargeOfHold(hold, chargedNanoUsd, atMs, usage);
    if (chargedNanoUsd > 0n && this.#pools.charge(charge) === 'known') throw strayCharge(holdId);
    return this.#close(hold, { state: 'settled', chargedNanoUsd }, atMs);
  }

  async release(holdId: string, atMs: number): Promise<ClosedHold | null> {
    const hold = this.#holds.get(holdId);
    if (hold === undefined || hold.state !== 'open') return closedOf(hold);
    return this.#close(hold, { state: 'released', chargedNanoUsd: 0n }, atMs);
  }

  async list({ state, accountId, expiresBeforeMs }: HoldQuery, limit: number): Promise<readonly Hold[]> {
    return [...this.#holds.values()]
      .filter(
        (hold) =>
          (state === undefined || hold.state === state) &&
          (accountId === undefined || hold.accountId === accountId) &&
          (expiresBeforeMs === undefined || hold.expiresAtMs < expiresBeforeMs),
      )
      .sort((a, b) => a.expiresAtMs - b.expiresAtMs || (a.holdId < b.holdId ? -1 : 1))
      .slice(0, Math.max(0, limit));
  }

  all(): readonly Hold[] {
    return [...this.#holds.values()];
  }

  #close(hold: Hold, closed: ClosedHold, closedAtMs: number): ClosedHold {
    this.#move(hold, -1n);
    this.#holds.set(hold.holdId, { ...hold, ...closed, closedAtMs });
    return closed;
  }

  #move(hold: NewHold, sign: 1n | -1n): void {
    for (const { pool, amountNanoUsd } of partsOf(hold)) this.#pools.takeAside(pool, sign * amountNanoUsd);
  }

  #freeBeside({ accountId, keyId, keyLimitNanoUsd, budgets }: NewHold): FreeBeside {
    return {
      balanceNanoUsd: this.#pools.free({ accountId, keyId: null }, 0n),
      limitNanoUsd: keyLimitNanoUsd === null ? 0n : this.#pools.free({ accountId, keyId }, keyLimitNanoUsd),
      budgetsNanoUsd: budgets.map(({ budgetNanoUsd, ...of }) => this.#pools.free({ ...of, accountId }, budgetNanoUsd)),
    };
  }
}

/** Returns the parts of a hold by spending pool. */
function partsOf({ accountId, keyId, fromBalanceNanoUsd, fromLimitNanoUsd, budgets }: NewHold) {
  const parts: { readonly pool: SpendingPool; readonly amountNanoUsd: bigint }[] = [];
  for (const { heldNanoUsd, keyId: ofKey, window } of budgets) {
    parts.push({ pool: { accountId, keyId: ofKey, window }, amountNanoUsd: heldNanoUsd });
  }
  if (fromBalanceNanoUsd !== null) {
    parts.push({ pool: { accountId, keyId: null }, amountNanoUsd: fromBalanceNanoUsd });
  }
  if (fromLimitNanoUsd !== null) parts.push({ pool: { accountId, keyId }, amountNanoUsd: fromLimitNanoUsd });
  return parts;
}

function closedOf(hold: Hold | undefined): ClosedHold | null {
  if (hold === undefined || hold.state === 'open') return null;
  return { state: hold.state, chargedNanoUsd: hold.chargedNanoUsd };
}
