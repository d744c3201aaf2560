/** The choices of docs/billing.md that an operator may make. */
export interface BillingSettings {
  /** How many tokens of output are reserved for a request that sets no bound of its own, where the model is not known to have a lower one. */
  readonly assumedOutputTokens: number;
  /** What a request over an account's own (PRIVATE) channel costs, in nano-USD: its model costs nothing here. */
  readonly privateChannelFeeNanoUsd: bigint;
  /** When the counters that nodes share cannot be asked: each node counts for itself (`local`), or requests are refused (`refuse`). */
  readonly whenCountersAreAway: 'local' | 'refuse';
}

export const DEFAULT_BILLING: BillingSettings = {
  assumedOutputTokens: 4_096,
  privateChannelFeeNanoUsd: 0n,
  whenCountersAreAway: 'local',
};
