import type { Pool } from 'pg';
import type { ObjectOrigin, ObjectOriginStore } from '../../engine/ports/object-origins.ts';
import {
  fromObjectOriginRow,
  latestOrigins,
  OBJECT_ORIGIN_COLUMNS,
  type ObjectOriginRow,
  toObjectOriginValues,
} from '../shared/tables/object-origins.ts';
import { query } from './connection.ts';
import { rowOf } from './rows.ts';

const COLUMNS = OBJECT_ORIGIN_COLUMNS.join(', ');

/** Sorted, so that nodes that write the same objects at once do not wait for each other in a circle. */
const UPSERT = `
  INSERT INTO object_origins (${COLUMNS})
  SELECT ${COLUMNS} FROM json_populate_recordset(null::object_origins, $1) ORDER BY account_id, object_id
  ON CONFLICT (account_id, object_id) DO UPDATE SET
    channel_id = excluded.channel_id, response_id = excluded.response_id, expires_at_ms = excluded.expires_at_ms
`;

const FIND = `SELECT ${COLUMNS} FROM object_origins WHERE account_id = $1 AND object_id = ANY($2) AND expires_at_ms > $3`;

/** Each node takes rows that no other node is deleting. */
const DELETE_EXPIRED = `
  DELETE FROM object_origins WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM object_origins WHERE expires_at_ms <= $1 ORDER BY expires_at_ms LIMIT $2 FOR UPDATE SKIP LOCKED
  ))
`;

const CROWDED = `
  SELECT account_id, count(*)::double precision - $1 AS excess
  FROM object_origins GROUP BY account_id HAVING count(*) > $1 LIMIT 1
`;

const DELETE_EXCESS = `
  DELETE FROM object_origins WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM object_origins WHERE account_id = $1 ORDER BY expires_at_ms LIMIT $2 FOR UPDATE SKIP LOCKED
  ))
`;

interface Crowded {
  readonly account_id: string;
  readonly excess: number;
}

export class PostgresObjectOrigins implements ObjectOriginStore {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async write(origins: readonly ObjectOrigin[]): Promise<void> {
    const rows = latestOrigins(origins).map((origin) => rowOf(OBJECT_ORIGIN_COLUMNS, toObjectOriginValues(origin)));
    await query(this.#pool, UPSERT, [JSON.stringify(rows)]);
  }

  async find(accountId: string, objectIds: readonly string[], nowMs: number): Promise<readonly ObjectOrigin[]> {
    const { rows } = await query<ObjectOriginRow>(this.#pool, FIND, [accountId, objectIds, nowMs]);
    return rows.map(fromObjectOriginRow);
  }

  async removeOld(nowMs: number, mostOfAccount: number, limit: number): Promise<number> {
    const expired = (await query(this.#pool, DELETE_EXPIRED, [nowMs, limit])).rowCount ?? 0;
    const [crowded] = (await query<Crowded>(this.#pool, CROWDED, [mostOfAccount])).rows;
    if (crowded === undefined) return expired;
    const most = Math.min(limit, crowded.excess);
    return expired + ((await query(this.#pool, DELETE_EXCESS, [crowded.account_id, most])).rowCount ?? 0);
  }
}
