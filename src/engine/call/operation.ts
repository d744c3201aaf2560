import type { Principal } from '../../domain/access/principal.ts';
import type { Model } from '../../domain/catalog/model.ts';
import type { RoutingFacts } from '../../domain/exchange/routing-info.ts';
import type { Failure } from '../../domain/failure/failure.ts';
import type { Billable } from '../../domain/money/quantity.ts';
import type { Envelope } from '../../formats/wire.ts';
import type { Caller } from '../access/caller.ts';
import type { Directory, Ways } from '../directory/directory.ts';
import type { Target } from '../directory/target.ts';
import type { RequestBounds } from '../ports/billing.ts';
import type { WaitingClient } from '../ports/upstream.ts';
import type { AnswerStream, FailurePlace, Lane, LaneAnswer } from './lane.ts';
import type { NoAnswer } from './no-channel.ts';
import type { OtherWires } from './other-wires.ts';
import type { Outcome } from './outcome.ts';

/** What a transport brings of a call: the credential as presented, the body (read only once the client is known), the way out. */
export interface Inbound extends WaitingClient, Caller {
  readonly envelope: Envelope;
  /** A header that the client sent; `null` where it did not. */
  header(name: string): string | null;
  readBody(accountId: string): Promise<Uint8Array | Failure>;
}

/** A call whose client is admitted, as its operation sees it. */
export interface OpenCall {
  readonly principal: Principal;
  /** To be told, as soon as it is known, also where the request is refused then: what is asked for, and of which model. */
  readonly outcome: Pick<Outcome, 'requestId' | 'asks' | 'names' | 'whenOver'>;
}

/**
 * Something that the gateway does for its clients, such as to generate a text or to embed one. The road that all calls take is in
 * call.ts; an operation says what is its own on it (docs/adding-an-operation.md).
 */
export interface Operation<
  In extends Inbound = Inbound,
  T extends Target = Target,
  S extends AnswerStream = AnswerStream,
> {
  /** Reads and checks the body. */
  read(inbound: In, call: OpenCall): Asking<T, S> | Failure | Promise<Asking<T, S> | Failure>;
}

/** A request that was read: it knows what it asks for, and not yet who could answer. */
export interface Asking<T extends Target = Target, S extends AnswerStream = AnswerStream> {
  /** The ways that the account may use, or why there is none; with all that has to be looked up before a target is asked. */
  route(directory: Directory): Job<T, S> | Failure | Promise<Job<T, S> | Failure>;
}

/** One request that can be answered. Its members are used in the order in which they stand here. */
export interface Job<T extends Target = Target, S extends AnswerStream = AnswerStream> {
  /** The public id of the model that it names. */
  readonly modelId: string;
  /** Whether the client wants the answer piece by piece; then there is `streaming`. */
  readonly stream: boolean;
  /** All that could answer, whatever their health. */
  readonly ways: Ways<T>;
  /** Whom to ask first, lower being sooner; `null` or absent where it is all the same. */
  readonly affinity?: ((target: T) => number) | null;
  /** Where the targets that may be tried now stand for others (an address of their own for this operation). */
  candidates?(targets: readonly T[]): readonly T[];

  // ---- answer without an upstream

  /** The seam of a cache: the answer where none has to be asked; nothing is reserved or charged then. */
  known?(targets: readonly T[]): KnownAnswer<T> | null | Failure | Promise<KnownAnswer<T> | null | Failure>;

  // ---- reserve

  /** How large it can become; `null` for what costs nothing: then nothing is put aside. */
  bounds(model: Model): RequestBounds | null;

  // ---- attempt

  /** How the request goes to a target and its answer comes back. `routing`: what `_routing` will say. */
  lane(target: T, routing: RoutingFacts): Lane<S>;
  /** What is answered where an upstream does not find what the request names; `null` where it names nothing there. */
  readonly missingObject?: Failure | null;
  /** Of what the attempts show of addresses; the gateway's own memory of that where it is absent. */
  readonly otherWires?: OtherWires;
  /** How often the only channel is asked again after a failure that passes by itself; twice where it is absent. */
  readonly repeats?: number;
  /** A target has answered, or has begun to. */
  answeredBy?(target: T): void;
  /** An answer where no target has given one; a failure is what the client gets. `otherwise` is what it gets without this. */
  withoutAnswer?(
    noAnswer: NoAnswer,
    otherwise: () => Failure,
  ): KnownAnswer<T> | Failure | Promise<KnownAnswer<T> | Failure>;

  // ---- settle and answer

  /** What a whole answer has come to that its upstream has not reported; absent where there is nothing to count. */
  count?(answer: LaneAnswer): Promise<Billable>;
  /** Keeps an answer for a later request, before the client sees its end. Absent where it is of no interest. */
  readonly keep?: ((answer: string | Uint8Array, answered: Answered<T>) => Promise<void>) | null;
  /** Where the answer may come as a stream. */
  readonly streaming?: Streaming<S>;
}

/** Which target has answered, and on which lane. */
export interface Answered<T extends Target> {
  readonly target: T;
  readonly isRelayed: boolean;
}

/** An answer that came from no attempt. */
export interface KnownAnswer<T extends Target> {
  readonly answer: LaneAnswer;
  /** Whose channel `_routing` names. */
  readonly target: T;
  readonly routing: RoutingFacts;
}

/** How an answer goes to the client piece by piece, and what it has come to. */
export interface Streaming<S extends AnswerStream> {
  /** The `content-type` of its head. */
  contentType(): string;
  /** What may stand between its pieces and says nothing but that the connection lives. */
  readonly ping: string;
  /** The piece that ends a stream which failed after its head was sent. */
  encodeFailure(failure: Failure, place: FailurePlace): string;
  /** Whether the upstream's report says all that the stream came to. */
  isReported(answer: S): boolean;
  /** What it came to; where the upstream has not said it, counted. */
  billableOf(answer: S): Billable | Promise<Billable>;
}
