import { isExpired } from '../../domain/access/expiry.ts';
import type { Principal } from '../../domain/access/principal.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { Principals } from './principals.ts';
import { hashSecret } from './secrets.ts';

const HINT =
  'Send the header `Authorization: Bearer sk-…` with a key of this gateway (`switchyard keys create` makes one).';

const ARCHIVED_HINT = 'An operator of this gateway can restore the account; until then none of its keys is accepted.';

/** It is not known when the database will work again; the gateway checks every second. */
const STORE_RETRY_MS = 5_000;

/**
 * Finds who asks (contract, Authentication), at once where the key is known. `secret` is the presented credential without
 * `Bearer`, or `null`; `nowMs` is the time since 1970, for keys that expire.
 */
export function authenticate(
  principals: Pick<Principals, 'find'>,
  secret: string | null,
  nowMs: number,
): Principal | Failure | Promise<Principal | Failure> {
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
  if (!secret.startsWith('sk-')) return unknownKey();
  try {
    const found = principals.find(hashSecret(secret));
    return found instanceof Promise ? found.then((later) => usable(later, nowMs), storeAway) : usable(found, nowMs);
  } catch {
    return storeAway();
  }
}

function usable(principal: Principal | null, nowMs: number): Principal | Failure {
  if (principal?.credential.kind !== 'inference') return unknownKey();
  if (principal.account.archivedAtMs !== null) {
    return new Failure('expired_api_key', { message: 'The account of the API key is archived.', hint: ARCHIVED_HINT });
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

function unknownKey(): Failure {
  return new Failure('invalid_api_key', { message: 'The API key is not valid.', hint: HINT });
}

/** It is not known whether the key is valid, so it is not called invalid. */
function storeAway(): Failure {
  return new Failure('storage_unavailable', {
    message: 'The gateway cannot look the API key up just now.',
    kind: 'key_not_looked_up',
    retryAfterMs: STORE_RETRY_MS,
    hint: 'Nothing is wrong with the request. Wait for retry_after seconds and send it again.',
  });
}
