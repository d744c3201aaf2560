/** Why a body was not captured: it was form data, it was not text, or it was never read. */
export type Omission = 'form' | 'binary' | 'not_read';

/** The captured part of a body. */
export interface CapturedBody {
  /** The body or its first bytes; empty if it was omitted. */
  readonly bytes: Uint8Array;
  /** The size of the full body in bytes; `null` if unknown. */
  readonly size: number | null;
  readonly contentType: string | null;
  readonly omitted: Omission | null;
}

/** A request and its response as exchanged with the client. */
export interface Capture {
  readonly requestId: string;
  readonly accountId: string;
  /** When the request arrived, in milliseconds since 1970. */
  readonly atMs: number;
  readonly request: CapturedBody;
  readonly answer: CapturedBody;
}

/** The number of captures deleted per batch. It is small because each may be half a megabyte. */
export const CAPTURE_BATCH = 100;

/** Prompts and responses of accounts with `capture` enabled. They are encrypted wherever they are stored. */
export interface CaptureStore {
  /**
   * Adds captures, and skips those of requests that are already stored. Deletes the oldest captures of an account that exceeds
   * `mostBytesOfAccount`.
   */
  add(captures: readonly Capture[], mostBytesOfAccount: number): Promise<void>;
  /** @param accountId `null` to find it in any account */
  find(requestId: string, accountId: string | null): Promise<Capture | null>;
  /** Removes at most `limit` captures of an account and resolves to the number removed. */
  removeOf(accountId: string, limit: number): Promise<number>;
  /** Removes at most `limit` captures, oldest first, and resolves to the number removed. */
  removeOld(beforeMs: number, limit: number): Promise<number>;
  /** Removes at most `limit` captures that are older than their account's own `captureDays`, and resolves to the number removed. */
  removeOutlived(nowMs: number, limit: number): Promise<number>;
}
