import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Collector } from './collector.ts';

/* The judge itself: it reads what the protocol allows, and refuses the rest. */

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';

let collector: Collector;
beforeAll(async () => {
  collector = await Collector.start();
});
afterAll(() => collector?.stop());

function send(body: string, type = 'application/json'): Promise<Response> {
  return fetch(`${collector.url}/v1/traces`, { method: 'POST', body, headers: { 'content-type': type } });
}

test('spans arrive with their tree, kind, status, attributes and links', async () => {
  const spans = [
    {
      ...{ traceId: TRACE_ID, spanId: '00f067aa0ba902b7', name: 'parent', kind: 2, status: { code: 2, message: 'no' } },
      ...{ startTimeUnixNano: '1700000000000000001', endTimeUnixNano: '1700000000000000003' },
      attributes: [
        { key: 'a', value: { intValue: '5' } },
        { key: 'b', value: { arrayValue: { values: [{ stringValue: 'x' }, { boolValue: true }] } } },
      ],
    },
    {
      ...{ traceId: TRACE_ID, spanId: '00f067aa0ba902b8', parentSpanId: '00f067aa0ba902b7', name: 'child', kind: 3 },
      links: [{ traceId: TRACE_ID, spanId: '00f067aa0ba902b7' }],
    },
  ];
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'mine' } }] };
  const answer = await send(JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] }));
  expect(answer.status).toBe(200);
  const [parent, child] = await collector.trace(TRACE_ID, ({ length }) => length === 2);
  expect(parent).toMatchObject({
    ...{ name: 'parent', kind: 'server', status: 'error', statusMessage: 'no', parentSpanId: '' },
    ...{ attributes: { a: 5, b: ['x', true] }, resource: { 'service.name': 'mine' } },
    ...{ startNs: 1700000000000000001n, endNs: 1700000000000000003n },
  });
  expect(child).toMatchObject({
    ...{ parentSpanId: parent?.spanId, kind: 'client', status: 'unset' },
    links: [{ traceId: TRACE_ID, spanId: parent?.spanId }],
  });
});

test.each([
  ['no JSON', 'spans', 'application/json', 400],
  ['an id that is not hexadecimal', '{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"x"}]}]}]}', undefined, 400],
  ['another content type', '{}', 'text/plain', 415],
  ['bytes that are no protobuf', 'spans', 'application/x-protobuf', 400],
])('%s is refused', async (_, body, type, status) => {
  expect((await send(body, type)).status).toBe(status);
});
