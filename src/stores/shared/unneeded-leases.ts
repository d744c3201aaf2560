import { Turns } from '../../domain/concurrency/turns.ts';
import type { PoolLease, SpendingPool } from '../../engine/ports/ledger.ts';

/** Serialises operations on the same spending pool. */
export class PoolTurns {
  readonly #turns = new Turns();

  run<Result>({ accountId, keyId, window }: SpendingPool, work: () => Promise<Result>): Promise<Result> {
    return this.#turns.run(JSON.stringify([accountId, keyId, window?.startsAtMs, window?.endsAtMs]), work);
  }
}

export interface UnheldLeasesPorts {
  /** Serialises lease operations on the same spending pool. */
  readonly turns: PoolTurns;
  /** Reads this gateway's stored leases, or only those of one spending pool. */
  readonly leases: (only?: SpendingPool) => Promise<readonly PoolLease[]>;
  /** Called within the spending pool's turn. */
  readonly giveBack: (pool: SpendingPool, amountNanoUsd: bigint) => Promise<void>;
}

/**
 * Implements `Ledger.giveBackUnheld`. The first read of all leases is not consistent with what the gateway holds, so it only finds
 * candidates. Within a spending pool's turn nothing is leased, and both the held amount and the lease can only decrease (by charges). So a lease
 * that exceeds the amount held before it was read contains a part that nothing holds.
 */
export async function giveBackUnheld(
  heldNanoUsd: (pool: SpendingPool) => bigint,
  { turns, leases, giveBack }: UnheldLeasesPorts,
): Promise<readonly PoolLease[]> {
  const given: PoolLease[] = [];
  for (const { pool, leasedNanoUsd } of await leases()) {
    if (leasedNanoUsd <= heldNanoUsd(pool)) continue;
    const unheld = await turns.run(pool, async () => {
      // Lets the holder record a lease that was granted in the previous turn.
      await new Promise<void>((resolve) => setImmediate(resolve));
      const held = heldNanoUsd(pool);
      const [lease] = await leases(pool);
      const surplus = (lease?.leasedNanoUsd ?? 0n) - held;
      if (surplus > 0n) await giveBack(pool, surplus);
      return surplus;
    });
    if (unheld > 0n) given.push({ pool, leasedNanoUsd: unheld });
  }
  return given;
}
