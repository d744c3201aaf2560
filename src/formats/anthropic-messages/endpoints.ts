import type { Conversation, Endpoint, InboundCall, Operation, OutputBound, ParsedRequest } from '../format.ts';
import { isRecord } from '../shared/record.ts';

/** The path names the operation and nothing else: model and stream stand in the body. */
function endpoint(path: string, operation: Operation): Endpoint {
  const call: InboundCall = { operation, model: null, stream: null, framing: 'sse' };
  return { path, call: () => call };
}

/** The contract's POST /v1/messages, and the count beside it that Anthropic's own API has. */
export const endpoints: readonly Endpoint[] = [
  endpoint('/v1/messages', 'generate'),
  endpoint('/v1/messages/count_tokens', 'count-tokens'),
];

/**
 * The contract, Authentication: `x-api-key` or a Bearer token. Anthropic's SDKs send one of the two, by how the key was
 * given to them; a proxy in between may add the other, so the format's own header comes first.
 */
export function secret(headers: Headers): string | null {
  const key = headers.get('x-api-key')?.trim();
  if (key) return key;
  const authorization = headers.get('authorization');
  if (authorization === null || authorization.slice(0, 7).toLowerCase() !== 'bearer ') return null;
  return authorization.slice(7).trim();
}

/** What an upstream of this format reads beside the body: the API's version, and the betas that the client has opted into. */
export const relayedHeaders: readonly string[] = ['anthropic-version', 'anthropic-beta'];

export function conversation({ body }: ParsedRequest): Conversation {
  return {
    lead: body.system,
    turns: Array.isArray(body.messages) ? body.messages : [],
    isAnswer: (turn) => isRecord(turn) && turn.role === 'assistant',
    cacheKey: null,
  };
}

export function outputBound({ body }: ParsedRequest): OutputBound {
  return { tokens: typeof body.max_tokens === 'number' ? body.max_tokens : null, choices: 1 };
}
