import type { Account } from './account.ts';
import type { Credential } from './api-key.ts';

/** Who asks: an account, by one of its keys. */
export interface Principal {
  readonly account: Account;
  readonly credential: Credential;
}
