import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type FakeUpstream, refusal, startUpstream } from '../../conformance/first-light/upstream.ts';
import { readAttributes, TOOL_PAGES } from '../../conformance/shared/telemetry-pages.ts';
import { until } from '../../conformance/shared/until.ts';
import { Bed, chatBody, KEY, SECRETS, treeOf } from './bed.ts';
import type { Span } from './otlp-json.ts';

/* The traces of calls as a real collector receives them. */

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const CLIENT_SPAN = '00f067aa0ba902b7';

let bed: Bed;
let failing: FakeUpstream;

beforeAll(async () => {
  failing = startUpstream(() => refusal(503, 'overloaded'));
  bed = await Bed.start({
    channels: [
      {
        ...{ id: 'first', provider: 'openai-compatible', base_url: failing.baseUrl, api_key: SECRETS.upstreamKey },
        ...{ priority: -1, models: ['shaky'], breaker: { minimum_requests: 1_000 } },
      },
    ],
    models: [{ id: 'shaky', category: 'chat', pricing: { input_per_1m: '1', output_per_1m: '2' } }],
    mainModels: { shaky: 'shaky-upstream' },
    configuration: { telemetry: { traces: { content_accounts: ['open'] } } },
    variables: { OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test' },
  });
});
afterAll(async () => {
  await bed?.remove();
  await failing?.stop();
});

function spanIn(spans: readonly Span[], name: string, place = 0): Span {
  const found = spans.filter((span) => span.name === name).sort((one, other) => Number(one.startNs - other.startNs));
  const span = found[place];
  if (span === undefined)
    throw new Error(`no span ${name} (${place}) among: ${spans.map((one) => one.name).join(', ')}`);
  return span;
}

test('a streamed chat whose first channel failed', async () => {
  const body = chatBody({ model: 'shaky', stream: true, max_tokens: 99, temperature: 0.5 });
  const answer = await bed.send('/v1/chat/completions', body, { 'x-request-id': 'order-1' });
  expect(await answer.text()).toContain(SECRETS.answer);
  const spans = await bed.traceOf(answer);
  expect(treeOf(spans)).toEqual([
    'POST /v1/chat/completions (server)',
    '  admit (internal)',
    '  read request (internal)',
    '  find channels (internal)',
    '  chat shaky (client)',
    '    reserve (internal)',
    '    attempt openai-compatible (client)',
    '    attempt openai-compatible (client)',
    '    settle (internal)',
  ]);
  const requestId = answer.headers.get('x-request-id');
  const server = spanIn(spans, 'POST /v1/chat/completions');
  expect(server).toMatchObject({
    ...{ parentSpanId: '', status: 'unset', scope: 'switchyard' },
    attributes: {
      ...{ 'http.request.method': 'POST', 'http.route': '/v1/chat/completions', 'http.response.status_code': 200 },
      ...{ 'switchyard.request.id': requestId, 'switchyard.client_request.id': 'order-1' },
      ...{ 'switchyard.account.id': 'acme', 'switchyard.key.id': 'acme', 'switchyard.format': 'openai-chat' },
    },
    resource: { 'service.name': 'switchyard' },
  });
  const chat = spanIn(spans, 'chat shaky');
  expect(chat).toMatchObject({
    attributes: {
      ...{ 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'shaky', 'gen_ai.request.stream': true },
      ...{ 'gen_ai.request.max_tokens': 99, 'gen_ai.request.temperature': 0.5 },
      ...{ 'gen_ai.usage.input_tokens': 11, 'gen_ai.usage.output_tokens': 7 },
      ...{ 'gen_ai.provider.name': 'openai-compatible', 'gen_ai.response.time_to_first_chunk': expect.any(Number) },
      ...{ 'switchyard.channel.id': 'main', 'switchyard.retry.count': 1, 'switchyard.cost.usd': '0.000025' },
    },
  });
  expect(spanIn(spans, 'attempt openai-compatible')).toMatchObject({
    status: 'error',
    attributes: { 'switchyard.channel.id': 'first', 'http.response.status_code': 503, 'error.type': 'http_503' },
  });
  expect(spanIn(spans, 'attempt openai-compatible', 1)).toMatchObject({
    status: 'unset',
    attributes: { 'switchyard.channel.id': 'main', 'switchyard.attempt.number': 2 },
  });
  for (const span of spans) {
    expect(span.endNs).toBeGreaterThanOrEqual(span.startNs);
    expect(span.startNs).toBeGreaterThanOrEqual(server.startNs);
  }
});

test('a cached answer', async () => {
  const body = chatBody({ temperature: 0, cache_control: { type: 'response_only', max_age: 60 } });
  await (await bed.send('/v1/chat/completions', body)).text();
  const answer = await bed.send('/v1/chat/completions', body);
  await answer.text();
  const spans = await bed.traceOf(answer);
  expect(treeOf(spans)).toEqual([
    'POST /v1/chat/completions (server)',
    '  admit (internal)',
    '  read request (internal)',
    '  find channels (internal)',
    '  chat good (client)',
    '    look up cache (internal)',
  ]);
  expect(spanIn(spans, 'look up cache').attributes).toEqual({ 'switchyard.cache.match': 'exact' });
  expect(spanIn(spans, 'chat good').attributes).toMatchObject({ 'switchyard.cache.match': 'exact' });
});

test('an embedding', async () => {
  const answer = await bed.send('/v1/embeddings', { model: 'vectors', input: SECRETS.prompt });
  expect(answer.status).toBe(200);
  const spans = await bed.traceOf(answer);
  expect(spanIn(spans, 'embeddings vectors').attributes).toMatchObject({
    ...{ 'gen_ai.operation.name': 'embeddings', 'gen_ai.request.model': 'vectors', 'gen_ai.usage.input_tokens': 5 },
  });
});

test('the trace of a client goes on', async () => {
  const answer = await bed.send('/v1/chat/completions', chatBody(), {
    ...{ traceparent: `00-${TRACE_ID}-${CLIENT_SPAN}-01`, tracestate: 'own=1' },
  });
  await answer.text();
  expect(answer.headers.get('traceparent')).toStartWith(`00-${TRACE_ID}-`);
  const spans = await bed.traceOf(answer);
  expect(spanIn(spans, 'POST /v1/chat/completions')).toMatchObject({
    ...{ traceId: TRACE_ID, parentSpanId: CLIENT_SPAN, traceState: 'own=1' },
  });
  expect(spans.every(({ traceId }) => traceId === TRACE_ID)).toBe(true);
});

test('an invalid trace of a client is ignored', async () => {
  const answer = await bed.send('/v1/chat/completions', chatBody(), { traceparent: `00-${TRACE_ID}-0-01` });
  await answer.text();
  const spans = await bed.traceOf(answer);
  expect(spanIn(spans, 'POST /v1/chat/completions').parentSpanId).toBe('');
});

test('a request that is refused before any attempt', async () => {
  const answer = await bed.send('/v1/chat/completions', chatBody({ model: 'good', max_tokens: SECRETS.prompt }));
  expect(answer.status).toBe(400);
  const spans = await bed.traceOf(answer);
  expect(treeOf(spans)).toEqual([
    'POST /v1/chat/completions (server)',
    '  admit (internal)',
    '  read request (internal)',
  ]);
  // A client's mistake is no error of the server, but of the step that found it.
  expect(spanIn(spans, 'POST /v1/chat/completions')).toMatchObject({
    ...{ status: 'unset', attributes: { 'http.response.status_code': 400 } },
  });
  expect(spanIn(spans, 'read request').status).toBe('error');
});

test('a request beyond a limit', async () => {
  const headers = { authorization: `Bearer ${bed.limitedKey}` };
  await (await bed.send('/v1/chat/completions', chatBody(), headers)).text();
  const answer = await bed.send('/v1/chat/completions', chatBody(), headers);
  expect(answer.status).toBe(429);
  const spans = await bed.traceOf(answer);
  expect(spanIn(spans, 'POST /v1/chat/completions').attributes).toMatchObject({
    ...{ 'http.response.status_code': 429, 'switchyard.account.id': 'few' },
  });
});

test('a request without a valid key has no spans: anybody could send millions', async () => {
  const refused = await bed.send('/v1/chat/completions', chatBody(), { authorization: 'Bearer sk-wrong' });
  expect(refused.status).toBe(401);
  const id = refused.headers.get('x-request-id') ?? '';
  const next = await bed.send('/v1/chat/completions', chatBody());
  await next.text();
  await bed.traceOf(next);
  await until('a later request has been exported', async () => (await bed.collector.spans()).length > 0);
  expect(await bed.collector.text()).not.toContain(id);
});

test('an account with content has its texts in its spans', async () => {
  const messages = [
    { role: 'system', content: 'be brief' },
    { role: 'user', content: 'words for everybody' },
  ];
  const headers = { authorization: `Bearer ${bed.openKey}` };
  const answer = await bed.send('/v1/chat/completions', { model: 'good', messages }, headers);
  await answer.text();
  const { attributes } = spanIn(await bed.traceOf(answer), 'chat good');
  expect(attributes['gen_ai.input.messages']).toContain('words for everybody');
  expect(attributes['gen_ai.output.messages']).toContain('an answer for everybody');
  expect(attributes['gen_ai.system_instructions']).toContain('be brief');
});

test.each([...TOOL_PAGES])('the spans have the attributes that %s says', async (page) => {
  const spans = await bed.collector.spans();
  const sent = new Set(spans.flatMap(({ attributes, resource }) => Object.keys({ ...attributes, ...resource })));
  expect(readAttributes(page).filter((name) => !sent.has(name))).toEqual([]);
});

test('nothing secret has been exported', async () => {
  const text = await bed.collector.text();
  expect(text).toContain('switchyard.request.id');
  for (const [name, secret] of Object.entries(SECRETS))
    expect({ name, is: text.includes(secret) }).toEqual({ name, is: false });
  expect(text).not.toContain(KEY.slice(3));
});
