import type { DirectoryState } from '../../engine/ports/directory-store.ts';

/** The keys that can send requests, whose order by account is an index's. */
export const USABLE = "FROM credentials WHERE kind = 'inference' AND revoked_at_ms IS NULL";

export const STATE = `
  SELECT version, access_version,
    (SELECT min(account_id) ${USABLE}) AS first_account,
    (SELECT max(account_id) ${USABLE}) AS last_account
  FROM directory_version
`;

/** What `STATE` gives: one row. */
export interface StateRow {
  readonly version: number | bigint;
  readonly access_version: number | bigint;
  readonly first_account: string | null;
  readonly last_account: string | null;
}

export function stateOf(row: StateRow | null | undefined): DirectoryState {
  return {
    catalogueVersion: Number(row?.version ?? 0),
    accessVersion: Number(row?.access_version ?? 0),
    hasSeveralAccounts: (row?.first_account ?? null) !== (row?.last_account ?? null),
  };
}
