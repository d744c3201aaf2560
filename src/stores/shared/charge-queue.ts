import { COMMIT_SECONDS } from '../../domain/metrics/bounds.ts';
import { Histogram } from '../../domain/metrics/histogram.ts';
import { formatNanoUsd } from '../../domain/money/nano-usd.ts';
import type { Clock } from '../../engine/ports/clock.ts';
import type { QueueFigures } from '../../engine/ports/figures.ts';
import type { Charge } from '../../engine/ports/ledger.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import { errorCodeOf } from './error-code.ts';
import { refuseMalformedCharge } from './ledger-rules.ts';
import { retryWaitMs } from './retrying.ts';
import { firstLine } from './store-open-error.ts';
import type { WriteHealth } from './write-health.ts';

const MAX_BATCH = 1_000;
/** Far more than concurrent requests, each of which waits with its last byte. */
const MAX_WAITING = 100_000;
const REPORT_EVERY_MS = 1_000;
const DEFAULT_GIVE_UP_AFTER_MS = 60_000;
/** Shorter on shutdown, so as not to delay it. */
const GIVE_UP_AT_END_MS = 5_000;
/** A single broken connection or conflicting transaction does not mean that the database is unavailable. */
const FAILURES_OF_A_PROBLEM = 2;

/** A commit waits for more charges (`ChargeQueueOptions.gatherMs`) if at least this number is expected meanwhile. */
const GATHER_FROM = 2;
/** The weight of the latest batch in the moving averages. */
const LATEST_WEIGHT = 0.2;
/** The most that a pause counts in the average, so that the rate after it is known again after a few batches. */
const LONGEST_GAP_MS = 10;

/** The outcome of a charge: newly written, already known, or the reason for its refusal. */
export type ChargeOutcome = 'charged' | 'known' | Error;

export interface QueuedCharge {
  readonly charge: Charge;
  /** The node whose lease pays for it; `null` for none. This gateway may have another node id by the time it is written. */
  readonly nodeId: string | null;
  /** Whether it was sent without a response, so that it may be written already. */
  readonly isInDoubt: boolean;
}

interface WaitingCharge extends QueuedCharge {
  /** Monotonic milliseconds. */
  readonly since: number;
  isInDoubt: boolean;
  readonly resolve: (outcome: 'charged' | 'known') => void;
  readonly reject: (error: unknown) => void;
}

/** The cause of a failed write: it will pass, it lies in one of the charges, or nothing can be written any more. */
export type WriteFailure = 'passing' | 'charge' | 'final';

export interface ChargeQueueOptions {
  /**
   * Writes a batch in one transaction and resolves to one outcome per charge when it is durable. A batch contains each request at most
   * once. Called for one batch at a time.
   */
  readonly write: (batch: readonly QueuedCharge[]) => Promise<readonly ChargeOutcome[]>;
  readonly failureOf: (error: unknown) => WriteFailure;
  /** Returns why the database could not write, for operators. */
  readonly problemOf: (error: unknown) => string;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly logger: Logger;
  /** Receives whether charges can be written. */
  readonly health: WriteHealth;
  /** How long a charge that cannot be written is retried. Default 60 s. */
  readonly giveUpAfterMs?: number | undefined;
  /**
   * Returns how long a commit waits for more charges at a high rate, in milliseconds, from how long the previous one took. Default: not at
   * all.
   */
  readonly gatherMs?: (lastWriteMs: number) => number;
}

/**
 * Queues charges and writes them in batches: charges that arrive while a transaction waits for the disk share the next one. The upstream has
 * already done the work, so a charge that cannot be written (a full disk, a failover) is kept and retried. When it is abandoned, everything
 * needed to enter it by hand is logged.
 */
export class ChargeQueue {
  /** The durations of durable writes, in seconds. */
  readonly commits = new Histogram(COMMIT_SECONDS);
  readonly #options: ChargeQueueOptions;
  #waiting: WaitingCharge[] = [];
  #writing: Promise<void> | null = null;
  #closed = false;
  /** The number of charges that have been added and are not settled. */
  #pending = 0;
  /** The number of failed attempts in a row. */
  #failures = 0;
  /** The failed attempts, and the charges that were given up, since the start. */
  #failedWrites = 0;
  #lost = 0;
  /** When the oldest charge in flight was first sent. */
  #sentAtMs: number | null = null;
  /** Moving averages of the charges per batch, and of the milliseconds from one batch to the next. */
  #meanCount = 0;
  #meanGapMs = LONGEST_GAP_MS;
  #wroteAtMs = 0;
  /** The duration of the latest write. */
  #lastWriteMs = 0;
  #reportedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: ChargeQueueOptions) {
    this.#options = options;
  }

  /** How long charges have been in flight, in milliseconds; 0 if none are. */
  get lateMs(): number {
    return this.#sentAtMs === null ? 0 : this.#options.clock.monotonicMs() - this.#sentAtMs;
  }

  get figures(): QueueFigures {
    return {
      waiting: this.#pending,
      capacity: MAX_WAITING,
      lateMs: this.lateMs,
      dropped: this.#lost,
      failedWrites: this.#failedWrites,
    };
  }

  /** The number of charges that are not durable yet. */
  get pending(): number {
    return this.#pending;
  }

  /** Resolves when the charge is durable. Rejects with a `LedgerConflict`, or if it cannot be written for too long. */
  add(charge: Charge, nodeId: string | null = null): Promise<'charged' | 'known'> {
    try {
      refuseMalformedCharge(charge);
      if (this.#closed) throw new Error('The ledger is closed.');
      if (this.#waiting.length >= MAX_WAITING) {
        this.#reportLost(charge, 'too many charges are pending');
        throw new Error('The ledger cannot keep up: too many charges are pending.');
      }
    } catch (error) {
      return Promise.reject(error);
    }
    const { promise, resolve, reject } = Promise.withResolvers<'charged' | 'known'>();
    const since = this.#options.clock.monotonicMs();
    this.#pending += 1;
    this.#waiting.push({ charge, nodeId, since, isInDoubt: false, resolve, reject });
    this.#writing ??= this.#writeWaiting();
    return promise;
  }

  /** Writes queued charges and accepts no more. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#writing;
  }

  async #writeWaiting(): Promise<void> {
    while (this.#waiting.length > 0) {
      const gatherMs = this.#options.gatherMs?.(this.#lastWriteMs) ?? 0;
      if (this.#isWorthwhile(gatherMs) && !this.#closed) await Bun.sleep(gatherMs);
      // Charges of one event loop turn share a batch.
      else await new Promise<void>((resolve) => setImmediate(resolve));
      const batch = this.#takeBatch();
      this.#sentAtMs ??= this.#options.clock.monotonicMs();
      await this.#write(batch);
      if (this.#failures === 0) this.#sentAtMs = null;
      this.#measure(batch.length);
    }
    this.#sentAtMs = null;
    this.#writing = null;
  }

  /** A batch contains each request at most once, so that a repeated charge finds the first one. */
  #takeBatch(): readonly WaitingCharge[] {
    const batch = new Map<string, WaitingCharge>();
    const later: WaitingCharge[] = [];
    for (const waiting of this.#waiting) {
      const { requestId } = waiting.charge;
      if (batch.size < MAX_BATCH && !batch.has(requestId)) batch.set(requestId, waiting);
      else later.push(waiting);
    }
    this.#waiting = later;
    return [...batch.values()];
  }

  /**
   * Returns whether enough charges are expected meanwhile. The averages are divided, not the counts by the gaps: two charges 0.1 ms apart are
   * 10 per millisecond, and a few such pairs would raise an average of rates above the threshold at a fraction of it.
   */
  #isWorthwhile(gatherMs: number): boolean {
    return gatherMs > 0 && this.#meanCount * gatherMs >= GATHER_FROM * this.#meanGapMs;
  }

  #measure(count: number): void {
    const nowMs = this.#options.clock.monotonicMs();
    const gapMs = Math.min(nowMs - this.#wroteAtMs, LONGEST_GAP_MS);
    this.#wroteAtMs = nowMs;
    this.#meanCount += (count - this.#meanCount) * LATEST_WEIGHT;
    this.#meanGapMs += (gapMs - this.#meanGapMs) * LATEST_WEIGHT;
  }

  async #write(batch: readonly WaitingCharge[]): Promise<void> {
    const { clock } = this.#options;
    const beganAtMs = clock.monotonicMs();
    try {
      const outcomes = await this.#options.write(batch);
      this.#lastWriteMs = clock.monotonicMs() - beganAtMs;
      this.commits.observe(this.#lastWriteMs / 1_000);
      this.#pending -= batch.length;
      settle(batch, outcomes);
      this.#failures = 0;
      this.#options.health.chargesWritten();
    } catch (error) {
      this.#failedWrites += 1;
      const failure = this.#options.failureOf(error);
      if (failure === 'passing') await this.#retryLater(batch, error);
      else if (failure === 'charge' && batch.length > 1) {
        // One bad charge must not fail the others.
        const half = Math.ceil(batch.length / 2);
        await this.#write(batch.slice(0, half));
        await this.#write(batch.slice(half));
      } else this.#giveUp(batch, error);
    }
  }

  async #retryLater(batch: readonly WaitingCharge[], error: unknown): Promise<void> {
    const { clock, health, problemOf, giveUpAfterMs = DEFAULT_GIVE_UP_AFTER_MS } = this.#options;
    this.#failures += 1;
    if (this.#failures >= FAILURES_OF_A_PROBLEM) health.chargesFailed(problemOf(error));
    for (const waiting of batch) waiting.isInDoubt = true;
    const patienceMs = this.#closed ? Math.min(GIVE_UP_AT_END_MS, giveUpAfterMs) : giveUpAfterMs;
    const oldestMs = clock.monotonicMs() - patienceMs;
    const all = [...batch, ...this.#waiting];
    this.#waiting = all.filter(({ since }) => since > oldestMs);
    this.#report(error);
    const late = all.filter(({ since }) => since <= oldestMs);
    if (late.length > 0) this.#giveUp(late, error);
    if (this.#waiting.length > 0) await Bun.sleep(retryWaitMs(this.#failures));
  }

  #report(error: unknown): void {
    const nowMs = this.#options.clock.monotonicMs();
    if (nowMs - this.#reportedAtMs < REPORT_EVERY_MS) return;
    this.#reportedAtMs = nowMs;
    const fields = { code: errorCodeOf(error), error: firstLine(error), waiting: this.#waiting.length };
    this.#options.logger.error(fields, 'charges could not be written and will be retried');
  }

  #giveUp(batch: readonly WaitingCharge[], error: unknown): void {
    this.#pending -= batch.length;
    if (this.#waiting.length === 0) this.#options.health.chargesGivenUp();
    for (const { charge, reject } of batch) {
      this.#reportLost(charge, firstLine(error));
      reject(error);
    }
  }

  #reportLost({ requestId, accountId, keyId, costNanoUsd }: Charge, reason: string): void {
    this.#lost += 1;
    const fields = { requestId, accountId, keyId, costUsd: formatNanoUsd(costNanoUsd), reason };
    this.#options.logger.error(fields, 'a charge was lost because it could not be written');
  }
}

function settle(batch: readonly WaitingCharge[], outcomes: readonly ChargeOutcome[]): void {
  batch.forEach(({ resolve, reject }, index) => {
    const outcome = outcomes[index] ?? new Error('The ledger returned no outcome for a charge.');
    if (outcome instanceof Error) reject(outcome);
    else resolve(outcome);
  });
}
