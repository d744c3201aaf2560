import type { Failure } from '../../domain/failure/failure.ts';
import type { Target } from '../directory/target.ts';
import type { KnownVerdicts } from '../guards/known-verdicts.ts';
import type { Admission } from '../ports/admission.ts';
import type { BillableRequest } from '../ports/billing.ts';
import type { Lane, LaneRequest, ResponseStream } from './lane.ts';

/** The answer of a provider's batch to one line. */
export interface GivenAnswer {
  /** The upstream key that was used, the wire, and the upstream's id of the model. */
  readonly place: string;
  readonly wire: string;
  readonly upstreamModel: string;
  /** The public id of the model. */
  readonly modelId: string;
  readonly status: number;
  /** The body of the response, as JSON. */
  readonly bytes: Uint8Array;
  /** The verdicts of guards' checks on the request, from the call that has handed it over. */
  readonly verdicts: readonly KnownVerdicts[];
}

/** An upstream request that may go into a batch of its provider. */
export interface BatchableRequest {
  readonly target: Target;
  readonly lane: Lane<ResponseStream>;
  readonly prepared: LaneRequest;
  readonly stream: boolean;
  /** The verdicts of guards' checks on it. */
  readonly verdicts: readonly KnownVerdicts[];
}

/** The way of a line through a batch of a provider: its request is handed over by one call, and its answer is given to another. */
export interface LineRelay {
  /** The answer; `null` while the line may be handed over. */
  readonly given: GivenAnswer | null;
  /** Whether the request was handed over, so that the call ends without an answer. */
  readonly isTaken: boolean;
  /** Whether the target's provider gets lines in batches. The limits of such a channel do not apply to handing a line over. */
  wants(target: Target): boolean;
  /**
   * Receives what the line reserves, at the full prices.
   *
   * @param percent the percentage of these that a line costs that goes into a batch of its provider
   */
  reserving(request: BillableRequest, percent: number): void;
  /**
   * Hands the request over. Resolves to the failure that ends the call, or to `null` if the request is to be sent as usual.
   *
   * @param release gives the reservation in memory back, before the money is held durably
   */
  take(request: BatchableRequest, release: () => void): Promise<Failure | null>;
  /** Called when the given answer has been read, whatever it says. */
  reached(): void;
}

/** A given answer needs no place within the limits: its request had one. */
export const NO_LIMITS: Admission = { headers: null, limits: null, refusal: null, end: () => undefined };
