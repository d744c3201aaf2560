/** How old an answer may be of what is read every so many milliseconds: a tenth of that, in whole seconds, as `max-age` has them. */
export function maxAgeOf(everyMs: number): number {
  return Math.max(1, Math.floor(everyMs / 10_000));
}
