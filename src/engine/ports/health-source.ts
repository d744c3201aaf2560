import type { BreakerState } from '../../domain/routing/circuit-breaker.ts';

/** What is known now of one channel for one of its upstream models. */
export interface ChannelReading {
  readonly channelId: string;
  readonly upstreamModel: string;
  readonly state: BreakerState;
  /** Attempts that have not ended. */
  readonly inFlight: number;
}

/** The present health of the channels that the configuration has now, read whenever somebody wants to see it. */
export interface HealthSource {
  models(): Iterable<ChannelReading>;
  /** `isUsable` is false while the channel is blocked because its provider refused its credentials. */
  channels(): Iterable<{ readonly channelId: string; readonly isUsable: boolean; readonly inFlight: number }>;
}
