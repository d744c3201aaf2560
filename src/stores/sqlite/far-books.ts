import type { LeasePlace } from '../../engine/ports/ledger.ts';
import type { Peer } from '../shared/link/peer.ts';
import type { DeskParts } from './books-desk.ts';
import type { BooksLink } from './books-link.ts';
import { type PackedOutcomes, packCharges, packOutcomes, unpackCharges, unpackOutcomes } from './packed.ts';
import type { WorkerBooks } from './shared-books.ts';

/** The name under which a process offers its books to others. */
export const BOOKS = 'books';

/** The calls that the owner of the books makes to a process using them. */
export interface OfferedPurses {
  /** See `Ledger.onRecall`. */
  recall(place: LeasePlace): Promise<boolean>;
}

/**
 * Returns the link for a process that does not write itself.
 *
 * @param purses the object offered to the owner; its `recall` is set here
 */
export function booksOver(peer: Peer, purses: { recall: OfferedPurses['recall'] }): BooksLink {
  return {
    onRecall(listener) {
      purses.recall = async (place) => {
        // A lease granted earlier arrives in the same turn, and must be recorded before it can be released.
        await new Promise<void>((resolve) => setImmediate(resolve));
        return listener(place);
      };
    },
    async charge(batch) {
      const outcomes = await peer.call(BOOKS, 'charge', [packCharges(batch)]);
      return unpackOutcomes(outcomes as PackedOutcomes, batch.length); // The result type of `offeredBooks`.
    },
    call: (part, method, args, isRepeatable) => peer.call(BOOKS, 'call', [part, method, args, isRepeatable]),
  };
}

/** Returns the object that such a process may call. */
export function offeredBooks(books: WorkerBooks) {
  return {
    charge: async (packed: string) => packOutcomes(await books.charge(unpackCharges(packed))),
    call: (part: keyof DeskParts, method: string, args: readonly unknown[], isRepeatable?: boolean) =>
      books.call(part, method, args, isRepeatable),
  };
}
