const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The delay after each failed attempt; after the last one a delivery is abandoned, about 18 hours after the first attempt. */
export const RETRY_DELAYS_MS = [
  10 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
] as const;

/** A fifth more or less, so that deliveries that failed together are not retried together. */
const JITTER = 0.2;

/** A target that has accepted nothing for this long is disabled. */
export const DISABLE_AFTER_MS = 5 * 24 * HOUR_MS;

/**
 * Returns the delay after this many attempts; `null` if there is no further one.
 *
 * @param random from 0 to 1
 */
export function retryDelayMs(attempts: number, random: number): number | null {
  const delay = RETRY_DELAYS_MS[attempts - 1];
  return delay === undefined ? null : Math.round(delay * (1 - JITTER + 2 * JITTER * random));
}
