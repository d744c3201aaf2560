import type { Account } from './account.ts';
import type { Credential } from './api-key.ts';

/** The caller: an account, identified by one of its keys. */
export interface Principal {
  readonly account: Account;
  readonly credential: Credential;
  /** When the presented secret expires or has expired, because the key was rotated; absent for the key's current secret. */
  readonly secretEndsAtMs?: number;
}

/** Returns the principal for a secret of the credential, current or previous. */
export function principalOf(account: Account, credential: Credential, secretHash: string): Principal {
  const { secretHash: present, previousSecret } = credential;
  if (secretHash === present) return { account, credential };
  // Secrets before the previous one have expired, whenever that was.
  const secretEndsAtMs = previousSecret?.secretHash === secretHash ? previousSecret.endsAtMs : 0;
  return { account, credential, secretEndsAtMs };
}
