import { largestCount } from '../../shared/json/json-values.ts';
import type { Conversation, Endpoint, InboundCall, OutputBound, ParsedRequest } from '../client-request.ts';
import type { RelayedHeader } from '../format.ts';
import { keyReader } from '../shared/headers.ts';

const GENERATE: InboundCall = { purpose: 'generate', model: null, stream: null, framing: 'sse' };

/** The model and the stream flag are in the body. */
export const endpoints: readonly Endpoint[] = [{ path: '/v1/completions', call: () => GENERATE }];

/** Empty, as for chat completions. */
export const relayedHeaders: readonly RelayedHeader[] = [];

export const secret = keyReader('authorization');

/** Returns a conversation without turns, because a text completion has none that a later request could continue. */
export function conversation({ body }: ParsedRequest): Conversation {
  return { lead: null, turns: [body.prompt], isAnswer: () => false, cacheKey: null };
}

/**
 * Returns the limit of each choice; there are `n` choices for each prompt. With `best_of` more choices are written than returned.
 */
export function outputBound({ body }: ParsedRequest): OutputBound {
  const each = largestCount(body.max_tokens, body.max_completion_tokens, body.max_new_tokens);
  const choices = Math.max(1, largestCount(body.n, body.best_of) ?? 1);
  return { each, choices: choices * promptCount(body.prompt), beside: 0 };
}

function promptCount(prompt: unknown): number {
  return Array.isArray(prompt) && typeof prompt[0] !== 'number' ? prompt.length : 1;
}
