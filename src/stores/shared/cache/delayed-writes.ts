/** Writes what is queued a moment after it came, and never twice at one time. */
export class DelayedWrites {
  #timer: ReturnType<typeof setTimeout> | null = null;
  #writing: Promise<void> | null = null;

  /** `writeAll` goes on until nothing is queued, so what comes meanwhile needs no turn of its own. */
  constructor(
    private readonly afterMs: number,
    private readonly writeAll: () => Promise<void>,
  ) {}

  schedule(): void {
    if (this.#timer !== null || this.#writing !== null) return;
    this.#timer = setTimeout(() => void this.flush(), this.afterMs);
    this.#timer.unref();
  }

  /** Writes now; resolves when that, or what is being written already, is over. */
  flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#writing ??= this.writeAll().finally(() => {
      this.#writing = null;
    });
    return this.#writing;
  }
}
