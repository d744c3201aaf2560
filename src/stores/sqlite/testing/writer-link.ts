import type { Clock } from '../../../engine/ports/clock.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { packCharges } from '../charge-booking.ts';
import { isDamage } from '../connection.ts';
import { openSqliteStore, type SqliteStoreOptions } from '../sqlite-store.ts';
import { SqliteWriter } from '../writer.ts';
import type { WriterLink } from '../writer-link.ts';
import type { OwnWriter, WriterThreadOptions } from '../writer-thread.ts';

/**
 * Returns a link to a desk in the test's own thread, whose connection can be restricted. Data is copied in both directions, as between
 * threads.
 */
export function linkTo(desk: SqliteWriter, clock: Pick<Clock, 'nowMs'> = { nowMs: Date.now }): WriterLink {
  return {
    waiting: 0,
    charge: (batch) => desk.charge(packCharges(batch)),
    call: async (part, method, args) => {
      const result = await desk.call({ part, method, args: structuredClone(args), nowMs: clock.nowMs() });
      return structuredClone(result);
    },
  };
}

/**
 * Opens a store without a writer thread, whose start is most of the work in a small test. Its file must have all tables.
 * `acceptance/process/stores` shows that the thread behaves the same.
 */
export async function openThreadlessStore(options: SqliteStoreOptions): Promise<Store> {
  const desk = new SqliteWriter(options);
  const store = await openSqliteStore({ ...options, link: linkTo(desk, options.clock) });
  const close = async () => {
    await store.close();
    await desk.close();
  };
  return { ...store, close };
}

/**
 * Makes the writer of a gateway in the test's own thread, whose code is then compiled once per process instead of once per gateway: this takes
 * a fifth of the CPU of tests with whole gateways. Gateways in `acceptance/` have the thread.
 */
export function writerInProcess(options: WriterThreadOptions): OwnWriter {
  let desk: SqliteWriter | null = null;
  let waiting = 0;
  let closing: Promise<void> | null = null;
  const ask = async <Result>(send: (link: WriterLink) => Promise<Result>): Promise<Result> => {
    if (closing !== null) throw new Error('The store is closed.');
    desk ??= new SqliteWriter(options);
    waiting += 1;
    try {
      return await send(linkTo(desk, options.clock));
    } catch (error) {
      if (isDamage(error)) options.onFatal(error);
      throw error;
    } finally {
      waiting -= 1;
    }
  };
  return {
    get waiting() {
      return waiting;
    },
    start() {},
    charge: (batch) => ask((link) => link.charge(batch)),
    call: (...call) => ask((link) => link.call(...call)),
    close: () => {
      closing ??= desk?.close() ?? Promise.resolve();
      return closing;
    },
  };
}
