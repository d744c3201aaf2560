import type { Charge, Purse, PurseLease } from '../../engine/ports/ledger.ts';

interface OpenLease {
  readonly purse: Purse;
  amountNanoUsd: bigint;
}

/** The leases that one process has neither released nor charged, so that they can be released on its behalf if it dies. */
export class OpenLeases {
  /** Keyed by account, then by purse. */
  readonly #open = new Map<string, Map<string, OpenLease>>();

  leased(purse: Purse, amountNanoUsd: bigint): void {
    this.#move(purse, amountNanoUsd);
  }

  givenBack(purse: Purse, amountNanoUsd: bigint): void {
    this.#move(purse, -amountNanoUsd);
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

  all(): readonly PurseLease[] {
    return [...this.#open.values()].flatMap((purses) =>
      [...purses.values()].map(({ purse, amountNanoUsd }) => ({ purse, leasedNanoUsd: amountNanoUsd })),
    );
  }

  /** Returns and clears all open leases. */
  takeAll(): readonly PurseLease[] {
    const left = this.all();
    this.#open.clear();
    return left;
  }

  #move(purse: Purse, byNanoUsd: bigint): void {
    if (byNanoUsd === 0n) return;
    const { accountId, keyId, window } = purse;
    const purses = this.#open.get(accountId) ?? new Map<string, OpenLease>();
    const place = JSON.stringify([keyId, window?.startsAtMs, window?.endsAtMs]);
    const lease = purses.get(place) ?? { purse, amountNanoUsd: 0n };
    lease.amountNanoUsd += byNanoUsd;
    // Never below zero, as in the database.
    if (lease.amountNanoUsd > 0n) purses.set(place, lease);
    else purses.delete(place);
    if (purses.size > 0) this.#open.set(accountId, purses);
    else this.#open.delete(accountId);
  }
}
