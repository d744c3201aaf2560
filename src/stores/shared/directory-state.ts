import type { CredentialKind } from '../../domain/access/api-key.ts';
import type { CredentialCount, DirectoryState, ServingChanges } from '../../engine/ports/directory-store.ts';

/** The keys that can send requests, whose order by account is an index's. */
const USABLE = "FROM credentials WHERE kind = 'inference' AND revoked_at_ms IS NULL";

export const STATE = `
  SELECT version, access_version,
    (SELECT min(account_id) ${USABLE}) AS first_account,
    (SELECT max(account_id) ${USABLE}) AS last_account
  FROM directory_version
`;

/** A key that can be used at this time; the databases differ in how they mark the parameter. */
export function usableKeyAt(mark: string): string {
  return `
    SELECT 1 ${USABLE} AND coalesce(expires_at_ms > ${mark}, true)
      AND NOT EXISTS (SELECT 1 FROM accounts WHERE id = credentials.account_id AND archived_at_ms IS NOT NULL)
    LIMIT 1
  `;
}

/** What `STATE` gives: one row. */
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

/** What is of no account (models, lists, PLATFORM channels) has changed together. */
const SHARED = '';

/** Whose part has changed; the databases differ in how they mark parameters. */
export function servingChanges(versionMark: string, limitMark: string): string {
  return `SELECT owner FROM serving_changes WHERE version > ${versionMark} LIMIT ${limitMark}`;
}

export interface ServingChangeRow {
  readonly owner: string;
}

/** @param rows one more than `most` where there are more */
export function servingChangesOf(rows: readonly ServingChangeRow[], most: number): ServingChanges | null {
  if (rows.length > most) return null;
  const owners = rows.map(({ owner }) => owner);
  return { shared: owners.includes(SHARED), accounts: owners.filter((owner) => owner !== SHARED) };
}

/** The number of credentials by account and kind; the databases differ in how they write a list. */
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
