import type { Purse, PurseLease } from '../../engine/ports/ledger.ts';
import type { PurseTurns } from './purse-turns.ts';

export interface UnheldLeasesPorts {
  /** Serialises lease operations on the same purse. */
  readonly turns: PurseTurns;
  /** Reads this gateway's stored leases, or only those of one purse. */
  readonly leases: (only?: Purse) => Promise<readonly PurseLease[]>;
  /** Called within the purse's turn. */
  readonly giveBack: (purse: Purse, amountNanoUsd: bigint) => Promise<void>;
}

/**
 * Implements `Ledger.giveBackUnheld`. The first read of all leases is not consistent with what the gateway holds, so it only finds
 * candidates. Within a purse's turn nothing is leased, and both the held amount and the lease can only decrease (by charges). So a lease
 * that exceeds the amount held before it was read contains a part that nothing holds.
 */
export async function giveBackUnheld(
  heldNanoUsd: (purse: Purse) => bigint,
  { turns, leases, giveBack }: UnheldLeasesPorts,
): Promise<readonly PurseLease[]> {
  const given: PurseLease[] = [];
  for (const { purse, leasedNanoUsd } of await leases()) {
    if (leasedNanoUsd <= heldNanoUsd(purse)) continue;
    const unheld = await turns.run(purse, async () => {
      // Lets the holder record a lease that was granted in the previous turn.
      await new Promise<void>((resolve) => setImmediate(resolve));
      const held = heldNanoUsd(purse);
      const [lease] = await leases(purse);
      const surplus = (lease?.leasedNanoUsd ?? 0n) - held;
      if (surplus > 0n) await giveBack(purse, surplus);
      return surplus;
    });
    if (unheld > 0n) given.push({ purse, leasedNanoUsd: unheld });
  }
  return given;
}
