import type { FeedbackType } from '../../domain/cache/cache.ts';
import type { RequestRecord } from './request-log.ts';

/** A finished attempt to serve a request through a channel. */
export interface FinishedAttempt {
  readonly channelId: string;
  /** `failed` even if another channel then served the request; `abandoned` if the gateway's side ended it (the client disconnected). */
  readonly outcome: 'answered' | 'failed' | 'abandoned';
  /** The failure's kind; `null` if there was none. */
  readonly kind: string | null;
  /** The time from sending the request to the first byte of content; `null` if there was none. */
  readonly firstByteMs: number | null;
}

/** The engine's metrics. Names and buckets are up to the implementation. */
export interface Metrics {
  requestStarted(): void;
  requestFinished(record: RequestRecord): void;
  /** Ends a request that another call will answer, and that is counted then. */
  requestHandedOver(): void;
  attemptFinished(attempt: FinishedAttempt): void;
  /** Counts a request without a valid key, which was refused or throttled. */
  keyRefused(how: 'refused' | 'throttled'): void;
  /** Counts a charge of which an implausible part is held for an operator. */
  chargeHeld(of: { readonly modelId: string; readonly channelId: string }): void;
}

/**
 * Why the cache was bypassed. `policy`: the settings of the account, the model or the gateway. `client`: the request itself. `request`: a
 * kind of request whose responses cannot be reused.
 */
export type CacheSkip = 'policy' | 'client' | 'request';

/**
 * The outcome of offering a response to the cache. `too_large`: above the size limit of an entry. `refused`: the model refused, or a
 * content filter stopped it. `cut`: it broke off, or the client disconnected. `blocked`: the key's last response was recently invalidated.
 * `unfit`: part of it cannot be reused for another request.
 */
export type CacheStoring = 'stored' | 'too_large' | 'refused' | 'cut' | 'blocked' | 'unfit';

/** Who invalidated an entry: clients through feedback, or an operator. */
export type CacheInvalidation = 'feedback' | 'operator';

/** Cache metrics. Hits are counted from the request record (`Metrics.requestFinished`). */
export interface CacheMetrics {
  cacheSkipped(why: CacheSkip): void;
  /** Counts a lookup without a result. `modelId` is the public id. */
  cacheMissed(modelId: string): void;
  cacheStoring(outcome: CacheStoring): void;
  /** Counts a client's feedback. A repeated report by the same key is not counted. */
  cacheReported(type: FeedbackType): void;
  cacheInvalidated(by: CacheInvalidation, entries: number): void;
}
