import type { WaitingClient } from '../ports/upstream.ts';

const signal = new AbortController().signal;

/** For what goes on whether or not a client waits for it. */
export function stayingClient(accountId: string): WaitingClient {
  return { signal, accountId };
}
