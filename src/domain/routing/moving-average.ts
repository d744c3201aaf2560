const ALPHA = 0.2;
const FRESH_MS = 30_000;
const HALF_LIFE_MS = 30_000;

/**
 * The exponentially weighted average of a duration. After 30 s without samples it starts to decay, by half every 30 s, so that a
 * channel that was avoided for being slow is tried again. The first sample after such a pause outweighs the old ones in
 * proportion to their decay: a channel that is still slow counts as slow again at once, and one that has recovered as fast.
 */
export class MovingAverage {
  #averageMs: number | null = null;
  #latestMs: number | null = null;
  #latestAtMs = 0;

  /** The last sample. */
  get latest(): number | null {
    return this.#latestMs;
  }

  add(valueMs: number, nowMs: number): void {
    const kept = this.#averageMs === null ? 0 : (1 - ALPHA) * this.#freshnessAt(nowMs);
    this.#averageMs = (this.#averageMs ?? 0) * kept + valueMs * (1 - kept);
    this.#latestMs = valueMs;
    this.#latestAtMs = nowMs;
  }

  /** Returns `null` before the first sample. */
  valueAt(nowMs: number): number | null {
    return this.#averageMs === null ? null : this.#averageMs * this.#freshnessAt(nowMs);
  }

  /** Starts at 1 and approaches 0. */
  #freshnessAt(nowMs: number): number {
    const staleMs = nowMs - this.#latestAtMs - FRESH_MS;
    return staleMs <= 0 ? 1 : 2 ** (-staleMs / HALF_LIFE_MS);
  }
}
