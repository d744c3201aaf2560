import type { ClientFormat } from '../readers/index.ts';
import { asObject, parseJson } from '../shared/json.ts';

/*
 * A plain HTTP client for the four formats. Tests check which channel answered and whether the response is
 * complete.
 */

export const CLIENT_FORMATS: readonly ClientFormat[] = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'gemini',
];

/** Text that only a complete stream contains. */
const STREAM_END: Readonly<Record<ClientFormat, string>> = {
  'openai-chat': 'data: [DONE]',
  'openai-responses': '"type":"response.completed"',
  'anthropic-messages': '"type":"message_stop"',
  gemini: '"finishReason":"STOP"',
};

export interface Asked {
  readonly origin: string;
  readonly key: string;
  readonly model: string;
  readonly format?: ClientFormat;
  readonly stream?: boolean;
  /** Alternating user and assistant turns; a single greeting by default. */
  readonly turns?: readonly string[];
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Whether it is a 200 with the whole response, including a stream's end mark. */
  readonly isComplete: boolean;
  /** The channel that answered, from `x-routing`; empty if none was called. */
  readonly channel: string;
  readonly channelType: string;
  readonly retryCount: number;
  /** The envelope's `error`, or an empty object. */
  readonly error: Readonly<Record<string, unknown>>;
}

const HANG_LIMIT_MS = 300_000;

export function pathOf({ format = 'openai-chat', model, stream = false }: Omit<Asked, 'origin' | 'key'>): string {
  switch (format) {
    case 'openai-chat':
      return '/v1/chat/completions';
    case 'openai-responses':
      return '/v1/responses';
    case 'anthropic-messages':
      return '/v1/messages';
    case 'gemini':
      return `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`;
  }
}

export function bodyOf({
  format = 'openai-chat',
  model,
  stream = false,
  turns = ['Hello'],
}: Omit<Asked, 'origin' | 'key'>): string {
  const messages = turns.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content }));
  switch (format) {
    case 'openai-chat':
      return JSON.stringify({ model, messages, stream });
    case 'openai-responses':
      return JSON.stringify({ model, input: messages, stream, store: false });
    case 'anthropic-messages':
      return JSON.stringify({ model, max_tokens: 100, messages, stream });
    case 'gemini': {
      const contents = messages.map(({ role, content }) => ({
        role: role === 'user' ? 'user' : 'model',
        parts: [{ text: content }],
      }));
      return JSON.stringify({ contents });
    }
  }
}

/** Sends the request; the caller reads the body. */
export function open(asked: Asked): Promise<Response> {
  return fetch(asked.origin + pathOf(asked), {
    method: 'POST',
    headers: { authorization: `Bearer ${asked.key}`, 'content-type': 'application/json' },
    body: bodyOf(asked),
    signal: asked.signal ?? AbortSignal.timeout(HANG_LIMIT_MS),
  });
}

/** Sends the request and reads the whole response. */
export async function ask(asked: Asked): Promise<Answer> {
  const response = await open(asked);
  const text = await response.text();
  const { format = 'openai-chat', stream = false } = asked;
  const routing = asObject(parseJson(response.headers.get('x-routing') ?? ''));
  const channel = asObject(routing.channel);
  const error = stream && response.status === 200 ? {} : asObject(asObject(parseJson(text)).error);
  const isWhole = stream ? text.includes(STREAM_END[format]) : parseJson(text) !== undefined;
  return {
    status: response.status,
    headers: response.headers,
    text,
    isComplete: response.status === 200 && isWhole,
    channel: String(channel.id ?? ''),
    channelType: String(channel.channelType ?? ''),
    retryCount: Number(routing.retryCount ?? 0),
    error,
  };
}

/** Runs `task` for 0 to `count` - 1, at most `concurrency` at a time; returns the results in order. */
export async function inParallel<Result>(
  count: number,
  concurrency: number,
  task: (index: number) => Promise<Result>,
): Promise<Result[]> {
  const results = new Array<Result>(count);
  let next = 0;
  const work = async () => {
    for (let index = next++; index < count; index = next++) results[index] = await task(index);
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, count) }, work));
  return results;
}

/** Returns the first incomplete answers, shortened, for a test's failure message. */
export function incomplete(answers: readonly Answer[]): readonly string[] {
  return answers
    .filter(({ isComplete }) => !isComplete)
    .slice(0, 5)
    .map(({ status, text }) => `${status} ${text.slice(-200)}`);
}
