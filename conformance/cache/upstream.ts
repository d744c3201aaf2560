import { asObject, parseJson } from '../shared/json.ts';

/* A server with chat, text completions and Responses that never repeats a response. The last words of the conversation decide how it responds. */

export interface CountingUpstream {
  readonly baseUrl: string;
  /** The bodies of all requests. */
  readonly received: string[];
  /** Returns the number of requests with these words in their bodies. */
  count(words: string): number;
  /** The number of held requests whose client disconnected. */
  left: number;
  /** Releases the requests that `hold-here` holds. */
  release(): void;
  readonly stop: () => Promise<void>;
}

type Body = Readonly<Record<string, unknown>>;

const USAGE = { prompt_tokens: 30, completion_tokens: 10, total_tokens: 40 };
const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;

export function startCountingUpstream(): CountingUpstream {
  const received: string[] = [];
  let held: (() => void)[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 60,
    async fetch(request) {
      const text = await request.text();
      const said = `answer-${received.push(text)}`;
      const body = asObject(parseJson(text));
      if (text.includes('hold-here')) {
        await new Promise<void>((resolve) => {
          held.push(resolve);
          request.signal.addEventListener('abort', () => {
            upstream.left++;
            resolve();
          });
        });
      }
      const status = /status-(\d{3})/.exec(text)?.[1];
      if (status !== undefined) return Response.json({ error: { message: 'No.' } }, { status: Number(status) });
      if (text.includes('error-inside')) return Response.json({ error: { message: 'Broken.', code: 500 } });
      const { pathname } = new URL(request.url);
      if (pathname.endsWith('/responses')) return response(said, body);
      return pathname.endsWith('/v1/completions') ? completion(said, body) : chat(said, body, text);
    },
  });
  const upstream: CountingUpstream = {
    baseUrl: `http://127.0.0.1:${server.port}/v1`,
    received,
    left: 0,
    count: (words) => received.filter((text) => text.includes(words)).length,
    release: () => {
      for (const resolve of held.splice(0)) resolve();
      held = [];
    },
    stop: () => server.stop(true),
  };
  return upstream;
}

function completion(text: string, { model, stream }: Body): Response {
  const head = { id: 'cmpl-1', object: 'text_completion', created: 1, model };
  const choice = { index: 0, text, finish_reason: 'stop', logprobs: null };
  if (stream !== true) return Response.json({ ...head, choices: [choice], usage: USAGE });
  return events([
    event({ ...head, choices: [choice] }),
    event({ ...head, choices: [], usage: USAGE }),
    'data: [DONE]\n\n',
  ]);
}

/** Includes a reasoning item that the server stores, as OpenAI does by default. */
function response(said: string, { model, stream }: Body): Response {
  const content = [{ type: 'output_text', text: said, annotations: [], logprobs: [] }];
  const output = [
    { id: `rs_${said}`, type: 'reasoning', summary: [] },
    { id: `msg_${said}`, type: 'message', role: 'assistant', status: 'completed', content },
  ];
  const usage = { input_tokens: 30, output_tokens: 10, total_tokens: 40 };
  const head = { id: `resp_${said}`, object: 'response', created_at: 1, model, error: null };
  const whole = { ...head, status: 'completed', output, usage };
  if (stream !== true) return Response.json(whole);
  return events([
    named({ type: 'response.created', sequence_number: 0, response: { ...head, status: 'in_progress', output: [] } }),
    ...output.flatMap((item, output_index) => [
      named({ type: 'response.output_item.added', sequence_number: 1, output_index, item }),
      named({ type: 'response.output_item.done', sequence_number: 2, output_index, item }),
    ]),
    named({ type: 'response.completed', sequence_number: 3, response: whole }),
  ]);
}

function named(data: { readonly type: string } & Body): string {
  return `event: ${data.type}\n${event(data)}`;
}

function chat(said: string, { model, stream }: Body, asked: string): Response {
  const finish = asked.includes('filtered-here') ? 'content_filter' : 'stop';
  const refusal = asked.includes('refused-here') ? { refusal: 'I will not.' } : {};
  const content = asked.includes('refused-here') ? null : asked.includes('empty-here') ? '' : said;
  const long = asked.includes('huge-here') ? ' and so on'.repeat(2_000) : '';
  const head = { id: 'chatcmpl-1', created: 1, model };
  const message = { role: 'assistant', content: content === null ? null : content + long, ...refusal };
  if (stream !== true) {
    const choices = [{ index: 0, message, finish_reason: finish }];
    return Response.json({ ...head, object: 'chat.completion', choices, usage: USAGE });
  }
  const chunk = (delta: object, finish_reason: string | null = null) =>
    event({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] });
  if (asked.includes('cut-here')) return events([chunk(message)]);
  if (asked.includes('fails-within'))
    return events([chunk(message), event({ error: { message: 'Broken.', code: 500 } })]);
  const end = event({ ...head, object: 'chat.completion.chunk', choices: [], usage: USAGE });
  return events([chunk(message), chunk({}, finish), end, 'data: [DONE]\n\n']);
}

function events(all: readonly string[]): Response {
  return new Response(all.join(''), { headers: { 'content-type': 'text/event-stream' } });
}
