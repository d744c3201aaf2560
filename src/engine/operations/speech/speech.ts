import type { Model } from '../../../domain/catalog/model.ts';
import type { RoutingFacts } from '../../../domain/exchange/routing-info.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { AnswerHeaders } from '../../../domain/http/answer-headers.ts';
import { pricePeriods } from '../../../domain/money/pricing.ts';
import type { ModelGrant } from '../../../domain/routing/model-step.ts';
import { speechWires } from '../../../formats/index.ts';
import { addMembers } from '../../../formats/shared/json/record.ts';
import { LARGE_BODY_BYTES, readLargeBody } from '../../../formats/shared/request/body.ts';
import { statedModel } from '../../../formats/shared/request/stated-model.ts';
import { KEEP_ALIVE } from '../../../formats/shared/stream/sse.ts';
import {
  LONGEST_INPUT,
  NAMES,
  type ParsedSpeech,
  parseRequest,
} from '../../../formats/speech/openai-speech/request.ts';
import { inputTooLong } from '../../../formats/speech/shared/speech-request.ts';
import type { MadeFile, SpeechWire } from '../../../formats/speech/wire.ts';
import { openaiChat } from '../../../formats/text/openai-chat/index.ts';
import type { AnswerPart, KnownStream, Lane, LaneRequest, WholeResponse } from '../../call/lane.ts';
import type { Asking, Inbound, Job, OpenCall, Operation, Streaming } from '../../call/operation.ts';
import type { Ways } from '../../directory/directory.ts';
import { findWays } from '../../directory/find-ways.ts';
import type { Target } from '../../directory/target.ts';
import type { MediaFetcher } from '../../ports/media-fetcher.ts';
import { type CallFiles, fetchMade, filesOf, unreadableResult } from '../made-file.ts';
import { PlainFacts } from '../plain-facts.ts';
import { laneRequestOf } from '../several-requests.ts';
import { foreignFile, refusalOnSharedChannel, unknownOption } from '../shared-channel.ts';
import { SpeechSize } from './speech-size.ts';
import { SpeechStream } from './speech-stream.ts';

/** Handles `POST /v1/audio/speech` in OpenAI's shape, over any speech wire. */
export class SpeechOperation implements Operation<Inbound, Target, SpeechStream> {
  constructor(private readonly media: MediaFetcher) {}

  async read(inbound: Inbound, { principal, outcome }: OpenCall): Promise<Asking<Target, SpeechStream> | Failure> {
    const bytes = await inbound.readBody(principal.account.id);
    if (bytes instanceof Failure) return bytes;
    const source = bytes.length > LARGE_BODY_BYTES ? await readLargeBody(bytes, NAMES.table) : bytes;
    const parsed = source instanceof Failure ? source : parseRequest(source);
    outcome.wants(parsed instanceof Failure ? statedModel(source) : parsed.request.model);
    if (parsed instanceof Failure) return parsed;
    return this.asking(inbound, { principal, outcome }, parsed, null);
  }

  private asking(
    inbound: Inbound,
    call: OpenCall,
    parsed: ParsedSpeech,
    grant: ModelGrant | null,
  ): Asking<Target, SpeechStream> {
    const { principal, outcome } = call;
    const { model: modelId, input } = parsed.request;
    return {
      modelId,
      withModel: (model, granted) =>
        this.asking(inbound, call, { ...parsed, request: { ...parsed.request, model } }, granted),
      facts: () => new PlainFacts({ texts: () => [input] }),
      route: (directory) => {
        const ways = findWays(directory, principal, { modelId, operation: 'audio.speech', category: 'tts', grant });
        if (ways instanceof Failure) return ways;
        outcome.names(modelId);
        const tooLong = inputTooLong(input, longestInput(ways.model));
        if (tooLong !== null) return tooLong;
        const files = filesOf(this.media, principal.account.id, outcome);
        return new Speaking(parsed, new SpeechSize(parsed.request), ways, { files, signal: () => inbound.signal });
      },
    };
  }
}

function longestInput({ parameters }: Model): number {
  return parameters['audio.speech']?.input?.maxLength ?? LONGEST_INPUT;
}

/** Answers are relayed as they arrive, so the call treats each as a stream. */
class Speaking implements Job<Target, SpeechStream> {
  readonly stream = true;
  readonly modelId: string;
  readonly streaming: Streaming<SpeechStream>;

  constructor(
    private readonly parsed: ParsedSpeech,
    private readonly size: SpeechSize,
    readonly ways: Ways<Target>,
    private readonly files: CallFiles,
  ) {
    const { model, delivery } = parsed.request;
    this.modelId = model;
    const isEvents = delivery === 'sse';
    const hasTokenPrices = pricesTokens(ways.model);
    this.streaming = {
      contentType: () => (isEvents ? 'text/event-stream' : 'application/octet-stream'),
      ping: isEvents ? KEEP_ALIVE : null,
      encodeFailure: (failure, { requestId }) =>
        isEvents ? `data: ${openaiChat.encodeFailure(failure, requestId).body}\n\n` : null,
      isReported: (answer) => answer.isReported,
      billableOf: (answer) => answer.billable(hasTokenPrices),
    };
  }

  bounds(): SpeechSize {
    return this.size;
  }

  lane(target: Target, routing: RoutingFacts): Lane<SpeechStream> {
    const wire = speechWires.get(target.wire.name);
    if (wire === undefined) throw new Error(`${target.wire.name} is not a wire for speech`);
    const { next, fileOf } = wire;
    const request = () => this.request(wire, target);
    if (fileOf !== undefined) {
      return {
        isRelayed: false,
        request,
        ...(next !== undefined && { next: (answer: AnswerPart) => next(answer, target) }),
        answer: (bytes, headers) => this.fetched(wire, target, fileOf({ bytes, headers }), routing),
        // The call passes the object that `answer` returned.
        streamOfAnswer: (answer) => (answer as SpokenAnswer).spoken,
      };
    }
    return {
      isRelayed: wire.isClients === true,
      request,
      answer: () => {
        throw new Error('a speech response is a stream');
      },
      stream: (headers) => this.open(wire, target, headers, routing),
      streamOfWhole: (bytes, headers) => this.whole(wire, target, { bytes, headers }, routing),
    };
  }

  private request(wire: SpeechWire, target: Target): LaneRequest | Failure {
    const { request, names } = this.parsed;
    const { body, options } = request;
    // Options become members of the body, and their object is removed.
    const { provider_options: _, ...others } = body;
    const foundNames = { ...names, hasOddNames: names.hasOddNames || Object.keys(options).length > 0 };
    const members = addMembers({}, options, others);
    const refusal =
      wire.isClients === true
        ? (foreignFile(target, members) ?? refusalOnSharedChannel(target, members, foundNames))
        : unknownOption(target, options, wire.harmlessOptions ?? []);
    if (refusal !== null) return refusal;
    const encoded = wire.encodeRequest(request, target);
    return encoded instanceof Failure ? encoded : laneRequestOf(encoded);
  }

  private open(
    wire: SpeechWire,
    target: Target,
    headers: AnswerHeaders,
    routing: RoutingFacts,
  ): SpeechStream | Failure {
    const { request } = this.parsed;
    const reader = wire.openAnswer(headers, request, target);
    return reader instanceof Failure ? reader : new SpeechStream(reader, request.delivery, this.size, routing);
  }

  /** Fetches audio that the upstream has put at a URL, without the channel's key. */
  private async fetched(
    wire: SpeechWire,
    target: Target,
    file: MadeFile | Failure,
    routing: RoutingFacts,
  ): Promise<SpokenAnswer | Failure> {
    if (file instanceof Failure) return file;
    const media = await fetchMade(file.url, this.files, unreadable);
    if (media instanceof Failure) return media;
    const type = media.mediaType === UNKNOWN_TYPE ? (file.mediaType ?? media.mediaType) : media.mediaType;
    const headers = headersWith(type);
    const spoken = this.whole(wire, target, { bytes: media.bytes, headers }, routing);
    return spoken instanceof Failure ? spoken : { body: '', billable: null, served: spoken.relay.served, spoken };
  }

  private whole(
    wire: SpeechWire,
    target: Target,
    { bytes, headers }: { readonly bytes: Uint8Array; readonly headers: AnswerHeaders },
    routing: RoutingFacts,
  ): KnownStream<SpeechStream> | Failure {
    const relay = this.open(wire, target, headers, routing);
    if (relay instanceof Failure) return relay;
    const first = relay.push(bytes);
    const last = relay.end();
    return relay.failure ?? { relay, bytes: first.length === 0 ? last : Buffer.concat([first, last]) };
  }
}

/** A completely known answer, for a client that gets it as a stream. */
interface SpokenAnswer extends WholeResponse {
  readonly spoken: KnownStream<SpeechStream>;
}

const UNKNOWN_TYPE = 'application/octet-stream';

/** Ignores a declared type that is malformed. */
function headersWith(type: string): AnswerHeaders {
  return new Headers(/^[\w.+/;= "-]{1,120}$/.test(type) ? { 'content-type': type } : {});
}

function unreadable(failure: Failure): Failure {
  return unreadableResult(`The provider’s audio cannot be fetched (${failure.details.message}).`, failure);
}

function pricesTokens({ pricing }: Model): boolean {
  if (pricing === null || pricing === 'free') return false;
  return pricePeriods(pricing).some(({ prices }) => Object.keys(prices).some((key) => key.endsWith('_per_1m')));
}
