import type { Pool } from 'pg';
import type { Clock } from '../../engine/ports/clock.ts';
import {
  type ChainLimits,
  DEFAULT_RESPONSE_QUOTA,
  MAX_REMOVED_FOR_ONE,
  MAX_STORED_RESPONSE_BYTES,
  type PutResponseOutcome,
  type ResponseChain,
  type ResponseQuota,
  type ResponseStore,
  type StoredResponse,
} from '../../engine/ports/response-store.ts';
import { type ContentBox, SEALED_CONTENT_OVERHEAD_BYTES } from '../shared/content-box.ts';
import { contentBytesOf } from '../shared/response-size.ts';
import { fromResponseRow, RESPONSE_COLUMNS, type ResponseRow, toResponseValues } from '../shared/tables/responses.ts';
import { inTransaction, query } from './connection.ts';

const COLUMNS = RESPONSE_COLUMNS.join(', ');

const INSERT = `
  INSERT INTO responses (${COLUMNS}) VALUES (${RESPONSE_COLUMNS.map((_column, index) => `$${index + 1}`).join(', ')})
  ON CONFLICT (account_id, id) DO NOTHING
  RETURNING
    octet_length(sealed_input) + octet_length(sealed_response) AS own_bytes,
    (SELECT responses FROM response_usage WHERE account_id = $1) AS responses,
    (SELECT bytes FROM response_usage WHERE account_id = $1) AS bytes
`;

const USAGE = 'SELECT responses, bytes FROM response_usage WHERE account_id = $1';

/** Locked before the account's rows are read, so that removals for the quota run one after another. */
const LOCKED_USAGE = `${USAGE} FOR UPDATE`;

/** The account's oldest, until what is left is within its quota. Rows that are being deleted already are not waited for. */
const DELETE_OLDEST = `
  DELETE FROM responses WHERE row_id IN (
    SELECT row_id FROM (
      SELECT
        row_id,
        row_number() OVER (ORDER BY row_id) - 1 AS removed,
        sum(bytes) OVER (ORDER BY row_id) - bytes AS removed_bytes
      FROM (
        SELECT row_id, octet_length(sealed_input) + octet_length(sealed_response) AS bytes
        FROM responses WHERE account_id = $1 AND id <> $5 ORDER BY row_id LIMIT $4 FOR UPDATE SKIP LOCKED
      ) AS oldest
    ) AS counted, response_usage AS used
    WHERE used.account_id = $1 AND (used.responses - removed > $2::bigint OR used.bytes - removed_bytes > $3::bigint)
  )
`;

const SELECT = `SELECT ${COLUMNS} FROM responses WHERE account_id = $1 AND id = ANY($2) AND expires_at_ms > $3`;

const DELETE = 'DELETE FROM responses WHERE account_id = $1 AND id = $2 AND expires_at_ms > $3';

/** Each node takes rows that no other node is deleting. */
const DELETE_EXPIRED = `
  DELETE FROM responses WHERE row_id IN (
    SELECT row_id FROM responses WHERE expires_at_ms <= $1 ORDER BY expires_at_ms LIMIT $2 FOR UPDATE SKIP LOCKED
  )
`;

/** From the newest to the oldest; it reads one row beyond the limits, to see whether there are more. */
const CHAIN_WALK = `
  WITH RECURSIVE link (position, id, previous_id, total_bytes) AS (
    SELECT 1, id, previous_id, (octet_length(sealed_input) + octet_length(sealed_response) - $6)::double precision
    FROM responses
    WHERE account_id = $1 AND id = $2 AND expires_at_ms > $3
    UNION ALL
    SELECT
      position + 1, earlier.id, earlier.previous_id,
      total_bytes + octet_length(earlier.sealed_input) + octet_length(earlier.sealed_response) - $6
    FROM link JOIN responses AS earlier
      ON earlier.account_id = $1 AND earlier.id = link.previous_id AND earlier.expires_at_ms > $3
    WHERE position <= $4 AND total_bytes <= $5
  )
  SELECT * FROM link ORDER BY position
`;

interface Link {
  readonly position: number;
  readonly id: string;
  readonly previous_id: string | null;
  /** The sum of this one and all before it. */
  readonly total_bytes: number;
}

/** Counts of 64 bits come as texts; those before the insertion are null where there were none. */
interface Usage {
  readonly own_bytes?: number;
  readonly responses: string | null;
  readonly bytes: string | null;
}

export interface PostgresResponsesOptions {
  /** Its own pool: a response may have megabytes, and nothing that is urgent waits behind it. */
  readonly pool: Pool;
  readonly box: ContentBox;
  readonly clock: Clock;
}

/** Stored responses, encrypted: unlike the rest of the database they are what clients say. */
export class PostgresResponses implements ResponseStore {
  readonly #pool: Pool;
  readonly #box: ContentBox;
  readonly #clock: Clock;

  constructor({ pool, box, clock }: PostgresResponsesOptions) {
    this.#pool = pool;
    this.#box = box;
    this.#clock = clock;
  }

  async put(response: StoredResponse, quota = DEFAULT_RESPONSE_QUOTA): Promise<PutResponseOutcome> {
    if (contentBytesOf(response) > MAX_STORED_RESPONSE_BYTES) return 'too-large';
    const { accountId, id } = response;
    const { rowCount, rows } = await query<Usage>(this.#pool, INSERT, toResponseValues(response, this.#box));
    if (rowCount !== 1) return 'id-taken';
    if (await this.#hasRoomFor(response, rows[0], quota)) return 'stored';
    await query(this.#pool, 'DELETE FROM responses WHERE account_id = $1 AND id = $2', [accountId, id]);
    return 'no-room';
  }

  /** Whether the account keeps no more than it may, after the removal of its oldest where it did. */
  async #hasRoomFor(
    { accountId, id }: StoredResponse,
    before: Usage | undefined,
    quota: ResponseQuota,
  ): Promise<boolean> {
    const own = Number(before?.own_bytes ?? 0);
    if (isWithin({ responses: Number(before?.responses ?? 0) + 1, bytes: Number(before?.bytes ?? 0) + own }, quota)) {
      return true;
    }
    const values = [accountId, quota.maxResponses, quota.maxBytes, MAX_REMOVED_FOR_ONE, id];
    return inTransaction(this.#pool, async (session) => {
      const isInQuota = async (sql: string) => {
        const [now] = (await session.query<Usage>(sql, [accountId])).rows;
        return now === undefined || isWithin({ responses: Number(now.responses), bytes: Number(now.bytes) }, quota);
      };
      if (await isInQuota(LOCKED_USAGE)) return true;
      await session.query(DELETE_OLDEST, values);
      return isInQuota(USAGE);
    });
  }

  async get(accountId: string, id: string): Promise<StoredResponse | null> {
    return (await this.#read(accountId, [id], this.#clock.nowMs())).get(id) ?? null;
  }

  async chain(accountId: string, id: string, limits: ChainLimits): Promise<ResponseChain> {
    const nowMs = this.#clock.nowMs();
    const links = await this.#walk(accountId, id, limits, nowMs);
    const oldest = links.at(-1);
    if (oldest === undefined) return { kind: 'missing', id };
    if (oldest.position > limits.maxResponses || oldest.total_bytes > limits.maxBytes) return { kind: 'too-long' };
    if (oldest.previous_id !== null) return { kind: 'missing', id: oldest.previous_id };
    const ids = links.reverse().map((link) => link.id);
    const found = await this.#read(accountId, ids, nowMs);
    const responses: StoredResponse[] = [];
    for (const linkId of ids) {
      const response = found.get(linkId);
      // Deleted since the walk.
      if (response === undefined) return { kind: 'missing', id: linkId };
      responses.push(response);
    }
    return { kind: 'found', responses };
  }

  async delete(accountId: string, id: string): Promise<boolean> {
    if (!isStorable(id)) return false;
    const { rowCount } = await query(this.#pool, DELETE, [accountId, id, this.#clock.nowMs()]);
    return rowCount === 1;
  }

  async removeExpired(nowMs: number, limit: number): Promise<number> {
    const { rowCount } = await query(this.#pool, DELETE_EXPIRED, [nowMs, Math.max(0, Math.floor(limit))]);
    return rowCount ?? 0;
  }

  async #read(accountId: string, ids: readonly string[], nowMs: number): Promise<Map<string, StoredResponse>> {
    const { rows } = await query<ResponseRow>(this.#pool, SELECT, [accountId, ids.filter(isStorable), nowMs]);
    return new Map(rows.map((row) => [row.id, fromResponseRow(row, this.#box)]));
  }

  async #walk(accountId: string, id: string, limits: ChainLimits, nowMs: number): Promise<Link[]> {
    if (!isStorable(id)) return [];
    const overhead = 2 * SEALED_CONTENT_OVERHEAD_BYTES;
    const values = [accountId, id, nowMs, limits.maxResponses, limits.maxBytes, overhead];
    return (await query<Link>(this.#pool, CHAIN_WALK, values)).rows;
  }
}

/** PostgreSQL's text knows no NUL, so an id with one is never there; asking for it would be an error. */
function isStorable(id: string): boolean {
  return !id.includes('\0');
}

function isWithin(used: { readonly responses: number; readonly bytes: number }, quota: ResponseQuota): boolean {
  return used.responses <= quota.maxResponses && used.bytes <= quota.maxBytes;
}
