/** An object at a provider that an answer brought: an account was given it, and may name it again. */
export interface ObjectOrigin {
  readonly accountId: string;
  readonly objectId: string;
  /** The channel whose provider keeps it; `null` where only the gateway does. */
  readonly channelId: string | null;
  /** The stored response that it is an item of; `null` for none. */
  readonly responseId: string | null;
  /** From this moment on it is not known any more. */
  readonly expiresAtMs: number;
}

/** So many of an account are kept, the newest. */
export const MOST_OBJECTS_OF_ACCOUNT = 100_000;

/** Which account was given which object by which channel. Ids alone, never what they stand for. */
export interface ObjectOriginStore {
  /** In the store when resolved; the newer word about an object of an account stands. */
  write(origins: readonly ObjectOrigin[]): Promise<void>;
  /** Those of the ids that the account was given, and that have not expired. */
  find(accountId: string, objectIds: readonly string[], nowMs: number): Promise<readonly ObjectOrigin[]>;
  /**
   * Removes some of those that expired until `nowMs`, and of accounts with more than `mostOfAccount` the oldest beyond that; at
   * most `limit` of each. Gives how many, 0 when none is left.
   */
  removeOld(nowMs: number, mostOfAccount: number, limit: number): Promise<number>;
}
