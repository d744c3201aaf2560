import { after } from '../../domain/concurrency/after.ts';
import { clientRequestIdIn, clientTraceIn, ownPositionIn } from '../../domain/trace/call-identity.ts';
import { traceparentOf } from '../../domain/trace/trace-context.ts';
import type { ServerHandler } from './route.ts';

/**
 * Wraps a handler so that every answer repeats the ids of its client: its request id, and the position in its trace of the gateway's own
 * work. A request without any costs three look-ups of a header.
 */
export function echoing(handler: ServerHandler): ServerHandler {
  return (request, connections) => {
    const { headers } = request;
    const isKnown = headers.has('x-client-request-id') || headers.has('x-request-id') || headers.has('traceparent');
    if (!isKnown) return handler(request, connections);
    return after(handler(request, connections), (answer) => withIds(answer, headers));
  };
}

function withIds(answer: Response, headers: Headers): Response {
  const own = answer.headers.get('x-request-id');
  if (own === null) return answer;
  const ids = echoedIds(own, headers);
  // The engine knows more about the trace of a call, if it has set one.
  for (const [name, value] of Object.entries(ids)) if (!answer.headers.has(name)) answer.headers.set(name, value);
  return answer;
}

/**
 * Returns the headers with the client's valid ids, for an answer that no handler passes through, such as that of a handshake.
 * @param headers those of the request
 */
export function echoedIds(requestId: string, headers: Pick<Headers, 'get'>): Record<string, string> {
  const from = { header: (name: string) => headers.get(name) };
  const clientRequestId = clientRequestIdIn(from);
  const position = ownPositionIn({ requestId, clientTrace: clientTraceIn(from) });
  return {
    ...(clientRequestId !== null && { 'x-client-request-id': clientRequestId }),
    ...(position !== null && { traceparent: traceparentOf(position) }),
  };
}
