import type { Clock } from '../../engine/ports/clock.ts';
import type { Charge } from '../../engine/ports/ledger.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import { errorCodeOf } from '../shared/error-code.ts';
import { refuseMalformedCharge } from '../shared/ledger-rules.ts';
import type { WriteHealth } from '../shared/write-health.ts';
import { isDamage, isOutage } from './connection.ts';
import type { ChargeOutcome } from './ledger-writer.ts';
import { writeProblem } from './store-health.ts';

const MAX_BATCH = 1_000;
/** Far more than concurrent requests, each of which waits with its last byte. */
const MAX_WAITING = 100_000;
const RETRY_EVERY_MS = 250;
const REPORT_EVERY_MS = 1_000;
const DEFAULT_GIVE_UP_AFTER_MS = 60_000;
/** Shorter on shutdown, so as not to delay it. */
const GIVE_UP_AT_END_MS = 5_000;

const DEFAULT_LATE_AFTER_MS = 1_000;

/**
 * From this rate (charges per millisecond) on, a commit waits for more charges, since each commit costs about 0.1 ms of CPU however many it
 * contains. Below it no charge waits for others.
 */
const GATHER_FROM_PER_MS = 2;
const GATHER_MS = 1;
/** The weight of the latest batch in the moving average of the rate. */
const RATE_WEIGHT = 0.2;

interface WaitingCharge {
  readonly charge: Charge;
  readonly resolve: (outcome: 'charged' | 'known') => void;
  readonly reject: (error: unknown) => void;
}

export interface ChargeQueueOptions {
  /** Writes a batch in one transaction and resolves to one outcome per charge when it is durable. Called for one batch at a time. */
  readonly write: (batch: readonly Charge[]) => Promise<readonly ChargeOutcome[]>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Receives whether charges can be written. */
  readonly health: WriteHealth;
  readonly onDamage: (error: unknown) => void;
  /** How long a charge that cannot be written is retried. Default 60 s. */
  readonly giveUpAfterMs?: number;
  /** The write latency beyond which the disk counts as too slow for new requests. Default 1 s. */
  readonly lateAfterMs?: number | undefined;
}

/**
 * Queues charges and writes them in batches. The upstream has already done the work, so a charge that cannot be written (a full disk) is
 * kept and retried. When it is abandoned, everything needed to enter it by hand is logged.
 */
export class ChargeQueue {
  readonly #options: ChargeQueueOptions;
  readonly #waiting: WaitingCharge[] = [];
  #writing: Promise<void> | null = null;
  #closed = false;
  /** The recent rate in charges per millisecond. */
  #rate = 0;
  #wroteAtMs = 0;
  /** When the batch in flight was sent. */
  #sentAtMs: number | null = null;
  #reportedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: ChargeQueueOptions) {
    this.#options = options;
    options.health.watch(() => this.#lateness());
  }

  add(charge: Charge): Promise<'charged' | 'known'> {
    try {
      refuseMalformedCharge(charge);
      if (this.#closed) throw new Error('The store is closed.');
      if (this.#waiting.length >= MAX_WAITING) {
        this.#reportLost(charge, 'too many charges are pending');
        throw new Error('The ledger cannot keep up: too many charges are pending.');
      }
    } catch (error) {
      return Promise.reject(error);
    }
    const { promise, resolve, reject } = Promise.withResolvers<'charged' | 'known'>();
    this.#waiting.push({ charge, resolve, reject });
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
      if (this.#rate >= GATHER_FROM_PER_MS && !this.#closed) await Bun.sleep(GATHER_MS);
      // Charges of one event loop turn share a batch.
      else await new Promise<void>((resolve) => setImmediate(resolve));
      const batch = this.#waiting.splice(0, MAX_BATCH);
      await this.#write(batch);
      this.#sentAtMs = null;
      this.#measure(batch.length);
    }
    this.#writing = null;
  }

  #lateness(): string | null {
    const { clock, lateAfterMs = DEFAULT_LATE_AFTER_MS } = this.#options;
    const isLate = this.#sentAtMs !== null && clock.monotonicMs() - this.#sentAtMs >= lateAfterMs;
    return isLate ? 'the disk is too slow' : null;
  }

  #measure(count: number): void {
    const nowMs = this.#options.clock.monotonicMs();
    const rate = count / Math.max(nowMs - this.#wroteAtMs, 0.05);
    this.#wroteAtMs = nowMs;
    this.#rate += (rate - this.#rate) * RATE_WEIGHT;
  }

  async #write(batch: readonly WaitingCharge[]): Promise<void> {
    const { write, clock } = this.#options;
    const startedAtMs = clock.monotonicMs();
    this.#sentAtMs = startedAtMs;
    for (;;) {
      try {
        settle(batch, await write(batch.map(({ charge }) => charge)));
        this.#options.health.chargesWritten();
        return;
      } catch (error) {
        if (this.#mayRetry(error, startedAtMs)) {
          await Bun.sleep(RETRY_EVERY_MS);
        } else if (batch.length > 1 && !isOutage(error) && !isDamage(error)) {
          // One bad charge must not fail the others.
          for (const waiting of batch) await this.#write([waiting]);
          return;
        } else {
          this.#giveUp(batch, error);
          return;
        }
      }
    }
  }

  #mayRetry(error: unknown, startedAtMs: number): boolean {
    if (!isOutage(error)) return false;
    const { clock, logger, health, giveUpAfterMs = DEFAULT_GIVE_UP_AFTER_MS } = this.#options;
    health.chargesFailed(writeProblem(error));
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#reportedAtMs >= REPORT_EVERY_MS) {
      this.#reportedAtMs = nowMs;
      const fields = { code: errorCodeOf(error), error: messageOf(error), waiting: this.#waiting.length };
      logger.error(fields, 'charges could not be written and will be retried');
    }
    return nowMs - startedAtMs < (this.#closed ? Math.min(GIVE_UP_AT_END_MS, giveUpAfterMs) : giveUpAfterMs);
  }

  #giveUp(batch: readonly WaitingCharge[], error: unknown): void {
    if (isDamage(error)) this.#options.onDamage(error);
    this.#options.health.chargesGivenUp();
    for (const { charge, reject } of batch) {
      this.#reportLost(charge, messageOf(error));
      reject(error);
    }
  }

  #reportLost({ requestId, accountId, keyId, costNanoUsd }: Charge, reason: string): void {
    const fields = { requestId, accountId, keyId, costNanoUsd: String(costNanoUsd), reason };
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
