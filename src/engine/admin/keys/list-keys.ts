import type { Credential } from '../../../domain/access/api-key.ts';
import { compareText } from '../../../domain/text/compare-text.ts';
import type { DirectoryStore } from '../../ports/directory-store.ts';
import type { KeyUseStore } from '../../ports/key-use-store.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { existingAccount } from '../accounts/existing-account.ts';

export interface ListedKey {
  readonly credential: Credential;
  /** What it has spent in all. */
  readonly spentNanoUsd: bigint;
  /** In milliseconds since 1970; `null` where it was never used. */
  readonly lastUsedAtMs: number | null;
}

interface Stores {
  readonly directory: DirectoryStore;
  readonly ledger: Ledger;
  readonly keyUse: KeyUseStore;
}

/** The keys and management tokens of all accounts, or of one, the oldest first; revoked ones too. */
export async function listKeys(stores: Stores, accountId?: string): Promise<readonly ListedKey[]> {
  const { directory, ledger, keyUse } = stores;
  if (accountId !== undefined) await existingAccount(directory, accountId);
  const [{ credentials }, spending, uses] = await Promise.all([
    directory.read(accountId === undefined ? 'all' : { credentialsOf: [accountId], serving: false }),
    ledger.spending(),
    keyUse.read(),
  ]);
  const spent = new Map(spending.map((row) => [`${row.accountId}/${row.keyId}`, row.spentNanoUsd]));
  const used = new Map(uses.map((row) => [`${row.accountId}/${row.keyId}`, row.lastUsedAtMs]));
  return credentials
    .toSorted((a, b) => a.createdAtMs - b.createdAtMs || compareText(labelOf(a), labelOf(b)))
    .map((credential) => ({ credential, ...recordOf(credential, spent, used) }));
}

/** A management token may have the id of a key, but neither spends nor is used for requests. */
function recordOf(
  credential: Credential,
  spent: ReadonlyMap<string, bigint>,
  used: ReadonlyMap<string, number>,
): Omit<ListedKey, 'credential'> {
  if (credential.kind === 'management') return { spentNanoUsd: 0n, lastUsedAtMs: null };
  const label = labelOf(credential);
  return { spentNanoUsd: spent.get(label) ?? 0n, lastUsedAtMs: used.get(label) ?? null };
}

function labelOf(key: Credential): string {
  return `${key.accountId}/${key.id}`;
}
