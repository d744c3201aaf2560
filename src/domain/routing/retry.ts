const BASE_MS = 100;
const CAP_MS = 2_000;

/** Returns the delay before the `retry`-th retry (from 1) of one target: exponential, jittered into the upper half. */
export function backoffMs(retry: number, random: () => number): number {
  return Math.min(BASE_MS * 2 ** (retry - 1), CAP_MS) * (0.5 + random() / 2);
}
