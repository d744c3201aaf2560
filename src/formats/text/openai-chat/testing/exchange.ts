import { type ExchangeRequest, emptyRequest } from '../../../../domain/exchange/request.ts';
import type { StreamPart } from '../../../../domain/exchange/stream-part.ts';
import { Failure } from '../../../../domain/failure/failure.ts';
import { textOf } from '../../../shared/json/json-writer.ts';
import type { AnswerContext, InboundCall } from '../../client-request.ts';
import type { EncodeTarget } from '../../format.ts';
import type { Quirk } from '../../quirk.ts';
import { openaiChat } from '../index.ts';

const CALL: InboundCall = { purpose: 'generate', model: null, stream: null, framing: 'sse' };
export const SOURCE = { provider: 'acme', channel: 'acme-1', quirks: [] };

const utf8 = new TextEncoder();

/** Returns the decoded request of a client of this format. The default message is "Hi". */
export function requestOf(body: Record<string, unknown>): ExchangeRequest {
  const whole = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...body };
  const parsed = openaiChat.parseRequest(utf8.encode(JSON.stringify(whole)), CALL);
  if (parsed instanceof Failure) throw new Error(parsed.message);
  const request = openaiChat.decodeRequest(parsed);
  if (request instanceof Failure) throw new Error(request.message);
  return request;
}

/** Returns the request of a client of another format. */
export function foreignRequest(said: Partial<ExchangeRequest>): ExchangeRequest {
  const messages = [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }] as const;
  return { ...emptyRequest('gemini', {}), messages, ...said };
}

/** Returns the table as the engine builds it: the format's own table with the quirks `lacks` and `has` applied. */
function targetWith(quirks: readonly Quirk[], stream = false): EncodeTarget {
  const carries = { ...openaiChat.carries };
  for (const quirk of quirks) {
    if (quirk.kind === 'has') carries[quirk.feature] = 'exact';
    if (quirk.kind === 'lacks') carries[quirk.feature] = { verdict: quirk.verdict, why: quirk.why };
  }
  return { upstreamModel: 'up-1', stream, provider: 'acme', channel: 'acme-1', quirks, carries };
}

export function encoded(request: ExchangeRequest, quirks: readonly Quirk[] = [], stream = false) {
  const result = openaiChat.encodeRequest(request, targetWith(quirks, stream));
  if (result instanceof Failure) throw new Error(result.message);
  const losses = result.losses.map(({ field, verdict }) => `${field} ${verdict}`);
  return { body: JSON.parse(textOf(result.body)), losses };
}

export function answerContext(body: Record<string, unknown> = {}, wantsStreamUsage = false): AnswerContext {
  const bytes = new Uint8Array(0);
  return {
    publicModel: 'public',
    routing: { json: '{"cached":false}' },
    parsed: { call: CALL, model: 'public', stream: true, wantsStreamUsage, bytes, body },
    request: requestOf(body),
    created: 1_700_000_000,
    estimatedPromptTokens: () => 8,
    newId: (prefix) => `${prefix}fresh`,
  };
}

/** Returns the parts of a stream that is cut at these offsets. */
export function decodeStream(text: string, cuts: readonly number[] = []): StreamPart[] {
  const decoder = openaiChat.decodeStream(SOURCE);
  const bytes = utf8.encode(text);
  const parts: StreamPart[] = [];
  let from = 0;
  for (const cut of [...cuts, bytes.length]) {
    parts.push(...decoder.push(bytes.slice(from, cut)));
    from = cut;
  }
  parts.push(...decoder.end());
  return parts;
}

export function events(...chunks: readonly (string | object)[]): string {
  return chunks.map((chunk) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`).join('');
}

export function delta(said: object, finish: string | null = null, index = 0) {
  return { id: 'chatcmpl-1', created: 5, model: 'up', choices: [{ index, delta: said, finish_reason: finish }] };
}
