import { after } from '../../../domain/concurrency/after.ts';
import { withIssuedState } from '../../../domain/exchange/issued-state.ts';
import type { Loss } from '../../../domain/exchange/loss.ts';
import type { Message, Part } from '../../../domain/exchange/part.ts';
import { effortOf, reasonsAt } from '../../../domain/exchange/reasoning.ts';
import type { ExchangeRequest } from '../../../domain/exchange/request.ts';
import { type ExchangeResponse, withoutGatewayWords } from '../../../domain/exchange/response.ts';
import { partsOfResponse } from '../../../domain/exchange/response-parts.ts';
import type { RoutingFacts } from '../../../domain/exchange/routing-info.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { textOf, writtenInSlices } from '../../../formats/shared/json/json-writer.ts';
import { LARGE_BODY_BYTES } from '../../../formats/shared/json/large-json.ts';
import type { BodyScan } from '../../../formats/shared/request/body-scan.ts';
import { formatPath } from '../../../formats/shared/request/schema-error.ts';
import { atOnce, inTurns, type Steps } from '../../../formats/shared/request/steps.ts';
import type { AnswerContext, ParsedRequest } from '../../../formats/text/client-request.ts';
import type {
  ClientFormat,
  DecodeSource,
  EncodedRequest,
  EncodeTarget,
  StreamDecoder,
} from '../../../formats/text/format.ts';
import { STATE_MARKER } from '../../../formats/text/shared/state-token.ts';
import { ToolTranslation } from '../../../formats/text/shared/tool-translation.ts';
import type { CallTrace } from '../../call/call-trace.ts';
import type { TextTarget } from '../../directory/target.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Sealing } from '../../ports/conversation-state.ts';
import type { MediaFetcher, RequestMedia } from '../../ports/media-fetcher.ts';
import type { WaitingClient } from '../../ports/upstream.ts';
import { clientPath } from './client-path.ts';
import { roughTokensOfPrompt } from './estimate-tokens.ts';
import { type FetchedByUrl, withBytes, withTrueLabels } from './media.ts';
import type { OriginMemory } from './origin-memory.ts';
import { tokenEstimate } from './prepared/token-estimate.ts';
import { type ClientHeaders, relayedHeaders } from './relayed-headers.ts';
import type { StateMemory } from './state-memory.ts';
import type { TextAnswer, TextLane } from './text-lane.ts';
import { tracedMedia } from './traced-media.ts';
import { TranslatedStream } from './translated-stream.ts';
import { ObservedRelay } from './wrapped-relay.ts';
import { type MaybeWritten, namesIn, refusedLoss } from './written-request.ts';

export interface TranslationPorts {
  readonly sealing: Sealing;
  readonly media: MediaFetcher;
  readonly clock: Clock;
  readonly newId: (prefix: string) => string;
}

export interface TranslationInput {
  readonly format: ClientFormat;
  readonly parsed: ParsedRequest;
  /** The size of the whole request; its bytes may have been released. */
  readonly bodyBytes: number;
  readonly accountId: string;
  /** Whether the model draws images into its answers. */
  readonly draws?: boolean;
  readonly client: WaitingClient & ClientHeaders;
  /** Registers a function that is called when the request has ended. */
  readonly whenOver: (release: () => void) => void;
  /** Notes fetches of media; `null` or absent if the call has no trace. */
  readonly trace?: CallTrace | null;
  /** Set for a request with a known outline, so that its own texts are not parsed for its answer. */
  readonly outlined?: OutlinedRequest | null;
}

/** The facts on which an answer depends apart from the messages of its request. They hold for all requests with one outline. */
export interface OutlinedRequest {
  readonly target: TextTarget;
  readonly parsed: ParsedRequest;
  readonly request: ExchangeRequest;
  readonly tools: ToolTranslation;
  /** Estimates the tokens of a prompt with the outline, as `roughTokensOfPrompt` does. */
  estimatedPromptTokens(scan: BodyScan): number;
}

type Encoded = EncodedRequest | Failure;
type Ready = ExchangeRequest | Failure;
type Encoder = (request: ExchangeRequest, target: EncodeTarget) => Encoded | Promise<Encoded>;

/** An answer without content. */
const NOTHING: ExchangeResponse = {
  id: null,
  created: null,
  candidates: [{ index: 0, parts: [], finish: { unified: 'stop', raw: null } }],
  usage: { input: 0, cachedInput: 0, cacheWrite: 0, output: 0, reasoning: 0, source: 'reported' },
};

const EMPTY = new Uint8Array(0);
const utf8 = new TextEncoder();
const MARKER = Buffer.from(STATE_MARKER);
// Works on any byte array, so no Buffer view has to be made.
const { includes } = Buffer.prototype;

/** Returns whether a body contains state of another provider family in a field of its own format. Such a request must not be relayed. */
export function carriesForeignState(bytes: Uint8Array): boolean {
  return includes.call(bytes, MARKER);
}

/** One request on the translate lane. It is decoded once, even if it is encoded for several targets. */
export class Translation {
  private decoded: ExchangeRequest | Failure | null = null;
  private files: RequestMedia | null = null;
  /** Made for the request, and reused for its answer. */
  private toolsOfTarget: { readonly target: TextTarget; readonly tools: ToolTranslation } | null;

  constructor(
    private readonly ports: TranslationPorts,
    private readonly memory: { readonly states: StateMemory; readonly origins: OriginMemory },
    private readonly input: TranslationInput,
    private readonly fetched: FetchedByUrl = new Map(),
  ) {
    this.toolsOfTarget = input.outlined ?? null;
  }

  /** The client's messages, which are decoded when somebody reads them. */
  get messages(): ExchangeRequest['messages'] {
    return this.decodedRequest().messages;
  }

  /**
   * Returns what answers to requests with the same outline depend on; `null` if their translation may depend on what they say, since they
   * have anything but texts.
   */
  outlined(target: TextTarget): OutlinedRequest | null {
    const decoded = this.request();
    if (decoded instanceof Failure || !decoded.messages.every(isPlain)) return null;
    const request = { ...decoded, messages: [] };
    const { scan, ...asked } = this.input.parsed;
    const { messages: _, ...body } = asked.body;
    const tokens = tokenEstimate(roughTokensOfPrompt(decoded), scan);
    const parsed = { ...asked, bytes: EMPTY, body };
    return { target, parsed, request, tools: toolsFor(request, target), estimatedPromptTokens: tokens };
  }

  /** Returns the translation of a request that stands in for the client's own, such as one with a search's results. */
  following(request: ExchangeRequest): Translation {
    const following = new Translation(this.ports, this.memory, this.input, this.fetched);
    following.decoded = request;
    return following;
  }

  /** Does the same as `request`, without blocking on a large body or on what other gateways remember. */
  async requestLater(): Promise<ExchangeRequest | Failure> {
    if (this.decoded === null) await this.decodeLater();
    return this.request();
  }

  /** Returns the client's request in canonical form, with the reasoning state that the client has lost. */
  request(): ExchangeRequest | Failure {
    if (this.decoded === null) {
      const { format, parsed, accountId } = this.input;
      const decoded = format.decodeRequest(parsed);
      this.decoded = decoded instanceof Failure ? decoded : this.withState(decoded, accountId);
    }
    return this.decoded;
  }

  /**
   * Decodes asynchronously what `request` would block on or cannot complete: a large body (ten thousand messages take 30 ms), or one for
   * which other gateways may remember state. Returns `null` for any other.
   */
  private decodeLater(): Promise<void> | null {
    return this.isLarge || this.memory.states.isShared ? this.decodeWaiting() : null;
  }

  private async decodeWaiting(): Promise<void> {
    const { isLarge } = this;
    const { format, parsed, accountId } = this.input;
    const { states } = this.memory;
    const decoded = isLarge ? await inTurns(format.decodeSteps(parsed)) : format.decodeRequest(parsed);
    if (decoded instanceof Failure) {
      this.decoded = decoded;
      return;
    }
    const learning = states.fetch(accountId, decoded);
    if (learning !== null) await learning;
    const restoring = states.restoring(accountId, withTrueLabels(decoded));
    this.decoded = this.withOrigins(isLarge ? await inTurns(restoring) : atOnce(restoring));
  }

  private get isLarge(): boolean {
    return this.input.bodyBytes > LARGE_BODY_BYTES;
  }

  private withState(decoded: ExchangeRequest, accountId: string): ExchangeRequest {
    return this.withOrigins(this.memory.states.restore(accountId, withTrueLabels(decoded)));
  }

  private withOrigins(restored: ExchangeRequest): ExchangeRequest {
    const { accountId, format } = this.input;
    return format.issuing ? this.memory.origins.withOrigins(accountId, restored, format.issuing) : restored;
  }

  /**
   * Encodes the request for `target`; `encode` is the format's encoder for this kind of request. Waits for media, and
   * yields while it writes a large body.
   */
  encode(target: TextTarget, encode: Encoder): MaybeWritten {
    const { keeping } = this.input.format;
    if (keeping?.wants(this.input.parsed)) return keeping.unsupported;
    const decoding = this.decoded === null ? this.decodeLater() : null;
    if (decoding !== null) return decoding.then(() => this.encode(target, encode));
    const decoded = this.request();
    if (decoded instanceof Failure) return decoded;
    const tools = this.tools(target);
    const request = this.isLarge ? inTurns(this.readied(target, tools)) : atOnce(this.readied(target, tools));
    return after(request, (ready: Ready) => {
      if (ready instanceof Failure) return ready;
      return after(encode(ready, this.encodingFor(target, ready)), (made) => this.encoded(target, tools, made));
    });
  }

  /**
   * Prepares the request: with tools as the target takes them, the state that the target issued, and the files that it cannot fetch itself.
   */
  private *readied({ wire, encoding }: TextTarget, tools: ToolTranslation): Steps<Ready | Promise<Ready>> {
    const asked = tools.request();
    yield;
    const request = withIssuedState(asked, wire.stateFamily);
    yield;
    return withBytes({
      request,
      needsBytes: (part) => wire.needsBytes(part, encoding.quirks),
      maxUrls: this.ports.media.maxUrls,
      files: () => this.openFiles(),
      fetched: this.fetched,
      signal: () => this.input.client.signal,
    });
  }

  private openFiles(): RequestMedia {
    if (this.files === null) {
      const { accountId, trace } = this.input;
      const opened = this.ports.media.open(accountId);
      const files = trace ? tracedMedia(opened, trace) : opened;
      this.input.whenOver(() => files.release());
      this.files = files;
    }
    return this.files;
  }

  private encodingFor({ encoding }: TextTarget, { reasoning }: ExchangeRequest): EncodeTarget {
    const { stream } = this.input.parsed;
    const { atRest } = encoding;
    const rests = atRest !== undefined && !reasonsAt(reasoning && effortOf(reasoning), atRest.reasons);
    return rests ? { ...encoding, stream, carries: atRest.carries } : { ...encoding, stream };
  }

  private encoded(target: TextTarget, tools: ToolTranslation, encoded: Encoded): MaybeWritten {
    if (encoded instanceof Failure) return encoded;
    const own = tools.losses.length === 0 ? encoded.losses : [...tools.losses, ...encoded.losses];
    const losses = [...lostInReading(this.input.parsed), ...this.named(own), ...this.lostInAnswer()];
    const hasOtherWire = target.alternatives.length > 0;
    const refused = losses.find(({ verdict, otherWire }) => verdict === 'refused' || (hasOtherWire && otherWire));
    if (refused) return refusedLoss(refused, `the model \`${this.input.parsed.model}\``);
    const { value, body } = encoded;
    // The body is newly encoded, so it has no duplicate names. It may have odd names, because members that only the provider knows are
    // forwarded to the client's own format.
    const names = { hasOddNames: namesIn(this.input.parsed).hasOddNames, duplicates: [] };
    const rest = { value, names, headers: this.headers(target, encoded), losses: losses.map(lossAsTold) };
    // Fetched media may have made a small body large.
    if (!this.isLarge && this.files === null) return { body: utf8.encode(textOf(body)), ...rest };
    return writtenInSlices(body, this.input.bodyBytes).then((bytes) => ({ body: bytes, ...rest }));
  }

  /** Returns the losses of the answer in the client's format, as far as they are known in advance. */
  private lostInAnswer(): readonly Loss[] {
    const { format, draws } = this.input;
    return draws === true && format.answersInText === true ? [NO_IMAGES_IN_ANSWERS] : NO_LOSSES;
  }

  /** Returns the losses, with paths in the client's own names. */
  private named(losses: readonly Loss[]): readonly Loss[] {
    const { body } = this.input.parsed;
    return losses.length === 0 ? losses : losses.map((loss) => ({ ...loss, field: clientPath(body, loss.field) }));
  }

  /** Forwards the client's headers if the target has the client's format: their effect cannot always be seen in the body. */
  private headers(target: TextTarget, { headers }: EncodedRequest): Readonly<Record<string, string>> | null {
    const { format, client } = this.input;
    const own = target.wire.name === format.name ? relayedHeaders(format, client) : null;
    return own === null ? (headers ?? null) : mergedHeaders(own, headers ?? {});
  }

  lane(target: TextTarget, routing: RoutingFacts): TextLane {
    const stream = () => this.stream(this.decoder(target), routing);
    return {
      request: () => this.encodeFor(target),
      answer: (bytes) => {
        const response = this.decode(target, bytes);
        return response instanceof Failure ? response : this.answer(response, routing);
      },
      stream,
      streamOfWhole: (bytes) => {
        const response = this.decode(target, bytes);
        if (response instanceof Failure) return response;
        const relay = stream();
        return { relay, bytes: relay.writeWhole(partsOfResponse(response)), response };
      },
    };
  }

  /** Encodes the request for a generation. */
  encodeFor(target: TextTarget): MaybeWritten {
    const { wire } = target;
    return this.encode(target, (request, encoding) =>
      this.isLarge && wire.encodeSteps !== undefined
        ? inTurns(wire.encodeSteps(request, encoding))
        : wire.encodeRequest(request, encoding),
    );
  }

  /** Decodes a whole answer of the target. */
  decode(target: TextTarget, bytes: Uint8Array): ExchangeResponse | Failure {
    const response = target.wire.decodeAnswer(bytes, sourceOf(target));
    return response instanceof Failure ? response : this.tools(target).response(response);
  }

  /** Returns a decoder of a stream of the target. */
  decoder(target: TextTarget): StreamDecoder {
    return this.tools(target).decoder(target.wire.decodeStream(sourceOf(target)));
  }

  /** Returns the answer in the client's format, and remembers its state. */
  answer(response: ExchangeResponse, routing: RoutingFacts): TextAnswer | Failure {
    if (this.input.parsed.call.purpose === 'compact') return this.compacted(response, routing);
    this.memory.states.rememberAnswer(this.input.accountId, this, response);
    const { usage, model = null, serviceTier = null } = response;
    const { format } = this.input;
    const body = format.encodeAnswer(response, this.context(routing));
    const answer = { body, usage, served: { model, serviceTier }, response };
    const written = usage === null ? withoutGatewayWords(response) : response;
    return written === response ? answer : { ...answer, shown: format.encodeAnswer(written, this.context(routing)) };
  }

  /** Returns the stream in the client's format for what the decoder reads. */
  stream(decoder: StreamDecoder, routing: RoutingFacts): TranslatedStream {
    const observer = this.memory.states.observer(this.input.accountId, this);
    const encoder = this.input.format.encodeStream(this.context(routing));
    return new TranslatedStream(decoder, encoder, observer, this.input.parsed.wantsStreamUsage);
  }

  /**
   * Returns the relay lane of a target that rejects an answer which comes back without its reasoning. Clients drop the reasoning, so the
   * gateway remembers it, as it does for translated answers.
   */
  remembering(lane: TextLane, target: TextTarget): TextLane {
    const { wire } = target;
    const source = sourceOf(target);
    const { states } = this.memory;
    const { accountId } = this.input;
    return {
      request: () => lane.request(),
      answer: (bytes) => {
        const answer = lane.answer(bytes);
        if (answer instanceof Failure) return answer;
        const response = wire.decodeAnswer(bytes, source);
        const request = this.request();
        if (response instanceof Failure || request instanceof Failure) return answer;
        states.rememberAnswer(accountId, request, response);
        return { ...answer, response };
      },
      stream: () => {
        const request = this.request();
        const relay = lane.stream();
        if (request instanceof Failure) return relay;
        return new ObservedRelay(relay, wire.decodeStream(source), states.observer(accountId, request));
      },
      streamOfWhole: (bytes) => lane.streamOfWhole(bytes),
    };
  }

  /** Returns an answer without content to a valid request, as JSON text, or the failure if the request is invalid. */
  emptyAnswer(routing: RoutingFacts): string | Failure {
    const request = this.request();
    return request instanceof Failure ? request : this.input.format.encodeAnswer(NOTHING, this.context(routing));
  }

  private compacted(response: ExchangeResponse, routing: RoutingFacts): TextAnswer | Failure {
    const { format, accountId } = this.input;
    const { compacting } = format;
    if (compacting === undefined) throw new Error(`the format ${format.name} has no compaction`);
    const context = this.context(routing);
    const body = compacting.encodeAnswer(response, context, (text) => this.ports.sealing.seal(accountId, text));
    if (body instanceof Failure) return body;
    const { usage, model = null, serviceTier = null } = response;
    const answer = { body, usage, served: { model, serviceTier } };
    return usage === null ? { ...answer, shown: format.encodeAnswer(response, context) } : answer;
  }

  /** Returns the translation of the client's tools to the form that the target takes, and back. */
  private tools(target: TextTarget): ToolTranslation {
    if (this.toolsOfTarget?.target === target) return this.toolsOfTarget.tools;
    const tools = toolsFor(this.decodedRequest(), target);
    this.toolsOfTarget = { target, tools };
    return tools;
  }

  private decodedRequest(): ExchangeRequest {
    const request = this.request();
    if (request instanceof Failure) throw new Error('an answer is encoded only for a request that was decoded');
    return request;
  }

  private estimatedPromptTokens(): number {
    const { outlined, parsed } = this.input;
    if (!outlined || parsed.scan === undefined) return roughTokensOfPrompt(this.decodedRequest());
    return outlined.estimatedPromptTokens(parsed.scan);
  }

  private context(routing: RoutingFacts): AnswerContext {
    const { outlined } = this.input;
    return {
      publicModel: this.input.parsed.model,
      routing,
      parsed: outlined?.parsed ?? this.input.parsed,
      request: outlined?.request ?? this.decodedRequest(),
      isLarge: this.isLarge,
      created: Math.floor(this.ports.clock.nowMs() / 1000),
      estimatedPromptTokens: () => this.estimatedPromptTokens(),
      newId: this.ports.newId,
    };
  }
}

function toolsFor(request: ExchangeRequest, { wire, encoding }: TextTarget): ToolTranslation {
  const { name: format, toolNames: names } = wire;
  return new ToolTranslation(request, { format, names, carries: encoding.carries, quirks: encoding.quirks });
}

function isPlain({ role, parts }: Message): boolean {
  return role !== 'tool' && parts.every(isPlainText);
}

/** Places of citations depend on the text. */
function isPlainText(part: Part): boolean {
  return part.type === 'text' && part.citations === undefined && part.state === undefined;
}

function sourceOf({ channel, place, encoding }: TextTarget): DecodeSource {
  return { provider: channel.provider, channel: place, quirks: encoding.quirks };
}

const NO_LOSSES: readonly Loss[] = [];
const NO_IMAGES_IN_ANSWERS: Loss = {
  field: 'content[].image',
  verdict: 'dropped',
  why: 'responses of this format only have text; a note replaces each image that the model generates',
};

/** Returns the losses of parsing the client's bytes: numbers that lose digits, and duplicate members. */
function lostInReading({ scan }: ParsedRequest): readonly Loss[] {
  if (scan === undefined || scan.lost.length + scan.duplicates.length === 0) return [];
  const inexact = scan.lost.map(
    (field): Loss => ({ field, verdict: 'approximated', why: 'the number has too many digits to be sent exactly' }),
  );
  const duplicates = scan.duplicates.map(
    (path): Loss => ({
      field: formatPath(path),
      verdict: 'dropped',
      why: 'it appears twice in its object; the last one is used',
    }),
  );
  return [...inexact, ...duplicates];
}

/** Merges two sets of headers. A header that both have is a list (`anthropic-beta`); its members are kept without duplicates. */
function mergedHeaders(
  own: Readonly<Record<string, string>>,
  needed: Readonly<Record<string, string>>,
): Record<string, string> {
  const merged: Record<string, string> = { ...own };
  for (const [name, value] of Object.entries(needed)) {
    const values = [...(own[name] ?? '').split(','), ...value.split(',')].map((one) => one.trim());
    merged[name] = [...new Set(values.filter((one) => one !== ''))].join(',');
  }
  return merged;
}

function lossAsTold({ field, verdict, why }: Loss): Loss {
  return { field, verdict, why };
}
