import { Bag, type Bagged, NOWHERE } from '../../domain/concurrency/bag.ts';
import { Failure } from '../../domain/failure/failure.ts';

/** How far a sender may fall behind the lowest rate; earlier speed earns no credit beyond this. */
const PATIENCE_MS = 90_000;
const LEAST_BYTES_PER_SECOND = 1_024;
const LONGEST_MS = 30 * 60_000;
/** A body that takes longer than this counts against its account's limit of slow uploads. */
const SLOW_AFTER_MS = 5_000;
const MOST_SLOW_OF_ACCOUNT = 100;
const LOOK_EVERY_MS = 1_000;
const RETRY_AFTER_MS = 10_000;

/**
 * Watches the bodies that are being read. There are no timers per body: all are checked once a second, so a body that arrives at once costs
 * only an entry in a set.
 */
export class Uploads {
  private readonly open = new Bag<Upload>();
  private timer: ReturnType<typeof setInterval> | null = null;

  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  begin(accountId: string): Upload {
    const upload = new Upload(accountId);
    this.open.add(upload);
    if (this.timer === null) this.lookLater();
    return upload;
  }

  private lookLater(): void {
    this.timer = setInterval(() => this.look(), LOOK_EVERY_MS).unref();
  }

  over(upload: Upload): void {
    this.open.delete(upload);
  }

  /** Ends uploads that are too slow; of an account with too many slow uploads, the latest. */
  look(): void {
    if (this.open.size === 0 && this.timer !== null) {
      clearInterval(this.timer);
      this.timer = null;
    }
    const nowMs = this.nowMs();
    const slow = new Map<string, number>();
    for (const upload of this.open) {
      const ageMs = upload.look(nowMs);
      if (upload.failure !== null || ageMs < SLOW_AFTER_MS) continue;
      const count = (slow.get(upload.accountId) ?? 0) + 1;
      slow.set(upload.accountId, count);
      if (count > MOST_SLOW_OF_ACCOUNT) upload.end(tooMany());
    }
  }
}

/** One body that is being received. */
export class Upload implements Bagged {
  place = NOWHERE;
  /** Why the upload has been ended; `null` if it has not. */
  failure: Failure | null = null;
  /** Ends the reading with this failure. */
  stop: ((failure: Failure) => void) | null = null;
  /** Whether reading is paused, so that no bytes can arrive. */
  isPaused = false;
  private receivedBytes = 0;
  private countedBytes = 0;
  private firstLookMs: number | null = null;
  private lateAtMs = 0;

  constructor(readonly accountId: string) {}

  received(bytes: number): void {
    this.receivedBytes += bytes;
  }

  /** Returns how long the upload has been watched, in milliseconds. */
  look(nowMs: number): number {
    if (this.firstLookMs === null) {
      this.firstLookMs = nowMs;
      this.lateAtMs = nowMs + PATIENCE_MS;
    }
    if (this.isPaused) this.lateAtMs = nowMs + PATIENCE_MS;
    const paidMs = ((this.receivedBytes - this.countedBytes) * 1_000) / LEAST_BYTES_PER_SECOND;
    this.countedBytes = this.receivedBytes;
    this.lateAtMs = Math.min(nowMs + PATIENCE_MS, this.lateAtMs + paidMs);
    const ageMs = nowMs - this.firstLookMs;
    if (nowMs >= this.lateAtMs || ageMs >= LONGEST_MS) this.end(tooSlow());
    return ageMs;
  }

  end(failure: Failure): void {
    if (this.failure !== null) return;
    this.failure = failure;
    this.stop?.(failure);
  }
}

function tooSlow(): Failure {
  return new Failure('request_timeout', {
    message: `The request body arrived too slowly. It must arrive at ${LEAST_BYTES_PER_SECOND} bytes per second or more, and within ${LONGEST_MS / 60_000} minutes.`,
    kind: 'slow_upload',
    hint: 'Retry over a faster connection, compress the body (`Content-Encoding: gzip`), or send large media by URL.',
  });
}

function tooMany(): Failure {
  return new Failure('rate_limit_exceeded', {
    message: `The account has reached its limit of ${MOST_SLOW_OF_ACCOUNT} uploads that take longer than ${SLOW_AFTER_MS / 1_000} seconds.`,
    kind: 'account_uploads',
    side: 'client',
    retry: 'never',
    retryAfterMs: RETRY_AFTER_MS,
    hint: 'Wait until other uploads have finished.',
  });
}
