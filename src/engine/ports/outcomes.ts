import type { OutcomeCount, SuccessSnapshot } from '../../domain/catalog/preference.ts';

/** Something that knows how requests for models ended; what counts says `modelOutcome` in domain/failure. */
export interface OutcomeSource {
  /**
   * Counts what came in from `fromMs` up to, not including, `toMs` (milliseconds since 1970), each model at most once, in no
   * particular order. It may take seconds, and holds up nobody. Rejects when it cannot be counted now.
   */
  count(fromMs: number, toMs: number): Promise<readonly OutcomeCount[]>;
}

/** How long a node that counts keeps the others from it, at most: it may have died over it. */
export const SNAPSHOT_CLAIM_MS = 120_000;

/** The one snapshot that all nodes on a database share. */
export interface SnapshotStore {
  /** The one written last; `null` before the first. */
  read(): Promise<SuccessSnapshot | null>;
  /**
   * Asks to make the next one. False when the last one was made less than `freshMs` ago, or somebody claimed less than
   * `SNAPSHOT_CLAIM_MS` ago and has not finished. Of several at once one is told true. Times in the future, as a clock that was set
   * back leaves them, count by their distance, so that they hinder nobody for longer.
   */
  claim(nowMs: number, freshMs: number): Promise<boolean>;
  /**
   * Replaces the snapshot and ends the claim, which was made at the snapshot's `atMs`. False when that claim has ended or is
   * another's by now: then nothing is written.
   */
  write(snapshot: SuccessSnapshot): Promise<boolean>;
  /** Gives the claim of `nowMs` back without a snapshot; harmless when it is another's by now. */
  release(nowMs: number): Promise<void>;
}
