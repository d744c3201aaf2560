import { DEFAULT_TIMEOUTS } from '../domain/catalog/channel.ts';
import { Failure } from '../domain/failure/failure.ts';
import type { Upstream } from '../engine/ports/upstream.ts';
import { tokenThread } from '../providers/shared/token-thread.ts';

let warmed: Promise<void> | null = null;

/**
 * Loads and starts what would otherwise start on first use; once per process. Clients may hold all file descriptors by then, and Bun ends
 * the process if its HTTP client's thread, or a module, cannot get one: 300 connections without a request did that to a fresh gateway with
 * 256 descriptors.
 */
export function warmUp(upstream: Upstream): Promise<void> {
  warmed ??= askOwnServer(upstream);
  return warmed;
}

async function askOwnServer(upstream: Upstream): Promise<void> {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, development: false, fetch: () => new Response('warm') });
  const request = { url: server.url.href, method: 'GET', headers: {}, body: null, timeouts: DEFAULT_TIMEOUTS } as const;
  const client = upstream.send(request).then((answer) => (answer instanceof Failure ? answer : answer.body.read()));
  try {
    await Promise.all([tokenThread.start(), client]);
  } finally {
    await server.stop(true);
  }
}
