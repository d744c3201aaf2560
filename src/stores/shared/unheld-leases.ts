import type { Purse, PurseLease } from '../../engine/ports/ledger.ts';
import type { PurseTurns } from './purse-turns.ts';

export interface UnheldLeasesPorts {
  /** The leases of one purse and all calls that lease from it run in turn. */
  readonly turns: PurseTurns;
  /** All leases of this gateway as the store has them, or only those of one purse. */
  readonly leases: (only?: Purse) => Promise<readonly PurseLease[]>;
  /** Called in the purse's turn. */
  readonly giveBack: (purse: Purse, amountNanoUsd: bigint) => Promise<void>;
}

/**
 * As `giveBackUnheld` of the ledger.
 *
 * The first look at all leases is not of one moment with what the gateway holds, so it only finds purses to look at again. In the
 * purse's turn nothing is leased. What is held can then only become less (by charges), as the lease does, so a lease that is larger
 * than what was held before it was read has a part that nobody holds.
 */
export async function giveBackUnheld(
  heldNanoUsd: (purse: Purse) => bigint,
  { turns, leases, giveBack }: UnheldLeasesPorts,
): Promise<readonly PurseLease[]> {
  const given: PurseLease[] = [];
  for (const { purse, leasedNanoUsd } of await leases()) {
    if (leasedNanoUsd <= heldNanoUsd(purse)) continue;
    const unheld = await turns.run(purse, async () => {
      // The holder of a lease that was granted in the turn before takes it in first.
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
