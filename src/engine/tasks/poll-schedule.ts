/** An entry with a due time. */
export interface Due {
  /** In milliseconds of the monotonic clock. */
  dueAtMs: number;
}

/** A priority queue of due entries, earliest first, as a binary heap. */
export class PollSchedule<Entry extends Due> {
  private readonly heap: Entry[] = [];

  get size(): number {
    return this.heap.length;
  }

  add(entry: Entry): void {
    const { heap } = this;
    let at = heap.push(entry) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || above.dueAtMs <= entry.dueAtMs) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = entry;
  }

  /** Removes and returns the earliest entry if it is due by then, else `null`. */
  next(nowMs: number): Entry | null {
    const [first] = this.heap;
    if (first === undefined || first.dueAtMs > nowMs) return null;
    const last = this.heap.pop();
    if (last !== undefined && last !== first) this.sink(last);
    return first;
  }

  private sink(entry: Entry): void {
    const { heap } = this;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const [one, other] = [heap[left], heap[left + 1]];
      if (one === undefined) break;
      const isRight = other !== undefined && other.dueAtMs < one.dueAtMs;
      const earlier = isRight ? other : one;
      if (earlier.dueAtMs >= entry.dueAtMs) break;
      heap[at] = earlier;
      at = isRight ? left + 1 : left;
    }
    heap[at] = entry;
  }
}
