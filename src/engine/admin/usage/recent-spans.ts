import type { UsageSpan } from '../../ports/usage-store.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Sums of the last days are kept by the quarter of an hour at least. */
const QUARTER_MS = 15 * MINUTE_MS;

/** The most keys or accounts that a list orders by their recent spending; the others follow by id. */
export const MOST_RANKED = 2_000;

/** Returns the last days up to the current minute, on bounds for which there are sums. */
export function recentDays(days: number, nowMs: number): UsageSpan {
  const toMs = Math.floor(nowMs / MINUTE_MS + 1) * MINUTE_MS;
  return { fromMs: Math.floor((toMs - days * DAY_MS) / QUARTER_MS) * QUARTER_MS, toMs };
}
