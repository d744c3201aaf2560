import type { Database } from 'bun:sqlite';
import type { KeyPlace, KeyUse, KeyUseStore } from '../../engine/ports/key-use-store.ts';
import { inTransaction, isDamage } from './connection.ts';
import { joinedPlaces, jsonPlaces } from './key-places.ts';

interface KeyUseRow {
  readonly account_id: string;
  readonly key_id: string;
  readonly last_used_at_ms: number;
}

const READ_SOME = `SELECT key_use.* FROM ${joinedPlaces('key_use')} ORDER BY account_id, key_id`;

const UPSERT = `
  INSERT INTO key_use (account_id, key_id, last_used_at_ms) VALUES (?, ?, ?)
  ON CONFLICT (account_id, key_id) DO UPDATE SET last_used_at_ms = max(last_used_at_ms, excluded.last_used_at_ms)
`;

export interface SqliteKeyUseOptions {
  /** The request log's connection: what is lost in a crash is a second of news about keys. */
  readonly database: Database;
  readonly onDamage: (error: unknown) => void;
}

export class SqliteKeyUse implements KeyUseStore {
  readonly #options: SqliteKeyUseOptions;

  constructor(options: SqliteKeyUseOptions) {
    this.#options = options;
  }

  async read(only?: readonly KeyPlace[]): Promise<readonly KeyUse[]> {
    const { database } = this.#options;
    const rows =
      only === undefined
        ? database.query<KeyUseRow, []>('SELECT * FROM key_use ORDER BY account_id, key_id').all()
        : database.query<KeyUseRow, [string]>(READ_SOME).all(jsonPlaces(only));
    return rows.map((row) => ({ accountId: row.account_id, keyId: row.key_id, lastUsedAtMs: row.last_used_at_ms }));
  }

  async write(uses: readonly KeyUse[]): Promise<void> {
    const { database, onDamage } = this.#options;
    if (uses.length === 0) return;
    try {
      const upsert = database.query(UPSERT);
      inTransaction(database, 'IMMEDIATE', () => {
        for (const { accountId, keyId, lastUsedAtMs } of uses) upsert.run(accountId, keyId, lastUsedAtMs);
      });
    } catch (error) {
      if (isDamage(error)) onDamage(error);
      throw error;
    }
  }
}
