import type { RateWindow } from '../../engine/ports/rate-counters.ts';

/** Up to this limit each admission is stored separately, at most 32 KiB per scope. */
const EXACT_UP_TO = 2_048;
const EXACT_US = 1;
const SLOT_US = 100_000;

/**
 * Returns the slot length in microseconds. Amounts in one slot are merged into one at the time of the last, so that a 60 s window needs at
 * most 601 entries. They leave the window up to a slot late, so merging never admits too much. Slots begin at multiples of their length.
 * Where few single requests are counted, a slot is one microsecond, so that nothing is merged.
 */
export function slotUs({ limit, amount }: RateWindow): number {
  return amount === 1 && limit <= EXACT_UP_TO ? EXACT_US : SLOT_US;
}
