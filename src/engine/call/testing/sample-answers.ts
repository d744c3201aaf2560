import { Failure } from '../../../domain/failure/failure.ts';
import type { Scripted } from './fake-upstream.ts';

/* The smallest answers and failures of upstreams that the formats allow. */

const JSON_HEADERS = { 'content-type': 'application/json' };
const SSE_HEADERS = { 'content-type': 'text/event-stream' };

const event = (data: unknown, name?: string) =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;

export function json(value: unknown, headers: Readonly<Record<string, string>> = {}): Scripted {
  return { headers: { ...JSON_HEADERS, ...headers }, pieces: [JSON.stringify(value)] };
}

export function sse(...pieces: NonNullable<Scripted['pieces']>): Scripted {
  return { headers: SSE_HEADERS, pieces };
}

/** Makes an error response in the shape that most providers use. */
export function refusal(status: number, message = 'No.', headers: Readonly<Record<string, string>> = {}): Scripted {
  return { ...json({ error: { message } }, headers), status };
}

/** Makes a whole answer in the format of OpenAI's chat completions. */
export function chatAnswer(text = 'Hello', fields: Readonly<Record<string, unknown>> = {}): Scripted {
  const choice = { index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' };
  const usage = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 };
  const top = { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'up' };
  return json({ ...top, choices: [choice], usage, ...fields }, { 'x-request-id': 'theirs-1' });
}

export function chatText(text: string, finish: string | null = null): string {
  const choice = { index: 0, delta: { role: 'assistant', content: text }, finish_reason: finish };
  return event({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'up', choices: [choice] });
}

export const CHAT_USAGE = event({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 } });
export const CHAT_DONE = 'data: [DONE]\n\n';
export const CHAT_ERROR = event({ error: { message: 'Overloaded.', code: 503 } });

/** Makes a whole answer in the format of Anthropic's messages. */
export function messagesAnswer(text = 'Hello'): Scripted {
  const top = { id: 'msg_1', type: 'message', role: 'assistant', model: 'up', stop_sequence: null };
  const usage = { input_tokens: 7, output_tokens: 5 };
  return json({ ...top, content: [{ type: 'text', text }], stop_reason: 'end_turn', usage });
}

/** Makes the same answer as a stream. */
export function messagesStream(text = 'Hello'): Scripted {
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'up', content: [] };
  const block = { index: 0 };
  return sse(
    event({ type: 'message_start', message: { ...message, usage: { input_tokens: 7, output_tokens: 1 } } }),
    event({ type: 'content_block_start', ...block, content_block: { type: 'text', text: '' } }),
    event({ type: 'content_block_delta', ...block, delta: { type: 'text_delta', text } }),
    event({ type: 'content_block_stop', ...block }),
    event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } }),
    event({ type: 'message_stop' }),
  );
}

/** Makes a whole answer in the format of OpenAI's responses. */
export function responsesAnswer(text = 'Hello', id = 'resp_1'): Scripted {
  const content = [{ type: 'output_text', text, annotations: [] }];
  const output = [{ id: 'msg_out', type: 'message', role: 'assistant', status: 'completed', content }];
  const usage = { input_tokens: 7, output_tokens: 5, total_tokens: 12 };
  return json({ id, object: 'response', created_at: 1, status: 'completed', model: 'up', output, usage });
}

/** Makes the first event of such a stream, before any content. */
export function responseCreated(id = 'resp_1'): string {
  const response = { id, object: 'response', created_at: 1, status: 'in_progress', model: 'up', output: [] };
  return event({ type: 'response.created', sequence_number: 0, response }, 'response.created');
}

export const reset = () =>
  new Failure('upstream_error', {
    kind: 'reset',
    retry: 'same-target',
    message: 'The upstream dropped the connection.',
  });

export const tooSlow = () =>
  new Failure('timeout_error', { kind: 'first_byte_timeout', message: 'The upstream did not begin to answer.' });

export const clientLeft = () => new Failure('client_closed_request', { message: 'The client closed the connection.' });
