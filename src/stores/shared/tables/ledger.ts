import type { Balance, EntryKind, KeySpending, LedgerEntry, PoolLease } from '../../../engine/ports/ledger.ts';

export const ENTRY_COLUMNS =
  'sequence, idempotency_key, account_id, key_id, kind, amount_nano, request_id, at_ms, note';

/** A row of either database. All integers are returned as `bigint`. */
export interface EntryRow {
  readonly sequence: bigint;
  readonly idempotency_key: string;
  readonly account_id: string;
  readonly key_id: string | null;
  /** Restricted by a check constraint of the table. */
  readonly kind: EntryKind;
  readonly amount_nano: bigint;
  readonly request_id: string | null;
  readonly at_ms: bigint;
  readonly note: string | null;
}

export interface BalanceRow {
  readonly account_id: string;
  readonly balance_nano: bigint;
  readonly leased_nano: bigint;
}

export interface SpendingRow {
  readonly account_id: string;
  readonly key_id: string;
  readonly spent_nano: bigint;
  readonly leased_nano: bigint;
}

/** The amount that a gateway has leased from a spending pool. */
export interface LeaseRow {
  readonly account_id: string;
  /** Empty for the account's own spending pool. */
  readonly key_id: string;
  /** Both NULL for the balance and a key's limit. */
  readonly starts_at_ms: bigint | null;
  readonly ends_at_ms: bigint | null;
  readonly leased_nano: bigint;
}

export function fromLeaseRow(row: LeaseRow): PoolLease {
  const { account_id: accountId, key_id, starts_at_ms, ends_at_ms, leased_nano: leasedNanoUsd } = row;
  const pool = { accountId, keyId: key_id || null };
  if (starts_at_ms === null || ends_at_ms === null) return { pool, leasedNanoUsd };
  const window = { startsAtMs: Number(starts_at_ms), endsAtMs: Number(ends_at_ms) };
  return { pool: { ...pool, window }, leasedNanoUsd };
}

export function fromEntryRow(row: EntryRow): LedgerEntry {
  return {
    sequence: Number(row.sequence),
    idempotencyKey: row.idempotency_key,
    accountId: row.account_id,
    keyId: row.key_id,
    kind: row.kind,
    amountNanoUsd: row.amount_nano,
    requestId: row.request_id,
    atMs: Number(row.at_ms),
    note: row.note,
  };
}

export function fromBalanceRow(row: BalanceRow): Balance {
  return { accountId: row.account_id, balanceNanoUsd: row.balance_nano, leasedNanoUsd: row.leased_nano };
}

export function fromSpendingRow(row: SpendingRow): KeySpending {
  return {
    accountId: row.account_id,
    keyId: row.key_id,
    spentNanoUsd: row.spent_nano,
    leasedNanoUsd: row.leased_nano,
  };
}
