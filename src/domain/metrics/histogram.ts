import type { Exemplar } from './snapshot.ts';

/** Counts observations by size. Observing costs a few additions. */
export class Histogram {
  readonly counts: Float64Array;
  sum = 0;
  /** Kept only once a traced request was observed. */
  private traced: (Exemplar | null)[] | null = null;

  constructor(readonly bounds: readonly number[]) {
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    this.add(value);
  }

  /** Counts an observation of a request with a trace; `null` if it has none. */
  observeTraced(value: number, traceId: string | null, atMs: number): void {
    const index = this.add(value);
    if (traceId === null) return;
    this.traced ??= Array.from(this.counts, () => null);
    this.traced[index] = { traceId, value, atMs };
  }

  get exemplars(): readonly (Exemplar | null)[] | null {
    return this.traced;
  }

  private add(value: number): number {
    const { bounds, counts } = this;
    let index = 0;
    while (index < bounds.length && value > (bounds[index] ?? 0)) index++;
    counts[index] = (counts[index] ?? 0) + 1;
    this.sum += value;
    return index;
  }
}
