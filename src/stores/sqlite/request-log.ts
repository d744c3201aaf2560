import type { Database } from 'bun:sqlite';
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
import { isLate, placesOf } from '../shared/late-lines.ts';
import {
  FIND_WITHIN_MS,
  findStatement,
  LAST_WRITTEN,
  LOG_PAGE_BUDGET_MS,
  timeOfRequestId,
  type WrittenRow,
  writtenLines,
} from '../shared/log-pages.ts';
import { fromRequestLogRow, type RequestLogRow } from '../shared/tables/request-log.ts';
import { isDamage } from './connection.ts';
import { READ_COLUMNS, SQLITE_LOG } from './log-dialect.ts';
import { type PackedLine, packLine, packLines } from './packed.ts';
import type { ReadingThread } from './reading-thread.ts';
import { remote, type WriterLink } from './writer-link.ts';

/** Charges wait for such a batch, which takes about a millisecond. */
const BATCH_LINES = 100;
const FIND = findStatement(SQLITE_LOG);
const READ = `SELECT ${READ_COLUMNS} FROM request_log ORDER BY at_ms DESC, id DESC LIMIT ?`;

/** A single process writes, so numbers become visible in order. */
const WRITTEN = `SELECT ${READ_COLUMNS}, id AS line_id FROM request_log WHERE id > ? ORDER BY id LIMIT ?`;

export interface RequestLogOptions {
  /** A read-only connection. */
  readonly database: Database;
  readonly thread: WriterLink;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The most lines in the queue. */
  readonly capacity: number;
  readonly onDamage: (error: unknown) => void;
  readonly reading: ReadingThread;
}

/** Writes lines in batches from a write-behind queue: with a transaction of its own, each would cost ten times as much. */
export class SqliteRequestLog implements RequestLog {
  readonly #database: Database;
  readonly #queue: BatchQueue<PackedLine>;
  readonly #reading: ReadingThread;

  constructor({ database, thread, clock, logger, capacity, onDamage, reading }: RequestLogOptions) {
    this.#reading = reading;
    this.#database = database;
    const writer = remote(thread, 'log');
    this.#queue = new BatchQueue({
      write: (batch, isRetry) => {
        const late = batch.map(({ record }) => record).filter((record) => isLate(record, clock.nowMs()));
        return writer.write(packLines(batch), isRetry, late.length === 0 ? null : placesOf(late));
      },
      batchItems: BATCH_LINES,
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
    this.#queue.append(packLine(record));
  }

  /** Rejects if the lines cannot be written now; they are kept and retried. */
  async flush(): Promise<void> {
    await this.#queue.flush();
  }

  async recent(limit: number): Promise<readonly RequestRecord[]> {
    // The queue reports write failures; lines already written can still be read.
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
  }
}
