/** Schedules writes shortly after an item is queued. At most one write runs at a time. */
export class DelayedWrites {
  #timer: ReturnType<typeof setTimeout> | null = null;
  #writing: Promise<void> | null = null;

  /** `writeAll` must continue until the queue is empty, so that items added meanwhile need no further run. */
  constructor(
    private readonly afterMs: number,
    private readonly writeAll: () => Promise<void>,
  ) {}

  schedule(): void {
    if (this.#timer !== null || this.#writing !== null) return;
    this.#timer = setTimeout(() => void this.flush(), this.afterMs);
    this.#timer.unref();
  }

  /** Writes now. Resolves when that write, or the one in progress, has finished. */
  flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#writing ??= this.writeAll().finally(() => {
      this.#writing = null;
    });
    return this.#writing;
  }
}
