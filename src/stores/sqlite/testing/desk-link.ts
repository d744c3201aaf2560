import type { BooksDesk } from '../books-desk.ts';
import type { BooksLink } from '../books-link.ts';
import { packCharges } from '../packed.ts';

/** To a desk in the thread of the test, whose connection can be limited. */
export function linkTo(desk: BooksDesk): BooksLink {
  return {
    charge: (batch) => desk.charge(packCharges(batch)),
    call: (part, method, args) => desk.call({ part, method, args, nowMs: Date.now() }),
  };
}
