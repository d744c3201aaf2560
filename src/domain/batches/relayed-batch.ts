import type { WaitingLine } from './batch.ts';

/*
 * The stages of a batch at a provider. `collecting`: it gets lines. `submitting`: it may have reached the provider. `running`: the provider
 * has it.
 */
export const RELAY_STAGES = ['collecting', 'submitting', 'running'] as const;
export type RelayStage = (typeof RELAY_STAGES)[number];

/** A batch at a provider, which carries lines of one batch of the gateway. It exists until its results are stored. */
export interface RelayedBatch {
  /** `relay_` and 32 characters. */
  readonly id: string;
  /** The gateway's batch. */
  readonly batchId: string;
  /** The upstream key that it is sent with (`placeOf`). */
  readonly place: string;
  /** The path of all its lines at the provider, such as `/v1/chat/completions`. */
  readonly endpoint: string;
  /** The upstream's id of the model of all its lines. */
  readonly model: string;
  readonly stage: RelayStage;
  readonly lines: number;
  /** The length of its input in bytes. */
  readonly bytes: number;
  readonly createdAtMs: number;
  /** When the provider was last asked to create it; `null` before that. */
  readonly submittedAtMs: number | null;
  /** The provider's id of its input file; `null` before the upload. */
  readonly upstreamFileId: string | null;
  /** The provider's id; `null` until it is known. */
  readonly upstreamId: string | null;
}

export type RelayedBatchChanges = Partial<
  Pick<RelayedBatch, 'stage' | 'submittedAtMs' | 'upstreamFileId' | 'upstreamId'>
>;

/** A line that a batch at a provider carries. */
export interface RelayedLine extends WaitingLine {
  /** The id of its request, under which it is reserved and charged. */
  readonly requestId: string;
  /** The public id of the model that it asks. */
  readonly modelId: string;
  /** Whether it still needs a result: it has none, and no noted charge. */
  readonly isOpen: boolean;
  /** The verdicts of guards' checks on its request, as text; `null` for none. */
  readonly verdicts: string | null;
}

/** A line as it is handed over. */
export interface NewRelayedLine extends Pick<RelayedLine, 'number' | 'requestId' | 'modelId' | 'verdicts'> {
  /** The line of the provider's input file, without a line break. */
  readonly content: Uint8Array;
}
