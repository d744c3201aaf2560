import type { Capture, CaptureStore } from '../ports/capture-store.ts';
import type { MemoryFigures, QueueFigures } from '../ports/figures.ts';
import type { Logger } from '../ports/logger.ts';
import { CallCapture, type CapturedCall } from './call-capture.ts';

/** The most memory that captures of running calls, and those waiting to be written, may hold together. */
const MOST_HELD_BYTES = 64 * 1024 * 1024;
const MOST_WAITING = 10_000;
/** The size of one transaction, small enough to delay requests for a few milliseconds only. */
const BATCH_BYTES = 1024 * 1024;
const BATCH_CAPTURES = 50;
/** The most that one account may keep; its oldest captures are evicted. */
export const MOST_BYTES_OF_ACCOUNT = 256 * 1024 * 1024;

export interface CapturesPorts {
  readonly store: Pick<CaptureStore, 'add'>;
  readonly logger: Logger;
  readonly mostHeldBytes?: number;
}

interface Waiting {
  readonly capture: Capture;
  readonly taken: number;
}

/**
 * The captures of accounts with `capture`. A write-behind queue in memory is flushed periodically, so that no answer waits for a disk. If
 * it is full, the newest captures are dropped, and their number is logged.
 */
export class Captures {
  private readonly waiting: Waiting[] = [];
  private held = 0;
  private dropped = 0;
  private droppedInAll = 0;
  private refusals = 0;
  private failedWrites = 0;
  private writing: Promise<void> | null = null;

  constructor(private readonly ports: CapturesPorts) {}

  /** The captures that wait to be written. */
  get queue(): QueueFigures {
    const { droppedInAll: dropped, failedWrites } = this;
    return { waiting: this.waiting.length, capacity: MOST_WAITING, lateMs: null, dropped, failedWrites };
  }

  /** The memory of captures of running calls and of waiting ones. */
  get memory(): MemoryFigures {
    return { heldBytes: this.held, limitBytes: this.mostHeldBytes, refusals: this.refusals };
  }

  private get mostHeldBytes(): number {
    return this.ports.mostHeldBytes ?? MOST_HELD_BYTES;
  }

  open(call: CapturedCall): CallCapture {
    return new CallCapture(call, this);
  }

  take(bytes: number): boolean {
    if (this.held + bytes > this.mostHeldBytes) {
      this.refusals++;
      return false;
    }
    this.held += bytes;
    return true;
  }

  /** @param taken the memory that it holds */
  keep(capture: Capture, taken: number): void {
    if (this.waiting.length < MOST_WAITING) this.waiting.push({ capture, taken });
    else this.drop(taken);
  }

  drop(taken: number): void {
    this.held -= taken;
    this.dropped++;
    this.droppedInAll++;
  }

  /** Writes the waiting captures. Never rejects: failed writes are retried the next time. */
  record(): Promise<void> {
    this.reportDropped();
    if (this.waiting.length === 0) return Promise.resolve();
    this.writing ??= this.writeAll().finally(() => {
      this.writing = null;
    });
    return this.writing;
  }

  private async writeAll(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.nextBatch();
      try {
        await this.ports.store.add(
          batch.map(({ capture }) => capture),
          MOST_BYTES_OF_ACCOUNT,
        );
      } catch (error) {
        this.failedWrites++;
        this.ports.logger.warn({ error: String(error), waiting: this.waiting.length }, 'captures could not be stored');
        return;
      }
      this.waiting.splice(0, batch.length);
      for (const { taken } of batch) this.held -= taken;
    }
  }

  private nextBatch(): readonly Waiting[] {
    let bytes = 0;
    let length = 0;
    for (const { taken } of this.waiting.slice(0, BATCH_CAPTURES)) {
      if (length > 0 && bytes + taken > BATCH_BYTES) break;
      bytes += taken;
      length++;
    }
    return this.waiting.slice(0, length);
  }

  private reportDropped(): void {
    if (this.dropped === 0) return;
    this.ports.logger.warn({ dropped: this.dropped }, 'captures were dropped: the write queue was full');
    this.dropped = 0;
  }
}
