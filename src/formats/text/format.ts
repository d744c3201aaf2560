import type { CacheControl } from '../../domain/cache/cache.ts';
import type { Carries, Feature, Loss } from '../../domain/exchange/loss.ts';
import type { OpaqueState, StateFamily } from '../../domain/exchange/opaque-state.ts';
import type { MediaPart } from '../../domain/exchange/part.ts';
import type { Reasons } from '../../domain/exchange/reasoning.ts';
import type { ExchangeRequest } from '../../domain/exchange/request.ts';
import type { ExchangeResponse } from '../../domain/exchange/response.ts';
import type { ServedAs } from '../../domain/exchange/served-as.ts';
import type { PartObserver, StreamPart } from '../../domain/exchange/stream-part.ts';
import type { Usage } from '../../domain/exchange/usage.ts';
import type { Failure } from '../../domain/failure/failure.ts';
import type { Billable } from '../../domain/money/quantity.ts';
import type { Edit } from '../shared/json/json-patch.ts';
import type { JsonText } from '../shared/json/json-writer.ts';
import type { FoundFiles, MediaFields } from '../shared/media/media-fields.ts';
import type { BodyScan, BodySource } from '../shared/request/body-scan.ts';
import type { GovernedNames } from '../shared/request/governed-names.ts';
import type { Steps } from '../shared/request/steps.ts';
import type { AnswerPatch, Envelope, TargetModel, Wire } from '../wire.ts';
import type { Quirk } from './quirk.ts';

// ---- requests from clients

/** `warm-up` is a generation with an empty answer: it only prepares the state that the next turn continues from. */
export type CallPurpose = 'generate' | 'warm-up' | 'count-tokens' | 'compact';

/** The facts that a request's URL states. In most formats this is only the purpose. */
export interface InboundCall {
  readonly purpose: CallPurpose;
  /** The model, if the path names it (Gemini). */
  readonly model: string | null;
  /** Whether the path asks for a stream; `null` if the body decides. */
  readonly stream: boolean | null;
  /** How a stream is to be framed. */
  readonly framing: 'sse' | 'json-array';
}

export interface Endpoint {
  /** A route in the server router's syntax: a literal path, or a pattern such as `/v1beta/models/*`. */
  readonly path: string;
  /** Another API has resources below this path, so only a POST belongs to this endpoint. */
  readonly shared?: boolean;
  /** Returns the call that a URL of this route means, or the failure (404) for a URL that means none. */
  call(url: string): InboundCall | Failure;
}

/** A client's request after parsing and validation: the few facts that routing needs, and the client's original bytes. */
export interface ParsedRequest {
  readonly call: InboundCall;
  readonly model: string;
  readonly stream: boolean;
  /** Whether the client itself asked to see usage in the stream. */
  readonly wantsStreamUsage: boolean;
  /**
   * The engine empties this when no remaining target can be relayed to, so that a long conversation is not held in memory
   * twice.
   */
  bytes: Uint8Array;
  /** The decoded body; read-only by agreement. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The results of the first scan of the client's bytes. */
  readonly scan?: BodyScan;
  /** The files in the body, once they have been looked for; see `MediaFields.filesIn`. */
  files?: FoundFiles;
}

/** Values for members that clients require and the upstream has left out of an answer. */
export interface RelayPatch extends AnswerPatch {
  /** Unix seconds, for an answer that does not say when it was made. */
  readonly created: number;
  /** Returns a fresh id: the prefix (`msg_`) followed by random letters and digits. */
  newId(prefix: string): string;
}

export interface RelayedAnswer {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly usage: Usage | null;
  readonly served: ServedAs;
}

/** The model's output in a stream so far. It is the basis for billing an answer that ends early without a usage report. */
export interface Produced {
  /** The size of all output: text, reasoning, names and arguments of tool calls. */
  readonly bytes: number;
  /** Whether there is output after the upstream's latest usage report. */
  readonly isPastReport: boolean;
  /** The web searches in the answer so far that the provider bills by the call. */
  readonly webSearches: number;
  /** The images that the provider's image tool has drawn so far; `null` if none. */
  readonly drawn: Billable | null;
  /** Returns the beginning of the output, or all of it. It is counted by the tokenizer; the rest is estimated by its bytes. */
  sample(): ProducedSample;
}

export interface ProducedSample {
  readonly text: string;
  /** How many of `Produced.bytes` the sample represents. */
  readonly bytes: number;
}

/** `null`: the stream has not ended, or has failed. `too-large`: the answer is longer than the capture limit. */
export type CapturedAnswer = ExchangeResponse | 'too-large' | null;

/** Relays one answer stream to the client. Input may be split at any byte. The relay also watches the usage. */
export interface StreamRelay {
  /** Takes the upstream's next piece; returns the bytes that can go to the client now (possibly none). */
  push(piece: Uint8Array): Uint8Array;
  /** Returns an estimate of the prompt's tokens, for a stream that must report them before its upstream does. */
  end(): Uint8Array;
  /** Set when the stream itself carried an error, or ended before its natural end. */
  readonly failure: Failure | null;
  /** The stream's terminal frame has been sent, so the client reads nothing after it. */
  readonly finished: boolean;
  /** The upstream has begun an answer, without any content yet. Comments and unknown events do not begin an answer. */
  readonly opened?: boolean;
  /**
   * Only the end of the stream is missing. In a format without an end mark (Gemini) the upstream may still add a last chunk.
   * If the upstream stays silent now, the answer counts as complete.
   */
  readonly mayEnd?: boolean;
  /** The usage that the upstream has reported so far. It may cover only the prompt. */
  readonly usage: Usage | null;
  readonly served: ServedAs;
  readonly produced: Produced;
  /** An event with data has been sent, so the client may have seen a part of the answer. */
  readonly started: boolean;
  /**
   * The whole answer as JSON text once the stream has finished. Only in a format whose last event carries it (Responses).
   */
  readonly answerJson?: string | null;
  /**
   * Whether the stream has finished, but its last frames wait for usage: the client expects it, and the upstream has not reported
   * any.
   */
  readonly awaitsUsage?: boolean;
  /** Supplies the usage that the gateway has counted, for the last frames. */
  counted?(usage: Usage): void;
  /** Returns the frames that waited for the usage; empty if there are none. */
  lastFrames?(): Uint8Array;
  /**
   * Adds an observer of the answer's parts. Only on the translate lane, where there are parts. Must be called before all
   * other methods.
   */
  observe?(observer: PartObserver): void;
  /** Returns the answer that the stream has carried. Only a relay that captures answers has this method. */
  captured?(): CapturedAnswer;
  /**
   * Returns the frame that ends this stream with a failure, if the frame depends on earlier output (a sequence number). `null` or
   * absent: the format's `encodeStreamFailure` writes it.
   */
  encodeFailure?(failure: Failure): string | null;
}

/** Where in a stream a failure is reported. */
export interface FailurePlace {
  /** No part of an answer has been sent yet. */
  readonly isFirst?: boolean;
  readonly requestId?: string;
}

// ---- translation

/** The upstream that a translated request goes to, and its special rules. */
export interface EncodeTarget extends TargetModel {
  readonly stream: boolean;
  readonly provider: string;
  readonly channel: string;
  /** The provider's quirks that apply to this model. */
  readonly quirks: readonly Quirk[];
  /** The format's own table with the quirks `lacks` and `has` applied. */
  readonly carries: Carries;
  /** The table for requests without reasoning, if the model then supports more features. */
  readonly atRest?: { readonly carries: Carries; readonly reasons: Reasons };
}

export interface EncodedRequest {
  readonly body: JsonText;
  /** The value whose JSON text is `body`. It lacks the conversation where an encoder writes that directly as text. */
  readonly value: Readonly<Record<string, unknown>>;
  /** Headers that the body requires (Anthropic's `anthropic-beta`). */
  readonly headers?: Readonly<Record<string, string>>;
  /** The features that could not be encoded. If one of them is `refused`, the request must not be sent. */
  readonly losses: readonly Loss[];
}

/** The provider that answered. Reasoning state in the answer gets this origin. */
export interface DecodeSource {
  readonly provider: string;
  readonly channel: string;
  readonly quirks: readonly Quirk[];
}

/** Turns an upstream's stream of server-sent events into stream parts. The input may be split at any byte. */
export interface StreamDecoder {
  push(piece: Uint8Array): readonly StreamPart[];
  /** Ends the input. Closes open blocks; emits an `error` part if the answer was incomplete. */
  end(): readonly StreamPart[];
  /** See `StreamRelay.mayEnd`. */
  readonly mayEnd?: boolean;
}

/** The context that an encoder needs besides the answer itself. */
export interface AnswerContext extends RelayPatch {
  readonly parsed: ParsedRequest;
  /** The client's request in the canonical form. */
  readonly request: ExchangeRequest;
  /** The request's body is so large that the answer does not repeat its long members. */
  readonly isLarge?: boolean;
  /** Estimates the prompt's tokens, for a stream that has to report them before its upstream does. */
  estimatedPromptTokens(): number;
}

/** Writes a stream in the client's format. Each call returns the text of whole frames, possibly none. */
export interface StreamEncoder {
  /** Never called with an `error`: the engine ends the stream with `encodeStreamFailure`. */
  encode(part: StreamPart): string;
  /** See `StreamRelay.answerJson`. */
  readonly answerJson?: string | null;
  encodeFailure?(failure: Failure): string | null;
}

/** An earlier turn in the store's form: the request's own input items and the whole answer, both as JSON text. */
export interface StoredTurn {
  readonly inputJson: string;
  readonly responseJson: string;
}

/** How the gateway stores answers for the client (Responses: `store`, `previous_response_id`). */
export interface AnswerStoring {
  /** Returns whether this answer is to be kept. */
  wants(request: ParsedRequest): boolean;
  /** Returns the id of the answer that the request continues, or `null`. */
  previousId(request: ParsedRequest): string | null;
  /** Returns the same request without the id, and with the earlier turns, oldest first, inserted before its own input. */
  continueFrom(request: ParsedRequest, turns: readonly StoredTurn[]): ParsedRequest;
  /** Returns the ids of the stored items that the request refers to without including them. */
  references(request: ParsedRequest): readonly string[];
  /** Returns the same request in which each reference to an item of these turns is replaced by the item. */
  withReferences(request: ParsedRequest, turns: readonly StoredTurn[]): ParsedRequest;
  /** Returns the request's own input as items, each with an id: JSON text of an array. */
  inputItems(request: ParsedRequest, newId: (prefix: string) => string): string;
  /** Returns the id in an answer's JSON text; `null` for an answer that must not be stored (a failed one). */
  answerId(answerJson: string): string | null;
  /** How to read back an answer that a provider has stored. */
  readonly atProvider: AnswersAtProvider;
}

/** An answer that a provider stores, read through the provider's own API. */
export interface AnswersAtProvider {
  /**
   * Returns the URL of the stored answer, derived from the URL that creates answers; `null` for an id that no provider issues.
   */
  url(createUrl: string, id: string): string | null;
  /** Returns the URL of one page of the answer's input items: the first page, or the page after the item `after`. */
  inputUrl(answerUrl: string, after: string | null): string;
  /** Reads the stored answer; `null` if the value is not the answer with this id. */
  answer(value: unknown, id: string): { readonly previousId: string | null } | null;
  /** Reads a page of items; `null` if the value is not a page. `next` is the item after which the next page begins. */
  inputPage(value: unknown): { readonly items: readonly unknown[]; readonly next: string | null } | null;
  /** Returns the ids of the items in a turn's texts: those of the input and those of the output. */
  itemIds(turn: StoredTurn): { readonly input: ReadonlySet<string>; readonly output: ReadonlySet<string> };
}

/** How the gateway shortens a conversation for the client (Responses: POST /v1/responses/compact). */
export interface ContextCompacting {
  /**
   * Returns the request with the gateway's earlier compactions replaced by their text; the same object if it has none. Fails
   * (400) where `open` returns `null`: the compaction was sealed for another account, or is damaged.
   */
  opened(request: ParsedRequest, open: (sealed: string) => string | null): ParsedRequest | Failure;
  /** Returns the request that asks the model for a summary of the conversation. Only its body is used. */
  summaryRequest(request: ParsedRequest): ParsedRequest;
  /** Returns the answer as JSON text, with `_routing`. Fails if the model has not written a summary. */
  encodeAnswer(response: ExchangeResponse, context: AnswerContext, seal: (text: string) => string): string | Failure;
}

export interface UpstreamKeeping {
  wants(request: ParsedRequest): boolean;
  /** The failure to return if no upstream can store it. */
  readonly unsupported: Failure;
}

/** An object stored at a provider, as a request refers to it. */
export interface NamedObject {
  readonly id: string;
  /** The path in the client's body of the member that holds the id. */
  readonly path: string;
  /** The error message of the format's own API for a missing object; it replaces the gateway's message. */
  readonly missing?: string;
  /** Further members of the error for a missing object, which clients of the format look for. */
  readonly whenMissing?: Readonly<Record<string, unknown>>;
  /**
   * The request is valid without the id. To a provider that may not be given the id, the request goes translated, without
   * it. `shown`: the object's content is next to the id, and only a provider that stores objects looks it up. `alone`:
   * there is only the id.
   */
  readonly optional?: 'shown' | 'alone';
}

/**
 * Objects stored at a provider: files, caches, containers, stored items. Every holder of the provider's key can reach all of
 * them.
 */
export interface ObjectNaming {
  /** Returns the objects that a request refers to, except for answers that the gateway itself stores. */
  named(body: Readonly<Record<string, unknown>>): readonly NamedObject[];
  /** Returns whether the answer to a request may create objects that a later request can refer to. */
  mayIssue(body: Readonly<Record<string, unknown>>): boolean;
  /**
   * Returns the ids of the objects that a whole answer, or one event of a stream, creates. Ids repeated from the request do not
   * count.
   */
  issued(answer: unknown): readonly string[];
}

/** The limit that a request sets for the model's output. */
export interface OutputBound {
  /** The largest limit for one choice among all of the request's fields for it; `null` if it sets none. */
  readonly each: number | null;
  readonly choices: number;
  /**
   * The tokens of one choice that a provider may count beyond that limit: a thinking budget, or rejected prediction tokens.
   */
  readonly beside: number;
}

/** The parts of a request's conversation that show which earlier request it continues. */
export interface Conversation {
  /** The content before the turns: instructions, a system prompt. */
  readonly lead: unknown;
  readonly turns: readonly unknown[];
  /** Whether a turn came from the model. */
  readonly isAnswer: (turn: unknown) => boolean;
  /** The client's own name for a prompt cache. */
  readonly cacheKey: string | null;
}

/** State that is bound to the channel that issued it. Clients of its own format get it unchanged, without its origin. */
export interface StateIssuing {
  /** Returns the keys of the states in a whole answer's JSON text. */
  issued(answerJson: string): readonly string[];
  /** Returns the keys of the states that a request sends back, in the order of the conversation. */
  presented(request: ParsedRequest): readonly string[];
  /** Returns the key of a decoded state; `null` for a state of another family. */
  keyOf(state: OpaqueState): string | null;
}

/** The rules for tool names. */
export interface ToolNames {
  /** Matches each character that a name must not contain; with the flag `g`. */
  readonly forbidden: RegExp;
  /** Matches the characters that a name may begin with, if these are fewer than the allowed ones. */
  readonly first?: RegExp;
  readonly maxLength: number;
}

/** A text generation format that an upstream speaks: encodes requests, decodes answers. */
export interface UpstreamFormat extends Wire {
  /** The family of reasoning state that an upstream of this format can take back. */
  readonly stateFamily: StateFamily;
  readonly carries: Carries;
  /** Names that break these rules are replaced before sending, and restored in the answer. */
  readonly toolNames: ToolNames;
  /** Returns whether this part can only be sent as bytes, so that its URL has to be fetched first. */
  needsBytes(part: MediaPart, quirks: readonly Quirk[]): boolean;
  /**
   * Fails (side client, 400) only if the format has no way to express a value at all. Values that are merely lost are in `losses`.
   */
  encodeRequest(request: ExchangeRequest, target: EncodeTarget): EncodedRequest | Failure;
  /** Does the same as `encodeRequest`, one step per message, for a large request. Absent in formats that no client speaks. */
  encodeSteps?(request: ExchangeRequest, target: EncodeTarget): Steps<EncodedRequest | Failure>;
  /** Decodes the body of a 200. A body that is not an answer, or that carries an error, is a failure of the upstream. */
  decodeAnswer(bytes: Uint8Array, source: DecodeSource): ExchangeResponse | Failure;
  decodeStream(source: DecodeSource): StreamDecoder;
  /** How to count tokens at the upstream, if its API can. */
  readonly counting?: TokenCounting;
}

export interface TokenCounting {
  /** Returns the member of a count request's body that holds a whole generate request, if the format has one. */
  wrapper?(body: Readonly<Record<string, unknown>>): string | null;
  /** Returns the body of the count request for this generate request. */
  encodeRequest(request: ExchangeRequest, target: EncodeTarget): EncodedRequest | Failure;
  /** Returns the prompt's tokens from the body of a 200, or `null` if it does not state them. */
  decodeAnswer(bytes: Uint8Array): number | null;
}

/**
 * How other formats treat one field of a client format: a feature that they carry or not; `exact` for a field that the
 * gateway serves itself; or the verdict that the field gets in every other format.
 */
export type FieldClass =
  | Feature
  | 'exact'
  | { readonly verdict: 'approximated' | 'dropped' | 'refused'; readonly why: string };

/** Field classes by path: `temperature`, `messages[].content[].image_url.detail`. Covers every field of the format's schema. */
export type FieldTable = Readonly<Record<string, FieldClass>>;

/** A client's header that is also sent to the upstream. */
export interface RelayedHeader {
  /** The name in lower case. */
  readonly name: string;
  /** The allowed values. Others are not sent, because a header that breaks the call would look like a failing channel. */
  readonly value: RegExp;
  /** The same rule in words, which complete "must be". */
  readonly rule: string;
}

/** Whether a client's decoded body has a property. */
export type BodyTest = (body: Readonly<Record<string, unknown>>) => boolean;

/** A text generation format that clients speak: everything of an upstream format, and the parsing of clients' requests. */
export interface ClientFormat extends UpstreamFormat, Envelope {
  readonly endpoints: readonly Endpoint[];
  readonly fields: FieldTable;
  /** The client's headers that are sent to the upstream on the relay lane. */
  readonly relayedHeaders: readonly RelayedHeader[];
  /** The names of the format's fields. The scanner of large bodies looks for variants of them. */
  readonly ownNames: GovernedNames;
  parseRequest(source: BodySource, call: InboundCall): ParsedRequest | Failure;

  /**
   * Returns what the body says about the gateway's own cache, in a format that has a field for it; `null` if it says nothing.
   * Other formats use the header `x-switchyard-cache`.
   */
  cacheControl?(request: ParsedRequest): CacheControl | null;
  conversation(request: ParsedRequest): Conversation;
  outputBound(request: ParsedRequest): OutputBound;

  /** Answers of the format can hold only text: an image that a model draws is described in words. */
  readonly answersInText?: true;

  /**
   * Returns a test for bodies that would break a rule of the provider unless they are translated: roles, tool call ids, efforts,
   * and features within messages. `null` if the quirks have no such rule. Top-level members are left to the relay lane's patches.
   */
  relayBreach?(quirks: readonly Quirk[]): BodyTest | null;
  /** Returns the declared patches of the relay lane: the edits to the client's bytes before they are sent, in order. */
  relayEdits(request: ParsedRequest, upstreamModel: string): readonly Edit[];
  /** Returns a whole answer: the upstream's bytes with the public model id and `_routing`. */
  relayAnswer(bytes: Uint8Array, patch: RelayPatch): RelayedAnswer | Failure;
  relayStream(request: ParsedRequest, patch: RelayPatch): StreamRelay;
  /** Returns a whole answer with this usage, which the gateway has counted because the upstream reports none. */
  withUsage(answer: Uint8Array<ArrayBuffer> | string, usage: Usage): Uint8Array<ArrayBuffer>;

  decodeRequest(request: ParsedRequest): ExchangeRequest | Failure;
  /** Does the same as `decodeRequest`, one step per message, for a large request. */
  decodeSteps(request: ParsedRequest): Steps<ExchangeRequest | Failure>;
  /** Returns the answer as JSON text, including `_routing`. */
  encodeAnswer(response: ExchangeResponse, context: AnswerContext): string;
  encodeStream(context: AnswerContext): StreamEncoder;
  streamContentType(request: ParsedRequest): string;
  readonly storing?: AnswerStoring;
  readonly compacting?: ContextCompacting;
  /**
   * The objects that an upstream has to store for a request that only this format can express. Such a request is never
   * translated.
   */
  readonly keeping?: UpstreamKeeping;
  readonly objects: ObjectNaming;
  /** Where its requests contain files. */
  readonly media: MediaFields;
  readonly issuing?: StateIssuing;
  /**
   * Returns the body of a count-tokens answer, with `_routing`. `estimated`: the number comes from the gateway's tokenizer, not
   * from the provider.
   */
  encodeTokenCount?(tokens: number, estimated: boolean, patch: AnswerPatch): string;
  /** Returns the frame that ends a stream which failed after its headers were sent. */
  encodeStreamFailure(failure: Failure, request: ParsedRequest | null, place?: FailurePlace): string;
  /** A frame that is allowed between any two events of a stream. It only shows that the connection is alive. */
  readonly ping: string;
}
