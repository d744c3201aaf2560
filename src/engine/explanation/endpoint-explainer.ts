import type { Principal } from '../../domain/access/principal.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { openaiEmbeddings } from '../../formats/embeddings/openai-embeddings/index.ts';
import { clientFormats } from '../../formats/index.ts';
import { openaiModerations } from '../../formats/moderation/openai-moderations/index.ts';
import { cohereRerank } from '../../formats/rerank/cohere-rerank/index.ts';
import { jinaRerank } from '../../formats/rerank/jina-rerank/index.ts';
import { openaiSpeech } from '../../formats/speech/openai-speech/index.ts';
import type { InboundCall } from '../../formats/text/client-request.ts';
import type { ClientFormat } from '../../formats/text/format.ts';
import { openaiChat } from '../../formats/text/openai-chat/index.ts';
import type { Envelope } from '../../formats/wire.ts';
import type { Inbound } from '../call/operation.ts';
import { type Operations, textOperationOf } from '../operations/index.ts';
import type { TextInbound } from '../operations/text/inbound.ts';
import type { Explanation } from './explanation.ts';
import type { RoutingExplainer } from './routing-explainer.ts';

/** A request for one of the gateway's endpoints, as a client would send it. */
export interface EndpointRequest {
  /** The path, with its query if it has one. */
  readonly endpoint: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** The values by name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly principal: Principal;
  /** When it is assumed to arrive, in milliseconds since 1970; `null` for now. */
  readonly atMs: number | null;
}

/** The endpoints other than those of texts, without those that take forms. */
const OTHER_ENDPOINTS = {
  '/v1/moderations': { operation: 'moderation', format: openaiModerations.name },
  '/v1/embeddings': { operation: 'embeddings', format: openaiEmbeddings.name },
  '/v1/rerank': { operation: 'rerank', format: jinaRerank.name },
  '/v1/search': { operation: 'search', format: 'search' },
  '/v2/rerank': { operation: 'cohereRerank', format: cohereRerank.name },
  '/v1/images/generations': { operation: 'imageGenerations', format: 'openai-images' },
  '/v1/audio/speech': { operation: 'speech', format: openaiSpeech.name },
  '/v1/videos/generations': { operation: 'videos', format: 'video-task' },
  '/v1/music/generations': { operation: 'music', format: 'music-task' },
  '/v1/3d/generations': { operation: 'threeD', format: '3d-task' },
} as const;

/** The paths that can be explained; a star stands for a model and an action. */
export const EXPLAINED_ENDPOINTS: readonly string[] = [
  ...[...clientFormats.values()].flatMap(({ endpoints }) => endpoints.map(({ path }) => path)),
  ...Object.keys(OTHER_ENDPOINTS),
];

/** Explains requests by the endpoint that a client would send them to. */
export class EndpointExplainer {
  constructor(
    private readonly explainer: RoutingExplainer,
    /** Over dry services. */
    private readonly operations: Operations,
  ) {}

  /** Resolves to the explanation, or to the failure for an endpoint that does not exist. */
  async explain(asked: EndpointRequest): Promise<Explanation | Failure> {
    const { principal, atMs } = asked;
    const [path = ''] = asked.endpoint.split('?', 1);
    const other = Object.hasOwn(OTHER_ENDPOINTS, path) ? OTHER_ENDPOINTS[path as keyof typeof OTHER_ENDPOINTS] : null;
    if (other !== null) {
      const inbound = new DryInbound({ ...openaiChat, name: other.format }, asked);
      return this.explainer.explain({ operation: this.operations[other.operation], inbound, principal, atMs });
    }
    const text = textCallOf(asked.endpoint, path);
    if (text instanceof Failure) return text;
    const inbound = new DryTextInbound(text.format, text.call, asked);
    return this.explainer.explain({ operation: textOperationOf(this.operations, inbound), inbound, principal, atMs });
  }
}

function textCallOf(
  endpoint: string,
  path: string,
): { readonly format: ClientFormat; readonly call: InboundCall } | Failure {
  for (const format of clientFormats.values()) {
    for (const one of format.endpoints) {
      const isMeant = one.path.endsWith('*') ? path.startsWith(one.path.slice(0, -1)) : path === one.path;
      if (!isMeant) continue;
      const call = one.call(`http://localhost${endpoint}`);
      if (!(call instanceof Failure)) return { format, call };
    }
  }
  return new Failure('unknown_url', {
    message: `There is no endpoint ${path.slice(0, 200)} that can be explained.`,
    param: 'endpoint',
    hint: `Use one of ${EXPLAINED_ENDPOINTS.join(', ')}.`,
  });
}

/** A request that nobody waits for. */
class DryInbound implements Inbound {
  readonly secret = null;
  readonly signal = new AbortController().signal;

  constructor(
    readonly envelope: Envelope,
    private readonly asked: Pick<EndpointRequest, 'body' | 'headers'>,
  ) {}

  address(): null {
    return null;
  }

  origin(): string {
    return 'http://localhost';
  }

  header(name: string): string | null {
    const { headers } = this.asked;
    return Object.hasOwn(headers, name) ? (headers[name] ?? null) : null;
  }

  async readBody(): Promise<Uint8Array> {
    return new TextEncoder().encode(JSON.stringify(this.asked.body));
  }
}

class DryTextInbound extends DryInbound implements TextInbound {
  constructor(
    readonly format: ClientFormat,
    readonly call: InboundCall,
    asked: Pick<EndpointRequest, 'body' | 'headers'>,
  ) {
    super(format, asked);
  }
}
