import type { TracedSession } from '../../engine/ports/tracing.ts';
import { HTTP, REQUEST, SESSION } from '../names.ts';
import type { Attributes, Span } from './span.ts';

const SWITCHING_PROTOCOLS = 101;

/** Returns the span of a connection, from its handshake to its end. */
export function sessionSpan(session: TracedSession): Span {
  const { context, parent, requestId, clientRequestId, accountId, line, openedAtMs, closedAtMs, turns } = session;
  const attributes: Attributes = {
    ...{ [HTTP.method]: line.method, [HTTP.route]: line.route, [HTTP.path]: line.path },
    ...{ [HTTP.status]: SWITCHING_PROTOCOLS, [REQUEST.id]: requestId, [REQUEST.account]: accountId },
    [SESSION.turns]: turns,
  };
  if (clientRequestId !== null) attributes[REQUEST.clientId] = clientRequestId;
  return {
    ...{ traceId: context.traceId, spanId: context.spanId, state: context.state },
    parent: parent && { traceId: parent.traceId, spanId: parent.spanId, state: parent.state, isRemote: true },
    ...{ name: `${line.method} ${line.route}`, kind: 'server', attributes, isError: false },
    ...{ fromMs: openedAtMs, toMs: Math.max(openedAtMs, closedAtMs) },
  };
}
