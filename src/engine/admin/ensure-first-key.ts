import type { Account } from '../../domain/access/account.ts';
import { isExpired } from '../../domain/access/expiry.ts';
import type { Clock } from '../ports/clock.ts';
import type { DirectoryRows, DirectoryStore } from '../ports/directory-store.ts';
import { type CreatedKey, newCredential } from './create-key.ts';

export const DEFAULT_ACCOUNT_ID = 'default';

/**
 * Makes a key of the account `default` when there is no usable `sk-` key at all, so that a first start can be used at
 * once. Returns its secret, which exists nowhere else, or `null` when there was a key already.
 */
export async function ensureFirstKey(store: DirectoryStore, clock: Clock): Promise<CreatedKey | null> {
  const nowMs = clock.nowMs();
  if (hasUsableKey(await store.read(), nowMs)) return null;
  return store.write((writer) => {
    const rows = writer.read();
    // Asked again inside the transaction: of two processes that start together only one makes a key.
    if (hasUsableKey(rows, nowMs)) return null;
    if (!rows.accounts.some((account) => account.id === DEFAULT_ACCOUNT_ID)) writer.putAccount(defaultAccount(nowMs));
    const created = newCredential(rows, nowMs, {
      accountId: DEFAULT_ACCOUNT_ID,
      kind: 'inference',
      name: 'First key',
      limitNanoUsd: null,
      models: null,
      requestsPerMinute: null,
      expiresAtMs: null,
    });
    writer.putCredential(created.credential);
    return created;
  });
}

function hasUsableKey(rows: DirectoryRows, nowMs: number): boolean {
  return rows.credentials.some((key) => key.kind === 'inference' && key.revokedAtMs === null && !isExpired(key, nowMs));
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
    strategy: null,
    createdAtMs: nowMs,
    origin: 'operator',
  };
}
