import { write, writeSync } from 'node:fs';
import pino, { type DestinationStream, type Logger } from 'pino';

/** What `LOG_LEVEL` may be, from the most to the least talkative. */
export const LOG_LEVELS: readonly string[] = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

const STANDARD_OUTPUT = 1;
const FLUSH_INTERVAL_MS = 50;
/** Lines that wait while standard output does not take any; beyond that they are dropped and counted. */
const MAX_WAITING_LINES = 50_000;

/**
 * JSON lines on standard output, written in batches, so that no request waits for a terminal or a slow pipe. Fields are chosen
 * by the callers: prompts, answers and keys are never among them.
 */
export function createLogger(level: string): Logger {
  const options = {
    level,
    base: null,
    timestamp: isoTimestamp,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino(options, new BatchedOutput());
}

/** The same text serves all lines of one millisecond. */
let lastMs = 0;
let lastTimestamp = '';
function isoTimestamp(): string {
  const nowMs = Date.now();
  if (nowMs !== lastMs) {
    lastMs = nowMs;
    lastTimestamp = `,"time":"${new Date(nowMs).toISOString()}"`;
  }
  return lastTimestamp;
}

/** Per line only an array's push: measuring and writing each line by itself cost 6 µs a request. */
class BatchedOutput implements DestinationStream {
  private waiting: string[] = [];
  private dropped = 0;
  private writing: Buffer | null = null;
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor() {
    process.on('exit', () => this.flushSync());
  }

  write(line: string): void {
    if (this.waiting.length >= MAX_WAITING_LINES) {
      this.dropped++;
      return;
    }
    this.waiting.push(line);
    if (this.timer || this.writing) return;
    this.timer = setTimeout(() => this.flush(), FLUSH_INTERVAL_MS);
    this.timer.unref();
  }

  private flush(): void {
    this.timer = null;
    if (this.waiting.length > 0) this.writeOut(this.takeWaiting());
  }

  private writeOut(bytes: Buffer): void {
    this.writing = bytes;
    write(STANDARD_OUTPUT, bytes, (error, written) => {
      this.writing = null;
      // A pipe that is full for the moment is tried again; one that is closed has no reader to miss anything.
      if (error && 'code' in error && error.code === 'EAGAIN')
        setTimeout(() => this.writeOut(bytes), FLUSH_INTERVAL_MS).unref();
      else if (!error && written < bytes.length) this.writeOut(bytes.subarray(written));
      else this.flush();
    });
  }

  private takeWaiting(): Buffer {
    const lines = this.waiting.join('');
    this.waiting = [];
    if (this.dropped === 0) return Buffer.from(lines);
    const notice = JSON.stringify({
      level: 'warn',
      dropped: this.dropped,
      msg: 'log lines were dropped: standard output is too slow',
    });
    this.dropped = 0;
    return Buffer.from(`${lines}${notice}\n`);
  }

  private flushSync(): void {
    try {
      if (this.writing) writeSync(STANDARD_OUTPUT, this.writing);
      if (this.waiting.length > 0) writeSync(STANDARD_OUTPUT, this.takeWaiting());
    } catch {
      // Standard output is closed: there is nowhere left to say it.
    }
  }
}
