import { parseNetworkAddress } from '../../domain/access/network-address.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Caller } from './caller.ts';

export interface WrongKeysOptions {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'keyRefused'>;
  /** So many requests of one address are told what is wrong with their key; later ones are told to wait. */
  readonly perMinute: number;
}

const WINDOW_MS = 60_000;
/** The most addresses that are kept; the oldest is forgotten first, so that many addresses cannot fill the memory. */
const MOST_ADDRESSES = 10_000;
const REPORT_MS = 10_000;
/** Of the addresses in a report. */
const MOST_NAMED = 5;

interface Noted {
  count: number;
  /** Since the last report. */
  recent: number;
  readonly sinceMs: number;
}

/**
 * Requests without a valid key cost their sender nothing, so they are not logged one by one: they are counted by address, and
 * reported from time to time. An address with many of them is told to wait; a valid key from the same address, which may be an
 * office, works all the same.
 */
export class WrongKeys {
  private readonly noted = new Map<string, Noted>();
  private refusedCount = 0;
  private throttledCount = 0;
  private reportedAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: WrongKeysOptions) {}

  /** The failure for a request without a valid key; `failure` is the reason. */
  refused(caller: Caller, failure: Failure): Failure {
    const { clock, metrics, perMinute } = this.options;
    // The key may be valid, but could not be looked up.
    if (failure.side !== 'client') return failure;
    const nowMs = clock.monotonicMs();
    const noted = this.note(placeOf(caller.address()), nowMs);
    if (noted.count <= perMinute) {
      this.refusedCount++;
      metrics.keyRefused('refused');
      return failure;
    }
    this.throttledCount++;
    metrics.keyRefused('throttled');
    return new Failure('rate_limit_exceeded', {
      message: 'Too many requests without a valid API key came from this address.',
      hint: 'This request has no valid key either. Requests with one are answered.',
      side: 'client',
      kind: 'wrong_keys',
      retryAfterMs: noted.sinceMs + WINDOW_MS - nowMs,
    });
  }

  /** To be called from time to time: one line for all that has come. */
  report(): void {
    const nowMs = this.options.clock.monotonicMs();
    if (this.refusedCount + this.throttledCount === 0 || nowMs < this.reportedAtMs + REPORT_MS) return;
    const recent = [...this.noted].filter(([, { recent }]) => recent > 0);
    const most = recent.sort(([, a], [, b]) => b.recent - a.recent).slice(0, MOST_NAMED);
    const fields = {
      refused: this.refusedCount,
      throttled: this.throttledCount,
      addresses: recent.length,
      most: Object.fromEntries(most.map(([place, { recent }]) => [place, recent])),
    };
    this.options.logger.warn(fields, 'requests without a valid API key');
    for (const [, noted] of recent) noted.recent = 0;
    this.refusedCount = 0;
    this.throttledCount = 0;
    this.reportedAtMs = nowMs;
  }

  private note(place: string, nowMs: number): Noted {
    let noted = this.noted.get(place);
    if (noted === undefined || nowMs >= noted.sinceMs + WINDOW_MS) {
      // Deleted first, so that the map stays in the order of the windows.
      this.noted.delete(place);
      noted = { count: 0, recent: noted?.recent ?? 0, sinceMs: nowMs };
      if (this.noted.size >= MOST_ADDRESSES) this.forgetFirst();
      this.noted.set(place, noted);
    }
    noted.count++;
    noted.recent++;
    return noted;
  }

  private forgetFirst(): void {
    const [first] = this.noted.keys();
    if (first !== undefined) this.noted.delete(first);
  }
}

/** One subscriber: an IPv4 address, or the first 64 bits of an IPv6 address, which a network gives to one subscriber. */
function placeOf(address: string | null): string {
  const parsed = address === null ? null : parseNetworkAddress(address.replace(/%.*$/, ''));
  if (parsed === null) return 'unknown';
  if (parsed.version === 6)
    return `${(parsed.value >> 64n)
      .toString(16)
      .padStart(16, '0')
      .replace(/(.{4})(?=.)/g, '$1:')}::/64`;
  return [24n, 16n, 8n, 0n].map((shift) => (parsed.value >> shift) & 255n).join('.');
}
