import { Failure } from '../../domain/failure/failure.ts';
import type { ServedApis } from '../../engine/batches/served-apis.ts';
import type { RelayedAnswer, RelayedCall, RelayedMethod, RelayedStream } from '../../engine/relay/relayed-call.ts';
import { clientFormats } from '../../formats/index.ts';
import { requestTarget } from '../../formats/shared/request/request-target.ts';
import type { ClientFormat } from '../../formats/text/format.ts';
import { openaiChat } from '../../formats/text/openai-chat/index.ts';
import { RELAYED_APIS, type RelayedApi, type RelayedApiName } from '../../providers/shared/relayed-apis.ts';
import { type BodyBudget, BodyLease } from './body-budget.ts';
import { methodNotAllowed } from './failure-response.ts';
import type { UploadFolder } from './form/upload-folder.ts';
import { shapeOf } from './model-shape.ts';
import { notFound } from './not-found.ts';
import { passingBody } from './passing-body.ts';
import { type PublicOriginOptions, publicOrigin } from './public-origin.ts';
import { type ClientRequest, type Connections, type RouteHandler, requestLine, secretOf } from './route.ts';
import { asStreamed } from './streamed-responses.ts';
import type { Uploads } from './uploads.ts';
import { formBody, wholeBody } from './whole-body.ts';

const IDLE_SECONDS = 120;
const METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] satisfies RelayedMethod[];

export interface RelayedRoutesOptions extends PublicOriginOptions {
  readonly servedApis: ServedApis;
  readonly newRequestId: () => string;
  readonly maxBodyBytes: number;
  readonly maxUploadBytes: number;
  readonly bodyBudget: BodyBudget;
  readonly uploads: Uploads;
  readonly uploadFolder: UploadFolder;
}

/** One address of an API. */
interface Place {
  readonly name: RelayedApiName;
  readonly format: ClientFormat;
  readonly isUpload: boolean;
}

/**
 * Returns the APIs over stored objects, each at its path and under it. Two vendors' APIs at one path are distinguished by their clients'
 * headers.
 */
export function relayedRoutes(options: RelayedRoutesOptions): Record<string, RouteHandler> {
  const routes: Record<string, RouteHandler> = {};
  for (const [path, places] of placesByPath()) {
    const handler: RouteHandler = (request, connections) => {
      const asked = requestTarget(request.url).path;
      const tail = asked.slice(path.length);
      // The server's router has matched the path as sent, whereas the request's own URL has `..` resolved.
      const isBelow = asked.startsWith(path) && (tail === '' || tail.startsWith('/'));
      const place = placeFor(request, places);
      if (!isBelow || place === undefined) return notFound(request, connections, options);
      if (METHODS.includes(request.method)) {
        return relay(request, connections, { place, tail, route: tail === '' ? path : `${path}/*` }, options);
      }
      return methodNotAllowed(request, place.format, { ...options, allow: METHODS.join(', ') });
    };
    routes[path] = handler;
    routes[`${path}/*`] = handler;
  }
  return routes;
}

function placesByPath(): Map<string, Place[]> {
  const places = new Map<string, Place[]>();
  const put = (path: string, place: Place) => places.set(path, [...(places.get(path) ?? []), place]);
  for (const [key, api] of Object.entries<RelayedApi>(RELAYED_APIS)) {
    const name = key as RelayedApiName;
    const format = clientFormats.get(api.format);
    if (format === undefined) throw new Error(`there is no client format ${api.format}`);
    // Google's newer SDKs use `v1` by default.
    const versions = api.format === 'gemini' ? ['v1beta', 'v1'] : ['v1'];
    for (const version of versions) {
      put(`/${version}/${api.path}`, { name, format, isUpload: false });
      if (api.uploads === true) put(`/upload/${version}/${api.path}`, { name, format, isUpload: true });
    }
  }
  return places;
}

function placeFor(request: ClientRequest, places: readonly Place[]): Place | undefined {
  if (places.length === 1) return places[0];
  const shape = shapeOf(request);
  return places.find(({ format }) => format === shape) ?? places.find(({ format }) => format === openaiChat);
}

interface Asked {
  readonly place: Place;
  readonly tail: string;
  readonly route: string;
}

async function relay(
  request: ClientRequest,
  connections: Connections,
  { place, tail, route }: Asked,
  options: RelayedRoutesOptions,
): Promise<Response> {
  const { servedApis, addresses, bodyBudget, uploads, maxUploadBytes } = options;
  const { headers } = request;
  const length = Number(headers.get('content-length') ?? Number.NaN);
  const bodyBytes = Number.isSafeInteger(length) ? length : null;
  const lease = new BodyLease(bodyBudget);
  const noIdleTimer = () => connections.timeout(request, 0);
  const call: RelayedCall = {
    envelope: place.format,
    api: place.name,
    method: request.method as RelayedMethod,
    tail,
    isUpload: place.isUpload,
    query: requestTarget(request.url).query,
    secret: secretOf(place.format, request),
    address: () => addresses.of(request, connections),
    line: () => requestLine(request, route),
    header: (name) => headers.get(name),
    origin: () => publicOrigin(request, connections, options),
    bodyBytes: bodyBytes ?? (headers.has('transfer-encoding') ? null : 0),
    readBody: wholeBody({ ...options, request, connections, lease }),
    readForm: formBody({ ...options, request, connections, lease }),
    passBody: (accountId) => {
      noIdleTimer();
      return passingBody(request, { accountId, limitBytes: maxUploadBytes, uploads, length: bodyBytes });
    },
    get signal() {
      return request.signal;
    },
  };
  try {
    noIdleTimer();
    const answer = await servedApis.run(call);
    connections.timeout(request, answer.isEventStream ? 0 : IDLE_SECONDS);
    return toResponse(answer);
  } finally {
    lease.end();
  }
}

function toResponse({ status, headers, body }: RelayedAnswer): Response {
  const content = body !== null && typeof body === 'object' && 'next' in body ? readable(body) : body;
  const isEmpty = status === 204 || status === 205 || status === 304;
  return asStreamed(new Response(isEmpty ? null : content, { status, headers }));
}

/**
 * Returns a stream that pulls only when the client has room. A truncated answer closes the connection, so that no client takes it for
 * complete.
 */
function readable(stream: RelayedStream): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const piece = await stream.next();
        if (piece instanceof Failure) controller.error(undefined);
        else if (piece === null) controller.close();
        else controller.enqueue(piece);
      },
      cancel: () => stream.clientLeft(),
    },
    { highWaterMark: 0 },
  );
}
