import type { BreakerState } from '../../domain/routing/circuit-breaker.ts';

/** The current health of one channel for one of its upstream models. */
export interface ChannelReading {
  readonly channelId: string;
  readonly upstreamModel: string;
  readonly state: BreakerState;
  /** The number of attempts in flight. */
  readonly inFlight: number;
}

/** Reads the current health of the configured channels. */
export interface HealthSource {
  /** Returns a reading for each model of each PLATFORM channel. */
  models(): Iterable<ChannelReading>;
  /** Returns all PLATFORM channels. `isUsable` is `false` while the channel is blocked because its provider refused its credentials. */
  channels(): Iterable<{ readonly channelId: string; readonly isUsable: boolean; readonly inFlight: number }>;
  /** Returns the number of attempts in flight at PRIVATE channels of all accounts; `null` if there are no such channels. */
  privateInFlight(): number | null;
  /** Whether it is a PLATFORM channel, or has been one since the start. */
  isPlatformChannel(channelId: string): boolean;
  /** Whether a PLATFORM channel serves the public model, or has served it since the start. */
  isPlatformModel(modelId: string): boolean;
}
