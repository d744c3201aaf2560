import { Failure } from '../../domain/failure/failure.ts';
import type { TaskKind } from '../../domain/tasks/task.ts';
import type { Caller } from '../../engine/access/caller.ts';
import type { AdmittedResult } from '../../engine/call/admitted-call.ts';
import type { AccountTasks } from '../../engine/tasks/account-tasks.ts';
import type { TaskReader } from '../../engine/tasks/read-task.ts';
import { requestTarget } from '../../formats/shared/request/request-target.ts';
import { openaiChat } from '../../formats/text/openai-chat/index.ts';
import type { ClientAddresses } from './client-address.ts';
import { failureResponse, methodNotAllowed } from './failure-response.ts';
import { type PublicOriginOptions, publicOrigin } from './public-origin.ts';
import { type RouteHandler, secretOf } from './route.ts';

export interface TaskRouteOptions extends PublicOriginOptions {
  readonly taskReader: Pick<TaskReader, 'read'>;
  readonly accountTasks: Pick<AccountTasks, 'list' | 'cancel'>;
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
  const { taskReader, accountTasks } = options;
  const readers = Object.entries(PATHS).map(([path, kind]): [string, RouteHandler] => {
    const read: AnswerTask = (caller, { segments, origin }) =>
      taskReader.read(caller, { id: segments.at(-1) ?? '', kind, origin });
    return [path, admittedRoute(options, { GET: read })];
  });
  return {
    ...Object.fromEntries(readers),
    '/v1/tasks': admittedRoute(options, {
      GET: (caller, { query, origin }) => accountTasks.list(caller, query, origin),
    }),
    '/v1/tasks/:id/cancel': admittedRoute(options, {
      POST: (caller, { segments, origin }) => accountTasks.cancel(caller, segments[3] ?? '', origin),
    }),
  };
}

/** The parts of a request without a body. */
export interface AskedPath {
  /** The path by its slashes; the first is empty. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  /** The origin by which the client reaches the gateway. */
  readonly origin: string;
}

export type AnswerTask = (caller: Caller, asked: AskedPath) => Promise<AdmittedResult<string>>;

type Method = 'GET' | 'POST' | 'DELETE';

/** Returns a route that answers each method with JSON that must not be cached. A `GET` also answers `HEAD`. */
export function admittedRoute(
  options: Pick<TaskRouteOptions, 'newRequestId' | 'addresses' | keyof PublicOriginOptions>,
  answers: Readonly<Partial<Record<Method, AnswerTask>>>,
): RouteHandler {
  const { newRequestId, addresses } = options;
  const allow = Object.keys(answers).flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return async (request, connections) => {
    const { method } = request;
    const answer = method === 'HEAD' ? answers.GET : answers[method as Method];
    if (answer === undefined) {
      return methodNotAllowed(request, openaiChat, { allow: allow.join(', '), newRequestId });
    }
    const caller = {
      envelope: openaiChat,
      secret: secretOf(openaiChat, request),
      address: () => addresses.of(request, connections),
    };
    const { path, query } = requestTarget(request.url);
    const origin = publicOrigin(request, connections, options);
    const { result, headers } = await answer(caller, { segments: path.split('/'), query, origin });
    if (result instanceof Failure) return failureResponse(openaiChat, result, newRequestId(), headers);
    const own = {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-request-id': newRequestId(),
    };
    return new Response(result, { headers: { ...own, ...headers } });
  };
}
