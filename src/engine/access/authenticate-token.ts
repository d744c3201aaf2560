import type { Principal } from '../../domain/access/principal.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { type CredentialWords, lookUpSecret, unknownSecret } from './look-up-secret.ts';
import type { Principals } from './principals.ts';

const TOKEN: CredentialWords = {
  kind: 'management',
  name: 'management token',
  hint: 'Send the header `Authorization: Bearer mt-…` with a management token of this gateway (`switchyard keys create --management` makes one).',
};

/**
 * Authenticates a caller of the management API (contract, Authentication): finds the token's account and scopes. `secret` is the presented
 * credential without `Bearer`, or `null`; `nowMs` is the time since 1970, for tokens that expire.
 */
export function authenticateToken(
  principals: Pick<Principals, 'find'>,
  secret: string | null,
  nowMs: number,
): Principal | Failure | Promise<Principal | Failure> {
  const { hint } = TOKEN;
  if (secret === null || secret === '') {
    return new Failure('invalid_api_key', { message: 'No management token was sent.', hint, kind: 'missing_key' });
  }
  if (secret.startsWith('sk-')) {
    return new Failure('invalid_api_key', {
      message: 'An API key (sk-…) cannot be used for the management API.',
      hint,
      kind: 'inference_key',
    });
  }
  return secret.startsWith('mt-') ? lookUpSecret(principals, secret, nowMs, TOKEN) : unknownSecret(TOKEN);
}
