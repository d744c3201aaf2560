import type { Credential, CredentialKey, CredentialKind } from '../../../domain/access/api-key.ts';
import type { DirectoryStore } from '../../ports/directory-store.ts';
import type { KeyUseStore } from '../../ports/key-use-store.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { existingAccount } from '../accounts/existing-account.ts';
import { limitOf, type Page, type PageRequest, pageOf, placeAfter } from '../page.ts';
import { existingKey } from './existing-key.ts';

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

export interface KeyPageRequest extends PageRequest {
  /** Restricts the list to this account. */
  readonly accountId?: string | undefined;
  /** Restricts the list to keys, or to management tokens. */
  readonly kind?: CredentialKind | undefined;
}

/**
 * Returns keys and management tokens by account, kind and id, including revoked ones. Throws `AdminError` for an invalid page or an unknown
 * account.
 */
export async function listKeys(stores: Stores, request: KeyPageRequest): Promise<Page<ListedKey>> {
  const { directory } = stores;
  const { accountId, kind } = request;
  const limit = limitOf(request);
  const after = keyAfter(request);
  if (accountId !== undefined) await existingAccount(directory, accountId);
  const only = { ...(accountId === undefined ? {} : { accountId }), ...(kind === undefined ? {} : { kind }) };
  const rows = await directory.credentials({ ...only, after, limit: limit + 1 });
  const page = pageOf(rows, limit, (row) => [row.accountId, row.kind, row.id]);
  return { ...page, items: await withRecords(stores, page.items) };
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
