import type { BreakerState } from '../../domain/routing/circuit-breaker.ts';

/** What a gateway has learned of one channel for one of its upstream models, as operators see it and a restart finds it. */
export interface HealthRow {
  readonly channelId: string;
  readonly upstreamModel: string;
  readonly state: BreakerState;
  /** When the breaker lets the next request through, in milliseconds since 1970; `null` while it is closed. */
  readonly availableAtMs: number | null;
  /** How often it has opened without closing in between. */
  readonly openings: number;
  /** Attempts, and failed ones among them, since this was first written. */
  readonly requests: number;
  readonly failures: number;
  /** The kind of the latest failure (`http_503`, `reset`), and when it was. */
  readonly lastFailure: string | null;
  readonly lastFailureAtMs: number | null;
  /** The moving average of the time to the first byte. */
  readonly firstByteMs: number | null;
  readonly updatedAtMs: number;
}

/** Health across restarts and processes: the gateway writes, the command line reads. Identified by channel and upstream model. */
export interface HealthStore {
  /**
   * Ordered by channel, then upstream model. Rows of a channel that was deleted are gone.
   *
   * @param channelIds only those of these channels; all where it is left out
   */
  read(channelIds?: readonly string[]): Promise<readonly HealthRow[]>;
  /** Inserts or replaces. Rows of channels that do not exist are passed over. */
  write(rows: readonly HealthRow[]): Promise<void>;
}
