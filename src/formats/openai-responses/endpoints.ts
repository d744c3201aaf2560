import type { Conversation, Endpoint, InboundCall, OutputBound, ParsedRequest } from '../format.ts';
import { bearerSecret } from '../shared/credentials.ts';
import { isRecord } from '../shared/record.ts';

const GENERATE: InboundCall = { operation: 'generate', model: null, stream: null, framing: 'sse' };

/** The contract's POST /v1/responses; model and stream flag are members of the body. */
export const endpoints: readonly Endpoint[] = [{ path: '/v1/responses', call: () => GENERATE }];

/** `Authorization: Bearer sk-…` (contract, Authentication). */
export function secret(headers: Headers): string | null {
  return bearerSecret(headers.get('authorization'));
}

/** What OpenAI's SDKs send beside the body that changes what the service does. */
export const relayedHeaders: readonly string[] = ['openai-beta'];

/** Its turns are items; those of the model are its messages, its reasoning and its calls. */
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
  return { tokens: typeof body.max_output_tokens === 'number' ? body.max_output_tokens : null, choices: 1 };
}
