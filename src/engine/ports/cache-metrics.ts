import type { FeedbackType } from '../../domain/cache/cache-feedback.ts';

/**
 * Why the cache was not asked for an answer. `policy`: the request's account, model or the settings do not want it. `client`: the
 * request itself does not. `request`: it is of a kind whose answers are good for one time only.
 */
export type CacheSkip = 'policy' | 'client' | 'request';

/**
 * What became of an answer that the cache was to keep. `too_large`: over the bound of one entry. `refused`: the model refused to
 * answer, or a filter stopped it. `cut`: it broke off, or its client has left. `blocked`: the request's last
 * answer was invalidated a short time ago. `unfit`: something in it cannot be given to another request.
 */
export type CacheStoring = 'stored' | 'too_large' | 'refused' | 'cut' | 'blocked' | 'unfit';

/** Who has taken an entry out of use: clients by their reports, or an operator. */
export type CacheInvalidation = 'feedback' | 'operator';

/** What the cache tells the metrics. Hits are told by the record of their request (`Metrics.requestFinished`). */
export interface CacheMetrics {
  cacheSkipped(why: CacheSkip): void;
  /** It was looked for an answer, and there was none. `modelId` is the public id. */
  cacheMissed(modelId: string): void;
  cacheStoring(outcome: CacheStoring): void;
  /** A client has reported an answer; a repeated report of the same key is not told. */
  cacheReported(type: FeedbackType): void;
  cacheInvalidated(by: CacheInvalidation, entries: number): void;
}
