import type { Moderations } from '../../engine/operations/moderation/moderations.ts';
import { openaiChat } from '../../formats/openai-chat/index.ts';
import { type BodyBudget, BodyLease } from './body-budget.ts';
import type { ClientAddresses } from './client-address.ts';
import { methodNotAllowed } from './method-not-allowed.ts';
import type { RouteHandler } from './route.ts';
import type { Uploads } from './uploads.ts';
import { wholeBody } from './whole-body.ts';

const IDLE_SECONDS = 120;

export interface ModerationRouteOptions {
  readonly moderations: Moderations;
  readonly newRequestId: () => string;
  readonly addresses: ClientAddresses;
  readonly maxBodyBytes: number;
  readonly bodyBudget: BodyBudget;
  readonly uploads: Uploads;
}

/** POST /v1/moderations. */
export function moderationRoute(options: ModerationRouteOptions): Record<string, RouteHandler> {
  const { moderations, addresses, bodyBudget } = options;
  const handler: RouteHandler = async (request, connections) => {
    if (request.method !== 'POST') return methodNotAllowed(request, openaiChat, { ...options, allow: 'POST' });
    const lease = new BodyLease(bodyBudget);
    try {
      const { status, headers, body } = await moderations.run({
        format: openaiChat,
        secret: openaiChat.secret(request.headers, request.url),
        address: () => addresses.of(request, connections),
        readBody: wholeBody({ ...options, request, connections, lease }),
        get signal() {
          return request.signal;
        },
      });
      connections.timeout(request, IDLE_SECONDS);
      return new Response(body, { status, headers });
    } finally {
      lease.end();
    }
  };
  return { '/v1/moderations': handler };
}
