import type { LeasePlace } from '../../engine/ports/ledger.ts';
import type { Peer } from '../shared/link/peer.ts';
import { packCharges, unpackCharges } from './charge-booking.ts';
import { type PackedOutcomes, packOutcomes, unpackOutcomes } from './packed.ts';
import type { WriterClient } from './shared-writer.ts';
import type { WriterParts } from './writer.ts';
import type { WriterLink } from './writer-link.ts';

/** The name under which a process offers its writer to others. */
export const WRITER = 'writer';

/** The calls that the owner of the writer makes to a process that uses it. */
export interface OfferedPools {
  /** See `Ledger.onRecall`. */
  recall(place: LeasePlace): Promise<boolean>;
}

/**
 * Returns the link for a process that does not write itself.
 *
 * @param pools the object offered to the owner; its `recall` is set here
 */
export function writerOver(peer: Peer, pools: { recall: OfferedPools['recall'] }): WriterLink {
  let waiting = 0;
  const counted = async <Result>(calling: Promise<Result>): Promise<Result> => {
    waiting++;
    try {
      return await calling;
    } finally {
      waiting--;
    }
  };
  return {
    get waiting() {
      return waiting;
    },
    onRecall(listener) {
      pools.recall = async (place) => {
        // A lease granted earlier arrives in the same turn, and must be recorded before it can be released.
        await new Promise<void>((resolve) => setImmediate(resolve));
        return listener(place);
      };
    },
    async charge(batch) {
      const outcomes = await counted(peer.call(WRITER, 'charge', [packCharges(batch)]));
      return unpackOutcomes(outcomes as PackedOutcomes, batch.length); // The result type of `offeredWriter`.
    },
    call: (part, method, args, isRepeatable) => counted(peer.call(WRITER, 'call', [part, method, args, isRepeatable])),
  };
}

/** Returns the object that such a process may call. */
export function offeredWriter(writer: WriterClient) {
  return {
    charge: async (packed: string) => packOutcomes(await writer.charge(unpackCharges(packed))),
    call: (part: keyof WriterParts, method: string, args: readonly unknown[], isRepeatable?: boolean) =>
      writer.call(part, method, args, isRepeatable),
  };
}
