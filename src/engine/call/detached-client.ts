import type { WaitingClient } from '../ports/upstream.ts';

const signal = new AbortController().signal;

/** Returns a client that never disconnects, for work that continues whether or not a client waits for it. */
export function detachedClient(accountId: string): WaitingClient {
  return { signal, accountId };
}
