import type { Pool } from 'pg';
import type { CredentialKey } from '../../domain/access/api-key.ts';
import type { KeyUse, KeyUseStore } from '../../engine/ports/key-use-store.ts';
import { KEY_USE_TABLES, ofKind } from '../shared/key-use-tables.ts';
import { query } from './connection.ts';
import { among } from './key-places.ts';

interface KeyUseRow {
  readonly account_id: string;
  readonly key_id: string;
  readonly last_used_at_ms: number;
}

/** Sorted, so that nodes that write the same keys at once do not wait for each other in a circle. */
const upsertInto = (table: string) => `
  INSERT INTO ${table} (account_id, key_id, last_used_at_ms)
  SELECT account_id, key_id, max(last_used_at_ms)
  FROM json_populate_recordset(null::${table}, $1)
  GROUP BY account_id, key_id
  ORDER BY account_id, key_id
  ON CONFLICT (account_id, key_id) DO UPDATE SET last_used_at_ms = excluded.last_used_at_ms
  WHERE excluded.last_used_at_ms > ${table}.last_used_at_ms
`;

export class PostgresKeyUse implements KeyUseStore {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async read(only?: readonly CredentialKey[]): Promise<readonly KeyUse[]> {
    const found: KeyUse[] = [];
    for (const { kind, table } of KEY_USE_TABLES) {
      const wanted = only && ofKind(only, kind);
      if (wanted?.length === 0) continue;
      const { condition, values } = among(wanted);
      const read = `SELECT * FROM ${table} WHERE ${condition} ORDER BY account_id, key_id`;
      const { rows } = await query<KeyUseRow>(this.#pool, read, values);
      for (const row of rows) {
        found.push({ accountId: row.account_id, kind, id: row.key_id, lastUsedAtMs: row.last_used_at_ms });
      }
    }
    return found;
  }

  async write(uses: readonly KeyUse[]): Promise<void> {
    for (const { kind, table } of KEY_USE_TABLES) {
      const rows = ofKind(uses, kind).map(({ accountId, keyId, lastUsedAtMs }) => ({
        account_id: accountId,
        key_id: keyId,
        last_used_at_ms: lastUsedAtMs,
      }));
      if (rows.length > 0) await query(this.#pool, upsertInto(table), [JSON.stringify(rows)]);
    }
  }
}
