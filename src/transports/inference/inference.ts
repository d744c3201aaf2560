import { type Context, Hono } from 'hono';
import { Failure } from '../../domain/failure/failure.ts';
import { bearerSecret } from '../../engine/exchange/authenticate.ts';
import type { ClientStream } from '../../engine/exchange/client-stream.ts';
import type { Exchange, Outbound } from '../../engine/exchange/exchange.ts';
import type { Format } from '../../formats/format.ts';
import { formats } from '../../formats/index.ts';
import { readBody } from './body.ts';

export interface InferenceOptions {
  readonly exchange: Exchange;
  readonly maxBodyBytes: number;
  readonly newRequestId: () => string;
}

/** How long a client connection may lie idle between requests, or a client may read nothing of a stream. */
const IDLE_SECONDS = 120;

/** Bun's handle on a connection's idle timer; absent when the app is called without a server, as tests do. */
interface ConnectionTimer {
  timeout(request: Request, seconds: number): void;
}

/** The inference endpoints: each format's routes, and clear answers for every path and method that is not one. */
export function inferenceRoutes(options: InferenceOptions): Hono {
  const app = new Hono();
  for (const format of formats.values()) {
    app.post(format.path, (context) => handle(context, format, options));
    app.all(format.path, (context) => methodNotAllowed(context, format, options));
  }
  return app;
}

async function handle(
  context: Context,
  format: Format,
  { exchange, maxBodyBytes }: InferenceOptions,
): Promise<Response> {
  const request = context.req.raw;
  const timer = timerOf(context);
  const outbound = await exchange.run({
    format,
    secret: bearerSecret(request.headers.get('authorization')),
    readBody: async () => {
      const body = await readBody(request, maxBodyBytes);
      // From here on the client waits for the upstream, whose own timeouts bound that.
      timer?.timeout(request, 0);
      return body;
    },
    signal: request.signal,
  });
  timer?.timeout(request, IDLE_SECONDS);
  return toResponse(outbound);
}

function timerOf(context: Context): ConnectionTimer | null {
  const env: unknown = context.env;
  return isTimer(env) ? env : null;
}

function isTimer(value: unknown): value is ConnectionTimer {
  return typeof value === 'object' && value !== null && 'timeout' in value && typeof value.timeout === 'function';
}

function toResponse(outbound: Outbound): Response {
  if (outbound.kind === 'whole')
    return new Response(outbound.body, { status: outbound.status, headers: outbound.headers });
  return new Response(readable(outbound.stream), { status: 200, headers: outbound.headers });
}

/** Pulled only when the client has room: with a mark of 0 nothing is read ahead. */
function readable(stream: ClientStream): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = await stream.next();
        if (piece === null) controller.close();
        else controller.enqueue(piece);
      },
      cancel() {
        stream.clientLeft();
      },
    },
    { highWaterMark: 0 },
  );
}

function methodNotAllowed(context: Context, format: Format, options: InferenceOptions): Response {
  const failure = new Failure('method_not_allowed', {
    message: `${context.req.method} is not allowed on ${format.path}. Use POST with a JSON body.`,
  });
  return failureResponse(format, failure, options.newRequestId(), { allow: 'POST' });
}

/** A failure outside of any exchange: unknown paths, wrong methods. */
export function failureResponse(
  format: Format,
  failure: Failure,
  requestId: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const rendered = format.encodeFailure(failure);
  return new Response(rendered.body, {
    status: rendered.status,
    headers: { ...rendered.headers, ...headers, 'x-request-id': requestId },
  });
}
