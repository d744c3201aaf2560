import type { Credential, CredentialKey } from '../../../domain/access/api-key.ts';
import type { DirectoryScope, DirectoryStore } from '../../ports/directory-store.ts';
import { existingAccount } from '../accounts/existing-account.ts';
import type { AdminError } from '../admin-error.ts';
import { notFound } from '../not-found.ts';
import { KIND_IN_WORDS } from './kinds.ts';

/** The number of ids that a misspelt one is compared with. */
const COMPARED = 1_000;

/** Returns the scope of this credential alone. */
export function scopeOfKey(key: CredentialKey): DirectoryScope {
  return { credentials: [key], serving: false };
}

/** Resolves to the error for an unknown account or key. */
export async function keyNotFound(store: DirectoryStore, { accountId, kind, id }: CredentialKey): Promise<AdminError> {
  await existingAccount(store, accountId);
  return notFound(KIND_IN_WORDS[kind], id, await store.credentials({ accountId, kind, after: null, limit: COMPARED }));
}

/** Resolves to the credential. Throws an `AdminError` that names the nearest id if it does not exist. */
export async function existingKey(store: DirectoryStore, key: CredentialKey): Promise<Credential> {
  const { credentials } = await store.read(scopeOfKey(key));
  const [found] = credentials;
  if (found === undefined) throw await keyNotFound(store, key);
  return found;
}
