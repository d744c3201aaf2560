/** An `sk-` key, by its account and its id there. */
export interface KeyPlace {
  readonly accountId: string;
  readonly keyId: string;
}

export interface KeyUse extends KeyPlace {
  /** When a request last came with it, in milliseconds since 1970. */
  readonly lastUsedAtMs: number;
}

/** When keys were last used: written by the gateway every second, read by operators. */
export interface KeyUseStore {
  /** Of these keys, or of all. */
  read(only?: readonly KeyPlace[]): Promise<readonly KeyUse[]>;
  /** Keeps the latest of what is written and what was known. */
  write(uses: readonly KeyUse[]): Promise<void>;
}
