import { Failure } from '../../domain/failure/failure.ts';
import type { ClientStream } from '../../engine/exchange/client-stream.ts';
import type { Exchange, Outbound } from '../../engine/exchange/exchange.ts';
import type { StoredResponses } from '../../engine/exchange/stored-responses.ts';
import type { ClientFormat, Endpoint } from '../../formats/format.ts';
import { clientFormats } from '../../formats/index.ts';
import { readBody } from './body.ts';
import { failureResponse } from './failure-response.ts';
import { methodNotAllowed } from './method-not-allowed.ts';
import { type ModelRoutesOptions, modelRoutes } from './model-routes.ts';
import type { CallRoute, ConnectionTimer, RouteHandler } from './route.ts';
import { storedResponseRoutes } from './stored-response-routes.ts';

export interface InferenceOptions extends ModelRoutesOptions {
  readonly exchange: Exchange;
  readonly storedResponses: StoredResponses;
  readonly maxBodyBytes: number;
}

/** How long a client connection may lie idle between requests, or a client may read nothing of a stream. */
const IDLE_SECONDS = 120;

/** The inference endpoints by path. */
export function inferenceRoutes(options: InferenceOptions): Record<string, RouteHandler> {
  const calls: CallRoute[] = [];
  for (const format of clientFormats.values()) {
    for (const endpoint of format.endpoints) {
      const post: RouteHandler = (request, timer) => handle(request, timer, format, endpoint, options);
      calls.push({ format, endpoint, post });
    }
  }
  const routes: Record<string, RouteHandler> = {};
  for (const { format, endpoint, post } of calls) {
    routes[endpoint.path] = (request, timer) =>
      request.method === 'POST'
        ? post(request, timer)
        : methodNotAllowed(request, format, { allow: 'POST', newRequestId: options.newRequestId });
  }
  return { ...routes, ...modelRoutes(options, calls), ...storedResponseRoutes(options) };
}

async function handle(
  request: Request,
  timer: ConnectionTimer,
  format: ClientFormat,
  endpoint: Endpoint,
  { exchange, maxBodyBytes, newRequestId }: InferenceOptions,
): Promise<Response> {
  const call = endpoint.call(request.url);
  if (call instanceof Failure) return failureResponse(format, call, newRequestId());
  const outbound = await exchange.run({
    format,
    call,
    secret: format.secret(request.headers, request.url),
    header: (name) => request.headers.get(name),
    readBody: async () => {
      const body = await readBody(request, maxBodyBytes);
      // From here on the client waits for the upstream, whose own timeouts bound that.
      timer.timeout(request, 0);
      return body;
    },
    // Making the signal costs as much as reading the whole body: only when somebody asks for it.
    get signal() {
      return request.signal;
    },
  });
  timer.timeout(request, IDLE_SECONDS);
  return toResponse(outbound);
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
      pull: (controller) =>
        stream.next().then((piece) => {
          if (piece === null) controller.close();
          else controller.enqueue(piece);
        }),
      cancel() {
        stream.clientLeft();
      },
    },
    { highWaterMark: 0 },
  );
}
