import { CREDENTIAL_KINDS, type Credential, type CredentialKey } from '../../../domain/access/api-key.ts';
import { hashSecret, SECRET_PREFIX } from '../../access/secrets.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DirectoryScope, DirectoryStore, DirectoryWriter } from '../../ports/directory-store.ts';
import { AdminError } from '../admin-error.ts';
import { keyNotFound, scopeOfKey } from './existing-key.ts';

export interface RevokedKey {
  readonly credential: Credential;
  /** It had been revoked before, and nothing was changed. */
  readonly alreadyRevoked: boolean;
}

/**
 * Revokes the one key that `selector` means: a full secret, an id, `account/id`, or a preview as a list shows it (three
 * dots do for the ellipsis). Throws `AdminError` when it means none or several.
 *
 * The key becomes the operator's own, so that a configuration file which still names it does not bring it back.
 */
export async function revokeKey(store: DirectoryStore, clock: Clock, selector: string): Promise<RevokedKey> {
  return store.write(scopeOf(selector), (writer) => {
    return revoke(writer, find(writer.read().credentials, selector), clock.nowMs());
  });
}

/** The same for just this key or token. Throws an `AdminError` that names the nearest id where there is none. */
export async function revokeOneKey(store: DirectoryStore, clock: Clock, key: CredentialKey): Promise<RevokedKey> {
  const revoked = await store.write(scopeOfKey(key), (writer) => {
    const [credential] = writer.read().credentials;
    return credential === undefined ? null : revoke(writer, credential, clock.nowMs());
  });
  if (revoked === null) throw await keyNotFound(store, key);
  return revoked;
}

function revoke(writer: DirectoryWriter, credential: Credential, nowMs: number): RevokedKey {
  if (credential.revokedAtMs !== null) return { credential, alreadyRevoked: true };
  const revoked: Credential = { ...credential, revokedAtMs: nowMs, origin: 'operator' };
  writer.putCredential(revoked);
  return { credential: revoked, alreadyRevoked: false };
}

/** Every credential that it may mean. */
function scopeOf(selector: string): DirectoryScope {
  const [accountId = '', id] = selector.split('/');
  return {
    secretHashes: [hashSecret(selector)],
    credentialIds: [selector],
    credentials: id === undefined ? [] : CREDENTIAL_KINDS.map((kind) => ({ accountId, kind, id })),
    previews: [previewIn(selector)],
    serving: false,
  };
}

/** People write three dots for the ellipsis. */
function previewIn(selector: string): string {
  return selector.replace('...', '…');
}

function find(credentials: readonly Credential[], selector: string): Credential {
  const hash = hashSecret(selector);
  const preview = previewIn(selector);
  const matches = credentials.filter(
    (key) =>
      key.secretHash === hash ||
      key.previousSecret?.secretHash === hash ||
      key.id === selector ||
      `${key.accountId}/${key.id}` === selector ||
      key.preview === preview,
  );
  const [match] = matches;
  if (match === undefined) throw new AdminError('not_found', 'key', `no key matches ${quoted(selector)}`);
  if (matches.length > 1) {
    const named = matches.slice(0, NAMED).map((key) => `${key.accountId}/${key.id} (${key.preview})`);
    const list = named.join(', ') + (matches.length > NAMED ? ` and ${matches.length - NAMED} more` : '');
    throw new AdminError('ambiguous', 'key', `${quoted(selector)} matches several keys: ${list}; name one of them so`);
  }
  return match;
}

/** Many accounts may have a key of one id. */
const NAMED = 5;

/** A secret that was not found may be valid elsewhere, so it is not repeated. */
function quoted(selector: string): string {
  const looksSecret = Object.values(SECRET_PREFIX).some((prefix) => selector.startsWith(prefix));
  return looksSecret && !selector.includes('…') && !selector.includes('...') ? 'that secret' : `"${selector}"`;
}
