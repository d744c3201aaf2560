import type {
  NewRelayedLine,
  RelayedBatch,
  RelayedBatchChanges,
  RelayedLine,
} from '../../domain/batches/relayed-batch.ts';

/** The batch at a provider that is changed, and the claim of the gateway's batch under which the change was decided. */
export interface RelayClaim {
  readonly id: string;
  readonly batchId: string;
  readonly claim: number;
}

/** Says who takes a line that a batch at a provider no longer carries: it `waits` to be run or collected, or is the gateway's `own`. */
export type LineReturn = 'waits' | 'own';

/**
 * Batches at providers and the lines that they carry. Changes are durable when their promise resolves, and are refused, without changing
 * anything, if the claim of the gateway's batch differs.
 */
export interface BatchRelayStore {
  /** Resolves to the batches at providers for a batch of the gateway, oldest first. */
  of(batchId: string): Promise<readonly RelayedBatch[]>;
  create(relay: RelayedBatch, claim: number): Promise<boolean>;
  change(relay: RelayClaim, changes: RelayedBatchChanges): Promise<boolean>;
  /**
   * Ends the collecting, if fewer than `most` other batches with the same upstream key are beyond it. `full`: nothing was changed. `lost`:
   * the claim differs. May be repeated.
   */
  beginSubmission(relay: RelayClaim, most: number): Promise<'begun' | 'full' | 'lost'>;
  /** Adds a line while the batch collects lines, and takes it from those that wait. `false` too if the line does not wait any more. */
  addLine(relay: RelayClaim, line: NewRelayedLine): Promise<boolean>;
  /** Resolves to contents after a line's number, in order, up to about `mostBytes` but at least one; empty at the end. */
  contents(
    id: string,
    afterNumber: number,
    mostBytes: number,
  ): Promise<readonly Pick<NewRelayedLine, 'number' | 'content'>[]>;
  /** Resolves to the lines with these numbers that it carries. */
  lines(id: string, numbers: readonly number[]): Promise<readonly RelayedLine[]>;
  /** Resolves to the lines that it carries after a number, in order. */
  carried(id: string, afterNumber: number, limit: number): Promise<readonly RelayedLine[]>;
  /** Ends the carriage of lines. Those without a result become lines that wait. */
  giveBack(relay: RelayClaim, numbers: readonly number[], as: LineReturn): Promise<boolean>;
  /** Removes a batch that carries no lines. */
  remove(relay: RelayClaim): Promise<boolean>;
}
