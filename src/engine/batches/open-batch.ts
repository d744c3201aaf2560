import type { Batch, WaitingLine } from '../../domain/batches/batch.ts';
import type { BatchStore } from '../ports/batch-store.ts';
import type { FileStore } from '../ports/file-store.ts';
import { FileRanges } from './file-reader.ts';
import type { BatchRelays } from './relay/batch-relays.ts';
import type { RelayOwner } from './relay/relay-owner.ts';

/** The lines that are read from the store at once. */
const WINDOW = 64;
/** No further lines are read while this many wait for another try. */
const MOST_RETRIES = 200;
const LONGEST_BACKOFF_MS = 300_000;
const LEAST_BACKOFF_MS = 1_000;
/** The delay of a line for which a limit had no room: other requests free it at any time. */
const LONGEST_LIMIT_BACKOFF_MS = 15_000;
/** The delay after lines could not be read from the store. */
const BROKEN_MS = 5_000;

interface Retry {
  readonly line: WaitingLine;
  readonly dueMs: number;
}

/** The lines of a running batch of this process. Memory holds a window of them, whatever their number. */
export class OpenBatch implements RelayOwner {
  /** Aborted when no line of the batch may begin or wait any longer. */
  readonly ending = new AbortController();
  /** Aborted when the lines that run are to be cut off. */
  readonly cut = new AbortController();
  readonly ranges: FileRanges;
  running = 0;
  /** Why it ends before all lines are answered; `null` if it does not. */
  ends: 'cancelled' | 'expired' | null = null;
  isLost = false;
  /** The SHA-256 of its key's secret, as it was last read; `null` if it has to be read. */
  secretHash: string | null = null;
  /** The batches at providers that carry its lines; `null` if lines are not relayed. */
  relays: BatchRelays | null = null;
  /** Whether it is among the batches that may have a line to begin. */
  isReady = false;
  private lines: WaitingLine[] = [];
  private readonly retries: Retry[] = [];
  private readonly tries = new Map<number, number>();
  private lastRead = 0;
  private isExhausted = false;
  private reading: Promise<void> | null = null;
  private brokenUntilMs = Number.NEGATIVE_INFINITY;

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
    if (this.running > 0 || this.isLost || this.relays?.isIdle === false) return false;
    return this.ends !== null || this.isDrained;
  }

  /** Whether no line of it runs or waits in this process. */
  get isDrained(): boolean {
    return this.running === 0 && this.isExhausted && this.lines.length === 0 && this.retries.length === 0;
  }

  /** Whether there is room for another line that waits for another try. */
  get mayRetry(): boolean {
    return this.retries.length < MOST_RETRIES;
  }

  /** Returns a line to run now; `null` if there is none, or its place has to be read first. */
  next(nowMs: number): WaitingLine | null {
    if (this.ending.signal.aborted) return null;
    const due = this.retries.findIndex(({ dueMs }) => dueMs <= nowMs);
    if (due >= 0) return this.retries.splice(due, 1)[0]?.line ?? null;
    return this.lines.shift() ?? null;
  }

  /** Whether lines can be begun or read now. */
  isDue(nowMs: number): boolean {
    if (this.ending.signal.aborted) return false;
    return this.lines.length > 0 || this.retries.some(({ dueMs }) => dueMs <= nowMs) || this.isReadable(nowMs);
  }

  /** Reads the next lines if there are none; `null` if there is nothing to read. After a failure, lines are read again after a while. */
  read(nowMs: number): Promise<void> | null {
    if (this.lines.length > 0 || !this.isReadable(nowMs)) return null;
    this.brokenUntilMs = nowMs + BROKEN_MS;
    this.reading = this.readWindow().finally(() => {
      this.reading = null;
    });
    return this.reading;
  }

  private isReadable(nowMs: number): boolean {
    if (this.isExhausted || this.ending.signal.aborted || this.reading !== null) return false;
    return this.retries.length < MOST_RETRIES && nowMs >= this.brokenUntilMs;
  }

  private async readWindow(): Promise<void> {
    const found = await this.stores.batches.waitingLines(this.batch.id, this.lastRead, WINDOW);
    this.brokenUntilMs = Number.NEGATIVE_INFINITY;
    this.lines.push(...found);
    this.lastRead = found.at(-1)?.number ?? this.lastRead;
    this.isExhausted = found.length < WINDOW;
  }

  /** Runs the line again after a while. `isLimited`: no upstream was asked, because a limit had no room. */
  again(line: WaitingLine, leastMs: number, nowMs: number, isLimited = false): void {
    const tries = (this.tries.get(line.number) ?? 0) + 1;
    this.tries.set(line.number, tries);
    const longest = isLimited ? LONGEST_LIMIT_BACKOFF_MS : LONGEST_BACKOFF_MS;
    const most = Math.min(longest, LEAST_BACKOFF_MS * 2 ** Math.min(tries - 1, 20));
    const backoff = most * (0.5 + this.random() / 2);
    this.retries.push({ line, dueMs: nowMs + Math.max(backoff, Math.min(leastMs, longest)) });
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
