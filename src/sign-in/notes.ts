import { AsyncLocalStorage } from 'node:async_hooks';

/** What is learnt of one request on its way through the library. */
export interface RequestNotes {
  /** Who sends the request by our own reading of the session; `null` for nobody. */
  readonly personId: string | null;
  /** Who is meant, once that is known. */
  userId?: string;
  /** What went wrong within the gateway itself; the library answers 500. */
  broken?: unknown;
  /** A way to sign in at an issuer that was added to a user. */
  linked?: { readonly userId: string; readonly provider: string };
  /** The session that was made. */
  created?: { readonly userId: string; readonly method: string; readonly secondFactor: boolean };
}

export const requestNotes = new AsyncLocalStorage<RequestNotes>();
