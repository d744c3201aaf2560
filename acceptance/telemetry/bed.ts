import {
  type Answering,
  accountWith,
  chunk,
  clientKey,
  type FakeUpstream,
  keyNamed,
  type ReceivedRequest,
  startUpstream,
  USAGE,
  wholeAnswer,
} from '../../conformance/first-light/upstream.ts';
import { until } from '../../conformance/shared/until.ts';
import { ProcessWorkspace, type ServingProcess } from '../shared/process-workspace.ts';
import { Collector } from './collector.ts';
import type { Span } from './otlp-json.ts';

/* A gateway as a process that sends its telemetry to a real collector, in front of upstreams whose answers a test chooses. */

/** Texts that must not leave the gateway in any signal. */
export const SECRETS = {
  prompt: 'canary-of-the-prompt',
  answer: 'canary-of-the-answer',
  clientKey: clientKey('canary-of-the-client'),
  upstreamKey: 'canary-of-the-upstream-key',
  header: 'canary-of-a-header',
  tool: 'canary-of-a-tool',
} as const;

export const KEY = SECRETS.clientKey;
export const MANAGEMENT_TOKEN = `mt-${'telemetry'.repeat(6)}`;

export interface BedOptions {
  /** More sections of the configuration, and more members of `telemetry` in place of variables. */
  readonly configuration?: Readonly<Record<string, unknown>>;
  readonly variables?: Readonly<Record<string, string>>;
  readonly channels?: readonly object[];
  readonly models?: readonly object[];
  /** More models of the channel `main`. */
  readonly mainModels?: Readonly<Record<string, string>>;
  readonly answer?: Answering;
}

export class Bed {
  private constructor(
    readonly collector: Collector,
    readonly space: ProcessWorkspace,
    readonly serving: ServingProcess,
    readonly upstream: FakeUpstream,
  ) {}

  static async start(options: BedOptions = {}): Promise<Bed> {
    const { configuration = {}, variables, channels = [], models = [], mainModels, answer = secretAnswer } = options;
    const collector = await Collector.start();
    const upstream = startUpstream(answer);
    const space = await ProcessWorkspace.create();
    const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
      server: { shutdown_grace_ms: 1_000, drain_ms: 0 },
      channels: [
        {
          ...{ id: 'main', provider: 'openai-compatible', base_url: upstream.baseUrl, api_key: SECRETS.upstreamKey },
          models: { good: 'good-upstream', vectors: 'vectors-upstream', ...mainModels },
        },
        ...channels,
      ],
      models: [
        { id: 'good', category: 'chat', pricing: { input_per_1m: '1', output_per_1m: '2' } },
        { id: 'vectors', category: 'embedding', pricing: { input_per_1m: '1' } },
        ...models,
      ],
      accounts: [
        accountWith('acme', [{ ...keyNamed('acme'), secret: SECRETS.clientKey }], {
          management_tokens: [{ id: 'reader', secret: MANAGEMENT_TOKEN }],
        }),
        accountWith('open', [keyNamed('open')]),
        accountWith('few', [keyNamed('few')], { requests_per_minute: 1 }),
      ],
      ...configuration,
    });
    const env = {
      SWITCHYARD_CONFIG,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: '10',
      ...variables,
    };
    return new Bed(collector, space, await space.serve({ env }), upstream);
  }

  /** The key of an account that may send one request per minute. */
  readonly limitedKey = clientKey('few');
  /** The key of an account whose texts are not secret. */
  readonly openKey = clientKey('open');

  /** Sends a JSON request with the client's key and the header that must stay secret. */
  send(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return fetch(`${this.serving.origin}${path}`, {
      method: 'POST',
      headers: {
        ...{ authorization: `Bearer ${KEY}`, 'content-type': 'application/json', 'x-own-secret': SECRETS.header },
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  /** Resolves when the request log has the request of an answer. */
  untilLogged(answer: Response): Promise<void> {
    const id = answer.headers.get('x-request-id');
    const headers = { authorization: `Bearer ${MANAGEMENT_TOKEN}` };
    return until(`the request ${id} is logged`, async () => {
      return (await fetch(`${this.serving.origin}/v1/management/requests/${id}`, { headers })).ok;
    });
  }

  /** Resolves to the spans of the trace that answers a request, as soon as its server span has arrived. */
  async traceOf(answer: Response): Promise<readonly Span[]> {
    const [, traceId = '', spanId] = (answer.headers.get('traceparent') ?? '').split('-');
    return this.collector.trace(traceId, (spans) => spans.some((span) => span.spanId === spanId));
  }

  async remove(): Promise<void> {
    await this.space.remove();
    await this.upstream.stop();
    await this.collector.stop();
  }
}

/** Answers chats and embeddings; the text of a chat is secret. */
function secretAnswer(request: ReceivedRequest): Response {
  if (request.path.endsWith('/embeddings')) {
    const data = [{ object: 'embedding', index: 0, embedding: [0.1, 0.2] }];
    return Response.json({
      ...{ object: 'list', data, model: request.model },
      usage: { prompt_tokens: 5, total_tokens: 5 },
    });
  }
  if (request.text.includes('for everybody')) return wholeAnswer(request, 'an answer for everybody');
  return request.stream ? secretStream(request.model) : wholeAnswer(request, SECRETS.answer);
}

function secretStream(model: string): Response {
  const last = { id: 'c-1', object: 'chat.completion.chunk', created: 1, model, choices: [], usage: USAGE };
  const events = [
    ...[chunk(model, { content: SECRETS.answer }), chunk(model, {}, 'stop')],
    ...[`data: ${JSON.stringify(last)}\n\n`, 'data: [DONE]\n\n'],
  ];
  return new Response(events.join(''), { headers: { 'content-type': 'text/event-stream' } });
}

export function chatBody(extra: object = {}) {
  return { model: 'good', messages: [{ role: 'user', content: `say ${SECRETS.prompt}` }], ...extra };
}

/** Draws the spans of a trace as a tree: a line per span, indented by its depth, in the order of their start. */
export function treeOf(spans: readonly Span[]): readonly string[] {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const below = (parent: string | null, depth: number): string[] =>
    spans
      .filter(({ parentSpanId }) => (parent === null ? !ids.has(parentSpanId) : parentSpanId === parent))
      .sort((one, other) => Number(one.startNs - other.startNs) || one.name.localeCompare(other.name))
      .flatMap((span) => [`${'  '.repeat(depth)}${span.name} (${span.kind})`, ...below(span.spanId, depth + 1)]);
  return below(null, 0);
}

/** Waits until the text is in what the collector has received, such as a name of a metric. */
export async function untilReceived(collector: Collector, text: string): Promise<void> {
  await until(`the collector has received ${text}`, async () => (await collector.text()).includes(text));
}
