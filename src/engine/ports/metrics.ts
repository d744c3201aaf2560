import type { RequestRecord } from './request-log.ts';

/** One request that a channel was asked to answer, when its answer is over or has failed. */
export interface FinishedAttempt {
  readonly channelId: string;
  /** `failed`, whether or not another channel then answered; `abandoned`: it was ended from this side (the client left). */
  readonly outcome: 'answered' | 'failed' | 'abandoned';
  /** The failure's kind; `null` where there was none. */
  readonly kind: string | null;
  /** From the sending of the request to the first byte of the answer's content; `null` where there was none. */
  readonly firstByteMs: number | null;
}

/** What the engine tells the metrics; the names and buckets are the implementation's. */
export interface Metrics {
  requestStarted(): void;
  requestFinished(record: RequestRecord): void;
  attemptFinished(attempt: FinishedAttempt): void;
  /** A request had no valid key: it was refused, or told to wait. */
  keyRefused(how: 'refused' | 'throttled'): void;
  /** An upstream has billed more than is plausible, and what is beyond is held for an operator. */
  chargeHeld(of: { readonly modelId: string; readonly channelId: string }): void;
}
