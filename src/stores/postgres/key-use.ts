import type { Pool } from 'pg';
import type { KeyPlace, KeyUse, KeyUseStore } from '../../engine/ports/key-use-store.ts';
import { query } from './connection.ts';
import { among } from './key-places.ts';

const READ = `
  SELECT account_id AS "accountId", key_id AS "keyId", last_used_at_ms AS "lastUsedAtMs"
  FROM key_use
`;
const ORDER = 'ORDER BY account_id, key_id';

/** Sorted, so that nodes that write the same keys at once do not wait for each other in a circle. */
const UPSERT = `
  INSERT INTO key_use (account_id, key_id, last_used_at_ms)
  SELECT account_id, key_id, max(last_used_at_ms)
  FROM json_populate_recordset(null::key_use, $1)
  GROUP BY account_id, key_id
  ORDER BY account_id, key_id
  ON CONFLICT (account_id, key_id) DO UPDATE SET last_used_at_ms = excluded.last_used_at_ms
  WHERE excluded.last_used_at_ms > key_use.last_used_at_ms
`;

export class PostgresKeyUse implements KeyUseStore {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async read(only?: readonly KeyPlace[]): Promise<readonly KeyUse[]> {
    const { condition, values } = among(only);
    return (await query<KeyUse>(this.#pool, `${READ} WHERE ${condition} ${ORDER}`, values)).rows;
  }

  async write(uses: readonly KeyUse[]): Promise<void> {
    if (uses.length === 0) return;
    const rows = uses.map((use) => ({
      account_id: use.accountId,
      key_id: use.keyId,
      last_used_at_ms: use.lastUsedAtMs,
    }));
    await query(this.#pool, UPSERT, [JSON.stringify(rows)]);
  }
}
