import { type BudgetWindow, budgetWindow } from '../money/budget.ts';
import type { ChannelBlock } from './channel-block.ts';

export const SPEND_CAP_PERIODS = ['day', 'month', 'total'] as const;

/** The most upstream keys of one channel. */
export const MOST_UPSTREAM_KEYS = 50;

/** How much may be spent with one upstream key per calendar day or month, or in all. */
export interface SpendCap {
  readonly amountNanoUsd: bigint;
  readonly per: (typeof SPEND_CAP_PERIODS)[number];
  /** The IANA name of the time zone whose midnight begins a period. */
  readonly timeZone: string;
}

/** One of several credentials of a channel (docs/upstream-keys.md). */
export interface UpstreamKey {
  /**
   * Identifies the key within its channel, whatever its name. `null` for the key that the channel had before it had several: what belongs to
   * that key is remembered by the channel's id alone.
   */
  readonly id: string | null;
  readonly name: string;
  /** The credential in plain text. `null` if it was sealed with a lost master secret. */
  readonly key: string | null;
  /** The share of the channel's traffic; 0 is used only if no other key is left. */
  readonly weight: number;
  readonly enabled: boolean;
  readonly spendCap: SpendCap | null;
  readonly block: ChannelBlock | null;
  /** When an operator last reset the key's learned health. */
  readonly resetAtMs: number | null;
}

/** A key as it is written in a configuration; `enabled` is `null` if the operator's switch shall stay as it is. */
export interface ConfiguredUpstreamKey extends Pick<UpstreamKey, 'name' | 'key' | 'weight' | 'spendCap'> {
  readonly enabled: boolean | null;
  /** The name that the key had before; `null` if it is the same or the key is new. */
  readonly renameFrom: string | null;
}

/** Returns the period of a cap that contains a point in time; `null` if the cap is for the total. */
export function capWindow({ per, timeZone }: SpendCap, atMs: number): BudgetWindow | null {
  return per === 'total' ? null : budgetWindow({ per, timeZone }, atMs);
}

/** Returns the name under which the sum of a period is stored; the total has the name `total`. */
export function periodName({ per, timeZone }: SpendCap, window: BudgetWindow | null): string {
  return window === null ? TOTAL : `${per} ${timeZone} ${window.startsAtMs}`;
}

export const TOTAL = 'total';
