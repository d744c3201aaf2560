import type { Credential, CredentialKey, CredentialKind } from '../../../domain/access/api-key.ts';
import { isExpired } from '../../../domain/access/expiry.ts';
import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import type { DirectoryScope, DirectoryStore } from '../../ports/directory-store.ts';
import type { KeyUseStore } from '../../ports/key-use-store.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { KEY_ORDERS, type SortFigures } from '../../ports/list-store.ts';
import type { Store } from '../../ports/store.ts';
import { existingAccount } from '../accounts/read-accounts.ts';
import { AdminError, notFound } from '../admin-error.ts';
import {
  isDown,
  limitOf,
  type Page,
  type PageRequest,
  pageOf,
  placeAfter,
  sortedPageOf,
  sortPlaceAfter,
} from '../page.ts';
import { keyFields, tokenFields } from '../schema/credential.ts';
import { raiseFields } from '../schema/fields.ts';
import { isoTime, managedBy, timeOrNull } from '../view-fields.ts';
import { keysBySpending } from './key-spending.ts';

export interface ListedKey {
  readonly credential: Credential;
  /** Its total spending. */
  readonly spentNanoUsd: bigint;
  /** In milliseconds since 1970; `null` if it was never used. */
  readonly lastUsedAtMs: number | null;
}

interface Stores {
  readonly directory: DirectoryStore;
  readonly ledger: Ledger;
  readonly keyUse: KeyUseStore;
}

interface KeyPageRequest extends PageRequest {
  /** Restricts the list to this account. */
  readonly accountId?: string | undefined;
  /** Restricts the list to keys, or to management tokens. */
  readonly kind?: CredentialKind | undefined;
  /** A part of the id, the name or the preview; case is ignored. */
  readonly q?: string | undefined;
}

/**
 * Returns keys and management tokens by account, kind and id, including revoked ones. Throws `AdminError` for an invalid page or an unknown
 * account.
 */
export async function listKeys(stores: Stores, request: KeyPageRequest): Promise<Page<ListedKey>> {
  const { directory } = stores;
  const { accountId, kind, q } = request;
  const limit = limitOf(request);
  const after = keyAfter(request);
  if (accountId !== undefined) await existingAccount(directory, accountId);
  const only = {
    ...(accountId === undefined ? {} : { accountId }),
    ...(kind === undefined ? {} : { kind }),
    ...(q === undefined ? {} : { text: q }),
  };
  const rows = await directory.credentials({ ...only, after, limit: limit + 1 });
  const page = pageOf(rows, limit, (row) => [row.accountId, row.kind, row.id]);
  return { ...page, items: await withRecords(stores, page.items) };
}

/** The orders of a sorted list of keys. */
export const KEY_SORTS = [...KEY_ORDERS, 'spent_7d'] as const;
export const KEY_STATES = ['active', 'expired', 'revoked'] as const;

interface WantedKeys {
  /** Required, since keys are sorted within one account only. */
  readonly accountId: string | undefined;
  readonly sort?: (typeof KEY_SORTS)[number] | undefined;
  readonly order?: 'asc' | 'desc' | undefined;
  readonly q?: string | undefined;
  readonly state?: (typeof KEY_STATES)[number] | undefined;
}

/**
 * Returns a function that reads pages of an account's keys in the given order, the newest first by default, of those that match. With more
 * than `MOST_RANKED` keys that have spent money, `spent_7d` orders only those that spent most, and the others by id. Throws `AdminError`.
 */
export function sortedKeys(
  stores: Stores & Pick<Store, 'lists' | 'usage'>,
  { accountId, sort = 'created_at', order, q: text, state }: WantedKeys,
  nowMs: number,
): (request: PageRequest) => Promise<Page<ListedKey>> {
  if (accountId === undefined)
    throw new AdminError('invalid_value', 'account_id', 'must name an account to sort or search its keys');
  const { directory, lists, usage } = stores;
  let ranking: Promise<SortFigures> | null = null;
  const byOf = async () => {
    if (sort !== 'spent_7d') return sort;
    ranking ??= keysBySpending(usage, accountId, nowMs).then((figures) => ({ figures }));
    return await ranking;
  };
  return async (request) => {
    const limit = limitOf(request);
    const after = sortPlaceAfter(request, { sort }, sort === 'name');
    await existingAccount(directory, accountId);
    const places = await lists.keys({
      ...{ accountId, by: await byOf(), isDown: isDown({ sort, order }), after, limit: limit + 1 },
      ...(text === undefined ? {} : { text }),
      ...(state === undefined ? {} : { state: { name: state, atMs: nowMs } }),
    });
    const keys = places.slice(0, limit).map(({ id }) => ({ accountId, kind: 'inference' as const, id }));
    const { credentials } = await directory.read({ credentials: keys, serving: false });
    const listed = await withRecords(stores, credentials);
    return sortedPageOf(places, limit, sort, new Map(listed.map((one) => [one.credential.id, one])));
  };
}

/** Returns one key or management token. Throws an `AdminError` that names the nearest id if it does not exist. */
export async function showKey(stores: Stores, key: CredentialKey): Promise<ListedKey> {
  const credential = await existingKey(stores.directory, key);
  const [listed] = await withRecords(stores, [credential]);
  return listed ?? { credential, spentNanoUsd: 0n, lastUsedAtMs: null };
}

function keyAfter(request: PageRequest): CredentialKey | null {
  const [accountId, kind, id] = placeAfter(request, 3) ?? [];
  if (accountId === undefined || id === undefined) return null;
  return { accountId, kind: kind === 'management' ? kind : 'inference', id };
}

/** Adds spending and last use. A management token may have the id of a key, and has no spending. */
async function withRecords(
  { ledger, keyUse }: Stores,
  credentials: readonly Credential[],
): Promise<readonly ListedKey[]> {
  const places = credentials
    .filter(({ kind }) => kind === 'inference')
    .map(({ accountId, id }) => ({ accountId, keyId: id }));
  const [spending, uses] = await Promise.all([ledger.spending(places), keyUse.read(credentials)]);
  const spent = new Map(spending.map((row) => [`${row.accountId}/${row.keyId}`, row.spentNanoUsd]));
  const used = new Map(uses.map((row) => [labelOf(row), row.lastUsedAtMs]));
  return credentials.map((credential) => {
    const isKey = credential.kind === 'inference';
    const spentNanoUsd = isKey ? (spent.get(`${credential.accountId}/${credential.id}`) ?? 0n) : 0n;
    return { credential, spentNanoUsd, lastUsedAtMs: used.get(labelOf(credential)) ?? null };
  });
}

function labelOf({ accountId, kind, id }: CredentialKey): string {
  return `${accountId}/${kind}/${id}`;
}

/** The names of the kinds in messages. */
export const KIND_NAMES: Readonly<Record<CredentialKind, string>> = {
  inference: 'key',
  management: 'management token',
};

/** The number of ids that a misspelt one is compared with. */
const COMPARED = 1_000;

/** Returns the scope of this credential alone. */
export function scopeOfKey(key: CredentialKey): DirectoryScope {
  return { credentials: [key], serving: false };
}

/** Resolves to the error for an unknown account or key. */
export async function keyNotFound(store: DirectoryStore, { accountId, kind, id }: CredentialKey): Promise<AdminError> {
  await existingAccount(store, accountId);
  return notFound(KIND_NAMES[kind], id, await store.credentials({ accountId, kind, after: null, limit: COMPARED }));
}

/** Resolves to the credential. Throws an `AdminError` that names the nearest id if it does not exist. */
export async function existingKey(store: DirectoryStore, key: CredentialKey): Promise<Credential> {
  const { credentials } = await store.read(scopeOfKey(key));
  const [found] = credentials;
  if (found === undefined) throw await keyNotFound(store, key);
  return found;
}

/** Returns a key or a management token as JSON: amounts as decimal texts in USD, times in RFC 3339 and UTC; neither secret nor hash. */
export function keyView(key: Credential, nowMs: number) {
  return {
    ...keyFields(key),
    budget_raise: raiseFields(key, nowMs),
    account: key.accountId,
    kind: key.kind,
    preview: key.preview,
    ...(key.scopes === null ? {} : { scopes: key.scopes }),
    previous_secret_expires_at: graceEnd(key, nowMs),
    state: keyState(key, nowMs),
    origin: key.origin,
    managed_by: managedBy(key.origin),
    created_at: isoTime(key.createdAtMs),
    revoked_at: timeOrNull(key.revokedAtMs),
  };
}

export function listedKeyView({ credential, spentNanoUsd, lastUsedAtMs }: ListedKey, nowMs: number) {
  return {
    ...keyView(credential, nowMs),
    spent_usd: formatNanoUsd(spentNanoUsd),
    last_used_at: timeOrNull(lastUsedAtMs),
  };
}

/** Omits limits and spending, which a management token does not have. */
export function tokenView({ credential, lastUsedAtMs }: ListedKey, nowMs: number) {
  const { limit_usd, budget, budget_raise, models, requests_per_minute, usage_access, capture, ...view } = keyView(
    credential,
    nowMs,
  );
  return { ...view, scopes: credential.scopes ?? [], last_used_at: timeOrNull(lastUsedAtMs) };
}

export function keyState(key: Credential, nowMs: number): 'active' | 'expired' | 'revoked' {
  if (key.revokedAtMs !== null) return 'revoked';
  return isExpired(key, nowMs) ? 'expired' : 'active';
}

/** Returns until when the previous secret is accepted; `null` if it is not. */
function graceEnd({ previousSecret }: Credential, nowMs: number): string | null {
  return previousSecret === null || previousSecret.endsAtMs <= nowMs ? null : isoTime(previousSecret.endsAtMs);
}

/** Returns the credential in the form of its schema. */
export function credentialFields(credential: Credential): Readonly<Record<string, unknown>> {
  return credential.kind === 'management' ? tokenFields(credential) : keyFields(credential);
}
