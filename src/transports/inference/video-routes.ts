import { Failure } from '../../domain/failure/failure.ts';
import type { AccountVideos } from '../../engine/tasks/account-videos.ts';
import { requestTarget } from '../../formats/shared/request/request-target.ts';
import { openaiChat } from '../../formats/text/openai-chat/index.ts';
import { failureResponse, methodNotAllowed } from './failure-response.ts';
import { serveMedia } from './media-route.ts';
import { type OperationRouteOptions, operationRoute } from './operation-routes.ts';
import { type RouteHandler, secretOf } from './route.ts';
import { admittedRoute } from './task-routes.ts';

export interface VideoRouteOptions extends OperationRouteOptions {
  readonly accountVideos: AccountVideos;
}

const ONE = '/v1/videos/:id';
/** The client's format in the request log. */
const FORMAT = 'openai-videos';

/** Methods of OpenAI's clients that no provider here has, by path. */
export const UNAVAILABLE: Readonly<Record<string, string>> = {
  '/v1/videos/extensions': 'videos.extend',
  '/v1/videos/characters': 'videos.createCharacter',
  '/v1/videos/characters/:id': 'videos.getCharacter',
};

/** Serves videos as OpenAI's clients ask for them (its published document, "Videos"), over every wire for videos. */
export function videoRoutes(options: VideoRouteOptions): Record<string, RouteHandler> {
  const { accountVideos } = options;
  const { openaiVideos, openaiRemix, openaiEdit } = options.operations;
  const create = operationRoute(openaiVideos, FORMAT, options);
  const list = admittedRoute(options, {
    GET: (caller, { query }) => accountVideos.list(caller, query),
  });
  return {
    '/v1/videos': (request, connections) => {
      if (request.method === 'POST') return create(request, connections);
      if (request.method === 'GET' || request.method === 'HEAD') return list(request, connections);
      return methodNotAllowed(request, openaiChat, { ...options, allow: 'GET, HEAD, POST' });
    },
    [ONE]: admittedRoute(options, {
      GET: (caller, { segments, origin }) => accountVideos.read(caller, segments[3] ?? '', origin),
      DELETE: (caller, { segments }) => accountVideos.delete(caller, segments[3] ?? ''),
    }),
    [`${ONE}/content`]: contentRoute(options),
    [`${ONE}/remix`]: operationRoute(openaiRemix, FORMAT, options),
    '/v1/videos/edits': operationRoute(openaiEdit, FORMAT, options),
    ...Object.fromEntries(Object.entries(UNAVAILABLE).map(([path, name]) => [path, unavailable(name, options)])),
  };
}

/** Sends the gateway's copy of a file, with ranges, or redirects to the provider's public URL. */
function contentRoute(options: VideoRouteOptions): RouteHandler {
  const { accountVideos, newRequestId, addresses } = options;
  return async (request, connections) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return methodNotAllowed(request, openaiChat, { allow: 'GET, HEAD', newRequestId });
    }
    const caller = {
      envelope: openaiChat,
      secret: secretOf(openaiChat, request),
      address: () => addresses.of(request, connections),
    };
    const { path, query } = requestTarget(request.url);
    const { result, headers } = await accountVideos.content(caller, path.split('/')[3] ?? '', query);
    if (result instanceof Failure) return failureResponse(openaiChat, result, newRequestId(), headers);
    if (result.kind === 'stored') return await serveMedia(result.media, request, newRequestId);
    const own = { location: result.url, 'cache-control': 'no-store', 'x-request-id': newRequestId() };
    return new Response(null, { status: 302, headers: { ...headers, ...own } });
  };
}

function unavailable(method: string, { newRequestId }: Pick<VideoRouteOptions, 'newRequestId'>): RouteHandler {
  return (request) => {
    const { path } = requestTarget(request.url);
    const failure = new Failure('unknown_url', {
      message: `This gateway does not serve \`${method}\` (${request.method} ${path.slice(0, 200)}): no provider has it over an API that the gateway uses.`,
      hint: 'Available are create, retrieve, list, delete, downloadContent, remix, and edit with the id of a video.',
    });
    return failureResponse(openaiChat, failure, newRequestId());
  };
}
