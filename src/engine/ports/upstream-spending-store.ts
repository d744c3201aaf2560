export type UpstreamKeyId = Pick<SpendingPeriod, 'channelId' | 'keyId'>;

/** One period of an upstream key, identified by the channel, the key's id and the period's name (`periodName`). */
export interface SpendingPeriod {
  readonly channelId: string;
  /** `null` for the key that the channel had before it had several. */
  readonly keyId: string | null;
  readonly period: string;
}

export interface SpendingSum extends SpendingPeriod {
  readonly spentNanoUsd: bigint;
}

/** An amount to add to a sum. */
export interface SpendingDelta extends SpendingSum {
  /** The end of the period in milliseconds since 1970; `null` for the total. */
  readonly endsAtMs: number | null;
}

/** Stores how much was spent with each upstream key, by all processes together. */
export interface UpstreamSpendingStore {
  /** Adds the amounts. Channels that do not exist are skipped. Not idempotent. */
  add(deltas: readonly SpendingDelta[]): Promise<void>;
  /** Resolves to all sums of these channels; all channels if omitted. */
  read(channelIds?: readonly string[]): Promise<readonly SpendingSum[]>;
  /** Sets all sums of one key to zero. */
  reset(key: UpstreamKeyId): Promise<void>;
  /** Removes at most `limit` sums of periods that have ended before this time, and resolves to their number. */
  removeEnded(beforeMs: number, limit: number): Promise<number>;
}
