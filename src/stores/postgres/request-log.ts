import type { Pool } from 'pg';
import type { Clock } from '../../engine/ports/clock.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import type { RequestLog, RequestRecord } from '../../engine/ports/request-log.ts';
import { BatchQueue } from '../shared/batch-queue.ts';
import {
  fromRequestLogRow,
  REQUEST_LOG_COLUMNS,
  type RequestLogRow,
  toRequestLogValues,
} from '../shared/tables/request-log.ts';
import { query } from './connection.ts';
import { insertFromJson, rowOf } from './rows.ts';

const READ = `SELECT ${REQUEST_LOG_COLUMNS.join(', ')} FROM request_log ORDER BY at_ms DESC, id DESC LIMIT $1`;

const INSERT = `${insertFromJson('request_log', REQUEST_LOG_COLUMNS)} AS came`;

/** After a failure it is unknown whether the lines were written before the answer was lost. */
const INSERT_AGAIN = `
  ${INSERT} WHERE NOT EXISTS (
    SELECT 1 FROM request_log AS had WHERE had.at_ms = came.at_ms AND had.request_id = came.request_id
  )
`;

/** Each node takes rows that no other node is deleting. */
const DELETE_OLD = `
  DELETE FROM request_log WHERE id IN (
    SELECT id FROM request_log WHERE at_ms < $1 ORDER BY at_ms LIMIT $2 FOR UPDATE SKIP LOCKED
  )
`;

export interface PostgresRequestLogOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How many lines may wait to be written. */
  readonly capacity: number;
}

/** Lines wait in memory and are written by one statement for many. */
export class PostgresRequestLog implements RequestLog {
  readonly #pool: Pool;
  readonly #queue: BatchQueue<RequestRecord>;

  constructor({ pool, clock, logger, capacity }: PostgresRequestLogOptions) {
    this.#pool = pool;
    this.#queue = new BatchQueue({
      write: async (batch, isRetry) => {
        await query(pool, isRetry ? INSERT_AGAIN : INSERT, [toJson(batch)]);
      },
      what: 'request log lines',
      clock,
      logger,
      capacity,
    });
  }

  append(record: RequestRecord): void {
    this.#queue.append(record);
  }

  async flush(): Promise<void> {
    await this.#queue.flush();
  }

  async recent(limit: number): Promise<readonly RequestRecord[]> {
    // A failure to write is reported by the queue; the lines that are written can be read all the same.
    await this.flush().catch(() => {});
    const { rows } = await query<RequestLogRow>(this.#pool, READ, [Math.max(0, Math.floor(limit))]);
    return rows.map(fromRequestLogRow);
  }

  /** Gives how many were deleted, at most `limit`. */
  async deleteBefore(atMs: number, limit: number): Promise<number> {
    const { rowCount } = await query(this.#pool, DELETE_OLD, [atMs, limit]);
    return rowCount ?? 0;
  }

  async close(): Promise<void> {
    await this.#queue.close();
  }
}

function toJson(records: readonly RequestRecord[]): string {
  const rows = records.map((record) => rowOf(REQUEST_LOG_COLUMNS, toRequestLogValues(record)));
  return JSON.stringify(rows, (_name, value) => (typeof value === 'string' ? storable(value) : value));
}

/** What PostgreSQL's text cannot hold would hold up the whole batch; a client may put it into the name of a model. */
function storable(text: string): string {
  return text.isWellFormed() && !text.includes('\0') ? text : text.toWellFormed().replaceAll('\0', '\u{fffd}');
}
