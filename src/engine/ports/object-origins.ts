/** An object at a provider that an answer named: the account got it, and may name it again. */
export interface ObjectOrigin {
  readonly accountId: string;
  readonly objectId: string;
  /** The channel whose provider keeps it; `null` where only the gateway does. */
  readonly channelId: string | null;
  /** The stored response that it is an item of; `null` for none. */
  readonly responseId: string | null;
  /** From this moment on it is forgotten. */
  readonly expiresAtMs: number;
}

/** How many objects of an account are kept, the newest. */
export const MOST_OBJECTS_OF_ACCOUNT = 100_000;

/** Which account got which object from which channel. Only ids, never contents. */
export interface ObjectOriginStore {
  /** Stored when resolved; for the same object of an account the newer entry holds. */
  write(origins: readonly ObjectOrigin[]): Promise<void>;
  /** Those of the ids that the account was given, and that have not expired. */
  find(accountId: string, objectIds: readonly string[], nowMs: number): Promise<readonly ObjectOrigin[]>;
  /**
   * Removes some of those that expired until `nowMs`, and of accounts with more than `mostOfAccount` the oldest beyond that; at
   * most `limit` of each. Gives how many, 0 when none is left.
   */
  removeOld(nowMs: number, mostOfAccount: number, limit: number): Promise<number>;
}
