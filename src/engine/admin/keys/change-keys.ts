import type { Credential, CredentialKind } from '../../../domain/access/api-key.ts';
import { hashSecret, newSecret, previewOf, randomBase62 } from '../../access/secrets.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DirectoryStore } from '../../ports/directory-store.ts';
import { accountNotFound, refuseArchived } from '../accounts/existing-account.ts';
import { AdminError } from '../admin-error.ts';
import { refuseOther } from '../differences.ts';
import type { CredentialFacts } from '../schema/credential.ts';
import { checkedFacts, KIND_IN_WORDS, wordsOf } from './kinds.ts';
import { refuseBeyond, type TokenInUse } from './token-in-use.ts';

export interface CreatedKey {
  /** Shown only here: the store has its hash. */
  readonly secret: string;
  readonly credential: Credential;
}

export interface CreatedCredential extends Omit<CreatedKey, 'secret'> {
  /** `null` if it existed with the same content, so that nothing was changed. */
  readonly secret: string | null;
}

export interface CredentialOwner {
  readonly accountId: string;
  /** `inference` for an `sk-` key, `management` for an `mt-` token. */
  readonly kind: CredentialKind;
}

/**
 * Makes a key or a management token of an existing account, with a generated secret. Idempotent if the input has an `id`. Throws
 * `AdminError` for an invalid field, an unknown or archived account, and an id that exists with other content.
 *
 * @param input in the form of a configuration's `keys`, or `management_tokens`, without `secret`; `id` may be left out
 * @param by the token that the caller uses, if any
 */
export async function createKey(
  store: DirectoryStore,
  clock: Pick<Clock, 'nowMs'>,
  { accountId, kind }: CredentialOwner,
  input: unknown,
  by: TokenInUse | null = null,
): Promise<CreatedCredential> {
  const nowMs = clock.nowMs();
  const { id, ...facts } = checkedFacts(kind, input);
  refuseBeyond(by, facts);
  const owner = { accountId, kind, ...(id === undefined ? {} : { id }) };
  const credentials = id === undefined ? [] : [{ accountId, kind, id }];
  const created = await store.write({ accounts: [accountId], credentials, serving: false }, (writer) => {
    const rows = writer.read();
    const account = rows.accounts.find((row) => row.id === accountId);
    if (account === undefined) return null;
    refuseArchived(account);
    const existing = rows.credentials.find((row) => row.id === id && row.kind === kind);
    if (existing !== undefined) return alreadyThere(existing, { ...existing, ...facts });
    refusePast(facts, nowMs);
    const made = newCredential(nowMs, { ...facts, ...owner });
    writer.putCredential(made.credential);
    return made;
  });
  if (created === null) throw await accountNotFound(store, accountId);
  return created;
}

/** Makes a credential. A generated id is random enough to be unique in all accounts, so that the id alone is enough to revoke it. */
export function newCredential(
  nowMs: number,
  details: CredentialFacts & CredentialOwner & { readonly id?: string },
): CreatedKey {
  const secret = newSecret(details.kind);
  const credential: Credential = {
    ...details,
    id: details.id ?? `key_${randomBase62(10)}`,
    secretHash: hashSecret(secret),
    preview: previewOf(secret),
    previousSecret: null,
    createdAtMs: nowMs,
    revokedAtMs: null,
    origin: 'operator',
  };
  return { secret, credential };
}

function alreadyThere(existing: Credential, wanted: Credential): CreatedCredential {
  const label = `${KIND_IN_WORDS[existing.kind]} "${existing.accountId}/${existing.id}"`;
  if (existing.revokedAtMs !== null) {
    throw new AdminError('already_exists', 'id', `the ${label} already exists and is revoked; choose another id`);
  }
  refuseOther(label, wordsOf(existing), wordsOf(wanted));
  return { secret: null, credential: existing };
}

export function refusePast({ expiresAtMs }: CredentialFacts, nowMs: number): void {
  if (expiresAtMs === null || expiresAtMs > nowMs) return;
  throw new AdminError('invalid_value', 'expires_at', 'must be in the future');
}
