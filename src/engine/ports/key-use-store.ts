import type { CredentialKey } from '../../domain/access/api-key.ts';

/** An `sk-` key, by its account and its id there. */
export interface KeyPlace {
  readonly accountId: string;
  readonly keyId: string;
}

export interface KeyUse extends CredentialKey {
  /** When a request last came with it, in milliseconds since 1970. */
  readonly lastUsedAtMs: number;
}

/** When keys and tokens were last used: written by the gateway every second, read by operators. */
export interface KeyUseStore {
  /** Of these, or of all. */
  read(only?: readonly CredentialKey[]): Promise<readonly KeyUse[]>;
  /** Keeps the latest of what is written and what was known. */
  write(uses: readonly KeyUse[]): Promise<void>;
}
