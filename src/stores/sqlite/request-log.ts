import type { Database, Statement } from 'bun:sqlite';
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
import { inTransaction, isDamage } from './connection.ts';
import { READ_COLUMNS, SQLITE_LOG } from './log-dialect.ts';
import type { ReadingThread } from './reading-thread.ts';

const ROW = `(${REQUEST_LOG_COLUMNS.map(() => '?').join(', ')})`;
/** Under load a row of such a statement takes three quarters of the time that it takes alone; more rows save no more. */
const ROWS_AT_ONCE = 10;
const INSERT_USAGE = `
  INSERT INTO usage_deltas (${USAGE_COLUMNS.join(', ')}) VALUES (${USAGE_COLUMNS.map(() => '?').join(', ')})
`;
const FIND = findStatement(SQLITE_LOG);
const READ = `SELECT ${READ_COLUMNS} FROM request_log ORDER BY at_ms DESC, id DESC LIMIT ?`;

/** One process writes, so that no number is overtaken. */
const WRITTEN = `SELECT ${READ_COLUMNS}, id AS line_id FROM request_log WHERE id > ? ORDER BY id LIMIT ?`;

export interface RequestLogOptions {
  /** The log's own connection: its transactions do not wait for the disk, the directory's do. */
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How many lines may wait to be written. */
  readonly capacity: number;
  readonly onDamage: (error: unknown) => void;
  readonly reading: ReadingThread;
}

/** Lines wait in memory and are written many at a time: a transaction of its own would cost each ten times as much. */
export class SqliteRequestLog implements RequestLog {
  readonly #database: Database;
  readonly #insert: Statement;
  readonly #insertMany: Statement;
  readonly #insertUsage: Statement;
  readonly #queue: BatchQueue<RequestRecord>;
  readonly #reading: ReadingThread;

  constructor({ database, clock, logger, capacity, onDamage, reading }: RequestLogOptions) {
    this.#reading = reading;
    this.#database = database;
    const insert = `INSERT INTO request_log (${REQUEST_LOG_COLUMNS.join(', ')}) VALUES`;
    this.#insert = database.prepare(`${insert} ${ROW}`);
    this.#insertMany = database.prepare(`${insert} ${Array(ROWS_AT_ONCE).fill(ROW).join(', ')}`);
    this.#insertUsage = database.prepare(INSERT_USAGE);
    this.#queue = new BatchQueue({
      write: (batch) => this.#write(batch),
      what: 'request log lines',
      clock,
      logger,
      capacity,
      onError: (error) => {
        if (isDamage(error)) onDamage(error);
      },
    });
  }

  append(record: RequestRecord): void {
    this.#queue.append(record);
  }

  /** Rejects when the lines cannot be written now; they are kept and tried again. */
  async flush(): Promise<void> {
    await this.#queue.flush();
  }

  async recent(limit: number): Promise<readonly RequestRecord[]> {
    // A failure to write is reported by the queue; the lines that are written can be read all the same.
    await this.flush().catch(() => {});
    return this.#database
      .query<RequestLogRow, [number]>(READ)
      .all(Math.max(0, Math.floor(limit)))
      .map(fromRequestLogRow);
  }

  async page(query: RequestLogQuery, after: LogPlace | null, limit: number): Promise<RequestLogPage> {
    await this.flush().catch(() => {});
    const { rows, next } = await this.#reading.logPage({ query, after, limit, budgetMs: LOG_PAGE_BUDGET_MS });
    return { records: rows.map(fromRequestLogRow), next };
  }

  async written({ topId }: WrittenPlace, limit: number): Promise<readonly WrittenLine[]> {
    return writtenLines(this.#database.query<WrittenRow, [number, number]>(WRITTEN).all(topId, limit));
  }

  async lastWritten(limit: number): Promise<readonly number[]> {
    const rows = this.#database.query<{ readonly id: number }, [number]>(`${LAST_WRITTEN}?`).all(limit);
    return rows.map(({ id }) => id);
  }

  async find(requestId: string): Promise<RequestRecord | null> {
    await this.flush().catch(() => {});
    const atMs = timeOfRequestId(requestId);
    if (atMs === null) return null;
    const find = this.#database.query<RequestLogRow, [number, number, string]>(FIND);
    for (const within of FIND_WITHIN_MS) {
      const row = find.get(atMs - within, atMs + within, requestId);
      if (row !== null) return fromRequestLogRow(row);
    }
    return null;
  }

  async close(): Promise<void> {
    await this.#queue.close();
    this.#insert.finalize();
    this.#insertMany.finalize();
    this.#insertUsage.finalize();
  }

  #write(batch: readonly RequestRecord[]): void {
    inTransaction(this.#database, 'IMMEDIATE', () => {
      for (let from = 0; from < batch.length; from += ROWS_AT_ONCE) {
        const records = batch.slice(from, from + ROWS_AT_ONCE);
        if (records.length === ROWS_AT_ONCE) this.#insertMany.run(valuesOf(records));
        else for (const record of records) this.#insert.run(toRequestLogValues(record));
      }
      for (const row of usageOfLines(batch)) this.#insertUsage.run(toUsageValues(row));
    });
  }
}

function valuesOf(records: readonly RequestRecord[]): (string | number | null)[] {
  const values: (string | number | null)[] = [];
  for (const record of records) for (const value of toRequestLogValues(record)) values.push(value);
  return values;
}
