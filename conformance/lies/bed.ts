import { sqliteQuery } from '../money/books.ts';
import { asObject, parseJson } from '../shared/json.ts';
import type { Serving } from '../shared/serving.ts';
import { until } from '../shared/until.ts';
import { Workspace } from '../shared/workspace.ts';

/* A gateway in front of upstreams with scripted responses. Each request's usage and cost can be read. */

/** The formats that both clients and upstreams speak in these tests. */
export const FORMATS = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const;
export type LieFormat = (typeof FORMATS)[number] | 'openai-completions';
export const ALL_FORMATS: readonly LieFormat[] = [...FORMATS, 'openai-completions'];

/** A scripted upstream response: a whole body, or the frames of a stream. */
export type Script =
  | { readonly body: object | string; readonly status?: number }
  | { readonly frames: readonly string[]; readonly cut?: true };

export interface LieRequest {
  readonly client: LieFormat;
  /** The format of the upstreams. */
  readonly wire: LieFormat;
  readonly stream: boolean;
  /** Members that are added to the body. */
  readonly extra?: object;
  readonly first: Script;
  /** The next channel's response; without it the model has only one channel. */
  readonly second?: Script;
}

export interface LieAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly row: LoggedRequest;
}

/** The request's row in the log. */
export interface LoggedRequest {
  readonly request_id: string;
  readonly channel_id: string | null;
  readonly failure_kind: string | null;
  readonly input_tokens: bigint | null;
  readonly output_tokens: bigint | null;
  readonly usage_source: string | null;
  readonly cost_nano: bigint | null;
}

export interface LieBed {
  readonly serving: Serving;
  readonly key: string;
  /** Sends a request, and waits for its row in the log. Several may run at once. */
  readonly ask: (request: LieRequest) => Promise<LieAnswer>;
  /** Stores the upstreams' responses to a request, and returns the prompt that selects them. */
  readonly script: (request: Pick<LieRequest, 'first' | 'second'>) => string;
  /** Resolves to a request's row in the log. */
  readonly logged: (requestId: string) => Promise<LoggedRequest>;
  readonly stop: () => Promise<void>;
}

const KEY = 'sk-lies-0123456789abcdef0123456789abcdef';
const PROVIDERS: Readonly<Record<LieFormat, string>> = {
  'openai-chat': 'openai-compatible',
  'openai-completions': 'openai-compatible',
  'openai-responses': 'openai',
  'anthropic-messages': 'anthropic',
  gemini: 'google',
};
/** One nano-USD per prompt token, and a thousand per completion token. */
export const PRICES = { input_per_1m: '0.001', output_per_1m: '1' };
const OUTPUT_NANO = 1_000n;

/** Returns the cost of these tokens at `PRICES`, in nano-USD. */
export const costOf = (input: bigint, output: bigint) => input + output * OUTPUT_NANO;

export const modelFor = (wire: LieFormat, hasSecond: boolean) => `${hasSecond ? 'pair' : 'alone'}-over-${wire}`;

export async function startLieBed(): Promise<LieBed> {
  const scripts: Pick<LieRequest, 'first' | 'second'>[] = [];
  const upstream = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      const [, number] = /Script (\d+)/.exec(await request.text()) ?? [];
      const role = new URL(request.url).pathname.startsWith('/first/') ? 'first' : 'second';
      const script = scripts[Number(number)]?.[role];
      return script === undefined ? new Response('nothing is scripted', { status: 501 }) : responseOf(script);
    },
  });
  const space = await Workspace.create();
  const stop = async () => {
    await space.remove();
    await upstream.stop(true);
  };
  try {
    const SWITCHYARD_CONFIG = await space.write(
      'switchyard.yaml',
      configurationFor(`http://127.0.0.1:${upstream.port}`),
    );
    const serving = await space.serve({ env: { SWITCHYARD_CONFIG } });
    const query = sqliteQuery(space.database);
    const logged = async (requestId: string) => {
      const rows = () => query<LoggedRequest>(`SELECT * FROM request_log WHERE request_id = '${requestId}'`);
      await until(`the request ${requestId} is logged`, async () => (await rows()).length === 1);
      const [row] = await rows();
      if (row === undefined) throw new Error(`the request ${requestId} has no line in the log`);
      return row;
    };
    const script = (request: Pick<LieRequest, 'first' | 'second'>) => `Script ${scripts.push(request) - 1}`;
    const ask = async (request: LieRequest): Promise<LieAnswer> => {
      const { status, headers, text } = await send(serving.origin, request, script(request));
      return { status, headers, text, row: await logged(headers.get('x-request-id') ?? '') };
    };
    return { serving, key: KEY, ask, script, logged, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function configurationFor(origin: string): object {
  const channel = (role: 'first' | 'second', format: LieFormat) => ({
    ...{ id: `${role}-${format}`, provider: PROVIDERS[format], api_key: 'upstream-key', formats: [format] },
    base_url: `${origin}/${role}${format === 'gemini' ? '/v1beta' : '/v1'}`,
    priority: role === 'first' ? 0 : 1,
    // Every request of these tests may fail, and the breaker must not open.
    breaker: { minimum_requests: 1_000 },
    models: {
      [modelFor(format, true)]: 'upstream',
      ...(role === 'first' ? { [modelFor(format, false)]: 'upstream' } : {}),
    },
  });
  return {
    cache: { strategy: 'asked' },
    // Each channel is tried once, so that the client gets the failure of an only channel at once.
    routing: { max_attempts: 2 },
    channels: ALL_FORMATS.flatMap((format) => [channel('first', format), channel('second', format)]),
    models: ALL_FORMATS.flatMap((format) =>
      [true, false].map((hasSecond) => ({ id: modelFor(format, hasSecond), pricing: PRICES })),
    ),
    accounts: [
      {
        ...{ id: 'lied-to', role: 'VIP', balance_usd: '1000', requests_per_minute: 1_000_000 },
        keys: [{ id: 'lied-to', name: 'lied-to', secret: KEY }],
      },
    ],
  };
}

function responseOf(script: Script): Response {
  if ('body' in script) {
    const { body, status = 200 } = script;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return new Response(text, { status, headers: { 'content-type': 'application/json' } });
  }
  const frames = [...script.frames];
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = frames.shift();
      if (next !== undefined) controller.enqueue(Buffer.from(next));
      else if (script.cut) controller.error(new Error('the connection is cut'));
      else controller.close();
    },
  });
  return new Response(stream, { headers: { 'content-type': 'text/event-stream' } });
}

async function send(origin: string, { client, wire, stream, extra, second }: LieRequest, prompt: string) {
  const model = modelFor(wire, second !== undefined);
  const response = await fetch(origin + pathOf(client, model, stream), {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...bodyOf(client, model, stream, prompt), ...extra }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

function pathOf(format: LieFormat, model: string, stream: boolean): string {
  switch (format) {
    case 'openai-chat':
      return '/v1/chat/completions';
    case 'openai-completions':
      return '/v1/completions';
    case 'openai-responses':
      return '/v1/responses';
    case 'anthropic-messages':
      return '/v1/messages';
    case 'gemini':
      return `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`;
  }
}

function bodyOf(format: LieFormat, model: string, stream: boolean, prompt: string): object {
  const messages = [{ role: 'user', content: prompt }];
  switch (format) {
    case 'openai-chat':
      return { model, messages, stream };
    case 'openai-completions':
      return { model, prompt, stream };
    case 'openai-responses':
      return { model, input: prompt, stream, store: false };
    case 'anthropic-messages':
      return { model, max_tokens: 100, messages, stream };
    case 'gemini':
      return { contents: [{ role: 'user', parts: [{ text: prompt }] }] };
  }
}

/** Returns the JSON objects in the events of a stream. */
export function eventsOf(text: string): Readonly<Record<string, unknown>>[] {
  return text
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data: {'))
    .map((line) => asObject(parseJson(line.slice('data: '.length))));
}
