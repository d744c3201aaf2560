import type { CredentialKind } from '../../domain/access/api-key.ts';
import type { CredentialCount, DirectoryState, ServingChanges } from '../../engine/ports/directory-store.ts';

/** Keys that can send requests. An index sorts them by account. */
const USABLE = "FROM credentials WHERE kind = 'inference' AND revoked_at_ms IS NULL";

export const STATE = `
  SELECT version, access_version,
    (SELECT min(account_id) ${USABLE}) AS first_account,
    (SELECT max(account_id) ${USABLE}) AS last_account
  FROM directory_version
`;

/** Returns a query for any usable key at a given time. The databases differ in parameter syntax. */
export function usableKeyAt(mark: string): string {
  return `
    SELECT 1 ${USABLE} AND coalesce(expires_at_ms > ${mark}, true)
      AND NOT EXISTS (SELECT 1 FROM accounts WHERE id = credentials.account_id AND archived_at_ms IS NOT NULL)
    LIMIT 1
  `;
}

/** The single row that `STATE` returns. */
export interface StateRow {
  readonly version: number | bigint;
  readonly access_version: number | bigint;
  readonly first_account: string | null;
  readonly last_account: string | null;
}

export function stateOf(row: StateRow | null | undefined): DirectoryState {
  return {
    servingVersion: Number(row?.version ?? 0),
    accessVersion: Number(row?.access_version ?? 0),
    hasSeveralAccounts: (row?.first_account ?? null) !== (row?.last_account ?? null),
  };
}

/** The owner of everything without an account (models, price lists, PLATFORM channels), which has one common version. */
const SHARED = '';

/** Returns a query for the owners of changed rows. The databases differ in parameter syntax. */
export function servingChanges(versionMark: string, limitMark: string): string {
  return `SELECT owner FROM serving_changes WHERE version > ${versionMark} LIMIT ${limitMark}`;
}

export interface ServingChangeRow {
  readonly owner: string;
}

/** @param rows has one more than `most` if there are more */
export function servingChangesOf(rows: readonly ServingChangeRow[], most: number): ServingChanges | null {
  if (rows.length > most) return null;
  const owners = rows.map(({ owner }) => owner);
  return { shared: owners.includes(SHARED), accounts: owners.filter((owner) => owner !== SHARED) };
}

/** Returns a query for the number of credentials by account and kind. The databases differ in list syntax. */
export function credentialCounts(isOneOf: string): string {
  return `
    SELECT account_id, kind, count(*) AS "all", count(*) FILTER (WHERE revoked_at_ms IS NULL) AS in_force
    FROM credentials WHERE account_id ${isOneOf} GROUP BY account_id, kind
  `;
}

export interface CredentialCountRow {
  readonly account_id: string;
  readonly kind: CredentialKind;
  readonly all: number | bigint | string;
  readonly in_force: number | bigint | string;
}

export function credentialCountOf(row: CredentialCountRow): CredentialCount {
  return { accountId: row.account_id, kind: row.kind, inForce: Number(row.in_force), all: Number(row.all) };
}
