import type { Sleep } from '../../engine/ports/clock.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import { exportFailure } from './http-exporter.ts';
import type { Signal } from './target.ts';

export interface ExportQueueOptions<Item> {
  readonly signal: Signal;
  /** The most items that wait, by weight. */
  readonly most: number;
  /** The most items per export, by weight. */
  readonly batch: number;
  /** How long an item waits for others. */
  readonly delayMs: number;
  /** When an export is given up. */
  readonly timeoutMs: number;
  /** The memory of an item, in units of an ordinary span or line. */
  readonly weightOf: (item: Item) => number;
  /** The number of spans or lines of an item. */
  readonly countOf: (item: Item) => number;
  /** Exports a batch. Rejects if the collector has not accepted it. */
  readonly send: (items: readonly Item[]) => Promise<void>;
  readonly sleep: Sleep;
  readonly nowMs: () => number;
  readonly logger: Pick<Logger, 'warn'>;
}

/** The number of spans or lines since the start. */
export interface ExportCounts {
  exported: number;
  /** The collector was unavailable or refused them. */
  failed: number;
  /** The queue was full. */
  dropped: number;
}

const STOPPING = 'the gateway stops';
const NOT_EXPORTED = 'telemetry could not be exported';
/** A failing collector is reported this often. */
const REPORT_EVERY_MS = 60_000;

/**
 * A bounded queue before a collector. `add` never waits: an item that does not fit is dropped and counted. One export runs at a time, so
 * a collector that hangs holds one batch in addition to the queue.
 */
export class ExportQueue<Item> {
  readonly counts: ExportCounts = { exported: 0, failed: 0, dropped: 0 };
  private waiting: Item[] = [];
  private waitingWeight = 0;
  /** The spans or lines of the batch that is being sent. */
  private sending = 0;
  private running: Promise<void> | null = null;
  private isClosed = false;
  /** Ends the wait for further items. */
  private wake = new AbortController();
  private reportedAtMs = Number.NEGATIVE_INFINITY;
  private unreported = 0;

  constructor(private readonly options: ExportQueueOptions<Item>) {}

  /** The weight of the items that wait. */
  get length(): number {
    return this.waitingWeight;
  }

  /** Returns whether the item was accepted. */
  add(item: Item): boolean {
    const { weightOf, most, batch } = this.options;
    const weight = weightOf(item);
    if (this.isClosed || this.waitingWeight + weight > most) {
      const count = this.options.countOf(item);
      this.counts.dropped += count;
      this.report(this.isClosed ? STOPPING : 'the queue is full', count);
      return false;
    }
    this.waiting.push(item);
    this.waitingWeight += weight;
    this.running ??= this.drain();
    if (this.waitingWeight >= batch) this.wake.abort();
    return true;
  }

  /** Exports what waits, for at most `withinMs`. Items that are added later are dropped. Never rejects. */
  async close(withinMs: number): Promise<void> {
    this.isClosed = true;
    this.wake.abort();
    const late = new AbortController();
    await Promise.race([this.running, this.options.sleep(withinMs, late.signal)]);
    late.abort();
    const { sending, options } = this;
    const unsent = this.countOf(this.waiting);
    this.waiting = [];
    this.waitingWeight = 0;
    this.counts.dropped += unsent;
    const lost = unsent + sending;
    if (lost > 0) options.logger.warn({ signal: options.signal, reason: STOPPING, lost }, NOT_EXPORTED);
  }

  private async drain(): Promise<void> {
    const { sleep, delayMs, batch } = this.options;
    while (this.waiting.length > 0) {
      if (this.waitingWeight < batch && !this.isClosed) await sleep(delayMs, this.wake.signal);
      if (!this.isClosed) this.wake = new AbortController();
      const items = this.take();
      if (items.length > 0) await this.export(items);
    }
    this.running = null;
  }

  private take(): readonly Item[] {
    const { weightOf, batch } = this.options;
    let weight = 0;
    let length = 0;
    for (const item of this.waiting) {
      if (length > 0 && weight + weightOf(item) > batch) break;
      weight += weightOf(item);
      length++;
    }
    this.waitingWeight -= weight;
    return this.waiting.splice(0, length);
  }

  private async export(items: readonly Item[]): Promise<void> {
    const { send, sleep, timeoutMs } = this.options;
    const count = this.countOf(items);
    const late = new AbortController();
    this.sending = count;
    try {
      const expired = sleep(timeoutMs, late.signal).then(() => {
        if (!late.signal.aborted) throw new Error(`no response within ${timeoutMs} ms`);
      });
      await Promise.race([send(items), expired]);
      this.counts.exported += count;
    } catch (error) {
      this.counts.failed += count;
      this.report(exportFailure(error), count);
    } finally {
      late.abort();
      this.sending = 0;
    }
  }

  private countOf(items: readonly Item[]): number {
    return items.reduce((sum, item) => sum + this.options.countOf(item), 0);
  }

  /** Logs a loss, at most once a minute; a later line counts those in between. */
  private report(reason: string, count: number): void {
    const { nowMs, logger, signal } = this.options;
    this.unreported += count;
    if (nowMs() - this.reportedAtMs < REPORT_EVERY_MS) return;
    this.reportedAtMs = nowMs();
    logger.warn({ signal, reason, lost: this.unreported }, NOT_EXPORTED);
    this.unreported = 0;
  }
}
