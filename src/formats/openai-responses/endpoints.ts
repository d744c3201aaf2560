import type { Endpoint, InboundCall } from '../format.ts';
import { bearerSecret } from '../shared/credentials.ts';

const GENERATE: InboundCall = { operation: 'generate', model: null, stream: null, framing: 'sse' };

/** The contract's POST /v1/responses; model and stream flag are members of the body. */
export const endpoints: readonly Endpoint[] = [{ path: '/v1/responses', call: () => GENERATE }];

/** `Authorization: Bearer sk-…` (contract, Authentication). */
export function secret(headers: Headers): string | null {
  return bearerSecret(headers.get('authorization'));
}

/** What OpenAI's SDKs send beside the body that changes what the service does. */
export const relayedHeaders: readonly string[] = ['openai-beta'];
