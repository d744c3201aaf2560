import { AsyncLocalStorage } from 'node:async_hooks';

/** Facts about one request, collected on its way through the library. */
export interface RequestNotes {
  /** The requester by our own reading of the session, or `null`. */
  readonly personId: string | null;
  /** The user concerned, once known. */
  userId?: string;
  /** An error of the gateway itself; the library answers 500. */
  broken?: unknown;
  /** An issuer's identity that was linked to a user. */
  linked?: { readonly userId: string; readonly provider: string };
  /** The session that was created. */
  created?: { readonly userId: string; readonly method: string; readonly secondFactor: boolean };
}

export const requestNotes = new AsyncLocalStorage<RequestNotes>();
