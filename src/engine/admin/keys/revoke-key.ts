import { CREDENTIAL_KINDS, type Credential, type CredentialKey } from '../../../domain/access/api-key.ts';
import { hashSecret, SECRET_PREFIX } from '../../access/secrets.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DirectoryScope, DirectoryStore, DirectoryWriter } from '../../ports/directory-store.ts';
import { AdminError } from '../admin-error.ts';
import { keyNotFound, scopeOfKey } from './existing-key.ts';

export interface RevokedKey {
  readonly credential: Credential;
  /** Whether it had been revoked before, so that nothing was changed. */
  readonly alreadyRevoked: boolean;
}

/**
 * Revokes the one key that `selector` identifies: a full secret, an id, `account/id`, or a preview as a list shows it (three dots stand for
 * the ellipsis). Throws `AdminError` if it matches none or several.
 *
 * The key becomes the operator's own, so that a configuration file which still names it does not restore it.
 */
export async function revokeKey(store: DirectoryStore, clock: Clock, selector: string): Promise<RevokedKey> {
  return store.write(scopeOf(selector), (writer) => {
    return revoke(writer, find(writer.read().credentials, selector), clock.nowMs());
  });
}

/** Revokes exactly this key or token. Throws an `AdminError` that names the nearest id if it does not exist. */
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

/** Returns the scope of every credential that the selector may identify. */
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

/** Replaces three dots, which people write for the ellipsis. */
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
    throw new AdminError(
      'ambiguous',
      'key',
      `${quoted(selector)} matches several keys: ${list}; choose one, written like this`,
    );
  }
  return match;
}

/** The most keys named in a message, since many accounts may have a key with the same id. */
const NAMED = 5;

/** Hides an unknown secret, which may be valid elsewhere. */
function quoted(selector: string): string {
  const looksSecret = Object.values(SECRET_PREFIX).some((prefix) => selector.startsWith(prefix));
  return looksSecret && !selector.includes('…') && !selector.includes('...') ? 'that secret' : `"${selector}"`;
}
