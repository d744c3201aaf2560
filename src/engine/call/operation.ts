import type { Principal } from '../../domain/access/principal.ts';
import type { CacheHit } from '../../domain/cache/cache.ts';
import type { Model } from '../../domain/catalog/model.ts';
import type { RoutingFacts } from '../../domain/exchange/routing-info.ts';
import type { Failure } from '../../domain/failure/failure.ts';
import type { FormRules, UploadedForm } from '../../domain/media/uploaded-file.ts';
import type { Billable } from '../../domain/money/quantity.ts';
import type { ModelGrant } from '../../domain/routing/model-step.ts';
import type { Envelope } from '../../formats/wire.ts';
import type { Caller } from '../access/caller.ts';
import type { Directory, Ways } from '../directory/directory.ts';
import type { Target } from '../directory/target.ts';
import type { BillableRequest, RequestBounds } from '../ports/billing.ts';
import type { WaitingClient } from '../ports/upstream.ts';
import type { BatchedCall } from './batched-call.ts';
import type { CountedResponse, FailurePlace, KnownStream, Lane, ResponseStream, WholeResponse } from './lane.ts';
import type { NoResponse } from './no-channel.ts';
import type { OtherWires } from './other-wires.ts';
import type { Outcome } from './outcome.ts';
import type { RequestFacts } from './request-facts.ts';

/**
 * A call as the transport hands it over: the presented credential, the body (read only after authentication) and the
 * client's abort signal.
 */
export interface Inbound extends WaitingClient, Caller {
  readonly envelope: Envelope;
  /** Returns the value of a request header, or `null` if the client did not send it. */
  header(name: string): string | null;
  readBody(accountId: string): Promise<Uint8Array | Failure>;
  /** Returns the origin by which the client reaches the gateway, such as `https://ai.example.com`; used for links in the response. */
  origin(): string;
  /** The line of a batch that the call runs; absent for other calls. */
  readonly batch?: BatchedCall;
}

/** A call at an endpoint that takes forms (`multipart/form-data`). */
export interface FormInbound extends Inbound {
  /**
   * Reads the form. Its files exist until `remove` is called; the operation registers `remove` with `outcome.whenOver` as soon as it has
   * the form.
   */
  readForm(accountId: string, rules: FormRules): Promise<UploadedForm | Failure>;
}

/** An admitted call, as its operation sees it. */
export interface OpenCall {
  readonly principal: Principal;
  /** Receives the requested model and options from the operation as soon as they are known, even if it then refuses the request. */
  readonly outcome: Pick<
    Outcome,
    | 'requestId'
    | 'identity'
    | 'atMs'
    | 'asks'
    | 'wants'
    | 'names'
    | 'whenOver'
    | 'continues'
    | 'tags'
    | 'labelledBy'
    | 'wantsUsageCost'
    | 'servesUser'
    | 'charge'
    | 'toldSteps'
  > &
    Partial<Pick<Outcome, 'trace' | 'guard' | 'batch'>>;
}

/**
 * A service of the gateway to its clients, such as generating or embedding a text. call.ts has the steps that all calls
 * share; an operation supplies the steps that differ (docs/adding-an-operation.md).
 */
export interface Operation<
  In extends Inbound = Inbound,
  T extends Target = Target,
  S extends ResponseStream = ResponseStream,
> {
  /** Reads and checks the body. */
  read(inbound: In, call: OpenCall): Asking<T, S> | Failure | Promise<Asking<T, S> | Failure>;
}

/** A parsed request: it knows what is requested, but not yet which targets could answer. */
export interface Asking<T extends Target = Target, S extends ResponseStream = ResponseStream> {
  /** The id of the model as the client has named it; `null` if it has named none, so that `route` finds the default. */
  readonly modelId: string | null;
  /**
   * Returns the same request for another model: routed, translated, reserved and charged as a request for that model. `grant` says what is
   * permitted for a model that the client has not named itself. Absent if the answer is known already.
   */
  withModel?(modelId: string, grant: ModelGrant | null): Asking<T, S>;
  /** Returns the facts that rules of virtual models compare. Absent if the answer is known already. */
  facts?(): RequestFacts;
  /** The fallback models that the body names; absent or `null` if it has no list. */
  readonly fallbacks?: readonly string[] | null;
  /**
   * Finds the targets that the account may use, or returns why it may use none. Does every lookup that is needed before a target is asked.
   */
  route(directory: Directory): Job<T, S> | Failure | Promise<Job<T, S> | Failure>;
}

/** One request with targets that can answer it. The call uses the members in the order in which they stand here. */
export interface Job<T extends Target = Target, S extends ResponseStream = ResponseStream> {
  /** The public id of the requested model. */
  readonly modelId: string;
  /** Whether the client wants a stream. If so, `streaming` is set. */
  readonly stream: boolean;
  /** All targets that could answer, regardless of their health. */
  readonly ways: Ways<T>;
  /** Ranks the targets: lower values are tried first. `null` or absent if the request prefers none. */
  readonly affinity?: ((target: T) => number) | null;
  /** Maps the usable targets to those that are asked in their place (a separate address for this operation). */
  candidates?(targets: readonly T[]): readonly T[];

  /** Called when no other model will be asked: releases what only the request for another model would need. */
  asksNoOther?(): void;

  // ---- answer without an upstream

  /** Returns the answer to a repeated request. No targets are planned for it, and it is free. */
  replayed?(): KnownResponse<T, S>;
  /** Looks for an answer that needs no upstream, such as a cached one. Nothing is reserved or charged for it unless its hit has a price. */
  known?(targets: readonly T[]): KnownResponse<T, S> | null | Failure | Promise<KnownResponse<T, S> | null | Failure>;

  // ---- reserve

  /** Returns the largest usage that the request can reach, or `null` if it costs nothing and needs no reservation. */
  bounds(model: Model): RequestBounds | null;
  /**
   * Makes a durable reservation in place of the one in memory, for work that outlives the call. The code that finishes the work settles it
   * and writes the request log; the call does neither once it has responded.
   */
  hold?(request: BillableRequest): Promise<Failure | null>;

  // ---- answer before an upstream has answered

  /**
   * Returns the response to a client that does not wait for the work. It is sent once the first target has been asked. The attempts
   * continue in the background and keep the call's resources; `ended` receives their result. Needs `hold` and `outlivesClient`.
   */
  accepted?(): KnownResponse<T, S>;
  /** Receives the failure of accepted work, or `null` after an answer. Must not throw. */
  ended?(failure: Failure | null): Promise<void>;

  // ---- attempt

  /** Makes the lane that carries the request to a target and the answer back. `routing` is the content of `_routing`. */
  lane(target: T, routing: RoutingFacts): Lane<S>;
  /**
   * The failure for the client if the upstream does not find (HTTP 404) the object that the request names. `null` if it
   * names none.
   */
  readonly missingObject?: Failure | null;
  /** Remembers which wires work at which address. The gateway's own instance is used if this is absent. */
  readonly otherWires?: OtherWires;
  /** The number of retries of the only channel after a transient failure; 2 if absent. */
  readonly repeats?: number;
  /** Whether the attempts continue after the client disconnects, because the work that an upstream has begun would be lost. */
  readonly outlivesClient?: true;
  /** Can change whether another attempt may follow a failed one. */
  judge?(failure: Failure): Failure;
  /** Called when a target has answered, or has started its stream. */
  answeredBy?(target: T): void;
  /** Can supply an answer, or a failure specific to the operation, when no target has answered. `otherwise` makes the usual failure. */
  withoutResponse?(
    noResponse: NoResponse,
    otherwise: () => Failure,
  ): KnownResponse<T, S> | Failure | Promise<KnownResponse<T, S> | Failure>;

  // ---- settle and answer

  /**
   * Counts the usage of a whole answer whose upstream did not report it. Resolves to the answer with this usage, also in its body. Absent
   * if there is nothing to count.
   */
  count?(answer: WholeResponse): Promise<CountedResponse>;
  /** Keeps the answer for a later request; awaited before the client sees its end. Absent if no later request needs it. */
  readonly keep?: ((answer: string | Uint8Array, answered: RespondingTarget<T>) => Promise<void>) | null;
  /** Called when the answer is complete and charged, before the client sees its end. Must not throw. */
  completed?(answered: RespondingTarget<T>): void;
  /** Set if the answer may come as a stream. */
  readonly streaming?: Streaming<S>;
}

/** The target that has answered, and whether the relay lane carried the answer. */
export interface RespondingTarget<T extends Target> {
  readonly target: T;
  readonly isRelayed: boolean;
}

/** An answer that needed no upstream request. */
export interface KnownResponse<T extends Target, S extends ResponseStream = ResponseStream> {
  /** A stream if the job's `stream` is set. */
  readonly answer: WholeResponse | KnownStream<S>;
  /** The target whose channel `_routing` names. */
  readonly target: T;
  readonly routing: RoutingFacts;
  /** Absent for an answer that did not come from the cache. */
  readonly hit?: CacheHit;
}

/** How a streamed answer is sent, and how its usage is found. */
export interface Streaming<S extends ResponseStream> {
  /** Returns the `content-type` of the response, if the answer itself does not set it. */
  contentType(): string;
  /**
   * Bytes that may stand between two pieces and that clients ignore; they keep the connection alive. `null` if the format has none: the
   * response then begins when the upstream has answered.
   */
  readonly ping: string | null;
  /**
   * Returns the last piece of a stream that failed after its headers were sent. `null` if the format has no place for it: the connection is
   * cut then, so that the answer does not look complete.
   */
  encodeFailure(failure: Failure, place: FailurePlace): string | null;
  /** Returns whether the upstream has reported the whole usage of the stream. */
  isReported(answer: S): boolean;
  /** Returns the usage of the stream; counted by the gateway if the upstream did not report it. */
  billableOf(answer: S): Billable | Promise<Billable>;
}
