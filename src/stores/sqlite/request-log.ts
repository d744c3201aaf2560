import type { Database, Statement } from 'bun:sqlite';
import type { Clock } from '../../engine/ports/clock.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import type { RequestLog, RequestRecord } from '../../engine/ports/request-log.ts';
import { BoundedQueue } from '../shared/bounded-queue.ts';
import { errorCodeOf } from '../shared/error-code.ts';
import {
  fromRequestLogRow,
  REQUEST_LOG_COLUMNS,
  type RequestLogRow,
  toRequestLogValues,
} from '../shared/tables/request-log.ts';
import { inTransaction, isDamage } from './connection.ts';

/** The cost as digits: as a number it would lose units beyond 2^53. */
const READ_COLUMNS = REQUEST_LOG_COLUMNS.map((column) =>
  column === 'cost_nano' ? 'CAST(cost_nano AS TEXT) AS cost_nano' : column,
).join(', ');
const READ = `SELECT ${READ_COLUMNS} FROM request_log ORDER BY at_ms DESC, id DESC LIMIT ?`;

const FLUSH_EVERY_MS = 100;
const BATCH_ROWS = 1_000;
const RETRY_EVERY_MS = 1_000;
const REPORT_EVERY_MS = 1_000;

export interface RequestLogOptions {
  /** The log's own connection: its transactions do not wait for the disk, the directory's do. */
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How many lines may wait to be written. */
  readonly capacity: number;
  readonly onDamage: (error: unknown) => void;
}

/** Lines wait in memory and are written many at a time: a transaction of its own would cost each ten times as much. */
export class SqliteRequestLog implements RequestLog {
  readonly #options: RequestLogOptions;
  readonly #queue: BoundedQueue<RequestRecord>;
  readonly #insert: Statement;
  #timer: Timer | null = null;
  #urgent = false;
  #failing = false;
  #closed = false;
  #dropped = 0;
  #droppedReportedAtMs = Number.NEGATIVE_INFINITY;
  #failureReportedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: RequestLogOptions) {
    this.#options = options;
    this.#queue = new BoundedQueue(options.capacity);
    const marks = REQUEST_LOG_COLUMNS.map(() => '?').join(', ');
    this.#insert = options.database.prepare(
      `INSERT INTO request_log (${REQUEST_LOG_COLUMNS.join(', ')}) VALUES (${marks})`,
    );
  }

  append(record: RequestRecord): void {
    if (this.#closed) {
      this.#noteDropped();
      return;
    }
    if (!this.#queue.push(record)) this.#noteDropped();
    if (this.#failing) this.#wakeIn(RETRY_EVERY_MS);
    else if (this.#queue.length >= BATCH_ROWS) this.#wakeNow();
    else this.#wakeIn(FLUSH_EVERY_MS);
  }

  /** Rejects when the lines cannot be written now; they are kept and tried again. */
  async flush(): Promise<void> {
    const target = this.#queue.added;
    while (this.#queue.removed < target) {
      this.#writeBatch();
      // Requests get their turn between two batches of a long queue.
      if (this.#queue.removed < target) await Bun.sleep(0);
    }
  }

  async recent(limit: number): Promise<readonly RequestRecord[]> {
    // A failure to write is reported by `#writeBatch`; the lines that are written can be read all the same.
    await this.flush().catch(() => {});
    return this.#options.database
      .query<RequestLogRow, [number]>(READ)
      .all(Math.max(0, Math.floor(limit)))
      .map(fromRequestLogRow);
  }

  /** Writes what waits; what cannot be written is lost, and the log says how much. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.flush().catch(() => {
      this.#options.logger.error({ lost: this.#queue.length }, 'request log lines were lost at the end');
    });
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#insert.finalize();
  }

  #wakeNow(): void {
    if (this.#urgent) return;
    this.#urgent = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#wakeIn(0);
  }

  #wakeIn(milliseconds: number): void {
    if (this.#timer !== null) return;
    this.#timer = setTimeout(() => this.#onTimer(), milliseconds);
    this.#timer.unref();
  }

  #onTimer(): void {
    this.#timer = null;
    this.#urgent = false;
    try {
      this.#writeBatch();
    } catch {
      // Reported by `#writeBatch`, and tried again below.
    }
    this.#reportDropped();
    if (this.#failing || (this.#queue.length === 0 && this.#dropped > 0)) this.#wakeIn(RETRY_EVERY_MS);
    else if (this.#queue.length >= BATCH_ROWS) this.#wakeNow();
    else if (this.#queue.length > 0) this.#wakeIn(FLUSH_EVERY_MS);
  }

  #writeBatch(): void {
    const batch = this.#queue.peek(BATCH_ROWS);
    if (batch.length === 0) return;
    try {
      inTransaction(this.#options.database, 'IMMEDIATE', () => {
        for (const record of batch) this.#insert.run(...toRequestLogValues(record));
      });
    } catch (error) {
      this.#failing = true;
      this.#reportFailure(error);
      throw error;
    }
    this.#failing = false;
    this.#queue.remove(batch.length);
  }

  #reportFailure(error: unknown): void {
    const nowMs = this.#options.clock.monotonicMs();
    if (nowMs - this.#failureReportedAtMs >= REPORT_EVERY_MS) {
      this.#failureReportedAtMs = nowMs;
      const message = error instanceof Error ? error.message : String(error);
      const fields = { code: errorCodeOf(error), error: message, waiting: this.#queue.length };
      this.#options.logger.error(fields, 'request log lines could not be written; they are kept and tried again');
    }
    if (isDamage(error)) this.#options.onDamage(error);
  }

  #noteDropped(): void {
    this.#dropped += 1;
    this.#reportDropped();
  }

  #reportDropped(): void {
    const nowMs = this.#options.clock.monotonicMs();
    if (this.#dropped === 0 || nowMs - this.#droppedReportedAtMs < REPORT_EVERY_MS) return;
    const fields = { dropped: this.#dropped, capacity: this.#options.capacity };
    this.#droppedReportedAtMs = nowMs;
    this.#dropped = 0;
    this.#options.logger.warn(fields, 'request log lines were dropped: more came than could be written');
  }
}
