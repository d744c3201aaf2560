import type { Account } from '../../../domain/access/account.ts';
import { type Credential, DEFAULT_USAGE_ACCESS } from '../../../domain/access/api-key.ts';
import { isExpired } from '../../../domain/access/expiry.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DirectoryStore } from '../../ports/directory-store.ts';
import { type CreatedKey, newCredential } from './change-keys.ts';

export const DEFAULT_ACCOUNT_ID = 'default';

/**
 * Makes a key of the account `default` if there is no usable `sk-` key at all, so that a first start can be used at once. Resolves to its
 * secret, which exists nowhere else, or to `null` if there was a key, or the account is archived.
 */
export async function ensureFirstKey(store: DirectoryStore, clock: Clock): Promise<CreatedKey | null> {
  const nowMs = clock.nowMs();
  if (await store.hasUsableKey(nowMs)) return null;
  const scope = { accounts: [DEFAULT_ACCOUNT_ID], credentialsOf: [DEFAULT_ACCOUNT_ID], serving: false } as const;
  return store.write(scope, (writer) => {
    const { accounts, credentials } = writer.read();
    // Checked again inside the transaction: of two processes that start together only one makes a key.
    if (credentials.some((key) => isUsable(key, nowMs))) return null;
    // An archived account's keys are not accepted.
    if (accounts.some(({ archivedAtMs }) => archivedAtMs !== null)) return null;
    if (accounts.length === 0) writer.putAccount(defaultAccount(nowMs));
    const created = newCredential(nowMs, {
      accountId: DEFAULT_ACCOUNT_ID,
      kind: 'inference',
      name: 'First key',
      limitNanoUsd: null,
      budget: null,
      models: null,
      requestsPerMinute: null,
      usageAccess: DEFAULT_USAGE_ACCESS,
      capture: null,
      expiresAtMs: null,
      scopes: null,
    });
    writer.putCredential(created.credential);
    return created;
  });
}

function isUsable(key: Credential, nowMs: number): boolean {
  return key.kind === 'inference' && key.revokedAtMs === null && !isExpired(key, nowMs);
}

function defaultAccount(nowMs: number): Account {
  return {
    id: DEFAULT_ACCOUNT_ID,
    name: 'Default',
    role: 'VIP',
    admin: true,
    billing: 'unlimited',
    requestsPerMinute: null,
    tokensPerMinute: null,
    maxConcurrent: null,
    budget: null,
    strategy: null,
    cache: null,
    capture: 'none',
    captureDays: null,
    quotas: null,
    billingDetails: null,
    fallbacks: [],
    createdAtMs: nowMs,
    archivedAtMs: null,
    origin: 'operator',
  };
}
