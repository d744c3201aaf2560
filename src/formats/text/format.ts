import type { CacheControl } from '../../domain/cache/cache.ts';
import type { Carries, Feature, Loss } from '../../domain/exchange/loss.ts';
import type { StateFamily } from '../../domain/exchange/opaque-state.ts';
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
import type { MediaFields } from '../shared/media/media-fields.ts';
import type { BodySource } from '../shared/request/body-scan.ts';
import type { GovernedNames } from '../shared/request/governed-names.ts';
import type { Steps } from '../shared/request/steps.ts';
import type { AnswerPatch, Envelope, TargetModel, Wire } from '../wire.ts';
import type {
  AnswerContext,
  Conversation,
  Endpoint,
  InboundCall,
  OutputBound,
  ParsedRequest,
  RelayPatch,
} from './client-request.ts';
import type {
  AnswerStoring,
  ContextCompacting,
  ObjectNaming,
  StateIssuing,
  UpstreamKeeping,
} from './provider-state.ts';
import type { Quirk } from './quirk.ts';
import type { SearchWriting } from './shared/gateway-search.ts';

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

/** Writes a stream in the client's format. Each call returns the text of whole frames, possibly none. */
export interface StreamEncoder {
  /** Never called with an `error`: the engine ends the stream with `encodeStreamFailure`. */
  encode(part: StreamPart): string;
  /** See `StreamRelay.answerJson`. */
  readonly answerJson?: string | null;
  encodeFailure?(failure: Failure): string | null;
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
  /** Returns whether the client wants the cost in `usage`, as OpenRouter's clients do. Absent if the format has no place for it. */
  wantsUsageCost?(body: ParsedRequest['body']): boolean;
  cacheControl?(request: ParsedRequest): CacheControl | null;
  /** Whether its bodies may name fallback models in OpenRouter's `models`. Other formats use a header (domain/routing/fallbacks.ts). */
  readonly namesFallbacks?: true;
  conversation(request: ParsedRequest): Conversation;
  outputBound(request: ParsedRequest): OutputBound;

  /** Answers of the format can hold only text: an image that a model draws is described in words. */
  readonly answersInText?: true;

  /**
   * Returns a test for bodies that would break a rule of the provider unless they are translated: roles, tool call ids, efforts,
   * and features within messages. `null` if the quirks have no such rule. Top-level members are left to the relay lane's patches.
   */
  relayBreach?(quirks: readonly Quirk[]): BodyTest | null;
  /**
   * Returns the declared patches of the relay lane: the edits to the client's bytes before they are sent, in order. `asksUsage` is false
   * for a provider that reports the usage of streams without being asked, and refuses the question.
   */
  relayEdits(request: ParsedRequest, upstreamModel: string, asksUsage?: boolean): readonly Edit[];
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
  /** How it shows searches that the gateway has run. Absent if its requests cannot ask for a search. */
  readonly searching?: SearchWriting;
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
