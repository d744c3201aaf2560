import type { BreakerState } from '../../domain/routing/circuit-breaker.ts';

/** The stored health of one channel for one of its upstream models. Operators can read it, and a restart restores it. */
export interface HealthRow {
  readonly channelId: string;
  readonly upstreamModel: string;
  readonly state: BreakerState;
  /** When the breaker lets the next request through, in milliseconds since 1970; `null` while it is closed. */
  readonly availableAtMs: number | null;
  /** How often the breaker has opened without closing in between. */
  readonly openings: number;
  /** The number of attempts, and of failed ones, since the row was first written. */
  readonly requests: number;
  readonly failures: number;
  /** The kind (`http_503`, `reset`) and time of the latest failure. */
  readonly lastFailure: string | null;
  readonly lastFailureAtMs: number | null;
  /** The moving average of the time to the first byte. */
  readonly firstByteMs: number | null;
  readonly updatedAtMs: number;
}

/**
 * Stores health across restarts and processes: the gateway writes it, the command line reads it. Rows are identified by channel and
 * upstream model.
 */
export interface HealthStore {
  /**
   * Resolves to rows sorted by channel, then upstream model. Deleted channels have none.
   *
   * @param channelIds reads only these channels; all if omitted
   */
  read(channelIds?: readonly string[]): Promise<readonly HealthRow[]>;
  /** Inserts or replaces rows. Rows of channels that do not exist are skipped. */
  write(rows: readonly HealthRow[]): Promise<void>;
}
