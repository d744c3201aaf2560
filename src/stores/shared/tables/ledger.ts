import type { Balance, EntryKind, KeySpending, LedgerEntry } from '../../../engine/ports/ledger.ts';

export const ENTRY_COLUMNS =
  'sequence, idempotency_key, account_id, key_id, kind, amount_nano, request_id, at_ms, note';

/** Of either database; integers come back as `bigint`, all of them. */
export interface EntryRow {
  readonly sequence: bigint;
  readonly idempotency_key: string;
  readonly account_id: string;
  readonly key_id: string | null;
  /** The table's check holds what it may be. */
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
