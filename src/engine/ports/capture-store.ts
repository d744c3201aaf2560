/** Why nothing of a body was kept: it was a form, it was no text, or it was never read. */
export type Omission = 'form' | 'binary' | 'not_read';

/** What was kept of a body. */
export interface CapturedBody {
  /** Its first bytes, or all; empty where it was left out. */
  readonly bytes: Uint8Array;
  /** How long the whole was; `null` where that is not known. */
  readonly size: number | null;
  readonly contentType: string | null;
  readonly omitted: Omission | null;
}

/** A request and its answer, as the client sent the one and got the other. */
export interface Capture {
  readonly requestId: string;
  readonly accountId: string;
  /** When the request arrived, in milliseconds since 1970. */
  readonly atMs: number;
  readonly request: CapturedBody;
  readonly answer: CapturedBody;
}

/** So many are deleted in one step, since each may be half a megabyte. */
export const CAPTURE_BATCH = 100;

/** Prompts and answers of accounts that have `capture` switched on; encrypted wherever they lie. */
export interface CaptureStore {
  /** Those of a request that is there already are left out. The oldest of an account make room where it has more than so many bytes. */
  add(captures: readonly Capture[], mostBytesOfAccount: number): Promise<void>;
  /** @param accountId `null` for any account's */
  find(requestId: string, accountId: string | null): Promise<Capture | null>;
  /** Gives how many it has removed, at most `limit`. */
  removeOf(accountId: string, limit: number): Promise<number>;
  /** The oldest first; gives how many it has removed, at most `limit`. */
  removeOld(beforeMs: number, limit: number): Promise<number>;
}
