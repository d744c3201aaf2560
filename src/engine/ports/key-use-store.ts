import type { CredentialKey } from '../../domain/access/api-key.ts';

/** An `sk-` key, by its account and its id there. */
export interface KeyPlace {
  readonly accountId: string;
  readonly keyId: string;
}

export interface KeyUse extends CredentialKey {
  /** When a request last used it, in milliseconds since 1970. */
  readonly lastUsedAtMs: number;
}

/** Stores when keys and tokens were last used. The gateway writes it every second; operators read it. */
export interface KeyUseStore {
  /** Reads the given credentials, or all. */
  read(only?: readonly CredentialKey[]): Promise<readonly KeyUse[]>;
  /** Stores the later of the given and the stored time of each credential. */
  write(uses: readonly KeyUse[]): Promise<void>;
}
