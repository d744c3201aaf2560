/** Returns the accepted age of a polled answer, as `max-age` in whole seconds: a tenth of the polling interval. */
export function maxAgeOf(everyMs: number): number {
  return Math.max(1, Math.floor(everyMs / 10_000));
}
