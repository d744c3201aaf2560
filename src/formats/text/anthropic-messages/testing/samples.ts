import { type ExchangeRequest, emptyRequest, type ReasoningOptions } from '../../../../domain/exchange/request.ts';
import type { StreamPart } from '../../../../domain/exchange/stream-part.ts';
import { Failure } from '../../../../domain/failure/failure.ts';
import { textOf } from '../../../shared/json/json-writer.ts';
import type { AnswerContext, InboundCall, ParsedRequest } from '../../client-request.ts';
import type { EncodeTarget } from '../../format.ts';
import { carries } from '../capabilities.ts';
import { anthropicMessages } from '../index.ts';

const _bytes = (value: unknown) => new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));

export const generate: InboundCall = { purpose: 'generate', model: null, stream: null, framing: 'sse' };
export const count: InboundCall = { ...generate, purpose: 'count-tokens' };

export const routing = {
  channel: { id: 'c', name: 'C', provider: 'p', channelType: 'PLATFORM' },
  cached: false,
  retryCount: 0,
};
export const patch = { publicModel: 'public', routing: { json: JSON.stringify(routing) }, created: 1, newId: String };
export const source = { provider: 'anthropic', channel: 'main', quirks: [] };

export function target(upstreamModel: string, more: Partial<EncodeTarget> = {}): EncodeTarget {
  return { upstreamModel, stream: false, provider: 'anthropic', channel: 'main', quirks: [], carries, ...more };
}

/** Returns a body as the server receives it; throws if it is refused. */
export function parse(body: unknown, call = generate): ParsedRequest {
  const parsed = anthropicMessages.parseRequest(new TextEncoder().encode(JSON.stringify(body)), call);
  if (parsed instanceof Failure) throw new Error(parsed.message);
  return parsed;
}

export function decode(body: unknown, call = generate): ExchangeRequest {
  const request = anthropicMessages.decodeRequest(parse(body, call));
  if (request instanceof Failure) throw new Error(request.message);
  return request;
}

/** Returns a request of another format, with the members that the test needs. */
export function foreign(more: Partial<ExchangeRequest>): ExchangeRequest {
  return { ...emptyRequest('openai-chat', {}), ...more };
}

/** Returns the upstream's body and the losses as `field: verdict`. */
export function encode(request: ExchangeRequest, to: EncodeTarget) {
  const encoded = anthropicMessages.encodeRequest(request, to);
  if (encoded instanceof Failure) throw new Error(encoded.message);
  const losses = encoded.losses.map(({ field, verdict }) => `${field}: ${verdict}`);
  return { body: JSON.parse(textOf(encoded.body)), losses, headers: encoded.headers };
}

/** The options of a client that asked for thinking. */
const THINKING: ReasoningOptions = { enabled: true, effort: null, budgetTokens: null, adaptive: false, summary: null };

export function context(reasoning: ReasoningOptions | null = THINKING): AnswerContext {
  const parsed = parse({ model: 'public', max_tokens: 1, messages: [{ role: 'user', content: 'hi' }] });
  const request = foreign({ reasoning });
  return {
    ...patch,
    parsed,
    request,
    created: 1_700_000_000,
    estimatedPromptTokens: () => 8,
    newId: (prefix) => `${prefix}new`,
  };
}

/** Returns the client's output for a stream of parts. */
export function streamed(parts: readonly StreamPart[], of = context()): string {
  const encoder = anthropicMessages.encodeStream(of);
  return parts.map((part) => encoder.encode(part)).join('');
}

/** Returns all parts of a stream that is cut at the given offsets. */
export function decodeStream(text: string, cuts: readonly number[] = []): StreamPart[] {
  const decoder = anthropicMessages.decodeStream(source);
  const bytes = new TextEncoder().encode(text);
  const parts: StreamPart[] = [];
  let from = 0;
  for (const cut of [...cuts].sort((left, right) => left - right)) {
    parts.push(...decoder.push(bytes.slice(from, cut)));
    from = Math.max(from, cut);
  }
  return [...parts, ...decoder.push(bytes.slice(from)), ...decoder.end()];
}

export function event(type: string, members: object = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
}

export const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-x',
  content: [{ type: 'text', text: 'hi' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 5, output_tokens: 7 },
};
