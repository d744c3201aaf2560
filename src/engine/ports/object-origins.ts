/** A provider's object that was named in a response to an account, which may refer to it again. */
export interface ObjectOrigin {
  readonly accountId: string;
  readonly objectId: string;
  /** The place (`placeOf` a channel) whose provider stores it; `null` if only the gateway does. */
  readonly place: string | null;
  /** The stored response that contains it; `null` for none. */
  readonly responseId: string | null;
  /** When it expires. */
  readonly expiresAtMs: number;
}

/** The most objects kept per account. The newest are kept. */
export const MOST_OBJECTS_OF_ACCOUNT = 100_000;

/** Stores which account received which object from which channel: ids only, never content. */
export interface ObjectOriginStore {
  /** Stores origins; durable when resolved. A newer entry replaces an older one for the same object. */
  write(origins: readonly ObjectOrigin[]): Promise<void>;
  /** Resolves to the account's unexpired origins among these ids. */
  find(accountId: string, objectIds: readonly string[], nowMs: number): Promise<readonly ObjectOrigin[]>;
  /**
   * Removes origins that expired by `nowMs`, and the oldest ones of accounts with more than `mostOfAccount`, at most `limit` of each.
   * Resolves to the number removed, 0 when none are left.
   */
  removeOld(nowMs: number, mostOfAccount: number, limit: number): Promise<number>;
}
