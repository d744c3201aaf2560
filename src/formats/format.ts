import type { Carries, Feature, Loss } from '../domain/exchange/loss.ts';
import type { OpaqueState, StateFamily } from '../domain/exchange/opaque-state.ts';
import type { MediaPart } from '../domain/exchange/part.ts';
import type { ExchangeRequest } from '../domain/exchange/request.ts';
import type { ExchangeResponse } from '../domain/exchange/response.ts';
import type { WrittenRouting } from '../domain/exchange/routing-info.ts';
import type { ServedAs } from '../domain/exchange/served-as.ts';
import type { PartObserver, StreamPart } from '../domain/exchange/stream-part.ts';
import type { Usage } from '../domain/exchange/usage.ts';
import type { Failure } from '../domain/failure/failure.ts';
import type { Quirk } from './quirk.ts';
import type { BodyScan, BodySource } from './shared/body-scan.ts';
import type { GovernedNames } from './shared/governed-names.ts';
import type { Edit } from './shared/json-patch.ts';
import type { JsonText } from './shared/json-writer.ts';
import type { Steps } from './shared/steps.ts';
import type { Envelope, Wire } from './wire.ts';

// ---- what comes in

/** `warm-up` is a generation whose answer is empty: it only prepares what the next turn goes on from. */
export type CallPurpose = 'generate' | 'warm-up' | 'count-tokens' | 'compact';

/** What a request's URL says; in most formats it says nothing but the purpose. */
export interface InboundCall {
  readonly purpose: CallPurpose;
  /** The model, where the path names it (Gemini). */
  readonly model: string | null;
  /** Whether the path asks for a stream; `null` where the body does. */
  readonly stream: boolean | null;
  /** How a stream is to be framed. */
  readonly framing: 'sse' | 'json-array';
}

export interface Endpoint {
  /** A route as the server's router takes it: a literal path, `/v1beta/models/*`. */
  readonly path: string;
  /** Another API has its own resources below this path: only a POST is this endpoint's. */
  readonly shared?: boolean;
  /** The call that a URL of this route makes, or why it makes none (404). */
  call(url: string): InboundCall | Failure;
}

/** A client's request after parsing and validation: the few facts that routing needs, and the client's own bytes. */
export interface ParsedRequest {
  readonly call: InboundCall;
  readonly model: string;
  readonly stream: boolean;
  /** Whether the client itself asked to see usage in the stream. */
  readonly wantsStreamUsage: boolean;
  /** The engine empties it once no target is left that it could be relayed to: a long conversation is not to be held twice. */
  bytes: Uint8Array;
  /** The decoded body; read-only by agreement. */
  readonly body: Readonly<Record<string, unknown>>;
  /** What the first look at the client's bytes has found in them. */
  readonly scan?: BodyScan;
}

/** What the gateway changes in an answer on the relay lane; all other bytes stay. */
export interface AnswerPatch {
  readonly publicModel: string;
  /** The contract's `_routing` object. */
  readonly routing: WrittenRouting;
}

export interface RelayedAnswer {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly usage: Usage | null;
  readonly served: ServedAs;
}

/** What the model has written in a stream so far: what an answer that ends early comes to, where the upstream has not said it. */
export interface Produced {
  /** All that was written: text, reasoning, names and arguments of tool calls. */
  readonly bytes: number;
  /** Something was written after the upstream's latest report of usage. */
  readonly isPastReport: boolean;
  /** Those that the answer has shown so far and that the provider bills by the call. */
  readonly webSearches: number;
  /** The beginning, or all of it; to be counted, and the rest by its bytes. */
  sample(): ProducedSample;
}

export interface ProducedSample {
  readonly text: string;
  /** How many of `Produced.bytes` it stands for. */
  readonly bytes: number;
}

/** `null`: the stream has not ended, or did not end well; `too-large`: the answer is longer than what may be held of it. */
export type CapturedAnswer = ExchangeResponse | 'too-large' | null;

/** Carries one answer stream to the client: bytes in at any split, bytes out; watches usage on the way. */
export interface StreamRelay {
  /** Takes the upstream's next piece; returns what can go to the client now (possibly nothing). */
  push(piece: Uint8Array): Uint8Array;
  /** The upstream ended; returns what was held back. */
  end(): Uint8Array;
  /** Set when the stream itself carried an error, or ended before its natural end. */
  readonly failure: Failure | null;
  /** The client can see no more: the stream's terminal frame has passed. */
  readonly finished: boolean;
  /** The upstream has begun an answer, without any content yet; comments and unknown events begin none. */
  readonly opened?: boolean;
  /**
   * Only what ends the stream is missing, or a last word that the upstream may still add, in a format without an end mark
   * (Gemini): an upstream that stays silent now has said all.
   */
  readonly mayEnd?: boolean;
  /** What the upstream has reported so far, of the prompt if not yet of the answer. */
  readonly usage: Usage | null;
  readonly served: ServedAs;
  readonly produced: Produced;
  /** An event with data has passed: from here on the client may have seen a part of the answer. */
  readonly started: boolean;
  /** The whole answer as JSON text once the stream is finished, in a format whose last event carries it (Responses). */
  readonly answerJson?: string | null;
  /** Shows the answer's parts to one more observer, on the translate lane, where there are any; to be called before all else. */
  observe?(observer: PartObserver): void;
  /** The answer that the stream has carried; only of a relay that captures it. */
  captured?(): CapturedAnswer;
  /**
   * The frame that ends this very stream with a failure, where it depends on what has gone out (a sequence number); `null`
   * or absent: the format's `encodeStreamFailure` does.
   */
  encodeFailure?(failure: Failure): string | null;
}

/** Where in a stream a failure is told. */
export interface FailurePlace {
  /** Nothing of an answer has gone out. */
  readonly isFirst?: boolean;
  readonly requestId?: string;
}

// ---- translation

/** Where a translated request goes, and what is special there. */
export interface EncodeTarget {
  readonly upstreamModel: string;
  readonly stream: boolean;
  readonly provider: string;
  readonly channel: string;
  /** Those of the provider's quirks that hold for this model. */
  readonly quirks: readonly Quirk[];
  /** The format's own table with the quirks `lacks` and `has` worked in. */
  readonly carries: Carries;
}

export interface EncodedRequest {
  readonly body: JsonText;
  /** What `body` is the text of, but for a conversation that an encoder writes as text at once. */
  readonly value: Readonly<Record<string, unknown>>;
  /** Headers that the body needs (Anthropic's `anthropic-beta`). */
  readonly headers?: Readonly<Record<string, string>>;
  /** What did not get in. If one of them is `refused` the request must not be sent. */
  readonly losses: readonly Loss[];
}

/** Who answered: reasoning state in the answer gets this origin. */
export interface DecodeSource {
  readonly provider: string;
  readonly channel: string;
  readonly quirks: readonly Quirk[];
}

/** Turns an upstream's stream, as server-sent events at any split, into stream parts. */
export interface StreamDecoder {
  push(piece: Uint8Array): readonly StreamPart[];
  /** The upstream ended: closes what is open; an `error` part if the answer was not complete. */
  end(): readonly StreamPart[];
  /** As StreamRelay's. */
  readonly mayEnd?: boolean;
}

/** What an answer to the client needs to know beyond the answer. */
export interface AnswerContext extends AnswerPatch {
  readonly parsed: ParsedRequest;
  /** The client's request in no provider's words. */
  readonly request: ExchangeRequest;
  /** The request's body is so long that an answer does not repeat what is long in it. */
  readonly isLarge?: boolean;
  /** Unix seconds. */
  readonly created: number;
  /** A fresh id: the prefix (`msg_`) and random letters and digits. */
  newId(prefix: string): string;
}

/** Writes a stream in the client's format. Each call returns the text of whole frames, possibly none. */
export interface StreamEncoder {
  /** Never called with an `error`: the engine ends the stream with `encodeStreamFailure`. */
  encode(part: StreamPart): string;
  /** As StreamRelay's. */
  readonly answerJson?: string | null;
  encodeFailure?(failure: Failure): string | null;
}

/** An earlier turn as the store has it, both as JSON text: the request's own input items, and the whole answer. */
export interface StoredTurn {
  readonly inputJson: string;
  readonly responseJson: string;
}

/** Answers that the gateway keeps on the client's behalf (Responses: `store`, `previous_response_id`). */
export interface AnswerStoring {
  /** Whether this answer is to be kept. */
  wants(request: ParsedRequest): boolean;
  /** The answer that the request goes on from, or `null`. */
  previousId(request: ParsedRequest): string | null;
  /** The same request with the earlier turns, oldest first, written out before its own input, and without the id. */
  continueFrom(request: ParsedRequest, turns: readonly StoredTurn[]): ParsedRequest;
  /** The ids of the kept items that the request points to instead of holding them. */
  references(request: ParsedRequest): readonly string[];
  /** The same request with those of the items that are in these turns in the place of what points to them. */
  withReferences(request: ParsedRequest, turns: readonly StoredTurn[]): ParsedRequest;
  /** JSON text of an array: the request's own input as items, each with an id. */
  inputItems(request: ParsedRequest, newId: (prefix: string) => string): string;
  /** The id in an answer's JSON text; `null` where the answer is none to be kept (a failed one). */
  answerId(answerJson: string): string | null;
  /** How a provider that keeps answers gives one back. */
  readonly atProvider: AnswersAtProvider;
}

/** An answer that a provider keeps, as its own API gives it. */
export interface AnswersAtProvider {
  /** Where it is, by the address at which answers are made; `null` for an id that no provider gives. */
  url(createUrl: string, id: string): string | null;
  /** Where a page of what it answers is: the first, or the one after that item. */
  inputUrl(answerUrl: string, after: string | null): string;
  /** `null` where the value is not the answer of this id. */
  answer(value: unknown, id: string): { readonly previousId: string | null } | null;
  /** `null` where the value is no page; `next`: the item after which there is more. */
  inputPage(value: unknown): { readonly items: readonly unknown[]; readonly next: string | null } | null;
  /** The ids of the items that the texts of a turn hold: what was asked, and what was answered. */
  itemIds(turn: StoredTurn): { readonly input: ReadonlySet<string>; readonly output: ReadonlySet<string> };
}

/** Conversations that are made shorter on the client's behalf (Responses: POST /v1/responses/compact). */
export interface ContextCompacting {
  /**
   * The request with what the gateway has compacted earlier written out; the same object where there is nothing of that. Fails
   * (400) where `open` gives `null`: what was not sealed for this account, or was damaged.
   */
  opened(request: ParsedRequest, open: (sealed: string) => string | null): ParsedRequest | Failure;
  /** What asks the model for a summary of the conversation. Only its body counts. */
  summaryRequest(request: ParsedRequest): ParsedRequest;
  /** JSON text, `_routing` included. Fails where the model has written no summary. */
  encodeAnswer(response: ExchangeResponse, context: AnswerContext, seal: (text: string) => string): string | Failure;
}

export interface UpstreamKeeping {
  wants(request: ParsedRequest): boolean;
  /** What is answered where no upstream can keep it. */
  readonly unsupported: Failure;
}

/** Something that is kept at a provider, as a request names it. */
export interface NamedObject {
  readonly id: string;
  /** The client's path to the name. */
  readonly path: string;
  /** What its own API says where it is not there, instead of the gateway's words. */
  readonly missing?: string;
  /** What clients of the format look for in the error where it is not there, beside the message. */
  readonly whenMissing?: Readonly<Record<string, unknown>>;
  /**
   * A request without it goes on: to whom it may not be named it goes translated. `shown`: what it names stands beside it, and
   * only who stores objects looks it up; `alone`: it is nothing but a name.
   */
  readonly optional?: 'shown' | 'alone';
}

/** Objects at a provider: files, caches, containers, stored items. Whoever holds the provider's key can reach them all. */
export interface ObjectNaming {
  /** Those that a request names, but for answers that the gateway itself keeps. */
  named(body: Readonly<Record<string, unknown>>): readonly NamedObject[];
  /** Whether the answer to a request may bring objects that a later one can name. */
  mayIssue(body: Readonly<Record<string, unknown>>): boolean;
  /** The ids of those that a whole answer, or an event of a stream, brings; of what it repeats of the request none. */
  issued(answer: unknown): readonly string[];
}

/** How much a request lets the model write. */
export interface OutputBound {
  /** The largest that any of the request's words for it allows one choice; `null` where it says nothing. */
  readonly each: number | null;
  readonly choices: number;
  /** What one choice may come to beyond that where a provider counts it beside: a budget for thinking, a prediction that is refused. */
  readonly beside: number;
}

/** A request's conversation as far as it takes to see which request goes on from which. */
export interface Conversation {
  /** What stands before the turns: instructions, a system prompt. */
  readonly lead: unknown;
  readonly turns: readonly unknown[];
  /** Whether a turn came from the model. */
  readonly isAnswer: (turn: unknown) => boolean;
  /** The client's own name for a prompt cache. */
  readonly cacheKey: string | null;
}

/** State that is bound to the channel that issued it, and that goes to clients of its own format as it is, without its origin. */
export interface StateIssuing {
  /** The keys of the states in a whole answer's JSON text. */
  issued(answerJson: string): readonly string[];
  /** The keys of the states that a request brings back, in the order of the conversation. */
  presented(request: ParsedRequest): readonly string[];
  /** The key of a decoded state; `null` for one of another family. */
  keyOf(state: OpaqueState): string | null;
}

/** What a name of a tool may be made of. */
export interface ToolNames {
  /** Matches each character that may not be in one; with the flag `g`. */
  readonly forbidden: RegExp;
  /** What a name may begin with, where not with all that may be in one. */
  readonly first?: RegExp;
  readonly maxLength: number;
}

/** A format of texts as an upstream speaks it: requests go out in it, answers come back. */
export interface UpstreamFormat extends Wire {
  /** Whose reasoning state it can take back. */
  readonly stateFamily: StateFamily;
  readonly carries: Carries;
  /** Other names go out as such ones and come back as they were. */
  readonly toolNames: ToolNames;
  /** Whether this part can only be sent as bytes, so that a URL in it has to be fetched first. */
  needsBytes(part: MediaPart, quirks: readonly Quirk[]): boolean;
  /** Fails (side client, 400) only where a value cannot be said in this format at all; what is merely lost is in `losses`. */
  encodeRequest(request: ExchangeRequest, target: EncodeTarget): EncodedRequest | Failure;
  /** The same with a step for each message, for a large request; absent in a format that no client speaks. */
  encodeSteps?(request: ExchangeRequest, target: EncodeTarget): Steps<EncodedRequest | Failure>;
  /** A 200's body. One that is no answer, or that carries an error, is a failure of the upstream. */
  decodeAnswer(bytes: Uint8Array, source: DecodeSource): ExchangeResponse | Failure;
  decodeStream(source: DecodeSource): StreamDecoder;
  /** Counting tokens at the upstream, where its API can. */
  readonly counting?: TokenCounting;
}

export interface TokenCounting {
  /** The member in which a count's body holds the whole request that it asks about, where it does. */
  wrapper?(body: Readonly<Record<string, unknown>>): string | null;
  /** The body of the count request for this generate request. */
  encodeRequest(request: ExchangeRequest, target: EncodeTarget): EncodedRequest | Failure;
  /** The prompt's tokens in a 200's body, or `null` when it does not say. */
  decodeAnswer(bytes: Uint8Array): number | null;
}

/**
 * What becomes of one field of a client format: a feature that upstream formats carry or not; `exact` for what the gateway
 * serves itself; or the verdict that it gets in every other format.
 */
export type FieldClass =
  | Feature
  | 'exact'
  | { readonly verdict: 'approximated' | 'dropped' | 'refused'; readonly why: string };

/** By path: `temperature`, `messages[].content[].image_url.detail`. Every field of the format's schema is here. */
export type FieldTable = Readonly<Record<string, FieldClass>>;

/** A header of the client's that an upstream reads, too. */
export interface RelayedHeader {
  /** In lower case. */
  readonly name: string;
  /** What a value may be: no other one goes up, since a header that breaks the call would look like a channel that fails. */
  readonly value: RegExp;
  /** The same in words that complete "must be". */
  readonly rule: string;
}

/** A format of texts that clients speak: everything an upstream format does, and the way in. */
export interface ClientFormat extends UpstreamFormat, Envelope {
  readonly endpoints: readonly Endpoint[];
  readonly fields: FieldTable;
  /** The client's headers that go upstream on the relay lane. */
  readonly relayedHeaders: readonly RelayedHeader[];
  /** The names of its fields: what reads a large body looks for variants of them. */
  readonly ownNames: GovernedNames;
  parseRequest(source: BodySource, call: InboundCall): ParsedRequest | Failure;

  conversation(request: ParsedRequest): Conversation;
  outputBound(request: ParsedRequest): OutputBound;

  /** The declared patches of the relay lane: what changes in the client's bytes on their way up, in order. */
  relayEdits(request: ParsedRequest, upstreamModel: string): readonly Edit[];
  /** A whole answer: the upstream's bytes with the public model id and `_routing`. */
  relayAnswer(bytes: Uint8Array, patch: AnswerPatch): RelayedAnswer | Failure;
  relayStream(request: ParsedRequest, patch: AnswerPatch): StreamRelay;

  decodeRequest(request: ParsedRequest): ExchangeRequest | Failure;
  /** The same with a step for each message, for a large request. */
  decodeSteps(request: ParsedRequest): Steps<ExchangeRequest | Failure>;
  /** JSON text, `_routing` included. */
  encodeAnswer(response: ExchangeResponse, context: AnswerContext): string;
  encodeStream(context: AnswerContext): StreamEncoder;
  streamContentType(request: ParsedRequest): string;
  readonly storing?: AnswerStoring;
  readonly compacting?: ContextCompacting;
  /** What an upstream has to keep for the request, and only this format can ask for; such a request is never translated. */
  readonly keeping?: UpstreamKeeping;
  readonly objects: ObjectNaming;
  readonly issuing?: StateIssuing;
  /** The body of a count-tokens answer, `_routing` included. `estimated`: the tokenizer's number, not the provider's. */
  encodeTokenCount?(tokens: number, estimated: boolean, patch: AnswerPatch): string;
  /** The frame that ends a stream which failed after its head was sent. */
  encodeStreamFailure(failure: Failure, request: ParsedRequest | null, place?: FailurePlace): string;
  /** What may stand anywhere between the events of a stream, and says nothing but that the connection lives. */
  readonly ping: string;
}
