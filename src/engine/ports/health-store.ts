import type { BreakerState } from '../../domain/routing/circuit-breaker.ts';
import type { LimitReading } from '../../domain/routing/provider-limits.ts';

/** The stored health of one channel for one of its upstream models. Operators can read it, and a restart restores it. */
export interface HealthRow {
  readonly channelId: string;
  /** The id of the upstream key; absent for a channel's only key, or the one that it had before it had several. */
  readonly keyId?: string;
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
 * Stores health across restarts and processes: the gateway writes it, the command line reads it. Rows are identified by channel, key
 * and upstream model.
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

/** The current health of one channel for one of its upstream models. */
export interface ChannelReading {
  readonly channelId: string;
  readonly upstreamModel: string;
  readonly state: BreakerState;
  /** The number of attempts in flight. */
  readonly inFlight: number;
}

/** `resting`: the breaker of one of its models is open; `probing`: one is half-open; `blocked`: its credentials were refused. */
export const RUNNING_CHANNEL_STATES = ['blocked', 'resting', 'probing', 'ready'] as const;

/** The current state of one channel in use, over all of its models. */
export interface ChannelFigures {
  readonly channelId: string;
  /** The worst state of its models. */
  readonly state: (typeof RUNNING_CHANNEL_STATES)[number];
  /** The upstream models in that state; empty if the channel is blocked or ready. */
  readonly affectedModels: readonly string[];
  /** Why the channel is blocked, or the kind of its latest failure; `null` if neither is known. */
  readonly reason: string | null;
  readonly inFlight: number;
  /** The number of attempts, and of failed ones, since its health was first stored. */
  readonly requests: number;
  readonly failures: number;
  /** A moving average of the time to the first byte. */
  readonly firstByteMs: number | null;
  /** Each of several upstream keys in use; absent for a channel with one key. */
  readonly keys?: readonly KeyFigures[];
}

/** `capped`: as much was spent with it as its cap allows. */
export const RUNNING_KEY_STATES = ['blocked', 'capped', 'resting', 'probing', 'ready'] as const;

/** The current state of one of several upstream keys, as plain data that can be sent to another process. */
export interface KeyFigures extends Pick<ChannelFigures, 'reason' | 'inFlight' | 'requests' | 'failures'> {
  readonly name: string;
  readonly state: (typeof RUNNING_KEY_STATES)[number];
  /** In nano-USD, in the period of the cap, or in all without a cap. */
  readonly spentNanoUsd: string;
  readonly capNanoUsd: string | null;
  /** When the period of the cap ends, in milliseconds since 1970; `null` for the total. */
  readonly resetsAtMs: number | null;
}

/** The rest of a rate limit that the provider of a channel has stated, over all keys of the channel. */
export interface StatedReading extends LimitReading {
  readonly channelId: string;
  readonly upstreamModel: string;
}

export interface KeyReading {
  readonly channelId: string;
  readonly name: string;
  /** Whether it is neither blocked nor past its spend cap. */
  readonly isUsable: boolean;
  readonly spentRatio: number | null;
}

/** Reads the current health of the configured channels. */
export interface HealthSource {
  /** Returns a reading for each model of each PLATFORM channel. */
  models(): Iterable<ChannelReading>;
  /** Returns all PLATFORM channels. `isUsable` is `false` while the channel is blocked because its provider refused its credentials. */
  channels(): Iterable<{ readonly channelId: string; readonly isUsable: boolean; readonly inFlight: number }>;
  /** Returns each key of the PLATFORM channels that have several. `spentRatio` is `null` without a cap. */
  keys(): Iterable<KeyReading>;
  /** Returns the number of attempts in flight at PRIVATE channels of all accounts; `null` if there are no such channels. */
  privateInFlight(): number | null;
  /** Returns each public model of the PLATFORM channels with the number of them that would take a request for it now. */
  usableChannels(): Iterable<{ readonly modelId: string; readonly channels: number }>;
  /** Returns how often the breakers of a channel have changed to each state since the start, as seen once a second. */
  transitions(): Iterable<{ readonly channelId: string; readonly state: BreakerState; readonly count: number }>;
  /** Whether it is a PLATFORM channel, or has been one since the start. */
  isPlatformChannel(channelId: string): boolean;
  /** Whether a PLATFORM channel serves the public model, or has served it since the start. */
  isPlatformModel(modelId: string): boolean;
}

/** Reads the state of the PLATFORM channels, each over all of its models. */
export interface ChannelFigureSource {
  figures(): Iterable<ChannelFigures>;
}
