import { isObject, parseJson } from '../shared/json.ts';

/* An OpenAI-compatible provider on this machine, with responses decided by the test. */

export interface ReceivedRequest {
  /** The path, without the query. */
  readonly path: string;
  readonly headers: Headers;
  readonly text: string;
  /** The body as it was sent. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly model: string;
  readonly stream: boolean;
  /** Aborted when the gateway disconnects. */
  readonly signal: AbortSignal;
}

export interface FakeUpstream {
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  readonly host: string;
  readonly requests: readonly ReceivedRequest[];
  readonly stop: () => Promise<void>;
}

export type Answering = (request: ReceivedRequest) => Response | Promise<Response>;

/** Starts an upstream that answers every chat at once unless it gets another function. */
export function startUpstream(answer: Answering = chatAnswer, models: readonly string[] = []): FakeUpstream {
  const requests: ReceivedRequest[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 60,
    async fetch(request) {
      if (request.method === 'GET') return Response.json({ object: 'list', data: models.map((id) => ({ id })) });
      const bytes = new Uint8Array(await request.arrayBuffer());
      const text = new TextDecoder().decode(bytes);
      const body = parseJson(text);
      const { model, stream } = isObject(body) ? body : {};
      const { headers, signal } = request;
      const received = {
        path: new URL(request.url).pathname,
        headers,
        text,
        bytes,
        model: String(model),
        stream: stream === true,
        signal,
      };
      requests.push(received);
      return answer(received);
    },
  });
  const host = `127.0.0.1:${server.port}`;
  return { baseUrl: `http://${host}/v1`, host, requests, stop: () => server.stop(true) };
}

export const ANSWER_TEXT = 'An answer of the upstream.';
export const USAGE = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };

export function chatAnswer(request: ReceivedRequest): Response {
  return request.stream ? streamedAnswer(request) : wholeAnswer(request);
}

export function wholeAnswer({ model }: ReceivedRequest, content = ANSWER_TEXT): Response {
  const choice = { index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' };
  return Response.json({ id: 'c-1', object: 'chat.completion', created: 1, model, choices: [choice], usage: USAGE });
}

export interface Pace {
  readonly pieces?: number;
  readonly gapMs?: number;
  /** Resolves when the rest after the first chunk may be sent. */
  readonly rest?: Promise<unknown>;
}

/** Returns a stream of `pieces` text chunks, then a finish reason, usage and the end mark. */
export function streamedAnswer(request: ReceivedRequest, { pieces = 3, gapMs = 0, rest }: Pace = {}): Response {
  const events = [
    ...Array.from({ length: pieces }, (_, index) => chunk(request.model, { content: `${ANSWER_TEXT} ${index}.` })),
    chunk(request.model, {}, 'stop'),
    event({ id: 'c-1', object: 'chat.completion.chunk', created: 1, model: request.model, choices: [], usage: USAGE }),
    'data: [DONE]\n\n',
  ];
  const count = events.length;
  const body = new ReadableStream<string>({
    async pull(controller) {
      if (events.length < count) await rest;
      const next = events.shift();
      if (next === undefined || request.signal.aborted) return controller.close();
      controller.enqueue(next);
      if (gapMs > 0) await Bun.sleep(gapMs);
    },
  });
  return new Response(body.pipeThrough(new TextEncoderStream()), { headers: { 'content-type': 'text/event-stream' } });
}

function event(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

export function chunk(model: string, delta: object, finishReason: string | null = null): string {
  const choice = { index: 0, delta, finish_reason: finishReason };
  return event({ id: 'c-1', object: 'chat.completion.chunk', created: 1, model, choices: [choice] });
}

export function refusal(status: number, message: string, headers: Record<string, string> = {}): Response {
  return Response.json({ error: { message, type: 'invalid_request_error', code: null } }, { status, headers });
}

/** Returns a configured channel to a fake upstream; `models` have the same ids on both sides. */
export function channelTo(upstream: FakeUpstream | { readonly baseUrl: string }, extra: object = {}): object {
  return { id: 'main', provider: 'openai-compatible', base_url: upstream.baseUrl, api_key: 'upstream-key', ...extra };
}

/** Returns a client key of these tests, such as `sk-first-light-main`. */
export const clientKey = (name: string) => `sk-first-light-${name}`;

export function accountWith(id: string, keys: readonly object[], extra: object = {}): object {
  return { id, role: 'VIP', billing: 'unlimited', keys, ...extra };
}

export function keyNamed(id: string, extra: object = {}): object {
  return { id, name: id, secret: clientKey(id), ...extra };
}
