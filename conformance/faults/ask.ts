import type { Form } from '../matrix/sdks/index.ts';
import { type ClientFormat, KIND_OF_FORMAT, readAnswer, readStream, streamedJson } from '../readers/index.ts';
import { asObject, parseJson } from '../shared/json.ts';

/** The limit of a request in these tests; a longer one is reported as hanging. */
export const ASK_LIMIT_MS = 300_000;

export interface Asked {
  readonly format: ClientFormat;
  readonly form: Form;
  readonly model: string;
  /** Unique, so that an upstream's journal shows whether the request arrived. */
  readonly prompt: string;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

export interface Place {
  readonly origin: string;
  readonly apiKey: string;
}

/** Sends a request as plain HTTP, for what an SDK hides and for large numbers of requests. Rejects if it does not end within the limit. */
export async function ask(place: Place, asked: Asked): Promise<RawAnswer> {
  const response = await fetch(place.origin + pathOf(asked), {
    method: 'POST',
    headers: { authorization: `Bearer ${place.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(bodyOf(asked)),
    signal: AbortSignal.timeout(ASK_LIMIT_MS),
  });
  const body = await response.text();
  return { status: response.status, headers: response.headers, body };
}

function pathOf({ format, form, model }: Asked): string {
  if (format === 'openai-chat') return '/v1/chat/completions';
  if (format === 'openai-responses') return '/v1/responses';
  if (format === 'anthropic-messages') return '/v1/messages';
  return `/v1beta/models/${model}:${form === 'stream' ? 'streamGenerateContent?alt=sse' : 'generateContent'}`;
}

function bodyOf({ format, form, model, prompt }: Asked): object {
  const stream = form === 'stream';
  const messages = [{ role: 'user', content: prompt }];
  if (format === 'openai-chat') return { model, messages, stream };
  if (format === 'openai-responses') return { model, input: prompt, stream, store: false };
  if (format === 'anthropic-messages') return { model, max_tokens: 1024, messages, stream };
  return { contents: [{ role: 'user', parts: [{ text: prompt }] }] };
}

/** The routing information in the response headers. */
export interface Routing {
  readonly channelId: string | null;
  readonly retryCount: number | null;
}

export function routingOf(headers: Headers): Routing {
  const { channel, retryCount } = asObject(parseJson(headers.get('x-routing') ?? ''));
  const { id } = asObject(channel);
  return {
    channelId: typeof id === 'string' ? id : null,
    retryCount: typeof retryCount === 'number' ? retryCount : null,
  };
}

/**
 * Returns the texts and tool calls of a response with its finish reason, to be compared with another response of the same recording. Leaves out
 * reasoning, which only clients that request it see.
 */
export function contentOf({ format, form }: Pick<Asked, 'format' | 'form'>, body: string): unknown {
  const kind = KIND_OF_FORMAT[format];
  const read = form === 'whole' ? readAnswer(kind, asObject(parseJson(body))) : readStream(kind, streamedJson(body));
  return read.candidates.map(({ text, toolCalls, finish }) => ({ text, toolCalls, finish }));
}
