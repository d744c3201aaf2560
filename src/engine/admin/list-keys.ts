import type { Credential } from '../../domain/access/api-key.ts';
import type { DirectoryStore } from '../ports/directory-store.ts';
import { existingAccount } from './existing-account.ts';

/** The keys and management tokens of all accounts, or of one, the oldest first; revoked ones too. */
export async function listKeys(store: DirectoryStore, accountId?: string): Promise<readonly Credential[]> {
  const { accounts, credentials } = await store.read();
  if (accountId !== undefined) existingAccount(accounts, accountId);
  const chosen = credentials.filter((key) => accountId === undefined || key.accountId === accountId);
  return chosen.sort((a, b) => a.createdAtMs - b.createdAtMs || compare(labelOf(a), labelOf(b)));
}

function labelOf(key: Credential): string {
  return `${key.accountId}/${key.id}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
