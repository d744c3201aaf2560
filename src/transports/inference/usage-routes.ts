import { Failure } from '../../domain/failure/failure.ts';
import type { KeyUsage, UsageDocument } from '../../engine/key-usage/key-usage.ts';
import { requestTarget } from '../../formats/shared/request/request-target.ts';
import { openaiChat } from '../../formats/text/openai-chat/index.ts';
import type { ClientAddresses } from './client-address.ts';
import { failureResponse, methodNotAllowed } from './failure-response.ts';
import { asOpenRouterAnswers } from './openrouter-answers.ts';
import { type RouteHandler, secretOf } from './route.ts';

export interface UsageRouteOptions {
  readonly keyUsage: Pick<KeyUsage, 'read'>;
  readonly newRequestId: () => string;
  readonly addresses: ClientAddresses;
}

/**
 * The addresses at which a key reads its usage. Clients also call those of OpenAI, DeepSeek and LiteLLM without `/v1` (tolerant-paths.ts),
 * and those of OpenRouter below the base URL that they were given.
 */
const DOCUMENTS: Readonly<Record<string, UsageDocument>> = {
  '/v1/usage': 'usage',
  '/v1/key': 'key',
  '/v1/dashboard/billing/usage': 'billing-usage',
  '/v1/dashboard/billing/subscription': 'subscription',
  '/api/v1/key': 'openrouter-key',
  '/api/v1/auth/key': 'openrouter-key',
  '/v1/auth/key': 'openrouter-key',
  '/api/v1/credits': 'openrouter-credits',
  '/v1/credits': 'openrouter-credits',
  '/v1/dashboard/billing/credit_grants': 'credit-grants',
  '/v1/user/balance': 'deepseek-balance',
  '/api/usage/token': 'new-api-token',
  '/v1/key/info': 'litellm-key',
};

/** Serves what a key may know about its own spending. Answers change with every request, so caches must not keep them. */
export function usageRoutes(options: UsageRouteOptions): Record<string, RouteHandler> {
  return Object.fromEntries(Object.entries(DOCUMENTS).map(([path, document]) => [path, usageRoute(document, options)]));
}

function usageRoute(document: UsageDocument, options: UsageRouteOptions): RouteHandler {
  const { keyUsage, newRequestId, addresses } = options;
  const isOpenRouters = document.startsWith('openrouter-');
  return async (request, connections) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      const refused = methodNotAllowed(request, openaiChat, { allow: 'GET, HEAD', newRequestId });
      return isOpenRouters ? asOpenRouterAnswers(refused) : refused;
    }
    const caller = {
      envelope: openaiChat,
      secret: secretOf(openaiChat, request),
      address: () => addresses.of(request, connections),
    };
    const { result } = await keyUsage.read(caller, document, requestTarget(request.url).query);
    const requestId = newRequestId();
    if (!(result instanceof Failure)) {
      const headers = { 'content-type': 'application/json', 'cache-control': 'no-store', 'x-request-id': requestId };
      return new Response(request.method === 'HEAD' ? null : result, { headers });
    }
    const failed = failureResponse(openaiChat, result, requestId);
    return isOpenRouters ? asOpenRouterAnswers(failed) : failed;
  };
}
