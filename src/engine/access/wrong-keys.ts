import { subscriberOf } from '../../domain/access/network-address.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Caller } from './caller.ts';
import { MinuteCounts, MOST_SENDERS } from './minute-counts.ts';

export interface WrongKeysOptions {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'keyRefused'>;
  /** The number of requests per address and minute that get the actual error; later ones are refused for a while. */
  readonly perMinute: number;
}

const REPORT_MS = 10_000;
/** The most addresses in a report. */
const MOST_NAMED = 5;

/**
 * Counts requests without a valid key by address and reports them periodically. They are not logged one by one, because they cost their
 * sender nothing. An address with many of them has to wait; a valid key from the same address, which may be an office, still works.
 */
export class WrongKeys {
  private readonly counts: MinuteCounts;
  /** Requests by address since the last report. */
  private readonly recent = new Map<string, number>();
  private refusedCount = 0;
  private throttledCount = 0;
  private reportedAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: WrongKeysOptions) {
    this.counts = new MinuteCounts(options.clock);
  }

  /** Returns the failure for a request without a valid key; `failure` is the reason. */
  refused(caller: Caller, failure: Failure): Failure {
    const { metrics, perMinute } = this.options;
    // The key may be valid, but could not be looked up.
    if (failure.side !== 'client') return failure;
    const sender = subscriberOf(caller.address());
    const { count, endsInMs } = this.counts.add(sender);
    const recent = this.recent.get(sender);
    if (recent !== undefined || this.recent.size < MOST_SENDERS) this.recent.set(sender, (recent ?? 0) + 1);
    if (count <= perMinute) {
      this.refusedCount++;
      metrics.keyRefused('refused');
      return failure;
    }
    this.throttledCount++;
    metrics.keyRefused('throttled');
    return new Failure('rate_limit_exceeded', {
      message: 'Too many requests without a valid API key came from this address.',
      hint: 'This request has no valid key either. Send a valid key: requests with one are served.',
      side: 'client',
      kind: 'wrong_keys',
      retryAfterMs: endsInMs,
    });
  }

  /** Logs one line for all requests since the last report. Call it periodically. */
  report(): void {
    const nowMs = this.options.clock.monotonicMs();
    if (this.refusedCount + this.throttledCount === 0 || nowMs < this.reportedAtMs + REPORT_MS) return;
    const most = [...this.recent].sort(([, a], [, b]) => b - a).slice(0, MOST_NAMED);
    const fields = {
      refused: this.refusedCount,
      throttled: this.throttledCount,
      addresses: this.recent.size,
      most: Object.fromEntries(most),
    };
    this.options.logger.warn(fields, 'requests without a valid API key');
    this.recent.clear();
    this.refusedCount = 0;
    this.throttledCount = 0;
    this.reportedAtMs = nowMs;
  }
}
