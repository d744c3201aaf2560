import type { BooksDesk } from '../books-desk.ts';
import type { BooksLink } from '../books-thread.ts';
import { packCharges, unpackCharges } from '../packed.ts';

/** To a desk in the thread of the test, whose connection can be limited. */
export function linkTo(desk: BooksDesk): BooksLink {
  return {
    charge: async (batch) => desk.parts.ledger.charge(unpackCharges(packCharges(batch))),
    call: async (part, method, args) => {
      const of = desk.parts[part] as unknown as Record<string, (...values: readonly unknown[]) => unknown>;
      return await of[method]?.(...args);
    },
  };
}
