const BUCKETS = 10;

/**
 * The successes and failures of the last `windowMs`, in ten buckets: a result is forgotten between nine and ten tenths of the
 * window after it happened. Counting allocates nothing. An earlier time than the latest one seen counts as the latest.
 */
export class SlidingWindow {
  readonly #bucketMs: number;
  readonly #successes = new Uint32Array(BUCKETS);
  readonly #failures = new Uint32Array(BUCKETS);
  /** The number of the newest bucket, counted from the clock's zero; its index is this number modulo the number of buckets. */
  #newest = 0;
  #successCount = 0;
  #failureCount = 0;

  constructor(windowMs: number) {
    this.#bucketMs = windowMs / BUCKETS;
  }

  countSuccess(nowMs: number): void {
    const at = this.#bucketAt(nowMs);
    this.#successes[at] = (this.#successes[at] ?? 0) + 1;
    this.#successCount++;
  }

  countFailure(nowMs: number): void {
    const at = this.#bucketAt(nowMs);
    this.#failures[at] = (this.#failures[at] ?? 0) + 1;
    this.#failureCount++;
  }

  successesAt(nowMs: number): number {
    this.#bucketAt(nowMs);
    return this.#successCount;
  }

  failuresAt(nowMs: number): number {
    this.#bucketAt(nowMs);
    return this.#failureCount;
  }

  clear(): void {
    this.#successes.fill(0);
    this.#failures.fill(0);
    this.#successCount = 0;
    this.#failureCount = 0;
  }

  /** Returns the index of the current bucket, after emptying those that have left the window. */
  #bucketAt(nowMs: number): number {
    const number = Math.floor(nowMs / this.#bucketMs);
    if (number - this.#newest >= BUCKETS) {
      this.clear();
      this.#newest = number;
    }
    while (this.#newest < number) {
      this.#newest++;
      this.#empty(this.#newest % BUCKETS);
    }
    return this.#newest % BUCKETS;
  }

  #empty(at: number): void {
    this.#successCount -= this.#successes[at] ?? 0;
    this.#failureCount -= this.#failures[at] ?? 0;
    this.#successes[at] = 0;
    this.#failures[at] = 0;
  }
}
