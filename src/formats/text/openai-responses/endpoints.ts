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

/** Returns an endpoint whose path states only the purpose. The model and the stream flag are members of the body. */
function endpoint(path: string, purpose: CallPurpose): Endpoint {
  const call: InboundCall = { purpose, model: null, stream: null, framing: 'sse' };
  return { path, call: () => call };
}

/** The calls that a WebSocket message asks for. */
export const GENERATE: InboundCall = { purpose: 'generate', model: null, stream: true, framing: 'sse' };
export const WARM_UP: InboundCall = { ...GENERATE, purpose: 'warm-up', stream: false };

/** The contract's POST /v1/responses, and the related endpoints of OpenAI's own API. */
export const endpoints: readonly Endpoint[] = [
  endpoint('/v1/responses', 'generate'),
  endpoint('/v1/responses/input_tokens', 'count-tokens'),
  endpoint('/v1/responses/compact', 'compact'),
];

/** `Authorization: Bearer sk-…` (contract, Authentication). */
export const secret = keyReader('authorization');

/** Headers of OpenAI's SDKs that change how the service behaves. */
export const relayedHeaders: readonly RelayedHeader[] = [{ name: 'openai-beta', ...LISTED_NAMES }];

/** Returns the conversation, whose turns are items. Those of the model are its messages, its reasoning and its calls. */
export function conversation({ body }: ParsedRequest): Conversation {
  return {
    lead: body.instructions,
    turns: Array.isArray(body.input) ? body.input : [body.input],
    isAnswer: (item) =>
      isRecord(item) && (item.role === 'assistant' || /(?:^reasoning|_call)$/.test(String(item.type ?? ''))),
    cacheKey: typeof body.prompt_cache_key === 'string' ? body.prompt_cache_key : null,
  };
}

export function outputBound({ body }: ParsedRequest): OutputBound {
  return {
    each: largestCount(body.max_output_tokens, body.max_completion_tokens, body.max_tokens),
    choices: 1,
    beside: 0,
  };
}
