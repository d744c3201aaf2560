/** A bound on how much runs at once, and on how much waits for its turn. First come, first served. */
export class Slots {
  private free: number;
  private readonly waiting = new Set<() => void>();

  constructor(
    size: number,
    private readonly maxWaiting: number,
  ) {
    this.free = size;
  }

  /**
   * Resolves to what gives the slot back (to be called once), or to `null` at once where too many wait already. Rejects
   * with the signal's reason where that fires first.
   */
  acquire(signal: AbortSignal): Promise<(() => void) | null> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.free > 0) {
      this.free--;
      return Promise.resolve(this.release);
    }
    if (this.waiting.size >= this.maxWaiting) return Promise.resolve(null);
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.waiting.delete(enter);
        reject(signal.reason);
      };
      const enter = () => {
        signal.removeEventListener('abort', leave);
        resolve(this.release);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.waiting.add(enter);
    });
  }

  private readonly release = (): void => {
    const [next] = this.waiting;
    if (next === undefined) this.free++;
    else {
      this.waiting.delete(next);
      next();
    }
  };
}
