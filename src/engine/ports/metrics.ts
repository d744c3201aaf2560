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
  attemptFinished(attempt: FinishedAttempt): void;
  /** Counts a request without a valid key, which was refused or throttled. */
  keyRefused(how: 'refused' | 'throttled'): void;
  /** Counts a charge of which an implausible part is held for an operator. */
  chargeHeld(of: { readonly modelId: string; readonly channelId: string }): void;
}
