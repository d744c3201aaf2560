import type { OutcomeCount, SuccessSnapshot } from '../../domain/catalog/preference.ts';

/** Knows how requests for models ended; `modelOutcome` in domain/failure decides what counts. */
export interface OutcomeSource {
  /**
   * Counts what came in from `fromMs` up to, not including, `toMs` (milliseconds since 1970), each model at most once, in no
   * particular order. It may take seconds, and delays no request. Rejects if counting is not possible now.
   */
  count(fromMs: number, toMs: number): Promise<readonly OutcomeCount[]>;
}

/** How long a node that counts keeps other nodes from counting, at most: it may have died meanwhile. */
export const SNAPSHOT_CLAIM_MS = 120_000;

/** The one snapshot that all nodes on a database share. */
export interface SnapshotStore {
  /** The one written last; `null` before the first. */
  read(): Promise<SuccessSnapshot | null>;
  /**
   * Asks to make the next one. False when the last one was made less than `freshMs` ago, or somebody claimed less than
   * `SNAPSHOT_CLAIM_MS` ago and has not finished. Of several simultaneous calls one gets true. Times in the future (the clock was
   * set back) count by their distance from now, so that they do not block for longer.
   */
  claim(nowMs: number, freshMs: number): Promise<boolean>;
  /**
   * Replaces the snapshot and ends the claim, which was made at the snapshot's `atMs`. False if that claim has expired or another
   * node has it by now: then nothing is written.
   */
  write(snapshot: SuccessSnapshot): Promise<boolean>;
  /** Gives the claim of `nowMs` back without a snapshot; without effect if another node has it by now. */
  release(nowMs: number): Promise<void>;
}
