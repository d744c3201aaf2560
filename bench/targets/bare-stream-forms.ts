// The bare pass-through with JavaScript handling every chunk, in the forms that Bun offers, for docs/decisions/001-runtime.md. Environment:
// UPSTREAM_ORIGIN, FORM=pull|direct|generator. Prints its port as the first line.
const upstreamOrigin = process.env.UPSTREAM_ORIGIN ?? '';

type Bytes = ReadableStream<Uint8Array<ArrayBuffer>>;

function pulled(upstream: Bytes): ReadableStream {
  const reader = upstream.getReader();
  const source = {
    async pull(controller: ReadableStreamDefaultController) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => reader.cancel(),
  };
  return new ReadableStream(source, { highWaterMark: 0 });
}

function direct(upstream: Bytes): ReadableStream {
  return new ReadableStream({
    type: 'direct',
    async pull(controller) {
      for await (const chunk of upstream) {
        controller.write(chunk);
        await controller.flush();
      }
      controller.close();
    },
  });
}

async function* generated(upstream: Bytes): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for await (const chunk of upstream) yield chunk;
}

function handOn(upstream: Bytes, init: ResponseInit): Response {
  switch (process.env.FORM) {
    case 'direct':
      return new Response(direct(upstream), init);
    case 'generator':
      return new Response(generated(upstream), init);
    default:
      return new Response(pulled(upstream), init);
  }
}

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
    const headers = { 'content-type': upstream.headers.get('content-type') ?? 'application/json' };
    return upstream.body === null
      ? new Response(null, { status: upstream.status, headers })
      : handOn(upstream.body, { status: upstream.status, headers });
  },
});
console.log(server.port);
