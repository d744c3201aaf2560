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
import type { UsageDelta } from '../../engine/ports/usage-store.ts';
import { BatchQueue } from '../shared/batch-queue.ts';
import { isLate, placesOf, takenBack } from '../shared/late-lines.ts';
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
import { type RecoveryDialect, type RecoveryTask, recoverLines } from '../shared/recover-lines.ts';
import {
  fromRequestLogRow,
  REQUEST_LOG_COLUMNS,
  type RequestLogRow,
  toRequestLogValues,
} from '../shared/tables/request-log.ts';
import { toUsageValues, USAGE_COLUMNS, usageOfLines } from '../shared/tables/usage.ts';
import { lock, POSTGRES, runWaiting, type SqlRow, type Statement } from '../sql/program.ts';
import { inTransaction, query } from './connection.ts';
import { insertFromJson, rowOf } from './rows.ts';

const READ = `SELECT ${REQUEST_LOG_COLUMNS.join(', ')} FROM request_log ORDER BY at_ms DESC, id DESC LIMIT $1`;

/** Inserts lines and their usage deltas in one statement, atomically. */
const INSERT = `
  WITH lines AS (${insertFromJson('request_log', REQUEST_LOG_COLUMNS)})
  INSERT INTO usage_deltas (${USAGE_COLUMNS.join(', ')})
  SELECT ${USAGE_COLUMNS.join(', ')} FROM json_populate_recordset(null::usage_deltas, $2)
`;

const KNOWN = `SELECT ${REQUEST_LOG_COLUMNS.join(', ')} FROM request_log WHERE at_ms = ANY ($1) AND request_id = ANY ($2)`;
const REMOVE = 'DELETE FROM request_log WHERE at_ms = ANY ($1) AND request_id = ANY ($2)';

const RECOVERY: RecoveryDialect = {
  mark: '$',
  texts: (list) => `SELECT json_array_elements_text(CAST(${list} AS json))`,
};
/** Held while writing lines that another node may be writing at the same time. */
const LOCK = 'recovered lines';

const DIALECT: LogDialect = {
  mark: '$',
  columns: REQUEST_LOG_COLUMNS.join(', '),
  hasText: (column, parameter) => `jsonb_exists(${column}::jsonb, ${parameter})`,
};
const FIND = findStatement(DIALECT);

const WRITTEN = `SELECT ${REQUEST_LOG_COLUMNS.join(', ')}, id AS line_id FROM request_log WHERE id > $1 ORDER BY id LIMIT $2`;
const LATE = `SELECT ${REQUEST_LOG_COLUMNS.join(', ')}, id AS line_id FROM request_log WHERE id = ANY ($1) ORDER BY id`;

export interface PostgresRequestLogOptions {
  readonly pool: Pool;
  /** A pool for searches by people, which may take longer than statements that requests wait for. */
  readonly reading: Pool;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The most lines in the queue. */
  readonly capacity: number;
}

/** Writes lines from a write-behind queue, many per statement. */
export class PostgresRequestLog implements RequestLog {
  readonly #pool: Pool;
  readonly #reading: Pool;
  readonly #queue: BatchQueue<RequestRecord>;

  constructor({ pool, reading, clock, logger, capacity }: PostgresRequestLogOptions) {
    this.#pool = pool;
    this.#reading = reading;
    this.#queue = new BatchQueue({
      write: async (batch, isRetry) => {
        if (isRetry || batch.some((line) => isLate(line, clock.nowMs()))) await this.#writeMissing(batch);
        else await query(pool, INSERT, [linesJson(batch), usageJson(usageOfLines(batch))]);
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
    // The queue reports write failures; lines already written can still be read.
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

  /** Writes the missing lines of one page of charges. */
  recover(task: RecoveryTask): Promise<{ readonly recovered: number; readonly nextSequence: number | null }> {
    return inTransaction(this.#pool, async (session) => {
      const run = async ({ sql, values }: Statement) => (await session.query<SqlRow>(sql, values)).rows;
      await runWaiting(lock(POSTGRES, LOCK), run);
      const { lines, nextSequence } = await runWaiting(recoverLines(RECOVERY, task), run);
      if (lines.length > 0) await session.query(INSERT, [linesJson(lines), usageJson(usageOfLines(lines))]);
      return { recovered: lines.length, nextSequence };
    });
  }

  /**
   * Writes lines that may exist already: after a failure it is unknown whether they were written. A late line may also have been recovered
   * from its charge by another node that presumed this one dead; then it replaces the recovered line.
   */
  async #writeMissing(batch: readonly RequestRecord[]): Promise<void> {
    const { times, ids } = placesOf(batch);
    await inTransaction(this.#pool, async (session) => {
      await runWaiting(
        lock(POSTGRES, LOCK),
        async ({ sql, values }) => (await session.query<SqlRow>(sql, values)).rows,
      );
      const known = (await session.query<RequestLogRow>(KNOWN, [times, ids])).rows.map(fromRequestLogRow);
      const recovered = known.filter((line) => line.recovered === true);
      const written = new Set(known.filter((line) => line.recovered !== true).map(({ requestId }) => requestId));
      const lines = batch.filter(({ requestId }) => !written.has(requestId));
      if (recovered.length > 0) await session.query(REMOVE, [times, recovered.map(({ requestId }) => requestId)]);
      const usage = [...usageOfLines(lines), ...usageOfLines(recovered).map(takenBack)];
      await session.query(INSERT, [linesJson(lines), usageJson(usage)]);
    });
  }

  async close(): Promise<void> {
    await this.#queue.close();
  }
}

function linesJson(records: readonly RequestRecord[]): string {
  return toJson(records.map((record) => rowOf(REQUEST_LOG_COLUMNS, toRequestLogValues(record))));
}

function usageJson(usage: readonly UsageDelta[]): string {
  return toJson(usage.map((delta) => rowOf(USAGE_COLUMNS, toUsageValues(delta))));
}

function toJson(rows: readonly object[]): string {
  return JSON.stringify(rows, (_name, value) => {
    if (typeof value === 'bigint') return String(value);
    return typeof value === 'string' ? storable(value) : value;
  });
}

/** Replaces characters that PostgreSQL cannot store, which a client may put into a model name and which would block the whole batch. */
function storable(text: string): string {
  return text.isWellFormed() && !text.includes('\0') ? text : text.toWellFormed().replaceAll('\0', '\u{fffd}');
}
