import { Failure } from '../../domain/failure/failure.ts';
import { percentDecoded } from '../../domain/text/percent-decoded.ts';
import type { InputItemsQuery, StoredAnswer, StoredResponses } from '../../engine/stored-responses/stored-responses.ts';
import { requestTarget } from '../../formats/shared/request/request-target.ts';
import { openaiResponses } from '../../formats/text/openai-responses/index.ts';
import type { ClientAddresses } from './client-address.ts';
import { failureResponse, methodNotAllowed } from './failure-response.ts';
import { type ClientRequest, type Connections, type RouteHandler, secretOf } from './route.ts';

const PATH = '/v1/responses/:id';
const DEFAULT_PAGE = 20;
const LONGEST_PAGE = 100;

interface StoredResponseOptions {
  readonly storedResponses: StoredResponses;
  readonly newRequestId: () => string;
  readonly addresses: ClientAddresses;
}

/** Serves `GET` and `DELETE /v1/responses/{id}` and `GET /v1/responses/{id}/input_items` from the gateway's own store. */
export function storedResponseRoutes(options: StoredResponseOptions): Record<string, RouteHandler> {
  const { storedResponses, newRequestId, addresses } = options;
  const callerOf = (request: ClientRequest, connections: Connections) => ({
    envelope: openaiResponses,
    secret: secretOf(openaiResponses, request),
    address: () => addresses.of(request, connections),
  });
  return {
    [PATH]: (request, connections) => {
      const caller = callerOf(request, connections);
      const id = idIn(request.url);
      if (request.method === 'GET') return answer(options, readable(request.url) ?? storedResponses.read(caller, id));
      if (request.method === 'DELETE') return answer(options, storedResponses.delete(caller, id));
      return methodNotAllowed(request, openaiResponses, { allow: 'GET, DELETE', newRequestId });
    },
    [`${PATH}/input_items`]: (request, connections) => {
      if (request.method !== 'GET') return methodNotAllowed(request, openaiResponses, { allow: 'GET', newRequestId });
      const query = inputItemsQuery(request.url);
      if (query instanceof Failure) return answer(options, query);
      const caller = callerOf(request, connections);
      return answer(options, storedResponses.inputItems(caller, idIn(request.url), query));
    },
  };
}

async function answer(
  { newRequestId }: StoredResponseOptions,
  answering: Failure | Promise<StoredAnswer>,
): Promise<Response> {
  const { result, headers } = answering instanceof Failure ? { result: answering, headers: {} } : await answering;
  if (result instanceof Failure) return failureResponse(openaiResponses, result, newRequestId(), headers);
  const own = { 'content-type': 'application/json', 'x-request-id': newRequestId() };
  return new Response(result, { headers: { ...own, ...headers } });
}

function idIn(url: string): string {
  const segment = requestTarget(url).path.split('/')[3] ?? '';
  return percentDecoded(segment) ?? segment;
}

/**
 * Returns a failure if a stream is requested: a stored response can be streamed only while it runs in the background, which the gateway
 * does not support.
 */
function readable(url: string): Failure | null {
  if (requestTarget(url).query.get('stream') !== 'true') return null;
  return new Failure('invalid_value', {
    message: '`stream` must be false: stored responses cannot be streamed.',
    param: 'stream',
  });
}

function inputItemsQuery(url: string): InputItemsQuery | Failure {
  const { query } = requestTarget(url);
  const limit = Number(query.get('limit') ?? DEFAULT_PAGE);
  if (!Number.isInteger(limit) || limit < 1 || limit > LONGEST_PAGE) {
    return new Failure('invalid_value', {
      message: `\`limit\` must be an integer from 1 to ${LONGEST_PAGE}; got ${JSON.stringify(query.get('limit')?.slice(0, 50))}.`,
      param: 'limit',
    });
  }
  const order = query.get('order') ?? 'desc';
  if (order !== 'asc' && order !== 'desc') {
    return new Failure('invalid_value', { message: '`order` must be `asc` or `desc`.', param: 'order' });
  }
  return { limit, order, after: query.get('after') };
}
