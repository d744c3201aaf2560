import type { Database } from 'bun:sqlite';
import type { ObjectOrigin, ObjectOriginStore } from '../../engine/ports/object-origins.ts';
import {
  fromObjectOriginRow,
  OBJECT_ORIGIN_COLUMNS,
  type ObjectOriginRow,
  toObjectOriginValues,
} from '../shared/tables/object-origins.ts';
import { inTransaction } from './connection.ts';

const UPSERT = `
  INSERT INTO object_origins (${OBJECT_ORIGIN_COLUMNS.join(', ')}) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (account_id, object_id) DO UPDATE SET
    channel_id = excluded.channel_id, response_id = excluded.response_id, expires_at_ms = excluded.expires_at_ms
`;

const FIND = `
  SELECT * FROM object_origins
  WHERE account_id = ?1 AND object_id IN (SELECT value FROM json_each(?2)) AND expires_at_ms > ?3
`;

const DELETE_EXPIRED = `
  DELETE FROM object_origins WHERE (account_id, object_id) IN (
    SELECT account_id, object_id FROM object_origins WHERE expires_at_ms <= ?1 ORDER BY expires_at_ms LIMIT ?2
  )
`;

const CROWDED = 'SELECT account_id FROM object_origins GROUP BY account_id HAVING count(*) > ?1 LIMIT 1';

const DELETE_EXCESS = `
  DELETE FROM object_origins WHERE account_id = ?1 AND object_id IN (
    SELECT object_id FROM object_origins WHERE account_id = ?1 ORDER BY expires_at_ms
    LIMIT min(?3, (SELECT count(*) FROM object_origins WHERE account_id = ?1) - ?2)
  )
`;

export class SqliteObjectOrigins implements ObjectOriginStore {
  readonly #database: Database;

  /** @param database the request log's connection: what a power failure may take is the word about the last objects, and no content */
  constructor(database: Database) {
    this.#database = database;
  }

  async write(origins: readonly ObjectOrigin[]): Promise<void> {
    const upsert = this.#database.query(UPSERT);
    inTransaction(this.#database, 'IMMEDIATE', () => {
      for (const origin of origins) upsert.run(...toObjectOriginValues(origin));
    });
  }

  async find(accountId: string, objectIds: readonly string[], nowMs: number): Promise<readonly ObjectOrigin[]> {
    return this.#database
      .query<ObjectOriginRow, [string, string, number]>(FIND)
      .all(accountId, JSON.stringify(objectIds), nowMs)
      .map(fromObjectOriginRow);
  }

  async removeOld(nowMs: number, mostOfAccount: number, limit: number): Promise<number> {
    const database = this.#database;
    const expired = database.query(DELETE_EXPIRED).run(nowMs, limit).changes;
    const crowded = database.query<{ account_id: string }, [number]>(CROWDED).get(mostOfAccount);
    if (crowded === null) return expired;
    return expired + database.query(DELETE_EXCESS).run(crowded.account_id, mostOfAccount, limit).changes;
  }
}
