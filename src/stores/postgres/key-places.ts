import type { KeyPlace } from '../../engine/ports/key-use-store.ts';

/** Returns the condition that selects these keys, or all, in a table keyed by account and key. Its values come first in the statement. */
export function among(only: readonly KeyPlace[] | undefined): {
  readonly condition: string;
  readonly values: readonly (readonly string[])[];
} {
  if (only === undefined) return { condition: 'true', values: [] };
  return {
    condition: '(account_id, key_id) IN (SELECT * FROM unnest($1::text[], $2::text[]))',
    values: [only.map(({ accountId }) => accountId), only.map(({ keyId }) => keyId)],
  };
}
