import type { RelayedBatch } from '../../../domain/batches/relayed-batch.ts';
import type { UpstreamBody } from '../../ports/upstream.ts';
import type { ResultLine } from './line-content.ts';
import type { ProviderRefusal } from './provider-refusal.ts';

/** A batch at the provider. */
export interface ProviderBatch {
  readonly id: string;
  /** Whether nothing of it changes any more. */
  readonly isEnded: boolean;
  /** The names of its results, each of which is read on its own. */
  readonly results: readonly string[];
}

/** The lines of a batch, as the body of a request or a part of it. */
export interface ProviderInput {
  readonly length: number;
  readonly pieces: AsyncIterator<Uint8Array>;
}

/** The bytes around and between the lines of an input. */
export interface InputFraming {
  readonly head: string;
  readonly separator: string;
  readonly tail: string;
}

/** Makes the input anew for each request. */
export type MakeInput = (framing: InputFraming) => Promise<ProviderInput>;

/** The batches of a provider at one upstream key. No method rejects because of the provider. */
export interface BatchApi {
  /** Brings the input to the provider, and resolves to its id there. Absent if creating the batch does that. */
  upload?(id: string, input: MakeInput): Promise<string | ProviderRefusal>;
  /** Resolves to the id of the batch. */
  create(relay: RelayedBatch, input: MakeInput): Promise<string | ProviderRefusal>;
  /**
   * Finds the batch that an earlier `create` may have made; `null` if there is none. Refuses with the status `null` while that cannot be
   * known.
   *
   * @param others batches at the provider that are others of the gateway's
   */
  find(relay: RelayedBatch, others: ReadonlySet<string>): Promise<string | null | ProviderRefusal>;
  read(id: string): Promise<ProviderBatch | ProviderRefusal>;
  cancel(id: string): Promise<ProviderRefusal | null>;
  /** Opens results as a stream. */
  open(results: string): Promise<UpstreamBody | ProviderRefusal>;
  /** Reads a line of results; `null` if it is none. */
  lineOf(bytes: Uint8Array): ResultLine | null;
  /**
   * Removes what the provider has of a batch that is over or given up, within a bounded time.
   *
   * @param batch `null` if it was not created, or is not known any more: its input is removed
   * @returns the provider's ids of what could not be removed
   */
  clear(relay: RelayedBatch, batch: ProviderBatch | null): Promise<readonly string[]>;
}
