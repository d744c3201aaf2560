import { expect, test } from 'bun:test';
import { sessionSpan } from './session-span.ts';

const CONTEXT = { traceId: '019acf6e0b1c7d2e9f3a4b5c6d7e8f90', spanId: '9f3a4b5c6d7e8f90', flags: 1, state: 'own=1' };
const PARENT = { ...CONTEXT, spanId: '00f067aa0ba902b7' };
const SESSION = {
  ...{ context: CONTEXT, parent: null, requestId: 'req_1', clientRequestId: null, accountId: 'acme', turns: 3 },
  ...{ line: { method: 'GET', route: '/v1/responses', path: '/v1/responses' }, openedAtMs: 1_000, closedAtMs: 5_000 },
};

test('a connection is one span from its handshake to its end', () => {
  expect(sessionSpan(SESSION)).toEqual({
    ...{ traceId: CONTEXT.traceId, spanId: CONTEXT.spanId, state: 'own=1', parent: null },
    ...{ name: 'GET /v1/responses', kind: 'server', isError: false, fromMs: 1_000, toMs: 5_000 },
    attributes: {
      ...{ 'http.request.method': 'GET', 'http.route': '/v1/responses', 'url.path': '/v1/responses' },
      ...{ 'http.response.status_code': 101, 'switchyard.request.id': 'req_1', 'switchyard.account.id': 'acme' },
      'switchyard.session.turns': 3,
    },
  });
});

test('it continues the trace of the client of the handshake', () => {
  const span = sessionSpan({ ...SESSION, parent: PARENT, clientRequestId: 'order-1' });
  expect(span.parent).toEqual({ traceId: PARENT.traceId, spanId: PARENT.spanId, state: 'own=1', isRemote: true });
  expect(span.attributes['switchyard.client_request.id']).toBe('order-1');
});
