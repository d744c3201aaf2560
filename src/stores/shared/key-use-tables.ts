import { CREDENTIAL_KINDS, type CredentialKey, type CredentialKind } from '../../domain/access/api-key.ts';

/** Tokens have a table of their own, since their ids may be those of keys. */
const TABLES: Readonly<Record<CredentialKind, string>> = { inference: 'key_use', management: 'token_use' };

export interface KeyUseTable {
  readonly kind: CredentialKind;
  readonly table: string;
}

export const KEY_USE_TABLES: readonly KeyUseTable[] = CREDENTIAL_KINDS.map((kind) => ({ kind, table: TABLES[kind] }));

/** Those of one kind, as the tables name them. */
export function ofKind<Row extends CredentialKey>(rows: readonly Row[], kind: CredentialKind) {
  return rows.filter((row) => row.kind === kind).map((row) => ({ ...row, keyId: row.id }));
}
