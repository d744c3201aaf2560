export interface KeyUse {
  readonly accountId: string;
  readonly keyId: string;
  /** When a request last came with it, in milliseconds since 1970. */
  readonly lastUsedAtMs: number;
}

/** When keys were last used: written by the gateway every second, read by operators. */
export interface KeyUseStore {
  read(): Promise<readonly KeyUse[]>;
  /** Keeps the latest of what is written and what was known. */
  write(uses: readonly KeyUse[]): Promise<void>;
}
