import type { Batch, WaitingLine } from '../../../domain/batches/batch.ts';
import type { RelayedLine } from '../../../domain/batches/relayed-batch.ts';
import type { GivenAnswer } from '../../call/line-relay.ts';

/** The batch of the gateway whose lines are relayed. */
export interface RelayOwner {
  readonly batch: Batch;
  readonly ends: 'cancelled' | 'expired' | null;
  readonly isLost: boolean;
  /** Whether no line of it runs or waits. */
  readonly isDrained: boolean;
  /** Whether there is room for more lines that wait for another try. */
  readonly mayRetry: boolean;
  /** Aborted when what runs is to be cut off. */
  readonly cut: AbortController;
  again(line: WaitingLine, leastMs: number, nowMs: number): void;
}

/** Settles a line with the answer of its provider's batch. `again`: the gateway is to run it itself. */
export type SettleLine = (line: RelayedLine, given: GivenAnswer) => Promise<'done' | 'again'>;
