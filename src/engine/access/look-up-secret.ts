import type { CredentialKind } from '../../domain/access/api-key.ts';
import { isExpired } from '../../domain/access/expiry.ts';
import type { Principal } from '../../domain/access/principal.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { Principals } from './principals.ts';
import { hashSecret } from './secrets.ts';

/** The words for a kind of credential in messages to clients. */
export interface CredentialWords {
  readonly kind: CredentialKind;
  /** `API key`, as in “The API key is not valid.” */
  readonly name: string;
  /** The advice on which credential to send instead. */
  readonly hint: string;
}

/** The advised retry delay: it is unknown when the database will recover, and the gateway checks every second. */
const STORE_RETRY_MS = 5_000;

/** Returns the owner of a secret, synchronously if it is cached; a `Failure` if the secret is unknown or no longer accepted. */
export function lookUpSecret(
  principals: Pick<Principals, 'find'>,
  secret: string,
  nowMs: number,
  words: CredentialWords,
): Principal | Failure | Promise<Principal | Failure> {
  return lookUpHash(principals, hashSecret(secret), nowMs, words);
}

/** Does the same for the SHA-256 of the secret, in lower-case hex. */
export function lookUpHash(
  principals: Pick<Principals, 'find'>,
  secretHash: string,
  nowMs: number,
  words: CredentialWords,
): Principal | Failure | Promise<Principal | Failure> {
  try {
    const found = principals.find(secretHash);
    return found instanceof Promise ? usableLater(found, nowMs, words) : usable(found, nowMs, words);
  } catch {
    return storeAway(words);
  }
}

async function usableLater(
  finding: Promise<Principal | null>,
  nowMs: number,
  words: CredentialWords,
): Promise<Principal | Failure> {
  let found: Principal | null;
  try {
    found = await finding;
  } catch {
    return storeAway(words);
  }
  return usable(found, nowMs, words);
}

function usable(principal: Principal | null, nowMs: number, words: CredentialWords): Principal | Failure {
  if (principal?.credential.kind !== words.kind) return unknownSecret(words);
  const { account, credential, secretEndsAtMs } = principal;
  if (account.archivedAtMs !== null) {
    return new Failure('expired_api_key', {
      message: `The account of the ${words.name} is archived.`,
      hint: `An admin of this gateway can restore the account. Until then its ${words.name}s are rejected.`,
    });
  }
  if (credential.revokedAtMs !== null) return ended(words, 'has been revoked');
  if (isExpired(credential, nowMs)) {
    return ended(words, `expired on ${new Date(credential.expiresAtMs ?? nowMs).toISOString()}`);
  }
  if (secretEndsAtMs !== undefined && secretEndsAtMs <= nowMs) return ended(words, 'has been replaced by a new one');
  return principal;
}

function ended({ name, hint }: CredentialWords, what: string): Failure {
  return new Failure('expired_api_key', { message: `The ${name} ${what}.`, hint });
}

export function unknownSecret({ name, hint }: CredentialWords): Failure {
  return new Failure('invalid_api_key', { message: `The ${name} is not valid.`, hint });
}

/** Returns a failure that does not call the secret invalid, since it could not be checked. */
function storeAway({ name }: CredentialWords): Failure {
  return new Failure('storage_unavailable', {
    message: `The gateway cannot check the ${name} at the moment.`,
    kind: 'key_not_looked_up',
    retryAfterMs: STORE_RETRY_MS,
    hint: 'Nothing is wrong with the request. Wait for retry_after seconds and send it again.',
  });
}
