import type { Clock } from '../../../engine/ports/clock.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { BooksDesk } from '../books-desk.ts';
import type { BooksLink } from '../books-link.ts';
import { packCharges } from '../packed.ts';
import { openSqliteStore, type SqliteStoreOptions } from '../sqlite-store.ts';

/** To a desk in the thread of the test, whose connection can be limited. What goes there and back is copied, as to a thread. */
export function linkTo(desk: BooksDesk, clock: Pick<Clock, 'nowMs'> = { nowMs: Date.now }): BooksLink {
  return {
    charge: (batch) => desk.charge(packCharges(batch)),
    call: async (part, method, args) => {
      const result = await desk.call({ part, method, args: structuredClone(args), nowMs: clock.nowMs() });
      return structuredClone(result);
    },
  };
}

/**
 * Opens a store that has no thread of its own for writing, which takes most of the work of a test that does little. Its file must
 * have all tables. That the thread does the same is shown in `acceptance/process/stores`.
 */
export async function openThreadlessStore(options: SqliteStoreOptions): Promise<Store> {
  const desk = new BooksDesk(options);
  const store = await openSqliteStore({ ...options, link: linkTo(desk, options.clock) });
  const close = async () => {
    await store.close();
    await desk.close();
  };
  return { ...store, close };
}
