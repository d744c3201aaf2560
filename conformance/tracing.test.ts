import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { until } from '../src/domain/testing/until.ts';
import { type CollectedSpan, FakeCollector } from '../src/telemetry/testing/fake-collector.ts';
import { type Gateway, startGatewayWith } from './shared/gateway.ts';

/* The traces of a whole gateway, as a collector receives them. */

setDefaultTimeout(240_000);

const CANARY = 'canary-of-the-prompt';
const ANSWER_CANARY = 'canary-of-the-answer';
const UPSTREAM_KEY = 'sk-canary-of-the-upstream';
const READER_KEY = 'sk-reader-of-traces-000000000001';
const PARENT = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };

let collector: FakeCollector;
let upstream: ReturnType<typeof Bun.serve>;
let gateway: Gateway;

beforeAll(async () => {
  collector = new FakeCollector();
  upstream = Bun.serve({
    port: 0,
    fetch: async (request) => {
      const { pathname } = new URL(request.url);
      if (pathname.startsWith('/broken')) return new Response(`overloaded: ${CANARY}`, { status: 503 });
      if (pathname.endsWith('/embeddings')) return Response.json(embedding());
      return (await request.text()).includes('"stream":true') ? streamed() : Response.json(completion());
    },
  });
  const channel = (id: string, path: string, more: { models: Record<string, string>; priority: number }) => ({
    ...{ id, name: id, provider: 'openai-compatible', base_url: `http://127.0.0.1:${upstream.port}${path}` },
    ...{ api_key: UPSTREAM_KEY, ...more },
  });
  gateway = await startGatewayWith(
    [
      channel('broken', '/broken/v1', { models: { shaky: 'up-broken' }, priority: 0 }),
      channel('main', '/v1', { models: { chat: 'up-chat', shaky: 'up-shaky', embed: 'up-embed' }, priority: 1 }),
    ],
    {
      models: [{ id: 'embed', category: 'embedding' }],
      accounts: [
        { ...{ id: 'reader', name: 'Reader', billing: 'unlimited' }, keys: [{ id: 'reader', secret: READER_KEY }] },
      ],
      telemetry: {
        otlp: { endpoint: collector.url },
        traces: { enabled: true, delay_ms: 10, content_accounts: ['reader'] },
      },
    },
  );
});

afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop(true);
  await collector?.stop();
});

function completion() {
  const choices = [{ index: 0, message: { role: 'assistant', content: ANSWER_CANARY }, finish_reason: 'stop' }];
  const usage = { prompt_tokens: 30, completion_tokens: 2, total_tokens: 32 };
  return { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'up-chat-2024', choices, usage };
}

function embedding() {
  const data = [{ object: 'embedding', index: 0, embedding: [0.1, 0.2] }];
  return { object: 'list', data, model: 'up-embed', usage: { prompt_tokens: 5, total_tokens: 5 } };
}

function streamed(): Response {
  const chunk = (delta: object, finish: string | null) =>
    `data: ${JSON.stringify({ id: 'chatcmpl-2', object: 'chat.completion.chunk', created: 1, model: 'up-shaky', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const body = `${chunk({ role: 'assistant', content: ANSWER_CANARY }, null)}${chunk({}, 'stop')}data: [DONE]\n\n`;
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

async function ask(path: string, body: object, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(`${gateway.origin}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  await response.text();
  return response;
}

/** Resolves to the spans of a request, when they have arrived. */
async function spansOf(response: Response): Promise<readonly CollectedSpan[]> {
  const id = response.headers.get('x-request-id');
  const server = () =>
    collector.spans.find(({ attributes: a, kind }) => kind === 'server' && a['switchyard.request.id'] === id);
  await until('the spans arrive', () => server() !== undefined);
  return collector.spans.filter(({ traceId }) => traceId === server()?.traceId);
}

/** Returns the tree as lines with two spaces per level, in the order of the spans' begin. */
function tree(spans: readonly CollectedSpan[], parentId = '', indent = ''): string[] {
  return spans
    .filter((span) => span.parentId === parentId)
    .toSorted((one, other) => one.fromMs - other.fromMs)
    .flatMap(({ name, spanId }) => [`${indent}${name}`, ...tree(spans, spanId, `${indent}  `)]);
}

const messages = [{ role: 'user', content: CANARY }];

test('a streamed chat whose first channel failed is a tree with both attempts', async () => {
  const response = await ask('/v1/chat/completions', {
    model: 'shaky',
    messages,
    stream: true,
    max_tokens: 9,
    temperature: 0,
  });
  expect(response.status).toBe(200);
  const spans = await spansOf(response);
  expect(tree(spans)).toEqual([
    'POST /v1/chat/completions',
    '  admit',
    '  read request',
    '  find channels',
    '  chat shaky',
    '    reserve',
    '    attempt openai-compatible',
    '    attempt openai-compatible',
    '    settle',
  ]);
  const attempts = spans.filter(({ name }) => name.startsWith('attempt'));
  expect(attempts).toMatchObject([
    {
      status: 'error',
      attributes: { 'error.type': 'http_503', 'http.response.status_code': 503, 'switchyard.channel.id': 'broken' },
    },
    { status: 'unset', attributes: { 'switchyard.upstream.model': 'up-shaky', 'switchyard.attempt.number': 2 } },
  ]);
  expect(spans.find(({ name }) => name === 'chat shaky')?.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.stream': true,
    'gen_ai.request.max_tokens': 9,
    'gen_ai.request.temperature': 0,
    'gen_ai.response.finish_reasons': ['stop'],
    'gen_ai.response.id': 'chatcmpl-2',
    'switchyard.retry.count': 1,
  });
});

test('a trace continues that of the client, whose answer names the server span', async () => {
  const traceparent = `00-${PARENT.traceId}-${PARENT.spanId}-01`;
  const response = await ask('/v1/chat/completions', { model: 'chat', messages }, { traceparent, tracestate: 'v=1' });
  const spans = await spansOf(response);
  const server = spans.find(({ kind }) => kind === 'server');
  expect(server).toMatchObject({ traceId: PARENT.traceId, parentId: PARENT.spanId, state: 'v=1' });
  expect(response.headers.get('traceparent')).toBe(`00-${PARENT.traceId}-${server?.spanId}-01`);
  expect(spans.find(({ name }) => name === 'chat chat')?.attributes).toMatchObject({
    'gen_ai.usage.input_tokens': 30,
    'gen_ai.usage.output_tokens': 2,
    'gen_ai.response.model': 'up-chat-2024',
    'gen_ai.response.finish_reasons': ['stop'],
  });
});

test('a request in another format is translated in spans of their own', async () => {
  const response = await ask('/v1/messages', { model: 'chat', messages, max_tokens: 9 });
  expect(response.status).toBe(200);
  const spans = await spansOf(response);
  expect(spans.map(({ name }) => name)).toContainValues(['translate request', 'translate response']);
  const attempt = spans.find(({ name }) => name.startsWith('attempt'));
  expect(spans.find(({ name }) => name === 'translate response')?.parentId).toBe(attempt?.spanId);
  expect(attempt?.attributes['switchyard.attempt.relayed']).toBe(false);
});

test('embeddings have their own operation', async () => {
  const response = await ask('/v1/embeddings', { model: 'embed', input: CANARY });
  expect(response.status).toBe(200);
  const spans = await spansOf(response);
  expect(spans.find(({ name }) => name === 'embeddings embed')?.attributes).toMatchObject({
    'gen_ai.operation.name': 'embeddings',
    'gen_ai.usage.input_tokens': 5,
  });
});

test('a cached answer has no attempt', async () => {
  const headers = { 'x-switchyard-cache': 'default' };
  const body = { model: 'chat', messages: [{ role: 'user', content: 'Cached?' }], temperature: 0 };
  await ask('/v1/chat/completions', body, headers);
  const spans = await spansOf(await ask('/v1/chat/completions', body, headers));
  expect(spans.map(({ name }) => name)).not.toContain('attempt openai-compatible');
  expect(spans.find(({ name }) => name === 'chat chat')?.attributes).toMatchObject({
    'switchyard.cache.match': 'exact',
  });
});

test('a request without a valid key has no trace', async () => {
  const refused = await ask('/v1/chat/completions', { model: 'chat', messages }, { authorization: 'Bearer sk-wrong' });
  expect(refused.status).toBe(401);
  const later = await ask('/v1/chat/completions', { model: 'chat', messages });
  await spansOf(later);
  const ids = collector.spans.map(({ attributes }) => attributes['switchyard.request.id']);
  expect(ids).not.toContain(refused.headers.get('x-request-id'));
});

test('content is in the spans of an account that has it switched on, and of no other', async () => {
  const response = await ask(
    '/v1/chat/completions',
    { model: 'chat', messages },
    { authorization: `Bearer ${READER_KEY}` },
  );
  const spans = await spansOf(response);
  const { attributes } = spans.find(({ name }) => name === 'chat chat') ?? {};
  expect(JSON.parse(String(attributes?.['gen_ai.input.messages']))).toEqual([
    { role: 'user', parts: [{ type: 'text', content: CANARY }] },
  ]);
  expect(JSON.parse(String(attributes?.['gen_ai.output.messages']))).toEqual([
    { role: 'assistant', parts: [{ type: 'text', content: ANSWER_CANARY }], finish_reason: 'stop' },
  ]);
  const others = collector.spans.filter(({ traceId }) => traceId !== spans[0]?.traceId);
  expect(others.length).toBeGreaterThan(0);
  expect(JSON.stringify(others)).not.toMatch(/canary/);
  expect(JSON.stringify(collector.spans)).not.toMatch(/sk-/);
});

test('the metrics count the exported spans', async () => {
  await spansOf(await ask('/v1/chat/completions', { model: 'chat', messages }));
  const metrics = await (await fetch(`${gateway.origin}/metrics`)).text();
  expect(metrics).toMatch(/switchyard_telemetry_items_total\{signal="traces",outcome="exported"\} [1-9]/);
  expect(metrics).toMatch(/switchyard_telemetry_items_total\{signal="traces",outcome="dropped"\} 0/);
});
