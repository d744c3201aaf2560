import {
  CREDENTIAL_KINDS,
  type Credential,
  type CredentialKey,
  type CredentialKind,
} from '../../../domain/access/api-key.ts';
import { type GrantedScope, scopeBeyond } from '../../../domain/access/scopes.ts';
import { keptRaise } from '../../../domain/money/budget-in-force.ts';
import { hashSecret, newSecret, previewOf, randomBase62, SECRET_PREFIX } from '../../access/secrets.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DirectoryRows, DirectoryScope, DirectoryStore, DirectoryWriter } from '../../ports/directory-store.ts';
import { accountNotFound, refuseArchived } from '../accounts/read-accounts.ts';
import { AdminError, refuseDeclared } from '../admin-error.ts';
import { differences, refuseOther } from '../differences.ts';
import { refuseUnknownGuards } from '../guards/change-guards.ts';
import { checkInput, withChange } from '../schema/check-input.ts';
import {
  type CredentialFacts,
  keyFrom,
  newKeySchema,
  newTokenSchema,
  rotationSchema,
  tokenFrom,
} from '../schema/credential.ts';
import { isoTime } from '../view-fields.ts';
import { credentialFields, KIND_NAMES, keyNotFound, scopeOfKey } from './read-keys.ts';

export interface CreatedKey {
  /** Shown only here: the store has its hash. */
  readonly secret: string;
  readonly credential: Credential;
}

interface CreatedCredential extends Omit<CreatedKey, 'secret'> {
  /** `null` if it existed with the same content, so that nothing was changed. */
  readonly secret: string | null;
}

interface CredentialOwner {
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
    refuseUnknownGuards(rows, facts);
    const existing = rows.credentials.find((row) => row.id === id && row.kind === kind);
    if (existing !== undefined) return alreadyThere(existing, withFacts(existing, facts));
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
    createdBy: null,
    origin: 'operator',
  };
  return { secret, credential };
}

/** Replaces the facts of a credential; guards are absent if there are none. */
function withFacts({ guards: _guards, ...before }: Credential, facts: CredentialFacts): Credential {
  return { ...before, ...facts };
}

function alreadyThere(existing: Credential, wanted: Credential): CreatedCredential {
  const label = `${KIND_NAMES[existing.kind]} "${existing.accountId}/${existing.id}"`;
  if (existing.revokedAtMs !== null) {
    throw new AdminError('already_exists', 'id', `the ${label} already exists and is revoked; choose another id`);
  }
  refuseOther(label, credentialFields(existing), credentialFields(wanted));
  return { secret: null, credential: existing };
}

function refusePast({ expiresAtMs }: CredentialFacts, nowMs: number): void {
  if (expiresAtMs === null || expiresAtMs > nowMs) return;
  throw new AdminError('invalid_value', 'expires_at', 'must be in the future');
}

interface ChangedKey {
  readonly credential: Credential;
  /** The fields whose value has changed. If empty, nothing was written. */
  readonly changed: readonly string[];
}

const FIXED = { id: 'its spending is counted under it; create another key' };

/**
 * Changes some fields of a key or a token; `null` resets one to its default. Throws `AdminError` for an invalid field, and for one that is
 * revoked or declared by the configuration file.
 *
 * @param change in the form of a configuration's `keys`, or `management_tokens`
 * @param by the token that the caller uses, if any
 * @param refuse throws `AdminError` for a change that the caller may not make
 */
export async function changeKey(
  store: DirectoryStore,
  clock: Clock,
  key: CredentialKey,
  change: unknown,
  by: TokenInUse | null = null,
  refuse: (after: Credential, before: Credential) => void = () => {},
): Promise<ChangedKey> {
  return onKey(store, key, (before, put, rows) => {
    refuseBeyond(by, before);
    const { id: _id, ...facts } = checkedFacts(key.kind, withChange(credentialFields(before), change, FIXED));
    if (facts.expiresAtMs !== before.expiresAtMs) refusePast(facts, clock.nowMs());
    refuseUnknownGuards(rows, facts);
    const { budgetRaise: _raise, ...rest } = before;
    const credential: Credential = { ...withFacts(rest, facts), ...keptRaise(before, facts.budget) };
    refuseBeyond(by, credential);
    refuse(credential, before);
    const changed = differences(credentialFields(before), credentialFields(credential));
    if (changed.length === 0) return { credential: before, changed };
    put(credential);
    return { credential, changed };
  });
}

/**
 * Gives a key or a token a new secret, which is shown once. The old one is rejected from then on, on all nodes, or from the end of a grace
 * period; one still in an earlier grace period ends at once. Everything else stays, including its spending. Throws `AdminError` for one
 * that is revoked or declared by the configuration file.
 *
 * @param input `grace_seconds`: how long the old secret is accepted beside the new one; 0 by default
 * @param by the token that the caller uses, if any
 */
export async function rotateKey(
  store: DirectoryStore,
  clock: Clock,
  key: CredentialKey,
  input: unknown = {},
  by: TokenInUse | null = null,
): Promise<CreatedKey> {
  const { grace_seconds: graceSeconds } = checkInput(rotationSchema, ['rotation'], input);
  return onKey(store, key, (before, put) => {
    refuseBeyond(by, before);
    const nowMs = clock.nowMs();
    const { secret, credential } = newCredential(nowMs, before);
    const { secretHash, preview } = credential;
    // A time of 0 has passed by every node's clock.
    const endsAtMs = graceSeconds ? nowMs + graceSeconds * 1_000 : 0;
    const rotated = { ...before, secretHash, preview, previousSecret: { secretHash: before.secretHash, endsAtMs } };
    put(rotated);
    return { secret, credential: rotated };
  });
}

async function onKey<Result extends object>(
  store: DirectoryStore,
  key: CredentialKey,
  change: (before: Credential, put: (after: Credential) => void, rows: DirectoryRows) => Result,
): Promise<Result> {
  const done = await store.write(scopeOfKey(key), (writer) => {
    const rows = writer.read();
    const [before] = rows.credentials;
    if (before === undefined) return null;
    const what = KIND_NAMES[key.kind];
    if (before.revokedAtMs !== null) {
      throw new AdminError('conflict', what, `"${before.id}" is permanently revoked: create a new one`);
    }
    refuseDeclared(what, before);
    return change(before, (after) => writer.putCredential(after), rows);
  });
  if (done === null) throw await keyNotFound(store, key);
  return done;
}

interface RevokedKey {
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

/** The scopes and expiry of a management token. */
export type TokenInUse = Pick<Credential, 'scopes' | 'expiresAtMs'>;

/**
 * Throws `AdminError` if a token would get more than the token in use has: no token may be made, changed or rotated (which shows its
 * secret) with more scopes or a later expiry. Revoking is not checked, because it only takes away.
 *
 * @param by the token in use; `null` for a person, the command line and the like
 */
function refuseBeyond(by: TokenInUse | null, token: TokenInUse & Pick<Credential, 'kind'>): void {
  if (by === null || token.kind !== 'management') return;
  const beyond = scopeBeyond(by.scopes ?? [], token.scopes ?? []);
  if (beyond !== null) {
    throw new AdminError('forbidden', 'scopes', `the token in use does not have "${beyond}", so it cannot grant it`);
  }
  if (by.expiresAtMs === null || (token.expiresAtMs !== null && token.expiresAtMs <= by.expiresAtMs)) return;
  const end = isoTime(by.expiresAtMs);
  throw new AdminError('forbidden', 'expires_at', `must not be later than the expiry of the token in use, ${end}`);
}

/**
 * Does the same for what a person, or an account with all its tokens, would get: the scope `worth`, without an expiry. So a token that may
 * only manage members cannot make an owner, whose session could do everything. Throws `AdminError`.
 *
 * @param field the input that needs it
 */
export function refusePowers(by: TokenInUse | null | undefined, worth: GrantedScope, field: string): void {
  if (by == null) return;
  if (scopeBeyond(by.scopes ?? [], [worth]) !== null) {
    throw new AdminError(
      'forbidden',
      field,
      `would grant more than the token in use has: this needs the scope "${worth}"`,
    );
  }
  if (by.expiresAtMs === null) return;
  throw new AdminError('forbidden', field, 'would outlast the token in use, which expires: use a token that does not');
}

const USUAL_NAME = 'Key';

/** Parses the facts of a key or a token with its schema. Throws `AdminError`. */
export function checkedFacts(
  kind: CredentialKind,
  input: unknown,
): CredentialFacts & { readonly id?: string | undefined } {
  if (kind === 'management') {
    const { id, ...token } = checkInput(newTokenSchema, ['accounts', 0, 'management_tokens', 0], input);
    return { id, ...tokenFrom(token, id ?? USUAL_NAME) };
  }
  const { id, ...key } = checkInput(newKeySchema, ['accounts', 0, 'keys', 0], input);
  return { id, ...keyFrom(key, id ?? USUAL_NAME) };
}
