import type { Clock } from '../../engine/ports/clock.ts';
import type { QueueFigures } from '../../engine/ports/figures.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import { BoundedQueue } from './bounded-queue.ts';
import { errorCodeOf } from './error-code.ts';

const FLUSH_EVERY_MS = 100;
const DEFAULT_BATCH_ITEMS = 1_000;
const RETRY_EVERY_MS = 1_000;
const REPORT_EVERY_MS = 1_000;

export interface BatchQueueOptions<Item> {
  /** `isRetry` is set after a failed attempt, which may still have written some of the items. */
  readonly write: (batch: readonly Item[], isRetry: boolean) => void | Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The most items in the queue. When it is full, the oldest are dropped and the number is logged. */
  readonly capacity: number;
  /** The most items per batch. Default 1,000. */
  readonly batchItems?: number;
  /** Called after each failed attempt. Failures are logged at most once a second. */
  readonly onError?: (error: unknown) => void;
}

/** A write-behind queue: items are written in batches shortly after they are appended, and retried if the write fails. */
export class BatchQueue<Item> {
  readonly #options: BatchQueueOptions<Item>;
  readonly #queue: BoundedQueue<Item>;
  readonly #batchItems: number;
  #timer: Timer | null = null;
  #urgent = false;
  #writing: Promise<void> | null = null;
  #failing = false;
  #closed = false;
  #dropped = 0;
  #droppedInAll = 0;
  #failedWrites = 0;
  /** The oldest item is not older. */
  #filledAtMs = 0;
  #droppedReportedAtMs = Number.NEGATIVE_INFINITY;
  #failureReportedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: BatchQueueOptions<Item>) {
    this.#options = options;
    this.#queue = new BoundedQueue(options.capacity);
    this.#batchItems = options.batchItems ?? DEFAULT_BATCH_ITEMS;
  }

  /** The items that are not written yet, and those dropped since the start. */
  get figures(): QueueFigures {
    const waiting = this.#queue.length;
    return {
      waiting,
      capacity: this.#options.capacity,
      lateMs: waiting === 0 ? 0 : this.#options.clock.monotonicMs() - this.#filledAtMs,
      dropped: this.#droppedInAll,
      failedWrites: this.#failedWrites,
    };
  }

  append(item: Item): void {
    if (this.#queue.length === 0) this.#filledAtMs = this.#options.clock.monotonicMs();
    if (this.#closed || !this.#queue.push(item)) this.#noteDropped();
    if (!this.#closed) this.#wake();
  }

  /** Resolves when all items appended so far are written; rejects if a write fails, which is retried. */
  async flush(): Promise<void> {
    const target = this.#queue.added;
    while (this.#queue.removed < target) {
      await this.#writeBatch();
      // Yields to requests between two batches of a long queue.
      if (this.#queue.removed < target) await Bun.sleep(0);
    }
  }

  /** Writes the queue. Items that cannot be written are lost, and their number is logged. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const { logger } = this.#options;
    await this.flush().catch(() =>
      logger.error({ lost: this.#queue.length }, 'request log lines were lost at shutdown'),
    );
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #wake(): void {
    if (this.#failing) this.#wakeIn(RETRY_EVERY_MS);
    else if (this.#queue.length >= this.#batchItems) this.#wakeNow();
    else if (this.#queue.length > 0) this.#wakeIn(FLUSH_EVERY_MS);
    else if (this.#dropped > 0) this.#wakeIn(RETRY_EVERY_MS);
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
    this.#timer = setTimeout(() => void this.#onTimer(), milliseconds);
    this.#timer.unref();
  }

  async #onTimer(): Promise<void> {
    // The timer stays set during the write, so that an append does not start another one.
    try {
      await this.#writeBatch();
    } catch {
      // Reported by `#write`, and retried below.
    }
    this.#timer = null;
    this.#urgent = false;
    this.#reportDropped();
    if (!this.#closed) this.#wake();
  }

  #writeBatch(): Promise<void> {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null;
    });
    return this.#writing;
  }

  async #write(): Promise<void> {
    const batch = this.#queue.peek(this.#batchItems);
    if (batch.length === 0) return;
    const beganAtMs = this.#options.clock.monotonicMs();
    const end = this.#queue.removed + batch.length;
    try {
      await this.#options.write(batch, this.#failing);
    } catch (error) {
      this.#failing = true;
      this.#failedWrites += 1;
      this.#reportFailure(error);
      this.#options.onError?.(error);
      throw error;
    }
    this.#failing = false;
    // Part of the batch may have been dropped meanwhile because the queue was full.
    this.#queue.remove(Math.max(0, end - this.#queue.removed));
    // The rest was appended during the write, or did not fit into the batch.
    this.#filledAtMs = beganAtMs;
  }

  #reportFailure(error: unknown): void {
    const { clock, logger } = this.#options;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#failureReportedAtMs < REPORT_EVERY_MS) return;
    this.#failureReportedAtMs = nowMs;
    const message = error instanceof Error ? error.message : String(error);
    const fields = { code: errorCodeOf(error), error: message, waiting: this.#queue.length };
    logger.error(fields, 'request log lines could not be written and will be retried');
  }

  #noteDropped(): void {
    this.#dropped += 1;
    this.#droppedInAll += 1;
    this.#reportDropped();
  }

  #reportDropped(): void {
    const { clock, logger, capacity } = this.#options;
    const nowMs = clock.monotonicMs();
    if (this.#dropped === 0 || nowMs - this.#droppedReportedAtMs < REPORT_EVERY_MS) return;
    this.#droppedReportedAtMs = nowMs;
    logger.warn(
      { dropped: this.#dropped, capacity },
      'request log lines were dropped because the write queue was full',
    );
    this.#dropped = 0;
  }
}
