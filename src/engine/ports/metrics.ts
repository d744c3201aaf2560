import type { RequestRecord } from './request-log.ts';

/** What the engine tells the metrics; the names and buckets are the implementation's. */
export interface Metrics {
  requestStarted(): void;
  requestFinished(record: RequestRecord): void;
  /** One attempt at a channel failed with this kind, whether or not another one then succeeded. */
  attemptFailed(channelId: string, kind: string): void;
}
