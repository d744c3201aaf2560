import { isExpired } from '../../domain/access/expiry.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { Directory, Principal } from './directory.ts';
import { hashSecret } from './secrets.ts';

const HINT =
  'Send the header `Authorization: Bearer sk-…` with a key of this gateway (`switchyard keys create` makes one).';

/**
 * Finds who asks (contract, Authentication). `secret` is the presented credential without `Bearer`, or `null`; `nowMs` is
 * the time since 1970, for keys that expire.
 */
export function authenticate(directory: Directory, secret: string | null, nowMs: number): Principal | Failure {
  if (secret === null || secret === '') {
    return new Failure('invalid_api_key', { message: 'No API key was sent.', hint: HINT, kind: 'missing_key' });
  }
  if (secret.startsWith('mt-')) {
    return new Failure('invalid_api_key', {
      message: 'A management token (mt-…) cannot be used for inference.',
      hint: HINT,
      kind: 'management_token',
    });
  }
  const principal = secret.startsWith('sk-') ? directory.principal(hashSecret(secret)) : undefined;
  if (principal?.credential.kind !== 'inference') {
    return new Failure('invalid_api_key', { message: 'The API key is not valid.', hint: HINT });
  }
  if (principal.credential.revokedAtMs !== null) {
    return new Failure('expired_api_key', { message: 'The API key has been revoked.', hint: HINT });
  }
  if (isExpired(principal.credential, nowMs)) {
    const when = new Date(principal.credential.expiresAtMs ?? nowMs).toISOString();
    return new Failure('expired_api_key', { message: `The API key expired on ${when}.`, hint: HINT });
  }
  return principal;
}
