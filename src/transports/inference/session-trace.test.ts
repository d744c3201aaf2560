import { expect, test } from 'bun:test';
import { identityOf } from '../../domain/trace/call-identity.ts';
import { serverSpanIdOf, traceIdOf } from '../../domain/trace/span-ids.ts';
import type { CallEnd, TracedSession } from '../../engine/ports/tracing.ts';
import { SessionTrace } from './session-trace.ts';

const REQUEST = 'req_019acf6e-0b1c-7d2e-9f3a-4b5c6d7e8f90';
const HEADERS = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', 'x-request-id': 'order-1' };

function traceWith(isExported: boolean) {
  const exported: TracedSession[] = [];
  const ends: CallEnd[] = [];
  let nowMs = 1_000;
  const trace = new SessionTrace({
    tracing: {
      begin: ({ requestId }) => ({
        ...{ traceId: traceIdOf(requestId), spanId: serverSpanIdOf(requestId), flags: 0, state: null },
      }),
      isExported: (end) => {
        ends.push(end);
        return isExported;
      },
      exportSession: (session) => void exported.push(session),
    },
    clock: { nowMs: () => nowMs },
    identity: identityOf(REQUEST, { header: (name) => new Headers(HEADERS).get(name) }),
    accountId: 'acme',
    line: { method: 'GET', route: '/v1/responses', path: '/v1/responses' },
  });
  nowMs = 61_000;
  trace.end(7);
  return { exported, ends };
}

test('a connection is exported at its end, with the ids of its handshake and the number of its requests', () => {
  expect(traceWith(true).exported).toMatchObject([
    {
      context: { spanId: serverSpanIdOf(REQUEST) },
      ...{ parent: { spanId: '00f067aa0ba902b7' }, requestId: REQUEST, clientRequestId: 'order-1', accountId: 'acme' },
      ...{ openedAtMs: 1_000, closedAtMs: 61_000, turns: 7 },
    },
  ]);
});

test('a connection that is not sampled is not exported because it was open for long', () => {
  const { exported, ends } = traceWith(false);
  expect(exported).toEqual([]);
  expect(ends).toMatchObject([{ failureSide: null, latencyMs: 0 }]);
});
