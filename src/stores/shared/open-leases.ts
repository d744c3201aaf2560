import type { Charge, PoolLease, SpendingPool } from '../../engine/ports/ledger.ts';

interface OpenLease {
  readonly pool: SpendingPool;
  amountNanoUsd: bigint;
}

/** The leases that one process has neither released nor charged, so that they can be released on its behalf if it dies. */
export class OpenLeases {
  /** Keyed by account, then by spending pool. */
  readonly #open = new Map<string, Map<string, OpenLease>>();

  leased(pool: SpendingPool, amountNanoUsd: bigint): void {
    this.#move(pool, amountNanoUsd);
  }

  givenBack(pool: SpendingPool, amountNanoUsd: bigint): void {
    this.#move(pool, -amountNanoUsd);
  }

  /** Applies a charge that was newly written. A repeated charge must not be counted again. */
  charged({ accountId, keyId, costNanoUsd, fromAccountLease, fromKeyLease, budgets }: Charge): void {
    this.#move({ accountId, keyId: null }, -fromAccountLease);
    if (keyId !== null) this.#move({ accountId, keyId }, -fromKeyLease);
    if (budgets?.account) this.#move({ accountId, keyId: null, window: budgets.account }, -costNanoUsd);
    if (budgets?.key && keyId !== null) this.#move({ accountId, keyId, window: budgets.key }, -costNanoUsd);
  }

  /** Whether the account has open leases. */
  has(accountId: string): boolean {
    return this.#open.has(accountId);
  }

  all(): readonly PoolLease[] {
    return [...this.#open.values()].flatMap((pools) =>
      [...pools.values()].map(({ pool, amountNanoUsd }) => ({ pool, leasedNanoUsd: amountNanoUsd })),
    );
  }

  /** Returns and clears all open leases. */
  takeAll(): readonly PoolLease[] {
    const left = this.all();
    this.#open.clear();
    return left;
  }

  #move(pool: SpendingPool, byNanoUsd: bigint): void {
    if (byNanoUsd === 0n) return;
    const { accountId, keyId, window } = pool;
    const pools = this.#open.get(accountId) ?? new Map<string, OpenLease>();
    const place = JSON.stringify([keyId, window?.startsAtMs, window?.endsAtMs]);
    const lease = pools.get(place) ?? { pool, amountNanoUsd: 0n };
    lease.amountNanoUsd += byNanoUsd;
    // Never below zero, as in the database.
    if (lease.amountNanoUsd > 0n) pools.set(place, lease);
    else pools.delete(place);
    if (pools.size > 0) this.#open.set(accountId, pools);
    else this.#open.delete(accountId);
  }
}
