import type { CacheControl } from '../../../domain/cache/cache.ts';
import { largestCount } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';
import { cacheControlOf } from '../../shared/request/cache-control.ts';
import type { Conversation, Endpoint, InboundCall, OutputBound, ParsedRequest } from '../client-request.ts';
import type { RelayedHeader } from '../format.ts';
import { keyReader } from '../shared/headers.ts';
import { isCacheMark } from './content.decode.ts';

const GENERATE: InboundCall = { purpose: 'generate', model: null, stream: null, framing: 'sse' };

/** The contract's POST /v1/chat/completions. The model and the stream flag are in the body. */
export const endpoints: readonly Endpoint[] = [{ path: '/v1/chat/completions', call: () => GENERATE }];

/** Empty: the other headers of OpenAI's SDKs describe the SDK itself or the client's own account at OpenAI. */
export const relayedHeaders: readonly RelayedHeader[] = [];

/** The contract's `Authorization: Bearer sk-…`. */
export const secret = keyReader('authorization');

/** Returns the contract's `cache_control` (POST /v1/chat/completions), but not a mark for the provider's prompt cache. */
export function cacheControl({ body }: ParsedRequest): CacheControl | null {
  const { cache_control: control } = body;
  return isCacheMark(control) ? null : cacheControlOf(control);
}

/** Returns the turns as they are in the body. The system prompt is one of them. */
export function conversation({ body }: ParsedRequest): Conversation {
  return {
    lead: null,
    turns: Array.isArray(body.messages) ? body.messages : [],
    isAnswer: (turn) => isRecord(turn) && turn.role === 'assistant',
    cacheKey: typeof body.prompt_cache_key === 'string' ? body.prompt_cache_key : null,
  };
}

/**
 * Returns the limit of each choice. A server may know only one of the limit's several names, so the largest value counts. Some
 * servers write several answers and return the best one; and unused prediction tokens are charged as output tokens.
 */
export function outputBound({ body }: ParsedRequest): OutputBound {
  const { thinking, reasoning, prediction } = body;
  const budget = largestCount(
    body.thinking_budget,
    isRecord(thinking) ? thinking.budget_tokens : null,
    isRecord(reasoning) ? reasoning.max_tokens : null,
  );
  return {
    each: largestCount(body.max_completion_tokens, body.max_tokens, body.max_output_tokens, body.max_new_tokens),
    choices: Math.max(1, largestCount(body.n, body.best_of) ?? 1),
    beside: (budget ?? 0) + (isRecord(prediction) ? textBytes(prediction.content) : 0),
  };
}

/** Returns the size of a text, or of blocks of text. */
function textBytes(content: unknown): number {
  if (typeof content === 'string') return Buffer.byteLength(content);
  if (!Array.isArray(content)) return 0;
  return content.reduce((sum: number, block) => sum + (isRecord(block) ? textBytes(block.text) : 0), 0);
}
