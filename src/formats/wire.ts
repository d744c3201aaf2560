import type { LimitReport } from '../domain/access/limit-report.ts';
import type { SpeechFormat, SpeechReader, SpeechRequest } from '../domain/audio/speech.ts';
import type { Transcript, TranscriptEvent, TranscriptionRequest } from '../domain/audio/transcription.ts';
import type { ModelOperation } from '../domain/catalog/model-operation.ts';
import type { EmbeddingAnswer, EmbeddingBounds, EmbeddingRequest } from '../domain/embeddings/embeddings.ts';
import type { Loss } from '../domain/exchange/loss.ts';
import type { Failure } from '../domain/failure/failure.ts';
import type { AnswerHeaders } from '../domain/http/answer-headers.ts';
import type { ImageAnswer, ImageRequest, ImageShape } from '../domain/images/images.ts';
import type { PiecedBody } from '../domain/media/pieced-body.ts';
import type { RerankAnswer, RerankRequest } from '../domain/rerank/rerank.ts';
import type { GenerationRequest } from '../domain/tasks/generation-request.ts';
import type { AskedWork, JobReport, JobTicket, Submission } from '../domain/tasks/job.ts';
import type { SpeechTraits } from './speech/shared/speech-request.ts';

/** The protocol of one upstream endpoint, for any operation. */
export interface Wire {
  /** The wire's name, such as `openai-chat` or `openai-embeddings`. */
  readonly name: string;
  /**
   * The format expresses so little that requests of other formats are never translated into it. Requests of its own clients are
   * always relayed, and the gateway uses it when it tests a channel. Not every server has the endpoint, even if its provider
   * documents it.
   */
  readonly relayOnly?: true;
  /** Decodes an upstream's error response into a failure. The message is the upstream's, cleaned of secrets. */
  decodeFailure(status: number, headers: AnswerHeaders, bytes: Uint8Array): Failure;
}

/** The wire of an operation other than text generation. */
export interface OperationWire extends Wire {
  /** The operations that the wire serves. A model is reachable over it for those that the model also has. */
  readonly operations: readonly ModelOperation[];
}

/** The provider's own names for members of the wire's requests; `null` for a member that it does not have under any name. */
export type OwnMembers = Readonly<Record<string, string | null>>;

/** The model that a request is written for. */
export interface TargetModel {
  readonly upstreamModel: string;
  /**
   * The id that rules about models match against: the catalog's id, if the upstream's id is a deployment, an alias or an ARN that does
   * not reveal the model. Absent if it equals the upstream's id.
   */
  readonly ruleModel?: string;
}

/** Returns the model id that rules match against. It must never be sent. */
export function ruleModelOf({ upstreamModel, ruleModel }: TargetModel): string {
  return ruleModel ?? upstreamModel;
}

/** The provider and model that a request is written for. */
export interface WireTarget extends TargetModel {
  readonly members?: OwnMembers;
  /** Used by the wire `openai-speech`: the first dialect whose `models` match applies. */
  readonly speech?: readonly SpeechDialect[];
  /** Used by the wires `openai-transcriptions` and `openai-translations`. */
  readonly transcription?: TranscriptionTraits;
  /** Used by the wire `openai-embeddings`: the traits for this model. */
  readonly embeddings?: EmbeddingTraits;
}

/** How a server with OpenAI's transcription API differs from one that takes all of OpenAI's members. */
export interface TranscriptionTraits {
  /** The longest `prompt`, in characters. */
  readonly longestPrompt?: number;
  /** The server refuses form parts that it does not know. */
  readonly isStrict?: true;
}

/** How a server with OpenAI's embeddings API differs from one about which nothing is known. */
export interface EmbeddingTraits extends EmbeddingBounds {
  /** The upstream models that this applies to; absent means all. */
  readonly models?: RegExp;
  /**
   * The server is known to read `encoding_format` and can return vectors in base64, which many SDKs request by default. The
   * member is not sent to any other server, which may refuse it; the gateway converts the vectors to the encoding that the client
   * wants.
   */
  readonly hasBase64?: true;
  /** The server takes no lists of token ids. */
  readonly isTextOnly?: true;
}

/** How a server with OpenAI's speech API differs from one that takes all of OpenAI's members and voices. */
export interface SpeechDialect extends SpeechTraits {
  /** The upstream models that this applies to; absent means all. */
  readonly models?: RegExp;
  /** Other names for formats. */
  readonly formatNames?: Readonly<Partial<Record<SpeechFormat, string>>>;
  /** The format of an answer to a request that names none; mp3 if absent. */
  readonly defaultFormat?: SpeechFormat;
  /** Further members that belong to a format. */
  readonly formatMembers?: Readonly<Partial<Record<SpeechFormat, Readonly<Record<string, unknown>>>>>;
  /** The server can answer with events that report tokens (`stream_format: sse`), and is asked for them on every request. */
  readonly hasEvents?: true;
  /** The server takes a voice as an object (`{id}`). */
  readonly hasVoiceObjects?: true;
  /** The server refuses members that it does not know. */
  readonly isStrict?: true;
}

export interface EncodedBody {
  readonly body: Uint8Array<ArrayBuffer>;
  /** The parts of the client's request that could not be encoded. */
  readonly losses: readonly Loss[];
}

/** A wire for embeddings: encodes a client's request for an upstream, and decodes the response into the canonical form. */
export interface EmbeddingWire extends OperationWire {
  /** The gateway's own clients speak this wire: requests and responses are relayed byte for byte, except for declared patches. */
  readonly isClients?: true;
  /** Returns how much one request to this model may hold; the rest goes into further requests. Absent if there is no bound. */
  boundsOf?(target: WireTarget): EmbeddingBounds;
  encodeRequest(request: EmbeddingRequest, target: WireTarget): EncodedBody | Failure;
  /** Fails if the vectors do not match the inputs: too few, of different lengths, or with values that are not numbers. */
  decodeAnswer(
    bytes: Uint8Array,
    request: EmbeddingRequest,
    headers: AnswerHeaders,
  ): Promise<EmbeddingAnswer | Failure>;
}

/** A wire for reranking documents by their relevance to a query. */
export interface RerankWire extends OperationWire {
  /**
   * How many documents one request may hold, at least 1; more are sent in further requests, one after the other. Absent if the
   * limit is no lower than a client's. Only for wires whose score of a document does not depend on the others.
   */
  readonly mostDocuments?: number;
  encodeRequest(request: RerankRequest, target: WireTarget): EncodedBody | Failure;
  /** Returns a failure unless every document has exactly one score. */
  decodeAnswer(
    bytes: Uint8Array,
    request: RerankRequest,
    target: WireTarget,
    headers: AnswerHeaders,
  ): RerankAnswer | Failure;
}

/** A request to an upstream, before it is signed. */
export interface WireRequest {
  readonly body: Uint8Array<ArrayBuffer> | PiecedBody | null;
  /** Override the target's own headers, such as the `content-type` of a form. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Appended to the target's URL, such as `/alloy?output_format=mp3`; already percent-encoded. */
  readonly suffix?: string;
  /** The parts of the client's request that could not be encoded. */
  readonly losses: readonly Loss[];
}

/** A complete upstream response with a 2xx status. */
export interface WireAnswer {
  readonly bytes: Uint8Array;
  readonly headers: AnswerHeaders;
}

/** The next poll of an upstream that has accepted the job but not finished it. */
export interface NextRequest {
  readonly method: 'GET' | 'POST';
  /**
   * A path below the channel's base address, starting with `/`, or an absolute URL from the upstream. If that URL's host belongs
   * to another domain, the request goes to the channel's own address instead. `null` repeats the last URL.
   */
  readonly url: string | null;
  /** How long to wait before sending it. */
  readonly afterMs: number;
  readonly body: Uint8Array<ArrayBuffer> | null;
}

/** A wire for upstreams that process a job and are polled until it is done. */
export interface PolledWire {
  /** Returns what to request after this answer; `null` if it holds the result; a failure if the job has failed. */
  next?(answer: WireAnswer, target: WireTarget): NextRequest | null | Failure;
}

/** A wire that merges a client's `provider_options` into the body that it writes. */
export interface OptionsWire {
  /**
   * The names of `provider_options` that neither raise a request's cost nor touch resources of the channel's owner. On a channel
   * that accounts share, all other options are refused.
   */
  readonly harmlessOptions?: readonly string[];
}

/** A wire for making and editing images. */
export interface ImageWire extends OperationWire, PolledWire, OptionsWire {
  /**
   * Returns how many images one request to this model can produce, at least 1; more are made by further requests. Absent if the
   * limit is no lower than a client's.
   */
  mostImages?(upstreamModel: string): number;
  /** The upstream takes images by URL. For other wires the gateway fetches them. */
  readonly takesUrls?: true;
  /** The URLs of the resulting images expire within minutes. */
  readonly urlsExpireSoon?: true;
  /**
   * The upstream answers like OpenAI's API: all members are passed on, except for declared patches, and so is a stream. Other
   * wires answer a client that wants a stream with the last event only.
   */
  readonly isClients?: true;
  /**
   * Returns the size and quality that `encodeRequest` sends, which determine the price: the client's are often approximated.
   * Absent if they are sent as the client wrote them.
   */
  asks?(request: ImageRequest, target: WireTarget): ImageShape;
  encodeRequest(request: ImageRequest, target: WireTarget): WireRequest | Failure | Promise<WireRequest | Failure>;
  /** Fails if there is no image in the answer; a refusal by a content filter is a failure of side `client`. */
  decodeAnswer(answer: WireAnswer, request: ImageRequest, target: WireTarget): ImageAnswer | Failure;
  /**
   * Opens a reader for a relayed stream, for a request with `stream` on a wire with `isClients`. `null` if the model does not
   * stream and answers as it would without `stream`. Absent if no model streams.
   */
  openStream?(request: ImageRequest, target: WireTarget): ImageStreamReader | null;
}

/** One server-sent event with an image, in the upstream's bytes. */
export interface ImageStreamEvent {
  /** The bytes, including the blank line that ends the event. */
  readonly bytes: Uint8Array;
  /** Whether the event has a finished image. */
  readonly isCompleted: boolean;
  /** Whether the event has an unfinished image. */
  readonly isPartial: boolean;
}

/** The facts about a stream's finished images, without the images themselves. */
export interface ImageStreamResult extends Omit<ImageAnswer, 'images'> {
  readonly count: number;
}

/** Reads a stream of unfinished and finished images. The input may be split at any byte. */
export interface ImageStreamReader {
  /** Returns the events that the piece completes; none after a failure. */
  push(piece: Uint8Array): readonly ImageStreamEvent[];
  end(): readonly ImageStreamEvent[];
  /** Set if the stream carried an error, or ended without a finished image. */
  readonly failure: Failure | null;
  /** The result so far. */
  readonly result: ImageStreamResult;
}

/** A file that an upstream has produced and serves at a URL, possibly on any host. */
export interface MadeFile {
  readonly url: string;
  /** The type that the upstream declares; `null` if it declares none. */
  readonly mediaType: string | null;
}

/** A wire for text-to-speech. */
export interface SpeechWire extends OperationWire, PolledWire, OptionsWire {
  /** The client's bytes are relayed, except for declared patches. */
  readonly isClients?: true;
  encodeRequest(request: SpeechRequest, target: WireTarget): WireRequest | Failure;
  /** Returns where the audio is, for upstreams that answer with a URL. The gateway fetches it and passes it to the reader. */
  fileOf?(answer: WireAnswer): MadeFile | Failure;
  /**
   * Opens a reader, given the headers of a 2xx answer or of the file that it refers to. A whole JSON answer is pushed to the
   * reader as well.
   */
  openAnswer(headers: AnswerHeaders, request: SpeechRequest, target: WireTarget): SpeechReader | Failure;
}

/** Reads a transcript stream. The input may be split at any byte. The last event is `done`, unless there is a failure. */
export interface TranscriptReader {
  push(piece: Uint8Array): readonly TranscriptEvent[];
  end(): readonly TranscriptEvent[];
  /** Set if the stream carried an error, or ended before its natural end. */
  readonly failure: Failure | null;
}

/** A wire for transcribing speech in its own language, or translating it into English. */
export interface TranscriptionWire extends OperationWire, PolledWire, OptionsWire {
  /** Requests and answers are OpenAI's, which the gateway's own clients speak. */
  readonly isClients?: true;
  encodeRequest(request: TranscriptionRequest, target: WireTarget): WireRequest | Failure;
  decodeAnswer(answer: WireAnswer, request: TranscriptionRequest, target: WireTarget): Transcript | Failure;
  /**
   * Opens a reader for a stream. Absent if no model streams: the client then gets the whole transcript as a stream of one piece.
   */
  openStream?(request: TranscriptionRequest): TranscriptReader;
}

/** A request for the state of jobs. */
export interface PollRequest {
  /** `GET` if absent. */
  readonly method?: 'GET' | 'POST';
  /**
   * A path below the channel's base address, starting with `/` and including the query, or an absolute URL from the upstream. If
   * that URL's host belongs to another domain, the request goes to the channel's own address instead.
   */
  readonly url: string;
  readonly body?: Uint8Array<ArrayBuffer>;
  /** Sent in addition to the headers that authorize the channel. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Polls several jobs in one request, for an upstream that supports it. */
export interface BatchedPolls {
  /** How many jobs one request may name. */
  readonly most: number;
  /** Returns whether a job with this ticket can be polled in a batch; absent if all can. */
  takes?(ticket: JobTicket): boolean;
  poll(tickets: readonly JobTicket[], target: WireTarget): PollRequest;
  /**
   * Returns one report per ticket, in order; `null` for a job that the answer does not name, which is then polled individually.
   */
  decode(
    answer: WireAnswer,
    tickets: readonly JobTicket[],
    target: WireTarget,
  ): readonly (JobReport | null)[] | Failure;
}

/** How often a job is polled, in milliseconds. The interval is a tenth of the job's age, within the bounds. */
export interface PollIntervals {
  /** From the submission to the first poll. */
  readonly firstMs: number;
  readonly leastMs: number;
  readonly mostMs: number;
}

/** The gateway's additions to a job's request. */
export interface JobContext {
  /**
   * The gateway's own name for the job: letters, digits and underscores, at most 40. A wire sends it if the upstream stores such
   * a name and can look a job up by it (`find`).
   */
  readonly reference: string;
  /** See `AskedWork.address`. */
  readonly address?: string;
}

/**
 * A wire for work that outlives the request: a job is submitted once and polled until it is done; poll URLs follow the rules of
 * `nextUrl`. All answers that are decoded have a 2xx status; others go to `decodeFailure`.
 */
export interface TaskWire<Request extends GenerationRequest = GenerationRequest> extends OperationWire, OptionsWire {
  /** The upstream takes images by URL. For other wires the gateway fetches them, and they are `inline`. */
  readonly takesUrls?: true;
  /**
   * Names of `provider_options` that change the price. `asks` reads them, so they are charged for and may be sent on channels
   * that accounts share.
   */
  readonly pricedOptions?: readonly string[];
  /** Absent if the default intervals apply. */
  readonly intervals?: PollIntervals;
  /** Poll answers may contain the files themselves. Those of other wires are small; larger ones are refused. */
  readonly holdsFiles?: true;
  /** Returns what `encodeRequest` will ask for, which determines the price: a client's length or size is often approximated. */
  asks(request: Request, target: WireTarget): AskedWork;
  encodeRequest(
    request: Request,
    target: WireTarget,
    context: JobContext,
  ): WireRequest | Failure | Promise<WireRequest | Failure>;
  /** Reads the answer to the submission. If it reports a failure, this returns a `Failure`, and nothing was submitted. */
  decodeSubmission(answer: WireAnswer, request: Request, target: WireTarget): Submission | Failure;
  poll(ticket: JobTicket, target: WireTarget): PollRequest;
  /** Returns a failure if the answer cannot be read: the job continues and is polled again. */
  decodePoll(answer: WireAnswer, ticket: JobTicket, target: WireTarget): JobReport | Failure;
  /**
   * Returns how the job ends, for upstreams that report a failed job with an error status. `failure` is what `decodeFailure` made
   * of the answer to `poll`. `null` if the job continues and is polled again; absent if that is always so.
   */
  decodeRefusal?(failure: Failure, ticket: JobTicket): JobReport | null;
  readonly batch?: BatchedPolls;
  /**
   * Asks whether a job of this name exists, after a submission with an unknown outcome. Absent if the upstream cannot be asked.
   */
  find?(context: JobContext, target: WireTarget): PollRequest;
  /**
   * Reads the answer to `find`; `null` if there is no such job. An HTTP 404 means the same. A failed job counts as found, and its
   * report says that it failed; a returned failure means that the upstream is asked again.
   */
  decodeFound?(answer: WireAnswer, context: JobContext, target: WireTarget): Submission | null | Failure;
}

/** How an endpoint's clients authenticate, and how the members common to all answers are written for them. */
export interface Envelope {
  /** The name in the request log, such as `openai-chat`. */
  readonly name: string;
  /**
   * Returns the key (contract, Authentication) without `Bearer`; `null` if none exists. The place where these clients usually
   * send it is read first.
   */
  secret(headers: AnswerHeaders, url: string): string | null;
  /** The header in which their SDKs look for the request id, if it is not `x-request-id`. */
  readonly requestIdHeader?: string;
  /** The header with the milliseconds until the answer began, if their API has one. */
  readonly processingHeader?: string;
  /**
   * Adds the headers in which their API reports limits; absent if the API has none. `nowMs` is in milliseconds since
   * 1970.
   */
  limitHeaders?(report: LimitReport, headers: Record<string, string>, nowMs: number): void;
  /** Encodes a failure; `requestId` is the id in the response headers. */
  encodeFailure(failure: Failure, requestId?: string): RenderedFailure;
}

export interface RenderedFailure {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
