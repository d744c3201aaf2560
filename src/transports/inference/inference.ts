import { Failure } from '../../domain/failure/failure.ts';
import type { ServedApis } from '../../engine/batches/served-apis.ts';
import type { CacheFeedback } from '../../engine/cache/feedback.ts';
import type { Calls } from '../../engine/call/call.ts';
import { type Operations, textOperationOf } from '../../engine/operations/index.ts';
import type { MediaStore } from '../../engine/ports/media-store.ts';
import type { Realtime } from '../../engine/relay/realtime.ts';
import type { StoredResponses } from '../../engine/stored-responses/stored-responses.ts';
import type { AccountTasks } from '../../engine/tasks/account-tasks.ts';
import type { AccountVideos } from '../../engine/tasks/account-videos.ts';
import type { TaskReader } from '../../engine/tasks/read-task.ts';
import { clientFormats } from '../../formats/index.ts';
import { requestTarget } from '../../formats/shared/request/request-target.ts';
import type { Endpoint } from '../../formats/text/client-request.ts';
import type { ClientFormat } from '../../formats/text/format.ts';
import { AnswerHeaders } from './answer-headers.ts';
import { type BodyBudget, BodyLease } from './body-budget.ts';
import { cacheFeedbackRoute } from './cache-feedback-route.ts';
import { DelegatedCalls } from './delegated-calls.ts';
import { failureResponse, methodNotAllowed } from './failure-response.ts';
import type { UploadFolder } from './form/upload-folder.ts';
import { frontPage } from './front-page.ts';
import { HttpTextInbound } from './http-text-inbound.ts';
import { mediaRoute } from './media-route.ts';
import { type ModelRoutesOptions, modelRoutes } from './model-routes.ts';
import { notFound } from './not-found.ts';
import { type OpenApiRoutesOptions, openApiRoutes } from './openapi/openapi-routes.ts';
import { asOpenRouterAnswers } from './openrouter-answers.ts';
import { operationRoutes } from './operation-routes.ts';
import { toResponse } from './outbound-response.ts';
import type { PublicOriginOptions } from './public-origin.ts';
import { realtimeRoute } from './realtime-route.ts';
import { relayedRoutes } from './relayed-routes.ts';
import type { ResponseSockets } from './response-sockets.ts';
import type { CallRoute, ClientRequest, Connections, RouteHandler, Routes } from './route.ts';
import { isUpgrade } from './socket-route.ts';
import { storedResponseRoutes } from './stored-response-routes.ts';
import { taskRoutes } from './task-routes.ts';
import { isOpenRouterPath, TolerantPaths } from './tolerant-paths.ts';
import { Uploads } from './uploads.ts';
import { type UsageRouteOptions, usageRoutes } from './usage-routes.ts';
import { videoRoutes } from './video-routes.ts';

export interface InferenceOptions
  extends ModelRoutesOptions,
    PublicOriginOptions,
    OpenApiRoutesOptions,
    UsageRouteOptions {
  readonly mediaStore: MediaStore;
  readonly calls: Calls;
  readonly operations: Operations;
  readonly storedResponses: StoredResponses;
  readonly taskReader: TaskReader;
  readonly accountTasks: AccountTasks;
  readonly accountVideos: AccountVideos;
  /** Serves the cache's feedback endpoint. */
  readonly cacheFeedback: CacheFeedback;
  readonly maxBodyBytes: number;
  readonly bodyBudget: BodyBudget;
  readonly servedApis: ServedApis;
  readonly realtime: Realtime;
  readonly maxUploadBytes: number;
  readonly uploadFolder: UploadFolder;
  readonly responseSockets: ResponseSockets;
}

/** The path at which a GET may become a WebSocket. */
const RESPONSES_PATH = '/v1/responses';

/** How long a client connection may be idle between requests, or a client may read nothing of a stream. */
const IDLE_SECONDS = 120;

/** The inference endpoints by path; `fallback` answers all other paths. */
export interface InferenceRoutes {
  readonly routes: Routes;
  readonly fallback: RouteHandler;
  /** The routes that ask models, for callers that have a key without its secret. */
  readonly delegated: DelegatedCalls;
}

/** Matches a path that a wildcard route (`/v1/models/*`) would accept although no client means it literally. */
const HAS_EMPTY_SEGMENT = /[^:]\/(?:\/|\?|$)/;

export function inferenceRoutes(options: InferenceOptions): InferenceRoutes {
  const uploads = new Uploads();
  const calls = callRoutesOf({ ...options, uploads });
  const routes = { ...routesOf({ ...options, uploads }), ...calls };
  const tolerant = new TolerantPaths(routes);
  const fallback: RouteHandler = (request, connections) => {
    const answer = tolerant.answer(request, connections) ?? notFound(request, connections, options);
    return isOpenRouterPath(requestTarget(request.url).path) ? asOpenRouterAnswers(answer) : answer;
  };
  const withRest = Object.entries(routes).map(([path, handler]): [string, RouteHandler] => {
    if (!path.endsWith('*')) return [path, handler];
    return [
      path,
      (request, connections) =>
        (HAS_EMPTY_SEGMENT.test(request.url) ? tolerant.answer(request, connections) : null) ??
        handler(request, connections),
    ];
  });
  return { routes: Object.fromEntries(withRest), fallback, delegated: new DelegatedCalls(calls) };
}

function routesOf(options: ReceivingOptions): Routes {
  return {
    '/': frontPage(options),
    ...openApiRoutes(options),
    ...usageRoutes(options),
    ...relayedRoutes(options),
    ...realtimeRoute(options),
    ...mediaRoute(options),
  };
}

/** Returns the routes that ask models or report on the results. */
function callRoutesOf(options: ReceivingOptions): Routes {
  const calls: CallRoute[] = [];
  for (const format of clientFormats.values()) {
    for (const endpoint of format.endpoints) {
      const route = { ...options, format, endpoint, answerHeaders: new AnswerHeaders() };
      const post: RouteHandler = (request, connections) => handle(request, connections, route);
      calls.push({ format, endpoint, post });
    }
  }
  const routes: Record<string, RouteHandler> = {};
  for (const { format, endpoint, post } of calls) {
    const sockets = endpoint.path === RESPONSES_PATH ? options.responseSockets : null;
    routes[endpoint.path] = (request, connections) => {
      if (request.method === 'POST') return post(request, connections);
      if (sockets !== null && isUpgrade(request)) return sockets.upgrade(request, connections);
      return methodNotAllowed(request, format, { allow: 'POST', newRequestId: options.newRequestId });
    };
  }
  return {
    ...operationRoutes(options),
    ...routes,
    ...modelRoutes(options, calls),
    ...storedResponseRoutes(options),
    ...taskRoutes(options),
    ...videoRoutes(options),
    ...cacheFeedbackRoute(options),
  };
}

/** All endpoints share the watchdog over an account's uploads. */
interface ReceivingOptions extends InferenceOptions {
  readonly uploads: Uploads;
}

/** The route of a text endpoint. */
interface TextRoute extends ReceivingOptions {
  readonly format: ClientFormat;
  readonly endpoint: Endpoint;
  readonly answerHeaders: AnswerHeaders;
}

async function handle(request: ClientRequest, connections: Connections, route: TextRoute): Promise<Response> {
  const { format, endpoint, answerHeaders, calls, operations, bodyBudget, newRequestId } = route;
  const call = endpoint.call(request.url);
  if (call instanceof Failure) return failureResponse(format, call, newRequestId());
  const lease = new BodyLease(bodyBudget);
  const inbound = new HttpTextInbound(request, connections, format, call, lease, route);
  const outbound = await calls.run(textOperationOf(operations, inbound), inbound);
  // A stream without pings may be silent as long as its upstream is; the engine detects clients that read nothing.
  const isSilent = outbound.kind === 'stream' && !calls.responder.pingsStreams;
  connections.timeout(request, isSilent ? 0 : IDLE_SECONDS);
  const response = toResponse(outbound, lease, answerHeaders);
  // The rest of the body arrives too slowly to wait for it.
  if (inbound.wasCutOff) response.headers.set('connection', 'close');
  return response;
}
