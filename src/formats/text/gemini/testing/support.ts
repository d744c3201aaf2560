import type { ExchangeRequest } from '../../../../domain/exchange/request.ts';
import type { StreamPart } from '../../../../domain/exchange/stream-part.ts';
import { Failure } from '../../../../domain/failure/failure.ts';
import { textOf } from '../../../shared/json/json-writer.ts';
import type { AnswerContext, InboundCall, ParsedRequest } from '../../client-request.ts';
import type { DecodeSource, EncodeTarget } from '../../format.ts';
import { gemini } from '../index.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON whose shape they themselves check.
export type Json = any;

export const source: DecodeSource = { provider: 'google', channel: 'google-main', quirks: [] };

export function target(upstreamModel: string, quirks: EncodeTarget['quirks'] = []): EncodeTarget {
  return { upstreamModel, stream: false, provider: 'google', channel: 'google-main', quirks, carries: gemini.carries };
}

export const generate: InboundCall = { purpose: 'generate', model: 'public-model', stream: false, framing: 'sse' };

export function parsed(body: unknown, call: Partial<InboundCall> = {}): ParsedRequest {
  const request = gemini.parseRequest(utf8(JSON.stringify(body)), { ...generate, ...call });
  if (request instanceof Failure) throw new Error(request.message);
  return request;
}

export function decoded(body: unknown, call: Partial<InboundCall> = {}): ExchangeRequest {
  const request = gemini.decodeRequest(parsed(body, call));
  if (request instanceof Failure) throw new Error(request.message);
  return request;
}

export function encoded(request: ExchangeRequest, to: EncodeTarget = target('gemini-2.5-flash')) {
  const result = gemini.encodeRequest(request, to);
  if (result instanceof Failure) throw new Error(result.message);
  return { body: JSON.parse(textOf(result.body)) as Json, losses: result.losses };
}

export const ROUTING = '{"cached":false,"retryCount":0}';

/** The settings of a client that asked for thoughts. */
const SHOWN = { thinkingConfig: { includeThoughts: true } };

export function context(framing: InboundCall['framing'] = 'sse', generationConfig: object = SHOWN): AnswerContext {
  let ids = 0;
  const body = { contents: [{ parts: [{ text: 'Hi' }] }], generationConfig };
  const request = parsed(body, { framing, stream: true });
  return {
    publicModel: 'public-model',
    routing: { json: ROUTING },
    parsed: request,
    request: decoded(request.body),
    created: 1_700_000_000,
    estimatedPromptTokens: () => 8,
    newId: (prefix) => `${prefix}fresh${++ids}`,
  };
}

export function decodeStream(pieces: readonly (string | Uint8Array)[]): StreamPart[] {
  const decoder = gemini.decodeStream(source);
  const parts = pieces.flatMap((piece) => decoder.push(typeof piece === 'string' ? utf8(piece) : piece));
  return [...parts, ...decoder.end()];
}

export function encodeStream(parts: readonly StreamPart[], framing: InboundCall['framing'] = 'sse'): string {
  const encoder = gemini.encodeStream(context(framing));
  return parts.map((part) => encoder.encode(part)).join('');
}

/** Returns the data of each event of a stream's text. */
export function eventsOf(text: string): Json[] {
  return text
    .split('\r\n\r\n')
    .filter((event) => event !== '')
    .map((event) => JSON.parse(event.replace(/^data: /, '')));
}

export function sse(...chunks: readonly unknown[]): string {
  return chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`).join('');
}

/** Returns a chunk as the API sends it. */
export function chunk(parts: readonly unknown[], more: object = {}, outer: object = {}): unknown {
  return {
    candidates: [{ content: { parts, role: 'model' }, index: 0, ...more }],
    modelVersion: 'gemini-2.5-flash',
    responseId: 'Th-jaIKZKbCMqsMP3O2RkAo',
    ...outer,
  };
}

export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}
