import type { Endpoint, InboundCall } from '../format.ts';
import { bearerSecret } from '../shared/credentials.ts';

const GENERATE: InboundCall = { operation: 'generate', model: null, stream: null, framing: 'sse' };

/** The contract's POST /v1/chat/completions: model and stream flag stand in the body. */
export const endpoints: readonly Endpoint[] = [{ path: '/v1/chat/completions', call: () => GENERATE }];

/** None: what OpenAI's SDKs send beside the key is about the SDK itself, or about the client's own account at OpenAI. */
export const relayedHeaders: readonly string[] = [];

/** The contract's `Authorization: Bearer sk-…`. */
export function secret(headers: Headers): string | null {
  return bearerSecret(headers.get('authorization'));
}
