import { Hono } from 'hono';
import { Failure } from '../domain/failure/failure.ts';
import type { FamilySnapshot } from '../domain/metrics/snapshot.ts';
import { requestTarget } from '../formats/shared/request/request-target.ts';
import { openaiChat } from '../formats/text/openai-chat/index.ts';
import { failureResponse, methodNotAllowed } from '../transports/inference/failure-response.ts';
import type { ServerHandler } from '../transports/inference/route.ts';
import { MetricsAccess } from '../transports/ops/metrics-access.ts';
import { opsRoutes } from '../transports/ops/ops.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { newRequestId } from './system.ts';

interface OpsOptions {
  /** Resolves to the metrics of this process. */
  readonly metrics: () => Promise<readonly FamilySnapshot[]>;
  readonly notReady: () => string | null;
  readonly metricsToken: string | null;
  readonly metricsOfAll: GatewayOptions['metricsOfAll'];
}

/** Creates the handler of `OPS_PATHS`: health checks and metrics. */
export function createOps(options: OpsOptions): ServerHandler {
  const app = createApp(options);
  const access = new MetricsAccess(options.metricsToken);
  return (request, connections) => {
    const isMetrics = requestTarget(request.url).path === '/metrics';
    const peer = () => connections.requestIP(request)?.address ?? null;
    return isMetrics && !access.admits(request, peer()) ? noMetrics() : app.fetch(request);
  };
}

function noMetrics(): Response {
  const failure = new Failure('access_denied', {
    message: 'You are not allowed to read the metrics.',
    hint: 'Send the configured `server.metrics_token` in the header `Authorization: Bearer …`; without one, metrics can be read only on the machine itself.',
  });
  return failureResponse(openaiChat, failure, newRequestId());
}

function createApp({ metrics, notReady, metricsOfAll }: OpsOptions): Hono {
  // Hono's own `getPath` requires a host, which health checks over HTTP/1.0 do not send.
  const app = new Hono({ getPath: (request) => requestTarget(request.url).path });
  app.route(
    '/',
    opsRoutes({
      newRequestId,
      notReady: async () => notReady(),
      metrics: () => metricsOfAll(metrics),
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
