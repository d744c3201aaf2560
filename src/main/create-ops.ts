import { Hono } from 'hono';
import { allowsScope } from '../domain/access/scopes.ts';
import { Failure } from '../domain/failure/failure.ts';
import type { FamilySnapshot } from '../domain/metrics/snapshot.ts';
import { type IdentifyTokenPorts, identifyToken } from '../engine/access/authenticate.ts';
import type { GatewayStatus } from '../engine/admin/status/read-status.ts';
import { requestTarget } from '../formats/shared/request/request-target.ts';
import { openaiChat } from '../formats/text/openai-chat/index.ts';
import { eventLoopTurns } from '../stores/shared/event-loop-turns.ts';
import type { ClientAddresses } from '../transports/inference/client-address.ts';
import { failureResponse, methodNotAllowed } from '../transports/inference/failure-response.ts';
import type { Connections, ServerHandler } from '../transports/inference/route.ts';
import { MetricsAccess } from '../transports/ops/metrics-access.ts';
import { opsRoutes } from '../transports/ops/ops.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { newRequestId } from './system.ts';

interface OpsOptions extends IdentifyTokenPorts {
  /** Resolves to the metrics of this process. */
  readonly metrics: () => Promise<readonly FamilySnapshot[]>;
  readonly notReady: () => string | null;
  readonly status: Pick<GatewayStatus, 'read'>;
  readonly metricsToken: string | null;
  readonly metricsOfAll: GatewayOptions['metricsOfAll'];
  readonly addresses: ClientAddresses;
}

const FOR_MONITORING = new Failure('access_denied', {
  message: 'You are not allowed to read the metrics.',
  hint: 'Send the configured `server.metrics_token` in the header `Authorization: Bearer …`; without one, metrics can be read only on the machine itself.',
});
const FOR_OPERATORS = new Failure('access_denied', {
  message: 'You are not allowed to read the state of the gateway.',
  hint: 'Send `Authorization: Bearer …` with a management token of an admin that has the scope `system:read`, or with `server.metrics_token`.',
});

/** Creates the handler of `OPS_PATHS`: health checks, the state of the gateway and metrics. */
export function createOps(options: OpsOptions): ServerHandler {
  const app = createApp(options);
  const access = new MetricsAccess(options.metricsToken);
  return (request, connections) => {
    const { path } = requestTarget(request.url);
    if (path !== '/metrics' && path !== '/status.json') return app.fetch(request);
    const isMonitoring = access.admits(request, connections.requestIP(request)?.address ?? null);
    if (isMonitoring) return app.fetch(request);
    return path === '/metrics' ? refused(FOR_MONITORING) : forOperator(request, connections, options, app);
  };
}

/** Answers an operator's management token. Nobody else learns more than that access is denied. */
async function forOperator(
  request: Request,
  connections: Connections,
  options: OpsOptions,
  app: Hono,
): Promise<Response> {
  const secret = openaiChat.secret(request.headers, request.url);
  if (secret?.startsWith('mt-') !== true) return refused(FOR_OPERATORS);
  const address = () => options.addresses.of(request, connections);
  const actor = await identifyToken(options, { envelope: openaiChat, secret, address });
  if (actor instanceof Failure) return refused(actor);
  const isAllowed = actor.isOperator && allowsScope(actor.scopes, 'system:read');
  return isAllowed ? app.fetch(request) : refused(FOR_OPERATORS);
}

function refused(failure: Failure): Response {
  return failureResponse(openaiChat, failure, newRequestId());
}

function createApp({ metrics, notReady, metricsOfAll, status }: OpsOptions): Hono {
  // Hono's own `getPath` requires a host, which health checks over HTTP/1.0 do not send.
  const app = new Hono({ getPath: (request) => requestTarget(request.url).path });
  app.route(
    '/',
    opsRoutes({
      newRequestId,
      notReady: async () => notReady(),
      status: () => status.read(),
      metrics: () => metricsOfAll(metrics),
      turns: eventLoopTurns,
    }),
  );
  // Only reached for a wrong method: unknown paths do not get here.
  app.notFound(({ req }) => methodNotAllowed(req.raw, openaiChat, { allow: 'GET, HEAD', newRequestId }));
  // The surrounding guard answers.
  app.onError((error) => {
    throw error;
  });
  return app;
}
