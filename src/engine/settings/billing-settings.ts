/** What happens while the counters that nodes share cannot be asked: each node counts for itself, or requests are refused. */
export const COUNTER_FALLBACKS = ['local', 'refuse'] as const;
export type CounterFallback = (typeof COUNTER_FALLBACKS)[number];

/** The choices of docs/billing.md that an operator may make. */
export interface BillingSettings {
  /** How many tokens of output are reserved for a request that sets no bound of its own, where the model is not known to have a lower one. */
  readonly assumedOutputTokens: number;
  /** What a request over an account's own (PRIVATE) channel costs, in nano-USD: its model costs nothing here. */
  readonly privateChannelFeeNanoUsd: bigint;
  readonly whenCountersAreAway: CounterFallback;
}

export const DEFAULT_BILLING: BillingSettings = {
  assumedOutputTokens: 4_096,
  privateChannelFeeNanoUsd: 0n,
  whenCountersAreAway: 'local',
};
