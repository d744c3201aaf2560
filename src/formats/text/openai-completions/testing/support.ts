import { Failure } from '../../../../domain/failure/failure.ts';
import type { AnswerContext, InboundCall, ParsedRequest } from '../../client-request.ts';
import { openaiCompletions } from '../index.ts';

const CALL: InboundCall = { purpose: 'generate', model: null, stream: null, framing: 'sse' };
const utf8 = new TextEncoder();

type Body = Readonly<Record<string, unknown>>;

export function parse(body: Body): ParsedRequest | Failure {
  return openaiCompletions.parseRequest(utf8.encode(JSON.stringify({ model: 'm', prompt: 'Hi', ...body })), CALL);
}

export function parsed(body: Body): ParsedRequest {
  const request = parse(body);
  if (request instanceof Failure) throw new Error(request.message);
  return request;
}

export function decoded(body: Body) {
  const request = openaiCompletions.decodeRequest(parsed(body));
  if (request instanceof Failure) throw new Error(request.message);
  return request;
}

export function answerContext(body: Body = {}): AnswerContext {
  return {
    publicModel: 'public',
    routing: { json: '{"cached":false}' },
    parsed: parsed(body),
    request: decoded(body),
    created: 1_700_000_000,
    estimatedPromptTokens: () => 8,
    newId: (prefix) => `${prefix}fresh`,
  };
}
