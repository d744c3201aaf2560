import type { Database } from 'bun:sqlite';
import type { CredentialKey } from '../../domain/access/api-key.ts';
import type { KeyUse, KeyUseStore } from '../../engine/ports/key-use-store.ts';
import { KEY_USE_TABLES, type KeyUseTable, ofKind } from '../shared/key-use-tables.ts';
import { inTransaction } from './connection.ts';
import { joinedPlaces, jsonPlaces } from './key-places.ts';

interface KeyUseRow {
  readonly account_id: string;
  readonly key_id: string;
  readonly last_used_at_ms: number;
}

const upsertInto = (table: string) => `
  INSERT INTO ${table} (account_id, key_id, last_used_at_ms) VALUES (?, ?, ?)
  ON CONFLICT (account_id, key_id) DO UPDATE SET last_used_at_ms = max(last_used_at_ms, excluded.last_used_at_ms)
`;

export class SqliteKeyUse implements KeyUseStore {
  readonly #database: Database;

  /** @param database the request log's connection: what is lost in a crash is a second of news about keys */
  constructor(database: Database) {
    this.#database = database;
  }

  async read(only?: readonly CredentialKey[]): Promise<readonly KeyUse[]> {
    return KEY_USE_TABLES.flatMap((from) => this.#read(from, only));
  }

  async write(uses: readonly KeyUse[]): Promise<void> {
    if (uses.length === 0) return;
    inTransaction(this.#database, 'IMMEDIATE', () => {
      for (const { kind, table } of KEY_USE_TABLES) {
        const upsert = this.#database.query(upsertInto(table));
        for (const { accountId, keyId, lastUsedAtMs } of ofKind(uses, kind)) {
          upsert.run(accountId, keyId, lastUsedAtMs);
        }
      }
    });
  }

  #read({ kind, table }: KeyUseTable, only: readonly CredentialKey[] | undefined): readonly KeyUse[] {
    const database = this.#database;
    const rows =
      only === undefined
        ? database.query<KeyUseRow, []>(`SELECT * FROM ${table} ORDER BY account_id, key_id`).all()
        : database
            .query<KeyUseRow, [string]>(`SELECT ${table}.* FROM ${joinedPlaces(table)} ORDER BY account_id, key_id`)
            .all(jsonPlaces(ofKind(only, kind)));
    return rows.map((row) => ({ accountId: row.account_id, kind, id: row.key_id, lastUsedAtMs: row.last_used_at_ms }));
  }
}
