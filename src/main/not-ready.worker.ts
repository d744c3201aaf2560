import { parentPort, workerData } from 'node:worker_threads';
import type { NotReadyOptions } from './not-ready.ts';

/* Listens while the database is being upgraded, in a thread of its own, since SQLite's upgrade blocks the main one. */

const RETRY_AFTER_S = 5;

function answer({ url }: Request, reason: string): Response {
  const headers = { 'cache-control': 'no-store', 'retry-after': String(RETRY_AFTER_S) };
  const { pathname } = new URL(url);
  if (pathname === '/healthz') return Response.json({ status: 'ok' });
  if (pathname === '/readyz') return Response.json({ status: 'not_ready', reason }, { status: 503, headers });
  return Response.json({ error: { code: 'not_ready', message: reason } }, { status: 503, headers });
}

function serve({ host: hostname, port, inGroup, reason }: NotReadyOptions) {
  const server = Bun.serve({
    hostname,
    port,
    development: false,
    reusePort: inGroup,
    fetch: (request) => answer(request, reason),
  });
  parentPort?.once('message', async () => {
    // Ends kept-alive connections, so that the gateway gets the next requests.
    await server.stop(true);
    parentPort?.postMessage('closed');
    parentPort?.close();
  });
  parentPort?.postMessage('listening');
}

try {
  serve(workerData);
} catch (error) {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  parentPort?.postMessage({ code, message: error instanceof Error ? error.message : String(error) });
  parentPort?.close();
}
