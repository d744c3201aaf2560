import type { RateWindow } from '../../engine/ports/rate-counters.ts';

/** Up to this limit every admission is kept by itself: 32 KiB a scope where it is all used. */
const EXACT_UP_TO = 2_048;
const EXACT_US = 1;
const SLOT_US = 100_000;

/**
 * Amounts of one slot of time are kept as one that came at the time of the last of them, so that a window of 60 s needs no more
 * than 601 entries. They leave the window up to a slot too late, so merging never admits too much. Times are in microseconds and
 * slots begin at multiples of their length; where few single requests are counted a slot is a microsecond: nothing is merged.
 */
export function slotUs({ limit, amount }: RateWindow): number {
  return amount === 1 && limit <= EXACT_UP_TO ? EXACT_US : SLOT_US;
}
