import type { Principal } from '../../domain/access/principal.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { type DelegatedCredential, DelegatedKey, DelegatedReader } from './delegated-key.ts';
import { type CredentialWords, lookUpHash, lookUpSecret, unknownSecret } from './look-up-secret.ts';
import type { Principals } from './principals.ts';

const KEY: CredentialWords = {
  kind: 'inference',
  name: 'API key',
  hint: 'Send the header `Authorization: Bearer sk-…` with a key of this gateway (`switchyard keys create` makes one).',
};

/**
 * Authenticates a caller (contract, Authentication), synchronously if the key is cached. `secret` is the presented credential without
 * `Bearer`, its substitute, or `null`; `nowMs` is the time since 1970, for keys that expire.
 */
export function authenticate(
  principals: Pick<Principals, 'find'>,
  secret: string | DelegatedCredential | null,
  nowMs: number,
): Principal | Failure | Promise<Principal | Failure> {
  if (secret instanceof DelegatedReader) return secret.principal;
  if (secret instanceof DelegatedKey) return lookUpHash(principals, secret.secretHash, nowMs, KEY);
  const { hint } = KEY;
  if (secret === null || secret === '') {
    return new Failure('invalid_api_key', { message: 'No API key was sent.', hint, kind: 'missing_key' });
  }
  if (secret.startsWith('mt-')) {
    return new Failure('invalid_api_key', {
      message: 'A management token (mt-…) cannot be used for inference.',
      hint,
      kind: 'management_token',
    });
  }
  return secret.startsWith('sk-') ? lookUpSecret(principals, secret, nowMs, KEY) : unknownSecret(KEY);
}
