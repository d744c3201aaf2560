// The bare pass-through to which the budgets are relative: Bun's own server and fetch, bodies passed on unparsed, keys unchecked.
// Environment: UPSTREAM_ORIGIN. Prints its port as the first line.
const upstreamOrigin = process.env.UPSTREAM_ORIGIN ?? '';

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 255,
  async fetch(request) {
    const upstream = await fetch(upstreamOrigin + new URL(request.url).pathname, {
      method: request.method,
      headers: {
        'content-type': request.headers.get('content-type') ?? 'application/json',
        authorization: request.headers.get('authorization') ?? '',
      },
      body: await request.bytes(),
    });
    return new Response(upstream.body, {
      status: upstream.status,
      headers: { 'content-type': upstream.headers.get('content-type') ?? 'application/json' },
    });
  },
});
console.log(server.port);
