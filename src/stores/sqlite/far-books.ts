import type { LeasePlace } from '../../engine/ports/ledger.ts';
import type { Peer } from '../shared/link/peer.ts';
import type { DeskParts } from './books-desk.ts';
import type { BooksLink } from './books-link.ts';
import { type PackedOutcomes, packCharges, packOutcomes, unpackCharges, unpackOutcomes } from './packed.ts';
import type { WorkerBooks } from './shared-books.ts';

/** The name under which one process offers its books to another. */
export const BOOKS = 'books';

/** What the owner of the books asks of a process that uses them. */
export interface OfferedPurses {
  /** As `Ledger.onRecall` has it. */
  recall(place: LeasePlace): Promise<boolean>;
}

/**
 * For a process that writes nothing itself.
 *
 * @param purses what it offers to the owner, which is set here
 */
export function booksOver(peer: Peer, purses: { recall: OfferedPurses['recall'] }): BooksLink {
  return {
    onRecall(listener) {
      purses.recall = async (place) => {
        // A lease that was granted before is heard in the same turn, and must be there before it can be given back.
        await new Promise<void>((resolve) => setImmediate(resolve));
        return listener(place);
      };
    },
    async charge(batch) {
      const outcomes = await peer.call(BOOKS, 'charge', [packCharges(batch)]);
      return unpackOutcomes(outcomes as PackedOutcomes, batch.length); // As `offeredBooks` has it.
    },
    call: (part, method, args, isRepeatable) => peer.call(BOOKS, 'call', [part, method, args, isRepeatable]),
  };
}

/** What such a process may call. */
export function offeredBooks(books: WorkerBooks) {
  return {
    charge: async (packed: string) => packOutcomes(await books.charge(unpackCharges(packed))),
    call: (part: keyof DeskParts, method: string, args: readonly unknown[], isRepeatable?: boolean) =>
      books.call(part, method, args, isRepeatable),
  };
}
