/** The behaviour while the counters that nodes share are unavailable: each node counts for itself, or requests are refused. */
export const COUNTER_FALLBACKS = ['local', 'refuse'] as const;
export type CounterFallback = (typeof COUNTER_FALLBACKS)[number];

/** The choices in docs/billing.md that an operator may make. */
export interface BillingSettings {
  /** The number of output tokens reserved for a request without an output limit, unless the model has a lower limit. */
  readonly assumedOutputTokens: number;
  /** The fee for a request over an account's own (PRIVATE) channel, in nano-USD. The model itself is free here. */
  readonly privateChannelFeeNanoUsd: bigint;
  readonly whenCountersAreAway: CounterFallback;
}

export const DEFAULT_BILLING: BillingSettings = {
  assumedOutputTokens: 4_096,
  privateChannelFeeNanoUsd: 0n,
  whenCountersAreAway: 'local',
};
