const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** What is waited after each attempt that failed; after the last of them a delivery is given up, about 18 hours after the first. */
export const RETRY_DELAYS_MS = [
  10 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
] as const;

/** So that deliveries that failed together do not come back together: a fifth more or less. */
const JITTER = 0.2;

/** A target that has taken nothing for so long is told nothing more. */
export const DISABLE_AFTER_MS = 5 * 24 * HOUR_MS;

/**
 * How long to wait after that many attempts; `null` where there is no further one.
 *
 * @param random from 0 to 1
 */
export function retryDelayMs(attempts: number, random: number): number | null {
  const delay = RETRY_DELAYS_MS[attempts - 1];
  return delay === undefined ? null : Math.round(delay * (1 - JITTER + 2 * JITTER * random));
}
