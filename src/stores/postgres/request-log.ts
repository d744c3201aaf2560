import type { Pool } from 'pg';
import type { Clock } from '../../engine/ports/clock.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import type {
  LogPlace,
  RequestLog,
  RequestLogPage,
  RequestLogQuery,
  RequestRecord,
  WrittenLine,
  WrittenPlace,
} from '../../engine/ports/request-log.ts';
import { BatchQueue } from '../shared/batch-queue.ts';
import {
  FIND_WITHIN_MS,
  findStatement,
  LAST_WRITTEN,
  LOG_PAGE_BUDGET_MS,
  type LogDialect,
  readLogPage,
  timeOfRequestId,
  type WrittenRow,
  writtenLines,
} from '../shared/log-pages.ts';
import {
  fromRequestLogRow,
  REQUEST_LOG_COLUMNS,
  type RequestLogRow,
  toRequestLogValues,
} from '../shared/tables/request-log.ts';
import { toUsageValues, USAGE_COLUMNS, usageOfLines } from '../shared/tables/usage.ts';
import { inTransaction, query } from './connection.ts';
import { insertFromJson, rowOf } from './rows.ts';

const READ = `SELECT ${REQUEST_LOG_COLUMNS.join(', ')} FROM request_log ORDER BY at_ms DESC, id DESC LIMIT $1`;

/** Lines, and the sums of usage that they add to, in one statement: both are written or none. */
const INSERT = `
  WITH lines AS (${insertFromJson('request_log', REQUEST_LOG_COLUMNS)})
  INSERT INTO usage_deltas (${USAGE_COLUMNS.join(', ')})
  SELECT ${USAGE_COLUMNS.join(', ')} FROM json_populate_recordset(null::usage_deltas, $2)
`;

/** After a failure it is unknown whether lines were written before the answer was lost. */
const KNOWN = 'SELECT request_id FROM request_log WHERE at_ms = ANY ($1) AND request_id = ANY ($2)';

const DIALECT: LogDialect = {
  mark: '$',
  columns: REQUEST_LOG_COLUMNS.join(', '),
  hasText: (column, parameter) => `jsonb_exists(${column}::jsonb, ${parameter})`,
};
const FIND = findStatement(DIALECT);

const WRITTEN = `SELECT ${REQUEST_LOG_COLUMNS.join(', ')}, id AS line_id FROM request_log WHERE id > $1 ORDER BY id LIMIT $2`;
const LATE = `SELECT ${REQUEST_LOG_COLUMNS.join(', ')}, id AS line_id FROM request_log WHERE id = ANY ($1) ORDER BY id`;

/** Each node takes rows that no other node is deleting. */
export interface PostgresRequestLogOptions {
  readonly pool: Pool;
  /** For what people look for, which may take longer than all that requests wait for. */
  readonly reading: Pool;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How many lines may wait to be written. */
  readonly capacity: number;
}

/** Lines wait in memory and are written by one statement for many. */
export class PostgresRequestLog implements RequestLog {
  readonly #pool: Pool;
  readonly #reading: Pool;
  readonly #queue: BatchQueue<RequestRecord>;

  constructor({ pool, reading, clock, logger, capacity }: PostgresRequestLogOptions) {
    this.#pool = pool;
    this.#reading = reading;
    this.#queue = new BatchQueue({
      write: async (batch, isRetry) => {
        const lines = isRetry ? await this.#notWritten(batch) : batch;
        await query(pool, INSERT, [linesJson(lines), usageJson(lines)]);
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

  async page(of: RequestLogQuery, after: LogPlace | null, limit: number): Promise<RequestLogPage> {
    await this.flush().catch(() => {});
    const task = { query: of, after, limit, budgetMs: LOG_PAGE_BUDGET_MS };
    const { rows, next } = await inTransaction(
      this.#reading,
      (session) => readLogPage(task, DIALECT, async (sql, values) => (await session.query(sql, values)).rows),
      'REPEATABLE READ',
    );
    return { records: rows.map(fromRequestLogRow), next };
  }

  async written({ topId, missing }: WrittenPlace, limit: number): Promise<readonly WrittenLine[]> {
    const late = missing.length === 0 ? [] : (await query<WrittenRow>(this.#reading, LATE, [missing])).rows;
    const { rows } = await query<WrittenRow>(this.#reading, WRITTEN, [topId, limit]);
    return writtenLines([...late, ...rows]);
  }

  async lastWritten(limit: number): Promise<readonly number[]> {
    const { rows } = await query<{ readonly id: string }>(this.#reading, `${LAST_WRITTEN}$1`, [limit]);
    return rows.map(({ id }) => Number(id));
  }

  async find(requestId: string): Promise<RequestRecord | null> {
    await this.flush().catch(() => {});
    const atMs = timeOfRequestId(requestId);
    if (atMs === null) return null;
    for (const within of FIND_WITHIN_MS) {
      const { rows } = await query<RequestLogRow>(this.#reading, FIND, [atMs - within, atMs + within, requestId]);
      if (rows[0] !== undefined) return fromRequestLogRow(rows[0]);
    }
    return null;
  }

  async #notWritten(batch: readonly RequestRecord[]): Promise<readonly RequestRecord[]> {
    const times = batch.map(({ atMs }) => atMs);
    const ids = batch.map(({ requestId }) => requestId);
    const { rows } = await query<{ readonly request_id: string }>(this.#pool, KNOWN, [times, ids]);
    const known = new Set(rows.map(({ request_id }) => request_id));
    return batch.filter(({ requestId }) => !known.has(requestId));
  }

  async close(): Promise<void> {
    await this.#queue.close();
  }
}

function linesJson(records: readonly RequestRecord[]): string {
  return toJson(records.map((record) => rowOf(REQUEST_LOG_COLUMNS, toRequestLogValues(record))));
}

function usageJson(records: readonly RequestRecord[]): string {
  return toJson(usageOfLines(records).map((delta) => rowOf(USAGE_COLUMNS, toUsageValues(delta))));
}

function toJson(rows: readonly object[]): string {
  return JSON.stringify(rows, (_name, value) => {
    if (typeof value === 'bigint') return String(value);
    return typeof value === 'string' ? storable(value) : value;
  });
}

/** What PostgreSQL's text cannot hold would hold up the whole batch; a client may put it into the name of a model. */
function storable(text: string): string {
  return text.isWellFormed() && !text.includes('\0') ? text : text.toWellFormed().replaceAll('\0', '\u{fffd}');
}
