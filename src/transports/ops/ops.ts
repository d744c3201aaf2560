import { Hono } from 'hono';
import { Slices, type Turns } from '../../domain/concurrency/slices.ts';
import type { FamilySnapshot } from '../../domain/metrics/snapshot.ts';
import { formatFor, writeExposition } from './exposition.ts';

export interface OpsOptions {
  readonly newRequestId: () => string;
  /** Resolves to why the gateway is not ready for requests, or `null` if it is. */
  readonly notReady: () => Promise<string | null>;
  /** Resolves to the state of the gateway as JSON. */
  readonly status: () => Promise<string>;
  /** Resolves to the metrics of the whole gateway. */
  readonly metrics: () => Promise<readonly FamilySnapshot[]>;
  readonly turns: Turns;
}

export const OPS_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/status.json', '/metrics']);

/**
 * Returns `/healthz` (the process runs), `/readyz` (it can serve requests), `/status.json` (whether it works, and why not) and `/metrics`
 * (Prometheus).
 */
export function opsRoutes(options: OpsOptions): Hono {
  const app = new Hono();
  for (const path of OPS_PATHS) {
    app.use(path, async (context, next) => {
      await next();
      context.header('x-request-id', options.newRequestId());
    });
  }
  app.get('/healthz', (context) => context.json({ status: 'ok' }));
  app.get('/readyz', async (context) => {
    const reason = await options.notReady();
    return reason === null ? context.json({ status: 'ready' }) : context.json({ status: 'not_ready', reason }, 503);
  });
  app.get('/metrics', async (context) => {
    const format = formatFor(context.req.header('accept') ?? null);
    const { body, contentType } = await writeExposition(await options.metrics(), format, new Slices(options.turns));
    return new Response(body, { headers: { 'content-type': contentType, vary: 'Accept' } });
  });
  app.get('/status.json', async () => {
    return new Response(await options.status(), {
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' },
    });
  });
  return app;
}
