import type { Loss } from '../../domain/exchange/loss.ts';
import type { ExchangeRequest } from '../../domain/exchange/request.ts';
import { partsOfResponse } from '../../domain/exchange/response-parts.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { AnswerContext, ClientFormat, EncodedRequest, EncodeTarget, ParsedRequest } from '../../formats/format.ts';
import { STATE_MARKER } from '../../formats/shared/state-token.ts';
import { ToolTranslation } from '../../formats/shared/tool-translation.ts';
import type { Clock } from '../ports/clock.ts';
import type { MediaFetcher } from '../ports/media-fetcher.ts';
import type { WaitingClient } from '../ports/upstream.ts';
import type { Target } from '../shared/target.ts';
import { clientPath } from './client-path.ts';
import type { Lane, LaneRequest } from './lane.ts';
import { type FetchedByUrl, withBytes } from './media.ts';
import type { OriginMemory } from './origin-memory.ts';
import { type ClientHeaders, relayedHeaders } from './relay-lane.ts';
import type { StateMemory } from './state-memory.ts';
import { TranslatedStream } from './translated-stream.ts';

export interface TranslationPorts {
  readonly media: MediaFetcher;
  readonly clock: Clock;
  readonly newId: (prefix: string) => string;
}

export interface TranslationInput {
  readonly format: ClientFormat;
  readonly parsed: ParsedRequest;
  readonly accountId: string;
  readonly client: WaitingClient & ClientHeaders;
}

type Encoder = (request: ExchangeRequest, target: EncodeTarget) => EncodedRequest | Failure;

const utf8 = new TextEncoder();
const MARKER = Buffer.from(STATE_MARKER);
// It works on any byte array, and spares the view that would make a Buffer of it.
const { includes } = Buffer.prototype;

/** Whether a body holds state of another family in a field of its own format: such a request must not go up as it is. */
export function carriesForeignState(bytes: Uint8Array): boolean {
  return includes.call(bytes, MARKER);
}

/** One request on the translate lane: decoded once, however many targets it is then encoded for. */
export class Translation {
  private decoded: ExchangeRequest | Failure | null = null;
  private readonly fetched: FetchedByUrl = new Map();
  /** Made for the request, and used for its answer again. */
  private toolsOfTarget: { readonly target: Target; readonly tools: ToolTranslation } | null = null;

  constructor(
    private readonly ports: TranslationPorts,
    private readonly memory: { readonly states: StateMemory; readonly origins: OriginMemory },
    private readonly input: TranslationInput,
  ) {}

  /** The client's request in no provider's words, with the reasoning state that the client's own turns have lost. */
  request(): ExchangeRequest | Failure {
    if (this.decoded === null) {
      const { format, parsed, accountId } = this.input;
      const decoded = format.decodeRequest(parsed);
      this.decoded = decoded instanceof Failure ? decoded : this.withState(decoded, accountId);
    }
    return this.decoded;
  }

  private withState(decoded: ExchangeRequest, accountId: string): ExchangeRequest {
    const { states, origins } = this.memory;
    const restored = states.restore(accountId, decoded);
    const { issuing } = this.input.format;
    return issuing ? origins.withOrigins(accountId, restored, issuing) : restored;
  }

  /** The request as `target` takes it; `encode` is the format's encoder for what is asked of it. Waits only for media. */
  encode(target: Target, encode: Encoder): LaneRequest | Failure | Promise<LaneRequest | Failure> {
    const decoded = this.request();
    if (decoded instanceof Failure) return decoded;
    const { upstream, encoding } = target;
    const tools = this.tools(target);
    const request = withBytes({
      request: tools.request(),
      needsBytes: (part) => upstream.needsBytes(part, encoding.quirks),
      fetcher: this.ports.media,
      fetched: this.fetched,
      signal: () => this.input.client.signal,
    });
    const encoded = (ready: ExchangeRequest | Failure) =>
      ready instanceof Failure ? ready : this.encoded(target, tools, encode(ready, this.encodingFor(target)));
    return request instanceof Promise ? request.then(encoded) : encoded(request);
  }

  private encodingFor({ encoding }: Target): EncodeTarget {
    return { ...encoding, stream: this.input.parsed.stream };
  }

  private encoded(target: Target, tools: ToolTranslation, encoded: EncodedRequest | Failure): LaneRequest | Failure {
    if (encoded instanceof Failure) return encoded;
    const losses = this.named(tools.losses.length === 0 ? encoded.losses : [...tools.losses, ...encoded.losses]);
    const refused = losses.find(({ verdict }) => verdict === 'refused');
    if (refused) return refusal(refused, this.input.parsed.model);
    return { body: utf8.encode(encoded.body), headers: this.headers(target, encoded), losses };
  }

  /** The losses by the client's own names for what was lost. */
  private named(losses: readonly Loss[]): readonly Loss[] {
    const { body } = this.input.parsed;
    return losses.length === 0 ? losses : losses.map((loss) => ({ ...loss, field: clientPath(body, loss.field) }));
  }

  /** To the client's own format its headers go along: what they switch on cannot always be seen in the body. */
  private headers(target: Target, { headers }: EncodedRequest): Readonly<Record<string, string>> | null {
    const { format, client } = this.input;
    const own = target.upstream.name === format.name ? relayedHeaders(format, client) : null;
    return own === null ? (headers ?? null) : mergedHeaders(own, headers ?? {});
  }

  lane(target: Target, routingJson: string): Lane {
    const { upstream } = target;
    const source = { provider: target.channel.provider, channel: target.channel.id, quirks: target.encoding.quirks };
    const decode = (bytes: Uint8Array) => {
      const response = upstream.decodeAnswer(bytes, source);
      return response instanceof Failure ? response : this.tools(target).response(response);
    };
    const stream = () => {
      const observer = this.memory.states.observer(this.input.accountId);
      return new TranslatedStream(
        this.tools(target).decoder(upstream.decodeStream(source)),
        this.input.format.encodeStream(this.context(routingJson)),
        observer,
      );
    };
    return {
      request: () => this.encode(target, (request, encoding) => upstream.encodeRequest(request, encoding)),
      answer: (bytes) => {
        const response = decode(bytes);
        if (response instanceof Failure) return response;
        this.memory.states.rememberAnswer(this.input.accountId, response);
        return { body: this.input.format.encodeAnswer(response, this.context(routingJson)), usage: response.usage };
      },
      stream,
      streamOfWhole(bytes) {
        const response = decode(bytes);
        if (response instanceof Failure) return response;
        const relay = stream();
        return { relay, bytes: relay.writeWhole(partsOfResponse(response)) };
      },
    };
  }

  /** The client's tools as the target takes them, and back. */
  private tools(target: Target): ToolTranslation {
    if (this.toolsOfTarget?.target === target) return this.toolsOfTarget.tools;
    const { upstream, encoding } = target;
    const { name: format, toolNames: names } = upstream;
    const tools = new ToolTranslation(this.decodedRequest(), {
      format,
      names,
      carries: encoding.carries,
      quirks: encoding.quirks,
    });
    this.toolsOfTarget = { target, tools };
    return tools;
  }

  private decodedRequest(): ExchangeRequest {
    const request = this.request();
    if (request instanceof Failure) throw new Error('an answer is encoded only for a request that was decoded');
    return request;
  }

  private context(routingJson: string): AnswerContext {
    return {
      publicModel: this.input.parsed.model,
      routingJson,
      parsed: this.input.parsed,
      request: this.decodedRequest(),
      created: Math.floor(this.ports.clock.nowMs() / 1000),
      newId: this.ports.newId,
    };
  }
}

/** A header that both have is a list (`anthropic-beta`), of which no member is to be said twice. */
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

function refusal({ field, why }: Loss, model: string): Failure {
  return new Failure('unsupported_parameter', {
    message: `\`${field}\` cannot be carried to the model \`${model}\`: ${why.replace(/\.$/, '')}.`,
    param: field,
    kind: 'loss_refused',
    hint: 'Leave it out, or use a model that takes it.',
  });
}
