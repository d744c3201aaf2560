import { Failure } from '../../../../domain/failure/failure.ts';
import { textOf } from '../../../shared/json/json-writer.ts';
import type { AnswerContext, InboundCall, ParsedRequest } from '../../client-request.ts';
import type { DecodeSource, EncodeTarget } from '../../format.ts';
import { openaiResponses } from '../index.ts';

const CALL: InboundCall = { purpose: 'generate', model: null, stream: null, framing: 'sse' };

export const ROUTING =
  '{"channel":{"id":"c1","name":"One","provider":"openai","channelType":"PLATFORM"},"cached":false,"retryCount":0}';

export const SOURCE: DecodeSource = { provider: 'openai', channel: 'c1', quirks: [] };

function target(over: Partial<EncodeTarget> = {}): EncodeTarget {
  const { carries } = openaiResponses;
  return { upstreamModel: 'up', stream: false, provider: 'openai', channel: 'c1', quirks: [], carries, ...over };
}

export function bytesOf(value: unknown): Uint8Array {
  return new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Returns a request that must parse. */
export function parsed(body: unknown): ParsedRequest {
  const request = openaiResponses.parseRequest(bytesOf(body), CALL);
  if (request instanceof Failure) throw new Error(request.message);
  return request;
}

export function rejected(body: unknown): Failure {
  const request = openaiResponses.parseRequest(bytesOf(body), CALL);
  if (!(request instanceof Failure)) throw new Error('the request was accepted');
  return request;
}

/** Returns a request in the canonical form. */
export function decoded(body: object) {
  const request = openaiResponses.decodeRequest(parsed({ model: 'm', ...body }));
  if (request instanceof Failure) throw new Error(request.message);
  return request;
}

export function encoded(
  request: Parameters<typeof openaiResponses.encodeRequest>[0],
  over: Partial<EncodeTarget> = {},
) {
  const result = openaiResponses.encodeRequest(request, target(over));
  if (result instanceof Failure) throw new Error(result.message);
  return { body: JSON.parse(textOf(result.body)), losses: result.losses };
}

/** Ids count up, so that a golden file can contain them. */
export function context(body: object = {}): AnswerContext {
  let last = 0;
  const request = parsed({ model: 'm', input: 'Hi', ...body });
  const canonical = openaiResponses.decodeRequest(request);
  if (canonical instanceof Failure) throw new Error(canonical.message);
  return {
    publicModel: 'public',
    routing: { json: ROUTING },
    parsed: request,
    request: canonical,
    created: 1_700_000_000,
    estimatedPromptTokens: () => 8,
    newId: (prefix) => `${prefix}${++last}`,
  };
}
