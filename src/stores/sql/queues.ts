import type { StoreQueues } from '../../engine/ports/store.ts';

/** Returns the queues of a store, each read on demand. */
export function queuesOf(
  ledger: { readonly queue: StoreQueues['charges'] },
  requestLog: { readonly queue: StoreQueues['requestLog'] },
): StoreQueues {
  return {
    get charges() {
      return ledger.queue;
    },
    get requestLog() {
      return requestLog.queue;
    },
  };
}
