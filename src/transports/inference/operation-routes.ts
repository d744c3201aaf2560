import type { Calls } from '../../engine/call/call.ts';
import type { Operation } from '../../engine/call/operation.ts';
import type { Operations } from '../../engine/operations/index.ts';
import { openaiChat } from '../../formats/openai-chat/index.ts';
import { type BodyBudget, BodyLease } from './body-budget.ts';
import type { ClientAddresses } from './client-address.ts';
import { methodNotAllowed } from './method-not-allowed.ts';
import type { RouteHandler } from './route.ts';
import type { Uploads } from './uploads.ts';
import { wholeBody } from './whole-body.ts';

const IDLE_SECONDS = 120;

export interface OperationRouteOptions {
  readonly calls: Calls;
  readonly operations: Operations;
  readonly newRequestId: () => string;
  readonly addresses: ClientAddresses;
  readonly maxBodyBytes: number;
  readonly bodyBudget: BodyBudget;
  readonly uploads: Uploads;
}

/** The endpoints of the operations beside texts. All are in OpenAI's envelope. */
export function operationRoutes(options: OperationRouteOptions): Record<string, RouteHandler> {
  const { moderation } = options.operations;
  return { '/v1/moderations': operationRoute(moderation, options) };
}

function operationRoute(operation: Operation, options: OperationRouteOptions): RouteHandler {
  const { calls, addresses, bodyBudget } = options;
  return async (request, connections) => {
    if (request.method !== 'POST') return methodNotAllowed(request, openaiChat, { ...options, allow: 'POST' });
    const lease = new BodyLease(bodyBudget);
    try {
      const outbound = await calls.run(operation, {
        envelope: openaiChat,
        secret: openaiChat.secret(request.headers, request.url),
        address: () => addresses.of(request, connections),
        header: (name) => request.headers.get(name),
        readBody: wholeBody({ ...options, request, connections, lease }),
        get signal() {
          return request.signal;
        },
      });
      connections.timeout(request, IDLE_SECONDS);
      if (outbound.kind === 'stream') throw new Error('a stream of an operation that has none');
      return new Response(outbound.body, { status: outbound.status, headers: outbound.headers });
    } finally {
      lease.end();
    }
  };
}
