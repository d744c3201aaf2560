/** How long work on the event loop may run before everything else gets a turn, in milliseconds. */
export const SLICE_MS = 5;

/** The event loop as long work sees it. */
export interface Turns {
  /** Milliseconds of a clock that never jumps. */
  nowMs(): number;
  /** Resolves after everything else that waits has had a turn. */
  pause(): Promise<void>;
}

/** Divides long work into slices of at most `SLICE_MS`, and lets everything else run in between. */
export class Slices {
  private startedAtMs: number;

  constructor(private readonly turns: Turns) {
    this.startedAtMs = turns.nowMs();
  }

  /** To be awaited between two steps of the work when it is not `null`. */
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
