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

/** The protocol of one upstream endpoint, for whichever operation. */
export interface Wire {
  /** Such as `openai-chat` or `openai-embeddings`. */
  readonly name: string;
  /**
   * The format expresses so much less than the others that no other format's request is translated into it. Requests of its
   * own clients are always relayed, and the gateway uses it when it tests a channel. Not every server has the endpoint, even
   * if its provider documents it.
   */
  readonly relayOnly?: true;
  /** An upstream's error answer as a failure; the message is the upstream's, cleaned of secrets. */
  decodeFailure(status: number, headers: AnswerHeaders, bytes: Uint8Array): Failure;
}

/** The wire of an operation other than text generation. */
export interface OperationWire extends Wire {
  /** The operations that the wire serves. A model can be reached over it for those that are among its own. */
  readonly operations: readonly ModelOperation[];
}

/**
 * The provider's own names for members of the wire's requests; `null` where it has no such member and accepts no other name.
 */
export type OwnMembers = Readonly<Record<string, string | null>>;

/** The model that a request is written for. */
export interface TargetModel {
  readonly upstreamModel: string;
  /**
   * The id by which the rules about models know it: that of the catalog, where the upstream's is a deployment, an alias or an
   * ARN that does not tell the model. Absent where it is the upstream's.
   */
  readonly ruleModel?: string;
}

/** Returns the id of a target's model by which rules are chosen. It must never be sent. */
export function ruleModelOf({ upstreamModel, ruleModel }: TargetModel): string {
  return ruleModel ?? upstreamModel;
}

/** The provider and model that a request is written for. */
export interface WireTarget extends TargetModel {
  readonly members?: OwnMembers;
  /** Of the wire `openai-speech`; the first whose `models` match holds. */
  readonly speech?: readonly SpeechDialect[];
  /** Of the wires `openai-transcriptions` and `openai-translations`. */
  readonly transcription?: TranscriptionTraits;
  /** Of the wire `openai-embeddings`; those of this model. */
  readonly embeddings?: EmbeddingTraits;
}

/** How a server of OpenAI's transcriptions differs from one that takes all of OpenAI's members. */
export interface TranscriptionTraits {
  /** The longest `prompt`, in characters. */
  readonly longestPrompt?: number;
  /** It refuses parts that it does not know. */
  readonly isStrict?: true;
}

/** How a server of OpenAI's embeddings differs from one of which nothing is known. */
export interface EmbeddingTraits extends EmbeddingBounds {
  /** Upstream models; absent means all. */
  readonly models?: RegExp;
  /**
   * It is known to read `encoding_format`, and gives vectors in base64, which many SDKs ask for unasked. Any other server is not sent
   * the member: it may refuse it, and the gateway brings the vectors into the encoding that the client wants.
   */
  readonly hasBase64?: true;
  /** It takes no lists of token ids. */
  readonly isTextOnly?: true;
}

/** How a server of OpenAI's speech differs from one that takes all of OpenAI's members and voices. */
export interface SpeechDialect extends SpeechTraits {
  /** Upstream models; absent means all. */
  readonly models?: RegExp;
  /** Other names for formats. */
  readonly formatNames?: Readonly<Partial<Record<SpeechFormat, string>>>;
  /** The format of an answer to a request that names none; mp3 if absent. */
  readonly defaultFormat?: SpeechFormat;
  /** Further members that belong to a format. */
  readonly formatMembers?: Readonly<Partial<Record<SpeechFormat, Readonly<Record<string, unknown>>>>>;
  /** It answers with events that report tokens (`stream_format: sse`). It is then asked for these by all clients' requests. */
  readonly hasEvents?: true;
  /** It takes a voice as an object (`{id}`). */
  readonly hasVoiceObjects?: true;
  /** It refuses members that it does not know. */
  readonly isStrict?: true;
}

export interface EncodedBody {
  readonly body: Uint8Array<ArrayBuffer>;
  /** The parts of the client's request that could not be encoded. */
  readonly losses: readonly Loss[];
}

/** A wire for embeddings: encodes a client's request for an upstream, and decodes the answer into the canonical form. */
export interface EmbeddingWire extends OperationWire {
  /**
   * The gateway's own clients speak this wire: their bytes are relayed, and so are the answer's, except for declared
   * patches.
   */
  readonly isClients?: true;
  /** How much one request to this model may hold; what is beyond it goes into further requests. Absent where there is no bound. */
  boundsOf?(target: WireTarget): EmbeddingBounds;
  encodeRequest(request: EmbeddingRequest, target: WireTarget): EncodedBody | Failure;
  /** Fails where the vectors do not match the inputs: too few, of different lengths, or with values that are not numbers. */
  decodeAnswer(
    bytes: Uint8Array,
    request: EmbeddingRequest,
    headers: AnswerHeaders,
  ): Promise<EmbeddingAnswer | Failure>;
}

/** A wire for reranking documents by their relevance to a query. */
export interface RerankWire extends OperationWire {
  /**
   * How many documents one request may have, at least 1: more are sent in further requests, one after the other. Absent
   * where it may have as many as a client's. Only for wires whose score of a document does not depend on the others.
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
  /** They override the target's own headers, such as the `content-type` of a form. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Added to the end of the target's URL, such as `/alloy?output_format=mp3`; already percent-encoded. */
  readonly suffix?: string;
  /** The parts of the client's request that could not be encoded. */
  readonly losses: readonly Loss[];
}

/** A whole answer of an upstream with a status of 2xx. */
export interface WireAnswer {
  readonly bytes: Uint8Array;
  readonly headers: AnswerHeaders;
}

/** What to ask the upstream next: it has taken the job, but not finished it. */
export interface NextRequest {
  readonly method: 'GET' | 'POST';
  /**
   * A path below the base address of the channel, with `/` at its beginning, or an absolute URL as the upstream gave it. A URL on
   * a host of another domain is asked at the channel's own address. `null` for the URL that was asked last.
   */
  readonly url: string | null;
  /** How long to wait before it is asked. */
  readonly afterMs: number;
  readonly body: Uint8Array<ArrayBuffer> | null;
}

/** Upstreams that work on a job and are asked again until it is done. */
export interface PolledWire {
  /** What to ask after this answer; `null` if it holds the result; a failure if the job has failed. */
  next?(answer: WireAnswer, target: WireTarget): NextRequest | null | Failure;
}

/** Wires that add a client's `provider_options` to a body of their own. */
export interface OptionsWire {
  /**
   * The names of `provider_options` that make no request dearer and reach for nothing of the channel's owner. On a channel that
   * accounts share the others are refused.
   */
  readonly harmlessOptions?: readonly string[];
}

/** A wire for making and editing images. */
export interface ImageWire extends OperationWire, PolledWire, OptionsWire {
  /**
   * How many images one request to this model can ask for, at least 1: more are made by further requests. Absent where it can
   * ask for as many as a client.
   */
  mostImages?(upstreamModel: string): number;
  /** It takes images by their URL. The gateway fetches them for other wires. */
  readonly takesUrls?: true;
  /** The URLs of its images work for minutes only. */
  readonly urlsExpireSoon?: true;
  /**
   * The upstream's answer to a client of OpenAI's API: all members are passed on, except for declared patches. A stream of such
   * a wire is passed on, too; others answer a client that wants a stream with its last event only.
   */
  readonly isClients?: true;
  /**
   * The size and quality that `encodeRequest` asks for, by which images are priced: those of the client are often approximated.
   * Absent where they are sent as the client wrote them.
   */
  asks?(request: ImageRequest, target: WireTarget): ImageShape;
  encodeRequest(request: ImageRequest, target: WireTarget): WireRequest | Failure | Promise<WireRequest | Failure>;
  /** Fails where there is no image in it; a refusal by a content filter is a failure of side `client`. */
  decodeAnswer(answer: WireAnswer, request: ImageRequest, target: WireTarget): ImageAnswer | Failure;
  /**
   * Of a wire with `isClients`, for a request with `stream`: reads what is passed on. `null` if the model has no streams: it
   * answers as without `stream`. Absent where no model has them.
   */
  openStream?(request: ImageRequest, target: WireTarget): ImageStreamReader | null;
}

/** One server-sent event with an image, as the upstream has written it. */
export interface ImageStreamEvent {
  /** With the blank line that ends it. */
  readonly bytes: Uint8Array;
  /** It has a finished image. */
  readonly isCompleted: boolean;
  /** It has an unfinished image. */
  readonly isPartial: boolean;
}

/** What the finished images of a stream are, without the images themselves. */
export interface ImageStreamResult extends Omit<ImageAnswer, 'images'> {
  readonly count: number;
}

/** Reads a stream of unfinished and finished images that comes piece by piece, split anywhere. */
export interface ImageStreamReader {
  /** The events that the piece completes; none after a failure. */
  push(piece: Uint8Array): readonly ImageStreamEvent[];
  end(): readonly ImageStreamEvent[];
  /** Set if the stream carried an error, or ended without a finished image. */
  readonly failure: Failure | null;
  /** What has come until now. */
  readonly result: ImageStreamResult;
}

/** A file that an upstream has made and keeps at a URL, which may be of any host. */
export interface MadeFile {
  readonly url: string;
  /** As the upstream declares it; `null` if it does not. */
  readonly mediaType: string | null;
}

/** A wire for speaking a text. */
export interface SpeechWire extends OperationWire, PolledWire, OptionsWire {
  /** The client's bytes are relayed, except for declared patches. */
  readonly isClients?: true;
  encodeRequest(request: SpeechRequest, target: WireTarget): WireRequest | Failure;
  /** Where the audio is, for upstreams that answer with a URL. The gateway fetches it and gives it to the reader. */
  fileOf?(answer: WireAnswer): MadeFile | Failure;
  /**
   * Called with the headers of an answer with a status of 2xx, or of the file that it names. A whole answer in JSON is pushed to
   * the reader, too.
   */
  openAnswer(headers: AnswerHeaders, request: SpeechRequest, target: WireTarget): SpeechReader | Failure;
}

/** Reads a transcript that comes piece by piece, split anywhere. The last event is `done`, unless there is a failure. */
export interface TranscriptReader {
  push(piece: Uint8Array): readonly TranscriptEvent[];
  end(): readonly TranscriptEvent[];
  /** Set if the stream carried an error, or ended before its natural end. */
  readonly failure: Failure | null;
}

/** A wire for writing down speech, in its language or in English. */
export interface TranscriptionWire extends OperationWire, PolledWire, OptionsWire {
  /** The request and the answers are OpenAI's, which the gateway's own clients speak. */
  readonly isClients?: true;
  encodeRequest(request: TranscriptionRequest, target: WireTarget): WireRequest | Failure;
  decodeAnswer(answer: WireAnswer, request: TranscriptionRequest, target: WireTarget): Transcript | Failure;
  /** Absent where no model has streams: the client gets the whole transcript as a stream of one piece. */
  openStream?(request: TranscriptionRequest): TranscriptReader;
}

/** A question about jobs. */
export interface PollRequest {
  /** `GET` if absent. */
  readonly method?: 'GET' | 'POST';
  /**
   * A path below the base address of the channel, with `/` at its beginning and its query, or an absolute URL as the upstream gave
   * it. A URL on a host of another domain is asked at the channel's own address.
   */
  readonly url: string;
  readonly body?: Uint8Array<ArrayBuffer>;
  /** Beside those that authorize the channel. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Several jobs in one question, at an upstream that can be asked so. */
export interface BatchedPolls {
  /** How many jobs one question may name. */
  readonly most: number;
  /** Whether a job with this ticket can be asked for so; absent where all can. */
  takes?(ticket: JobTicket): boolean;
  poll(tickets: readonly JobTicket[], target: WireTarget): PollRequest;
  /** One report for each ticket, in their order; `null` for a job that the answer does not name: it is asked for by itself then. */
  decode(
    answer: WireAnswer,
    tickets: readonly JobTicket[],
    target: WireTarget,
  ): readonly (JobReport | null)[] | Failure;
}

/** How often a job is asked for, in milliseconds. Between the bounds the time grows with the age of the job, a tenth of it. */
export interface PollIntervals {
  /** From the submission to the first question. */
  readonly firstMs: number;
  readonly leastMs: number;
  readonly mostMs: number;
}

/** What the gateway adds to a request for a job. */
export interface JobContext {
  /**
   * The gateway's own name of the job: letters, digits and underscores, at most 40. A wire sends it where the upstream keeps such a name
   * and can be asked for it (`find`).
   */
  readonly reference: string;
  /** As `AskedWork.address`. */
  readonly address?: string;
}

/**
 * A wire of work that outlives the request: a job is submitted once, and asked for until it is done, over `nextUrl`'s rules for the
 * address. All answers that are decoded have a status of 2xx; others go to `decodeFailure`.
 */
export interface TaskWire<Request extends GenerationRequest = GenerationRequest> extends OperationWire, OptionsWire {
  /** It takes images by their URL. The gateway fetches them for other wires, and they are `inline` then. */
  readonly takesUrls?: true;
  /**
   * Names of `provider_options` that change the price. `asks` reads them, so that they are charged for, and they may be sent on
   * channels that accounts share.
   */
  readonly pricedOptions?: readonly string[];
  /** Absent where the usual intervals hold. */
  readonly intervals?: PollIntervals;
  /** Answers to questions may hold the files themselves. Those of other wires are small, and refused where they are not. */
  readonly holdsFiles?: true;
  /** What `encodeRequest` will ask for, by which it is priced: a client's length or size is often approximated. */
  asks(request: Request, target: WireTarget): AskedWork;
  encodeRequest(
    request: Request,
    target: WireTarget,
    context: JobContext,
  ): WireRequest | Failure | Promise<WireRequest | Failure>;
  /** Reads the answer to the request. A report of a failure there is returned as a `Failure`, and nothing was submitted. */
  decodeSubmission(answer: WireAnswer, request: Request, target: WireTarget): Submission | Failure;
  poll(ticket: JobTicket, target: WireTarget): PollRequest;
  /** A failure where the answer cannot be read: the job goes on, and is asked for again. */
  decodePoll(answer: WireAnswer, ticket: JobTicket, target: WireTarget): JobReport | Failure;
  /**
   * For upstreams that answer with an error's status to say that a job has failed: how it ends by this failure, which `decodeFailure`
   * has made of the answer to `poll`; `null` where the job goes on, and is asked for again. Absent where it always does.
   */
  decodeRefusal?(failure: Failure, ticket: JobTicket): JobReport | null;
  readonly batch?: BatchedPolls;
  /** Asks whether there is a job of this name, after it has stayed unknown whether it was taken. Absent where one cannot ask. */
  find?(context: JobContext, target: WireTarget): PollRequest;
  /**
   * The answer to that; `null` if there is no such job. An HTTP 404 means the same. A job that has failed is found, and its report
   * says so: after a failure it is asked for again.
   */
  decodeFound?(answer: WireAnswer, context: JobContext, target: WireTarget): Submission | null | Failure;
}

/** How an endpoint's clients authenticate, and how the members common to all answers are written for them. */
export interface Envelope {
  /** The name in the request log, such as `openai-chat`. */
  readonly name: string;
  /**
   * The key (contract, Authentication) without `Bearer`. The place where these clients usually send it is read first; `null`
   * if there is none.
   */
  secret(headers: AnswerHeaders, url: string): string | null;
  /** The header in which their SDKs look for the request's id, where it is not `x-request-id`. */
  readonly requestIdHeader?: string;
  /** The header with the milliseconds until the answer began, where their API has one. */
  readonly processingHeader?: string;
  /**
   * Adds the headers in which their API reports limits; absent where the API has none. `nowMs` is in milliseconds since
   * 1970.
   */
  limitHeaders?(report: LimitReport, headers: Record<string, string>, nowMs: number): void;
  /** `requestId` is the id in the answer's headers. */
  encodeFailure(failure: Failure, requestId?: string): RenderedFailure;
}

export interface RenderedFailure {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
