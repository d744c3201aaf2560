import type { Conversation, Endpoint, InboundCall, OutputBound, ParsedRequest } from '../format.ts';
import { bearerSecret } from '../shared/credentials.ts';
import { isRecord } from '../shared/record.ts';

const GENERATE: InboundCall = { operation: 'generate', model: null, stream: null, framing: 'sse' };

/** The contract's POST /v1/chat/completions: model and stream flag stand in the body. */
export const endpoints: readonly Endpoint[] = [{ path: '/v1/chat/completions', call: () => GENERATE }];

/** None: what OpenAI's SDKs send beside the key is about the SDK itself, or about the client's own account at OpenAI. */
export const relayedHeaders: readonly string[] = [];

/** The contract's `Authorization: Bearer sk-…`. */
export function secret(headers: Headers): string | null {
  return bearerSecret(headers.get('authorization'));
}

/** Its turns as they stand in the body; the system prompt is one of them. */
export function conversation({ body }: ParsedRequest): Conversation {
  return {
    lead: null,
    turns: Array.isArray(body.messages) ? body.messages : [],
    isAnswer: (turn) => isRecord(turn) && turn.role === 'assistant',
    cacheKey: typeof body.prompt_cache_key === 'string' ? body.prompt_cache_key : null,
  };
}

/** The bound is each choice's own. */
export function outputBound({ body }: ParsedRequest): OutputBound {
  const choices = typeof body.n === 'number' ? body.n : 1;
  const each = body.max_completion_tokens ?? body.max_tokens;
  return { tokens: typeof each === 'number' ? each * choices : null, choices };
}
