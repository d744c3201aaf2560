import type { OutcomeCount, SuccessSnapshot } from '../../domain/catalog/preference.ts';
import { compareText } from '../../domain/text/compare-text.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { OutcomeSource, SnapshotStore } from '../ports/outcomes.ts';

const DAY_MS = 86_400_000;
const DEFAULT_FRESH_MS = 300_000;
/** The pause after a count, as a multiple of its duration, so that counting uses at most a twentieth of a core. */
const REST_PER_WORK = 20;
/** The shortest delay before the next try, as a part of `freshMs`, while another node is counting or after a failure. */
const SOONEST = 0.1;

export interface SuccessRatesOptions {
  /** The sources of counts. The counts of all sources for one model are added up. */
  readonly sources: readonly OutcomeSource[];
  readonly snapshots: SnapshotStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The period that a snapshot covers. Default 24 hours, as the contract's `success_rate_24h` says. */
  readonly windowMs?: number;
  /** The age at which a snapshot is renewed. Default 5 minutes. */
  readonly freshMs?: number;
}

/**
 * The success rates of the models, from the latest snapshot. Reading them costs nothing, and nothing runs in the background unless
 * `refresh` is called.
 */
export class SuccessRates {
  readonly #options: SuccessRatesOptions;
  readonly #windowMs: number;
  readonly #freshMs: number;
  #snapshot: SuccessSnapshot | null = null;
  #running: Promise<void> | null = null;
  #lastTookMs = 0;
  #isBehind = false;
  #isStopped = false;
  /** When the running count was claimed; `null` if none is running. */
  #claimedAtMs: number | null = null;

  constructor(options: SuccessRatesOptions) {
    this.#options = options;
    this.#windowMs = options.windowMs ?? DAY_MS;
    this.#freshMs = options.freshMs ?? DEFAULT_FRESH_MS;
  }

  /** Returns the latest snapshot, or `null` before the first. */
  current(): SuccessSnapshot | null {
    return this.#snapshot;
  }

  /** Loads the snapshot from before a restart. Never rejects. */
  async restore(): Promise<void> {
    await this.#attempt(() => this.#readNewest());
  }

  /**
   * Makes a new snapshot, or loads one that another node has made. If this process is already making one, waits for it. Never rejects:
   * after a failure, the old snapshot stays.
   */
  refresh(): Promise<void> {
    this.#running ??= this.#attempt(() => this.#renew()).finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /**
   * Releases the claim of a running count, so that the next process need not wait until it expires. Call it before the sources and the
   * store close. Later failures are not reported. Never rejects.
   */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const claimedAtMs = this.#claimedAtMs;
    if (claimedAtMs !== null) await this.#options.snapshots.release(claimedAtMs).catch(() => {});
  }

  /** Returns the delay in milliseconds until `refresh` should be called next. */
  nextDelayMs(): number {
    const { clock } = this.#options;
    const ageMs = this.#snapshot === null ? this.#freshMs : Math.max(0, clock.nowMs() - this.#snapshot.atMs);
    const restMs = this.#lastTookMs * REST_PER_WORK;
    return Math.ceil(Math.max(this.#freshMs - ageMs, restMs, this.#freshMs * SOONEST));
  }

  async #renew(): Promise<void> {
    const { clock, snapshots, logger } = this.#options;
    const nowMs = clock.nowMs();
    if (this.#isStopped || !(await snapshots.claim(nowMs, this.#freshMs))) return this.#readNewest();
    // `stop` may have been called while the claim was awaited.
    if (this.#isStopped) return snapshots.release(nowMs);
    this.#claimedAtMs = nowMs;
    const startedMs = clock.monotonicMs();
    let isWritten: boolean;
    try {
      const counts = await this.#count(nowMs).finally(() => {
        this.#lastTookMs = clock.monotonicMs() - startedMs;
      });
      this.#snapshot = { atMs: nowMs, windowMs: this.#windowMs, counts };
      isWritten = await snapshots.write(this.#snapshot);
    } catch (error) {
      // This lets another node try. If the release fails too, the claim expires.
      await snapshots.release(nowMs).catch(() => {});
      throw error;
    } finally {
      this.#claimedAtMs = null;
    }
    if (isWritten || this.#isStopped) return;
    const fields = { durationMs: Math.round(this.#lastTookMs) };
    logger.warn(fields, "counting the models' success rates took too long: another node started over");
    await this.#readNewest();
  }

  /** Counts one source after the other, since in parallel they would use more than one core. */
  async #count(nowMs: number): Promise<readonly OutcomeCount[]> {
    const sums = new Map<string, OutcomeCount>();
    for (const source of this.#options.sources) {
      for (const { modelId, succeeded, failed } of await source.count(nowMs - this.#windowMs, nowMs)) {
        const sum = sums.get(modelId) ?? { modelId, succeeded: 0, failed: 0 };
        sums.set(modelId, { modelId, succeeded: sum.succeeded + succeeded, failed: sum.failed + failed });
      }
    }
    return [...sums.values()].sort((a, b) => compareText(a.modelId, b.modelId));
  }

  /**
   * Loads the stored snapshot, unless the one in memory is newer because it could not be written. A snapshot from the future (the clock was
   * set back) does not count as newer.
   */
  async #readNewest(): Promise<void> {
    const { clock, snapshots } = this.#options;
    const stored = await snapshots.read();
    if (stored === null) return;
    const heldAtMs = this.#snapshot?.atMs ?? Number.NEGATIVE_INFINITY;
    if (stored.atMs >= heldAtMs || heldAtMs > clock.nowMs()) this.#snapshot = stored;
  }

  /** Runs the action. Consecutive failures are logged once. */
  async #attempt(action: () => Promise<void>): Promise<void> {
    try {
      await action();
      this.#isBehind = false;
    } catch (error) {
      if (!this.#isBehind && !this.#isStopped) {
        const fields = { reason: String(error) };
        this.#options.logger.warn(fields, "the models' success rates could not be updated; the old rates are kept");
      }
      this.#isBehind = true;
    }
  }
}
