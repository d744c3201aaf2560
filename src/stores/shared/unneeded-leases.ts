import { Turns } from '../../domain/concurrency/turns.ts';
import type { PoolLease, SpendingPool } from '../../engine/ports/ledger.ts';

/** Serialises operations on the same spending pool. */
export class PoolTurns {
  readonly #turns = new Turns();

  run<Result>({ accountId, keyId, window }: SpendingPool, work: () => Promise<Result>): Promise<Result> {
    return this.#turns.run(JSON.stringify([accountId, keyId, window?.startsAtMs, window?.endsAtMs]), work);
  }
}

export interface UnneededLeasesPorts {
  /** Serialises lease operations on the same spending pool. */
  readonly turns: PoolTurns;
  /** Reads this gateway's stored leases, or only those of one spending pool. */
  readonly leases: (only?: SpendingPool) => Promise<readonly PoolLease[]>;
  /** Called within the spending pool's turn. */
  readonly giveBack: (pool: SpendingPool, amountNanoUsd: bigint) => Promise<void>;
}

/**
 * Implements `Ledger.giveBackUnneeded`. The first read of all leases is not consistent with what the gateway holds, so it only finds
 * candidates. Within a spending pool's turn nothing is leased, and both the needed amount and the lease can only decrease (by charges). So a lease
 * that exceeds the amount needed before it was read contains a part that nothing needs.
 */
export async function giveBackUnneeded(
  neededNanoUsd: (pool: SpendingPool) => bigint,
  { turns, leases, giveBack }: UnneededLeasesPorts,
): Promise<readonly PoolLease[]> {
  const given: PoolLease[] = [];
  for (const { pool, leasedNanoUsd } of await leases()) {
    if (leasedNanoUsd <= neededNanoUsd(pool)) continue;
    const unneeded = await turns.run(pool, async () => {
      // Lets the holder record a lease that was granted in the previous turn.
      await new Promise<void>((resolve) => setImmediate(resolve));
      const needed = neededNanoUsd(pool);
      const [lease] = await leases(pool);
      const surplus = (lease?.leasedNanoUsd ?? 0n) - needed;
      if (surplus > 0n) await giveBack(pool, surplus);
      return surplus;
    });
    if (unneeded > 0n) given.push({ pool, leasedNanoUsd: unneeded });
  }
  return given;
}
