import { Failure } from '../../domain/failure/failure.ts';
import type { CacheFeedback } from '../../engine/cache/feedback.ts';
import { openaiChat } from '../../formats/text/openai-chat/index.ts';
import { type BodyBudget, BodyLease } from './body-budget.ts';
import type { ClientAddresses } from './client-address.ts';
import { failureResponse, methodNotAllowed } from './failure-response.ts';
import { type RouteHandler, secretOf } from './route.ts';
import type { Uploads } from './uploads.ts';
import { wholeBody } from './whole-body.ts';

const IDLE_SECONDS = 120;
/** Room for a description of the maximum length, fully escaped, plus the other members twice over. */
const LARGEST_BODY = 64 * 1024;

export interface CacheFeedbackRouteOptions {
  readonly cacheFeedback: Pick<CacheFeedback, 'report'>;
  readonly newRequestId: () => string;
  readonly addresses: ClientAddresses;
  readonly bodyBudget: BodyBudget;
  readonly uploads: Uploads;
}

/** Serves `POST /v1/cache/feedback`: clients' reports on cached answers. */
export function cacheFeedbackRoute(options: CacheFeedbackRouteOptions): Record<string, RouteHandler> {
  const { cacheFeedback, newRequestId, addresses, bodyBudget, uploads } = options;
  return {
    '/v1/cache/feedback': async (request, connections) => {
      if (request.method !== 'POST') return methodNotAllowed(request, openaiChat, { allow: 'POST', newRequestId });
      const lease = new BodyLease(bodyBudget);
      const bounds = { maxBodyBytes: LARGEST_BODY, tooLargeHint: 'Shorten the description.' };
      try {
        const { result, headers } = await cacheFeedback.report({
          envelope: openaiChat,
          secret: secretOf(openaiChat, request),
          address: () => addresses.of(request, connections),
          readBody: wholeBody({ request, connections, lease, uploads, ...bounds }),
        });
        connections.timeout(request, IDLE_SECONDS);
        if (result instanceof Failure) return failureResponse(openaiChat, result, newRequestId(), headers);
        const own = { 'content-type': 'application/json', 'x-request-id': newRequestId() };
        return new Response(result, { headers: { ...own, ...headers } });
      } finally {
        lease.end();
      }
    },
  };
}
