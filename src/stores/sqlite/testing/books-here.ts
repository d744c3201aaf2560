import type { Store } from '../../../engine/ports/store.ts';
import { fromFarError, toFarError } from '../../shared/far-error.ts';
import { BooksDesk } from '../books-desk.ts';
import type { BooksLink } from '../books-link.ts';
import { packCharges } from '../packed.ts';
import { openSqliteStore, type SqliteStoreOptions } from '../sqlite-store.ts';

/**
 * A store of a database that has its tables already, which writes in the thread of its caller: to start the one that writes otherwise takes
 * 40 ms of the processor. For tests that open a store again and again; it deletes nothing that is old.
 */
export async function openStoreWithBooksHere(options: SqliteStoreOptions): Promise<Store> {
  const { path, secret, clock } = options;
  let opened: BooksDesk | null = null;
  const desk = () => {
    opened ??= new BooksDesk({ path, secret });
    return opened;
  };
  const link: BooksLink = {
    charge: (batch) => desk().charge(packCharges(batch)),
    call: async (part, method, args) => {
      try {
        return await desk().call({ part, method, args: structuredClone(args), nowMs: clock.nowMs() });
      } catch (error) {
        // As it comes from another thread.
        throw fromFarError(toFarError(error));
      }
    },
  };
  const store = await openSqliteStore({ ...options, link });
  return {
    ...store,
    close: async () => {
      await store.close();
      const last = opened;
      opened = null;
      await last?.close();
    },
  };
}
