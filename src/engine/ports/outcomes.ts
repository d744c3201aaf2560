import type { OutcomeCount, SuccessSnapshot } from '../../domain/catalog/preference.ts';

/** Counts how requests for models ended; `modelOutcome` in domain/failure decides what counts. */
export interface OutcomeSource {
  /**
   * Counts requests that arrived from `fromMs` to `toMs` (exclusive; milliseconds since 1970), with one count per model in no particular
   * order. May take seconds, without delaying requests. Rejects if counting is not possible now.
   */
  count(fromMs: number, toMs: number): Promise<readonly OutcomeCount[]>;
}

/** The lifetime of a claim, after which the claiming node is presumed dead. */
export const SNAPSHOT_CLAIM_MS = 120_000;

/** The snapshot that all nodes on a database share. */
export interface SnapshotStore {
  /** Resolves to the latest snapshot; `null` before the first. */
  read(): Promise<SuccessSnapshot | null>;
  /**
   * Claims the making of the next snapshot. Resolves to `false` if the last one is less than `freshMs` old, or if another claim is younger
   * than `SNAPSHOT_CLAIM_MS` and unfinished. Exactly one of several concurrent calls succeeds. Times in the future (the clock was set back)
   * count by their distance from now, so that they do not block longer.
   */
  claim(nowMs: number, freshMs: number): Promise<boolean>;
  /**
   * Replaces the snapshot and ends the claim that was made at the snapshot's `atMs`. Resolves to `false`, without writing, if that claim
   * has expired or another node holds it.
   */
  write(snapshot: SuccessSnapshot): Promise<boolean>;
  /** Releases the claim made at `nowMs` without a snapshot. No effect if another node holds it. */
  release(nowMs: number): Promise<void>;
}
