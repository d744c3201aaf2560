import type { Batch, WaitingLine } from '../../domain/batches/batch.ts';
import type { BatchStore } from '../ports/batch-store.ts';
import type { FileStore } from '../ports/file-store.ts';
import { FileRanges } from './file-reader.ts';

/** The lines that are read from the store at once. */
const WINDOW = 64;
/** No further lines are read while this many wait for another try. */
const MOST_RETRIES = 200;
const LONGEST_BACKOFF_MS = 300_000;
const LEAST_BACKOFF_MS = 1_000;

interface Retry {
  readonly line: WaitingLine;
  readonly dueMs: number;
}

/** The lines of a running batch of this process. Memory holds a window of them, whatever their number. */
export class OpenBatch {
  /** Aborted when no line of the batch may begin or wait any longer. */
  readonly ending = new AbortController();
  /** Aborted when the lines that run are to be cut off. */
  readonly cut = new AbortController();
  readonly ranges: FileRanges;
  running = 0;
  /** Why it ends before all lines are answered; `null` if it does not. */
  ends: 'cancelled' | 'expired' | null = null;
  isLost = false;
  private lines: WaitingLine[] = [];
  private readonly retries: Retry[] = [];
  private readonly tries = new Map<number, number>();
  private lastRead = 0;
  private isExhausted = false;
  private reading: Promise<void> | null = null;

  constructor(
    readonly batch: Batch,
    private readonly stores: {
      readonly batches: Pick<BatchStore, 'waitingLines'>;
      readonly files: Pick<FileStore, 'chunk'>;
    },
    private readonly random: () => number,
  ) {
    this.ranges = new FileRanges(stores.files, batch.inputFileId);
  }

  /** Whether nothing is left to run: every line has a result, or the batch ends early. */
  get isOver(): boolean {
    if (this.running > 0 || this.isLost) return false;
    return this.ends !== null || (this.isExhausted && this.lines.length === 0 && this.retries.length === 0);
  }

  /** Returns a line to run now; `null` if there is none, or its place has to be read first. */
  next(nowMs: number): WaitingLine | null {
    if (this.ending.signal.aborted) return null;
    const due = this.retries.findIndex(({ dueMs }) => dueMs <= nowMs);
    if (due >= 0) return this.retries.splice(due, 1)[0]?.line ?? null;
    return this.lines.shift() ?? null;
  }

  /** Reads the next lines if there are none; `null` if there is nothing to read. */
  read(): Promise<void> | null {
    if (this.lines.length > 0 || this.isExhausted || this.ending.signal.aborted) return null;
    if (this.reading !== null || this.retries.length >= MOST_RETRIES) return null;
    this.reading = this.readWindow().finally(() => {
      this.reading = null;
    });
    return this.reading;
  }

  private async readWindow(): Promise<void> {
    const found = await this.stores.batches.waitingLines(this.batch.id, this.lastRead, WINDOW);
    this.lines.push(...found);
    this.lastRead = found.at(-1)?.number ?? this.lastRead;
    this.isExhausted = found.length < WINDOW;
  }

  /** Runs the line again after a while. */
  again(line: WaitingLine, leastMs: number, nowMs: number): void {
    const tries = (this.tries.get(line.number) ?? 0) + 1;
    this.tries.set(line.number, tries);
    const most = Math.min(LONGEST_BACKOFF_MS, LEAST_BACKOFF_MS * 2 ** Math.min(tries - 1, 20));
    const backoff = most * (0.5 + this.random() / 2);
    this.retries.push({ line, dueMs: nowMs + Math.max(backoff, Math.min(leastMs, LONGEST_BACKOFF_MS)) });
  }

  /** Forgets how often a line was tried. */
  done({ number }: WaitingLine): void {
    this.tries.delete(number);
  }

  /** Ends the batch early. Lines that run are answered; the others get this outcome. */
  end(outcome: 'cancelled' | 'expired'): void {
    this.ends ??= outcome;
    this.ending.abort();
  }

  /** Drops the batch, because another process has it. */
  lose(): void {
    this.isLost = true;
    this.ending.abort();
    this.cut.abort();
  }
}
