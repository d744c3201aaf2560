import type { ObjectOrigin, ObjectOriginStore } from '../../engine/ports/object-origins.ts';
import { ask, type Columns, type SqlRow, type SqlRunner, type Values } from './program.ts';

const COLUMN_TYPES: Columns = {
  account_id: 'text',
  object_id: 'text',
  channel_id: 'text',
  response_id: 'text',
  expires_at_ms: 'double precision',
};
const COLUMNS = Object.keys(COLUMN_TYPES).join(', ');
const KEY = ['account_id', 'object_id'];

/** Stores which channel created the objects that clients refer to by id. */
export class SqlObjectOrigins implements ObjectOriginStore {
  readonly #runner: SqlRunner;

  /** @param runner need not be durable: a power failure may lose the latest origins, but no content */
  constructor(runner: SqlRunner) {
    this.#runner = runner;
  }

  async write(origins: readonly ObjectOrigin[]): Promise<void> {
    const { dialect } = this.#runner;
    // If a batch contains an object twice, the later row wins, as in two separate writes.
    const latest = new Map(
      origins.map((origin) => [JSON.stringify([origin.accountId, origin.objectId]), toRow(origin)]),
    );
    const json = JSON.stringify([...latest.values()]);
    // Sorted, so that nodes that write the same objects do not deadlock.
    await this.#runner.change(
      (sql) => `
        INSERT INTO object_origins (${COLUMNS})
        SELECT ${COLUMNS} FROM ${dialect.rowsOf(sql.put(json), 'came', COLUMN_TYPES)}
        WHERE true ORDER BY account_id, object_id
        ON CONFLICT (account_id, object_id) DO UPDATE SET
          channel_id = excluded.channel_id, response_id = excluded.response_id, expires_at_ms = excluded.expires_at_ms
      `,
    );
  }

  async find(accountId: string, objectIds: readonly string[], nowMs: number): Promise<readonly ObjectOrigin[]> {
    const { dialect } = this.#runner;
    const rows = await this.#runner.read(() =>
      ask(
        dialect,
        (sql) => `
          SELECT ${COLUMNS} FROM object_origins
          WHERE account_id = ${sql.put(accountId)} AND object_id ${dialect.inList(sql.put(JSON.stringify(objectIds)), 'text')}
            AND expires_at_ms > ${sql.put(nowMs)}
        `,
      ),
    );
    return rows.map(fromRow);
  }

  async removeOld(nowMs: number, mostOfAccount: number, limit: number): Promise<number> {
    const expired = await this.#remove(
      (sql) => `WHERE expires_at_ms <= ${sql.put(nowMs)} ORDER BY expires_at_ms LIMIT ${sql.put(limit)}`,
    );
    const [crowded] = await this.#runner.read(() =>
      ask(
        this.#runner.dialect,
        (sql) => `
          SELECT account_id, count(*) AS origins FROM object_origins
          GROUP BY account_id HAVING count(*) > ${sql.put(mostOfAccount)} LIMIT 1
        `,
      ),
    );
    if (crowded === undefined) return expired;
    const most = Math.min(limit, Number(crowded.origins) - mostOfAccount);
    const ofAccount = String(crowded.account_id);
    const excess = await this.#remove(
      (sql) => `WHERE account_id = ${sql.put(ofAccount)} ORDER BY expires_at_ms LIMIT ${sql.put(most)}`,
    );
    return expired + excess;
  }

  #remove(rest: (sql: Values) => string): Promise<number> {
    const { dialect } = this.#runner;
    return this.#runner.change(
      (sql) => `DELETE FROM object_origins WHERE ${dialect.firstOf('object_origins', KEY, rest(sql))}`,
    );
  }
}

function toRow(origin: ObjectOrigin) {
  return {
    account_id: origin.accountId,
    object_id: origin.objectId,
    channel_id: origin.place,
    response_id: origin.responseId,
    expires_at_ms: origin.expiresAtMs,
  };
}

function fromRow(row: SqlRow): ObjectOrigin {
  const text = (value: unknown) => (value === null ? null : String(value));
  return {
    accountId: String(row.account_id),
    objectId: String(row.object_id),
    place: text(row.channel_id),
    responseId: text(row.response_id),
    expiresAtMs: Number(row.expires_at_ms),
  };
}
