import type { TokenActor } from '../../domain/access/actor.ts';
import type { Credential, CredentialKind } from '../../domain/access/api-key.ts';
import { isExpired } from '../../domain/access/expiry.ts';
import type { Principal } from '../../domain/access/principal.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { Clock } from '../ports/clock.ts';
import { type Caller, type DelegatedCredential, DelegatedKey, DelegatedReader } from './caller.ts';
import type { Principals } from './principals.ts';
import { hashSecret } from './secrets.ts';
import type { WrongKeys } from './wrong-keys.ts';

/** How messages to clients name a kind of credential. */
interface CredentialMessages {
  readonly kind: CredentialKind;
  /** `API key`, as in “The API key is not valid.” */
  readonly name: string;
  /** The advice on which credential to send instead. */
  readonly hint: string;
}

/** The advised retry delay: it is unknown when the database will recover, and the gateway checks every second. */
const STORE_RETRY_MS = 5_000;

/** Returns the owner of a secret, synchronously if it is cached; a `Failure` if the secret is unknown or no longer accepted. */
function lookUpSecret(
  principals: Pick<Principals, 'find'>,
  secret: string,
  nowMs: number,
  messages: CredentialMessages,
): Principal | Failure | Promise<Principal | Failure> {
  return lookUpHash(principals, hashSecret(secret), nowMs, messages);
}

/** Does the same for the SHA-256 of the secret, in lower-case hex. */
function lookUpHash(
  principals: Pick<Principals, 'find'>,
  secretHash: string,
  nowMs: number,
  messages: CredentialMessages,
): Principal | Failure | Promise<Principal | Failure> {
  try {
    const found = principals.find(secretHash);
    return found instanceof Promise ? usableLater(found, nowMs, messages) : usable(found, nowMs, messages);
  } catch {
    return storeAway(messages);
  }
}

async function usableLater(
  finding: Promise<Principal | null>,
  nowMs: number,
  messages: CredentialMessages,
): Promise<Principal | Failure> {
  let found: Principal | null;
  try {
    found = await finding;
  } catch {
    return storeAway(messages);
  }
  return usable(found, nowMs, messages);
}

function usable(principal: Principal | null, nowMs: number, messages: CredentialMessages): Principal | Failure {
  if (principal?.credential.kind !== messages.kind) return unknownSecret(messages);
  const { account, credential, secretEndsAtMs } = principal;
  if (account.archivedAtMs !== null) {
    return new Failure('expired_api_key', {
      message: `The account of the ${messages.name} is archived.`,
      hint: `An admin of this gateway can restore the account. Until then its ${messages.name}s are rejected.`,
    });
  }
  if (credential.revokedAtMs !== null) return ended(messages, 'has been revoked');
  if (isExpired(credential, nowMs)) {
    return ended(messages, `expired on ${new Date(credential.expiresAtMs ?? nowMs).toISOString()}`);
  }
  if (secretEndsAtMs !== undefined && secretEndsAtMs <= nowMs) return ended(messages, 'has been replaced by a new one');
  return principal;
}

function ended({ name, hint }: CredentialMessages, what: string): Failure {
  return new Failure('expired_api_key', { message: `The ${name} ${what}.`, hint });
}

function unknownSecret({ name, hint }: CredentialMessages): Failure {
  return new Failure('invalid_api_key', { message: `The ${name} is not valid.`, hint });
}

/** Returns a failure that does not call the secret invalid, since it could not be checked. */
function storeAway({ name }: CredentialMessages): Failure {
  return new Failure('storage_unavailable', {
    message: `The gateway cannot check the ${name} at the moment.`,
    kind: 'key_not_looked_up',
    retryAfterMs: STORE_RETRY_MS,
    hint: 'Nothing is wrong with the request. Wait for retry_after seconds and send it again.',
  });
}

const KEY: CredentialMessages = {
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

const TOKEN: CredentialMessages = {
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

export interface IdentifyPorts {
  readonly principals: Pick<Principals, 'find'>;
  readonly wrongKeys: Pick<WrongKeys, 'refused'>;
  readonly clock: Pick<Clock, 'nowMs'>;
}

/** Authenticates a caller who opens a connection for requests, which are admitted one by one. */
export async function identify(ports: IdentifyPorts, caller: Caller): Promise<Principal | Failure> {
  const principal = await authenticate(ports.principals, caller.secret, ports.clock.nowMs());
  return principal instanceof Failure ? ports.wrongKeys.refused(caller, principal) : principal;
}

export interface IdentifyTokenPorts extends IdentifyPorts {
  readonly keyUsed: (credential: Credential) => void;
}

/** Authenticates a management token, records its use, and returns its owner and scopes. */
export async function identifyToken(
  ports: IdentifyTokenPorts,
  caller: Caller & { readonly secret: string | null },
): Promise<TokenActor | Failure> {
  const principal = await authenticateToken(ports.principals, caller.secret, ports.clock.nowMs());
  if (principal instanceof Failure) return ports.wrongKeys.refused(caller, principal);
  const { account, credential } = principal;
  ports.keyUsed(credential);
  const { id: tokenId, name, accountId, scopes, expiresAtMs } = credential;
  return { kind: 'token', accountId, tokenId, name, scopes: scopes ?? [], expiresAtMs, isOperator: account.admin };
}
