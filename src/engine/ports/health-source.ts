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
  /** Of PLATFORM channels. */
  models(): Iterable<ChannelReading>;
  /** PLATFORM channels. `isUsable` is false while the channel is blocked because its provider refused its credentials. */
  channels(): Iterable<{ readonly channelId: string; readonly isUsable: boolean; readonly inFlight: number }>;
  /** Attempts at PRIVATE channels, of all accounts together, that have not ended; `null` while there are no such channels. */
  privateInFlight(): number | null;
  /** Whether it is, or was since the start, a PLATFORM channel. */
  isPlatformChannel(channelId: string): boolean;
  /** Whether a PLATFORM channel serves the public model, or has since the start. */
  isPlatformModel(modelId: string): boolean;
}
