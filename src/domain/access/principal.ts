import type { Account } from './account.ts';
import type { Credential } from './api-key.ts';

/** Who asks: an account, by one of its keys. */
export interface Principal {
  readonly account: Account;
  readonly credential: Credential;
  /** When the presented secret ends, or has ended, since the key has a newer one; not there for its present secret. */
  readonly secretEndsAtMs?: number;
}

/** Whoever has a secret of the credential: its present one, or one that it had. */
export function principalOf(account: Account, credential: Credential, secretHash: string): Principal {
  const { secretHash: present, previousSecret } = credential;
  if (secretHash === present) return { account, credential };
  // Those before the previous one have ended, whenever that was.
  const secretEndsAtMs = previousSecret?.secretHash === secretHash ? previousSecret.endsAtMs : 0;
  return { account, credential, secretEndsAtMs };
}
