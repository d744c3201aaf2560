import { largestCount } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';
import type {
  CallPurpose,
  Conversation,
  Endpoint,
  InboundCall,
  OutputBound,
  ParsedRequest,
} from '../client-request.ts';
import type { RelayedHeader } from '../format.ts';
import { keyReader, LISTED_NAMES } from '../shared/headers.ts';

/** Returns an endpoint whose path states only the purpose. The model and the stream flag are in the body. */
function endpoint(path: string, purpose: CallPurpose): Endpoint {
  const call: InboundCall = { purpose, model: null, stream: null, framing: 'sse' };
  return { path, call: () => call };
}

/** The contract's POST /v1/messages, and the token count endpoint of Anthropic's own API. */
export const endpoints: readonly Endpoint[] = [
  endpoint('/v1/messages', 'generate'),
  endpoint('/v1/messages/count_tokens', 'count-tokens'),
];

/**
 * The contract, Authentication: `x-api-key` or a Bearer token. Anthropic's SDKs send one of them, depending on how the key
 * was configured. A proxy may add the other one, so the format's own header is read first.
 */
export const secret = keyReader('x-api-key');

/** Headers that an upstream of this format reads: the API's version, and the betas that the client has opted into. */
export const relayedHeaders: readonly RelayedHeader[] = [
  { name: 'anthropic-version', value: /^[\w.-]{1,64}$/, rule: 'an API version such as 2023-06-01' },
  { name: 'anthropic-beta', ...LISTED_NAMES },
];

export function conversation({ body }: ParsedRequest): Conversation {
  return {
    lead: body.system,
    turns: Array.isArray(body.messages) ? body.messages : [],
    isAnswer: (turn) => isRecord(turn) && turn.role === 'assistant',
    cacheKey: null,
  };
}

/**
 * Returns the limit. Thinking counts towards it, except for interleaved thinking between tool calls, whose budget may be larger.
 */
export function outputBound({ body }: ParsedRequest): OutputBound {
  const { thinking } = body;
  const each = largestCount(body.max_tokens);
  const budget = isRecord(thinking) ? (largestCount(thinking.budget_tokens) ?? 0) : 0;
  return { each, choices: 1, beside: Math.max(0, budget - (each ?? 0)) };
}
