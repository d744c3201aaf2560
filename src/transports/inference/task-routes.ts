import { Failure } from '../../domain/failure/failure.ts';
import type { TaskKind } from '../../domain/tasks/task.ts';
import type { TaskReader } from '../../engine/tasks/read-task.ts';
import { requestTarget } from '../../formats/shared/request/request-target.ts';
import { openaiChat } from '../../formats/text/openai-chat/index.ts';
import type { ClientAddresses } from './client-address.ts';
import { failureResponse, methodNotAllowed } from './failure-response.ts';
import { type PublicOriginOptions, publicOrigin } from './public-origin.ts';
import { type RouteHandler, secretOf } from './route.ts';

export interface TaskRouteOptions extends PublicOriginOptions {
  readonly taskReader: Pick<TaskReader, 'read'>;
  readonly newRequestId: () => string;
  readonly addresses: ClientAddresses;
}

/** The contract's unified path, and the older one of each kind. */
const PATHS: Readonly<Record<string, TaskKind | null>> = {
  '/v1/tasks/:id': null,
  '/v1/images/generations/:id': 'image',
  '/v1/videos/generations/:id': 'video',
  '/v1/music/generations/:id': 'music',
  '/v1/3d/generations/:id': '3d',
};

/** Serves the state of tasks. Answers show the current state, so caches must not keep them. */
export function taskRoutes(options: TaskRouteOptions): Record<string, RouteHandler> {
  return Object.fromEntries(Object.entries(PATHS).map(([path, kind]) => [path, taskRoute(kind, options)]));
}

function taskRoute(kind: TaskKind | null, options: TaskRouteOptions): RouteHandler {
  const { taskReader, newRequestId, addresses } = options;
  return async (request, connections) => {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return methodNotAllowed(request, openaiChat, { allow: 'GET, HEAD', newRequestId });
    const caller = {
      envelope: openaiChat,
      secret: secretOf(openaiChat, request),
      address: () => addresses.of(request, connections),
    };
    const id = requestTarget(request.url).path.split('/').at(-1) ?? '';
    const origin = publicOrigin(request, connections, options);
    const { result, headers } = await taskReader.read(caller, { id, kind, origin });
    if (result instanceof Failure) return failureResponse(openaiChat, result, newRequestId(), headers);
    const own = {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-request-id': newRequestId(),
    };
    return new Response(result, { headers: { ...own, ...headers } });
  };
}
