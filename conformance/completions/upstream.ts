import { asObject, parseJson } from '../shared/json.ts';

/* A server with text completions, whose model name decides the response, and with chat completions for the fallback. */

export interface Received {
  readonly path: string;
  readonly text: string;
}

export interface CompletionsUpstream {
  readonly baseUrl: string;
  readonly received: Received[];
  /** Requests whose client disconnected before their end. */
  aborted: number;
  readonly stop: () => Promise<void>;
}

export const TEXT = 'and they lived happily — ever after.';
export const USAGE = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
const PIECES = ['and they ', 'lived happily', ' — ever', ' after.'];

const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const DONE = 'data: [DONE]\n\n';

export function startCompletionsUpstream(): CompletionsUpstream {
  const received: Received[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const text = await request.text();
      const path = new URL(request.url).pathname;
      received.push({ path, text });
      request.signal.addEventListener('abort', () => upstream.aborted++);
      const body = asObject(parseJson(text));
      return path.endsWith('/chat/completions') ? chat(body) : completion(body, request.signal);
    },
  });
  const upstream: CompletionsUpstream = {
    baseUrl: `http://127.0.0.1:${server.port}/v1`,
    received,
    aborted: 0,
    stop: () => server.stop(true),
  };
  return upstream;
}

type Body = Readonly<Record<string, unknown>>;

function completion(body: Body, signal: AbortSignal): Response {
  const { model } = body;
  if (model === 'chat-only')
    return error(404, 'This is a chat model and not supported in the v1/completions endpoint.');
  if (model === 'limited') return error(429, 'Slow down.', { 'retry-after': '7' });
  if (model === 'strict') return error(400, 'Unrecognized request argument: suffix');
  const prompts = Array.isArray(body.prompt) && typeof body.prompt[0] !== 'number' ? body.prompt.length : 1;
  if (body.stream !== true || model === 'no-streams') return Response.json(wholeBody(String(model), prompts));
  return new Response(streamed(body, signal).pipeThrough(new TextEncoderStream()), {
    headers: { 'content-type': 'text/event-stream' },
  });
}

function error(status: number, message: string, headers: Record<string, string> = {}): Response {
  return Response.json(
    { error: { message, type: 'invalid_request_error', param: null, code: null } },
    { status, headers },
  );
}

export function wholeBody(model: string, prompts: number): object {
  const choices = Array.from({ length: prompts }, (_, index) => ({
    text: TEXT,
    index,
    logprobs: null,
    finish_reason: 'stop',
  }));
  return { id: 'cmpl-up', object: 'text_completion', created: 5, model, choices, usage: USAGE };
}

function streamed({ model, stream_options }: Body, signal: AbortSignal): ReadableStream<string> {
  const chunk = (text: string, finish_reason: string | null = null) =>
    event({
      id: 'cmpl-up',
      object: 'text_completion',
      created: 5,
      model,
      choices: [{ text, index: 0, logprobs: null, finish_reason }],
    });
  const usage = event({ id: 'cmpl-up', object: 'text_completion', created: 5, model, choices: [], usage: USAGE });
  const isAsked = asObject(stream_options ?? {}).include_usage === true;
  const events = PIECES.map((piece) => chunk(piece));
  if (model === 'cut') events.length = 2;
  else if (model === 'broken') events.splice(2, 2, event({ error: { message: 'The GPU fell off.', code: 500 } }));
  else events.push(chunk('', 'stop'), ...(isAsked ? [usage] : []), DONE);
  return new ReadableStream({
    async pull(controller) {
      const next = events.shift();
      if (next === undefined || signal.aborted) return controller.close();
      controller.enqueue(next);
      // Streams until the client disconnects.
      if (model === 'endless') events.push(chunk('more'));
      if (model === 'endless') await Bun.sleep(20);
    },
  });
}

function chat({ model, stream }: Body): Response {
  const said = { id: 'chatcmpl-up', created: 5, model };
  if (stream !== true) {
    const choice = { index: 0, message: { role: 'assistant', content: TEXT }, finish_reason: 'stop' };
    return Response.json({ ...said, object: 'chat.completion', choices: [choice], usage: USAGE });
  }
  const object = 'chat.completion.chunk';
  const delta = { ...said, object, choices: [{ index: 0, delta: { content: TEXT }, finish_reason: null }] };
  const end = { ...said, object, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: USAGE };
  return new Response(event(delta) + event(end) + DONE, { headers: { 'content-type': 'text/event-stream' } });
}
