/** How long work may occupy the event loop before everything else gets a turn, in milliseconds. */
export const SLICE_MS = 5;

/** The event loop from the perspective of long work. */
export interface Turns {
  /** Returns the milliseconds of a monotonic clock. */
  nowMs(): number;
  /** Resolves after everything else that is waiting has had a turn. */
  pause(): Promise<void>;
}

/** Divides long work into slices of at most `SLICE_MS`, and lets everything else run in between. */
export class Slices {
  private startedAtMs: number;

  constructor(private readonly turns: Turns) {
    this.startedAtMs = turns.nowMs();
  }

  /** Returns a promise to await between two steps of the work, or `null` to go on at once. */
  next(): Promise<void> | null {
    return this.turns.nowMs() - this.startedAtMs < SLICE_MS ? null : this.pause();
  }

  private async pause(): Promise<void> {
    await this.turns.pause();
    this.startedAtMs = this.turns.nowMs();
  }
}

/** Maps a list of any length in slices. */
export async function mapInSlices<From, To>(
  items: readonly From[],
  slices: Slices,
  map: (item: From) => To,
): Promise<To[]> {
  const mapped: To[] = [];
  for (const item of items) {
    mapped.push(map(item));
    const pause = slices.next();
    if (pause !== null) await pause;
  }
  return mapped;
}
