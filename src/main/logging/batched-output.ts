import { write, writeSync } from 'node:fs';
import type { QueueFigures } from '../../engine/ports/figures.ts';

const STANDARD_OUTPUT = 1;
const FLUSH_INTERVAL_MS = 50;
const NEW_LINE = 0x0a;
/** The pause after a failed write, such as to a full disk. */
const RETRY_INTERVAL_MS = 5_000;
const BLOCK_BYTES = 64 * 1024;
/** The maximum that is buffered while standard output is blocked, 16 MiB; further lines are dropped and counted. */
const MAX_WAITING_BLOCKS = 256;
const { write: writeText } = Buffer.prototype;

/** Receives whole lines, each with a newline at its end. */
export interface LineOutput {
  write(line: string): void;
  /** Missing if it writes at once. */
  readonly figures?: QueueFigures;
}

/**
 * Copies lines into a block of bytes at once. Keeping them as strings until a write cost 9 µs per line under load, nearly all of it in the
 * garbage collector: hundreds of small strings that live just long enough to be moved.
 */
export class BatchedOutput implements LineOutput {
  private filling = new Uint8Array(BLOCK_BYTES);
  private filled = 0;
  private readonly waiting: Uint8Array[] = [];
  private dropped = 0;
  private droppedInAll = 0;
  /** When dropped lines may be reported again after a failed write. */
  private failedUntilMs = 0;
  private writing: Uint8Array | null = null;
  private afterWriting: (() => void)[] = [];
  private timer: ReturnType<typeof setTimeout> | null = null;

  /**
   * @param onDropped called with the number of lines that were dropped, once there is room again
   * @param descriptor where the lines go
   */
  constructor(
    private readonly onDropped: (dropped: number) => void,
    private descriptor = STANDARD_OUTPUT,
  ) {
    process.on('exit', this.flushSync);
  }

  write(line: string): void {
    // UTF-8 takes at most three bytes per UTF-16 code unit.
    if (this.filled + line.length * 3 > BLOCK_BYTES) this.endBlock();
    if (line.length * 3 > BLOCK_BYTES || this.waiting.length >= MAX_WAITING_BLOCKS) {
      this.dropped++;
      this.droppedInAll++;
      return;
    }
    this.filled += writeText.call(this.filling, line, this.filled);
    if (this.timer === null && this.writing === null) this.flushLater();
  }

  /** The blocks that wait, and the lines that were lost. */
  get figures(): QueueFigures {
    const { waiting, droppedInAll: dropped } = this;
    return { waiting: waiting.length, capacity: MAX_WAITING_BLOCKS, lateMs: null, dropped, failedWrites: 0 };
  }

  /** Writes what follows to another descriptor; calls `done` when nothing is written to the old one any more. */
  continueIn(descriptor: number, done: () => void): void {
    this.descriptor = descriptor;
    if (this.writing === null) done();
    else this.afterWriting.push(done);
  }

  /** Writes what waits; resolves when all of it is written, or lost. */
  async written(): Promise<void> {
    this.flush();
    while (this.writing !== null) await new Promise<void>((resolve) => this.afterWriting.push(resolve));
  }

  private flushLater(): void {
    this.timer = setTimeout(() => this.flush(), FLUSH_INTERVAL_MS);
    this.timer.unref();
  }

  private endBlock(): void {
    if (this.filled === 0) return;
    this.waiting.push(this.filling.subarray(0, this.filled));
    this.filling = new Uint8Array(BLOCK_BYTES);
    this.filled = 0;
    if (!this.writing) this.flush();
  }

  private flush(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    if (this.writing) return;
    if (this.waiting.length === 0) this.endBlock();
    const block = this.waiting.shift();
    if (block) this.writeOut(block, this.descriptor);
    else if (this.dropped > 0 && performance.now() >= this.failedUntilMs) this.reportDropped();
  }

  /** The rest of a block goes to the descriptor that has its beginning, so that no line is cut in two. */
  private writeOut(bytes: Uint8Array, descriptor: number): void {
    this.writing = bytes;
    write(descriptor, bytes, (error, written) => {
      // Retries a pipe that is temporarily full; a closed one has no reader.
      if (error && 'code' in error && error.code === 'EAGAIN') {
        setTimeout(() => this.writeOut(bytes, descriptor), FLUSH_INTERVAL_MS).unref();
      } else if (!error && written < bytes.length) {
        this.writeOut(bytes.subarray(written), descriptor);
      } else {
        this.writing = null;
        if (error && 'code' in error && error.code !== 'EPIPE') this.failed(bytes);
        for (const done of this.afterWriting.splice(0)) done();
        this.flush();
      }
    });
  }

  private failed(bytes: Uint8Array): void {
    const lines = linesIn(bytes);
    this.dropped += lines;
    this.droppedInAll += lines;
    this.failedUntilMs = performance.now() + RETRY_INTERVAL_MS;
  }

  private reportDropped(): void {
    const { dropped } = this;
    this.dropped = 0;
    this.onDropped(dropped);
  }

  /** Writes everything at once, while the process ends. */
  readonly flushSync = (): void => {
    try {
      if (this.writing) writeSync(this.descriptor, this.writing);
      for (const block of this.waiting.splice(0)) writeSync(this.descriptor, block);
      writeSync(this.descriptor, this.filling.subarray(0, this.filled));
      this.filled = 0;
    } catch {
      // Standard output is closed, so this cannot be reported.
    }
  };
}

function linesIn(bytes: Uint8Array): number {
  return bytes.reduce((lines, byte) => (byte === NEW_LINE ? lines + 1 : lines), 0);
}
