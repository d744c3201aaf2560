// The same bare pass-through on Node, for docs/decisions/001-runtime.md: node:http as the server and, by CLIENT, either the built-in fetch
// or node:http's own client towards the upstream. Environment: UPSTREAM_ORIGIN, CLIENT=fetch|http.
import http from 'node:http';
import { Readable } from 'node:stream';

const upstreamOrigin = new URL(process.env.UPSTREAM_ORIGIN ?? '');
const agent = new http.Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

function forwardedHeaders(request) {
  return {
    'content-type': request.headers['content-type'] ?? 'application/json',
    authorization: request.headers.authorization ?? '',
  };
}

function withHttpClient(request, response) {
  const upstreamRequest = http.request(
    {
      agent,
      host: upstreamOrigin.hostname,
      port: upstreamOrigin.port,
      path: request.url,
      method: request.method,
      headers: { ...forwardedHeaders(request), 'content-length': request.headers['content-length'] ?? '0' },
    },
    (upstream) => {
      response.writeHead(upstream.statusCode ?? 502, { 'content-type': upstream.headers['content-type'] });
      upstream.pipe(response);
    },
  );
  upstreamRequest.on('error', () => response.destroy());
  request.pipe(upstreamRequest);
}

async function withFetch(request, response) {
  const parts = [];
  for await (const part of request) parts.push(part);
  const upstream = await fetch(new URL(request.url, upstreamOrigin), {
    method: request.method,
    headers: forwardedHeaders(request),
    body: Buffer.concat(parts),
  });
  response.writeHead(upstream.status, { 'content-type': upstream.headers.get('content-type') });
  Readable.fromWeb(upstream.body).pipe(response);
}

const handler = process.env.CLIENT === 'http' ? withHttpClient : withFetch;
const server = http.createServer((request, response) => {
  Promise.resolve(handler(request, response)).catch(() => response.destroy());
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
