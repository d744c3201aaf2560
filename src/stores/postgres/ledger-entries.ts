import type { EntryKind, LedgerEntry } from '../../engine/ports/ledger.ts';

export const ENTRY_COLUMNS =
  'sequence, idempotency_key, account_id, key_id, kind, amount_nano, request_id, at_ms, note';

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
