import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { attemptSpanIdOf, serverSpanIdOf, traceIdOf } from '../src/domain/trace/span-ids.ts';
import { ACCOUNT_ID, type Gateway, MANAGEMENT_TOKEN, startGatewayWith } from './shared/gateway.ts';
import { until } from './shared/until.ts';

/* Which ids reach an upstream: by default none, and to an account's own channel only what that channel says. */

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${TRACE}-00f067aa0ba902b7-01`;
const IDS = { 'x-client-request-id': 'order-17', traceparent: TRACEPARENT, tracestate: 'vendor=a' };
const CALLS = /^\/v1\/(?:chat\/completions|embeddings|files|realtime|videos)/;
const NAMES = ['x-request-id', 'x-client-request-id', 'traceparent', 'tracestate'];

setDefaultTimeout(240_000);

/** A request as it reached the upstream: its channel and the ids in its headers. */
interface Heard {
  readonly channel: string;
  readonly path: string;
  readonly ids: Readonly<Record<string, string>>;
}

const heard: Heard[] = [];
let upstream: ReturnType<typeof Bun.serve>;
let gateway: Gateway;
let plain: Gateway;
let traced: Gateway;

beforeAll(async () => {
  upstream = Bun.serve({
    port: 0,
    websocket: { message: () => {} },
    fetch: async (request, server) => {
      const [, channel = '', ...rest] = new URL(request.url).pathname.split('/');
      const path = `/${rest.join('/')}`;
      const ids = NAMES.flatMap((name) => {
        const value = request.headers.get(name);
        return value === null ? [] : [[name, value] as const];
      });
      // The gateway also asks which kind of server this is.
      if (CALLS.test(path)) heard.push({ channel, path, ids: Object.fromEntries(ids) });
      if (request.headers.get('upgrade') === 'websocket' && server.upgrade(request, { data: undefined }))
        return undefined;
      if (path === '/v1/videos')
        return Response.json({ id: 'video_1', object: 'video', status: 'queued', progress: 0 });
      if (path.startsWith('/v1/videos/')) {
        return Response.json({ id: 'video_1', object: 'video', status: 'in_progress', progress: 10 });
      }
      if (path === '/v1/files') return Response.json({ object: 'list', data: [], has_more: false });
      if (path === '/v1/embeddings') return Response.json(embedding());
      if (path !== '/v1/chat/completions') return new Response(null, { status: 404 });
      const body = await request.text();
      if (body.includes('"fails"') && channel === 'first')
        return Response.json({ error: { message: 'no' } }, { status: 500 });
      return body.includes('"stream":true') ? streamed() : Response.json(completion());
    },
  });
  const channel = (id: string, models: readonly string[], more: object = {}) => ({
    ...{ id, name: id, provider: 'openai-compatible', base_url: `http://127.0.0.1:${upstream.port}/${id}/v1` },
    ...{ api_key: `sk-upstream-${id}`, models: Object.fromEntries(models.map((model) => [model, model])) },
    ...more,
  });
  const both = { forward_ids: ['request_id', 'trace'] };
  const channels = [
    channel('usual', ['usual']),
    channel('silent', ['silent'], { forward_ids: [] }),
    channel('both', ['both', 'text-embedding-3-small'], both),
    channel('openai', ['documented'], { provider: 'openai', ...both }),
    channel('first', ['fails'], { ...both, priority: 1 }),
    channel('second', ['fails'], { ...both, priority: 2 }),
    channel('videos', ['clip'], { provider: 'openai', ...both, models: { clip: 'sora-2' } }),
    channel('own', ['own'], { owner: ACCOUNT_ID }),
    channel('own-both', ['own-both', 'gpt-realtime'], { owner: ACCOUNT_ID, provider: 'openai', ...both }),
  ];
  gateway = await startGatewayWith(channels, {
    telemetry: { forward_ids: ['request_id'] },
    models: [{ id: 'clip', category: 'video', pricing: 'free' }],
  });
  plain = await startGatewayWith([channel('plain', ['plain'])]);
  const endpoint = `http://127.0.0.1:${upstream.port}/collector`;
  traced = await startGatewayWith(channels, {
    telemetry: { otlp: { endpoint }, traces: { enabled: true }, trace_url: 'https://traces.example/{trace_id}' },
  });
});

afterAll(async () => {
  await Promise.all([gateway?.stop(), plain?.stop(), traced?.stop()]);
  await upstream?.stop(true);
});

function completion() {
  const choices = [{ index: 0, message: { role: 'assistant', content: 'Yes.' }, finish_reason: 'stop' }];
  const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
  return { id: 'c', object: 'chat.completion', created: 1, model: 'm', choices, usage };
}

function embedding() {
  const data = [{ object: 'embedding', index: 0, embedding: [0.5] }];
  return { object: 'list', data, model: 'm', usage: { prompt_tokens: 1, total_tokens: 1 } };
}

function streamed(): Response {
  const chunk = (delta: object, finish_reason: string | null) =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const body = `${chunk({ role: 'assistant', content: 'Yes.' }, null)}${chunk({}, 'stop')}data: [DONE]\n\n`;
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

interface Asked {
  readonly requestId: string;
  readonly heard: readonly Heard[];
}

/** Sends a request with the client's ids. Resolves to what the upstream heard of it. */
async function ask(path: string, body: object | null, at = gateway, more: Record<string, string> = {}): Promise<Asked> {
  const from = heard.length;
  const type = body === null ? {} : { 'content-type': 'application/json' };
  const answer = await fetch(`${at.origin}${path}`, {
    method: body === null ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${at.apiKey}`, ...IDS, ...type, ...more },
    ...(body !== null && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${answer.status} ${text}`);
  return { requestId: answer.headers.get('x-request-id') ?? '', heard: heard.slice(from) };
}

function chat(model: string, more: object = {}) {
  return { model, messages: [{ role: 'user', content: `Hello ${Math.random()}` }], ...more };
}

function bothIds(requestId: string, attempt = 0, header = 'x-request-id') {
  const traceparent = `00-${TRACE}-${attemptSpanIdOf(serverSpanIdOf(requestId), attempt)}-01`;
  return { [header]: requestId, traceparent, tracestate: 'vendor=a' };
}

describe('an upstream', () => {
  test('gets nothing by default', async () => {
    const { heard } = await ask('/v1/chat/completions', chat('plain'), plain);
    expect(heard.map(({ ids }) => ids)).toEqual([{}]);
  });

  test("gets what the gateway's setting says", async () => {
    const { requestId, heard } = await ask('/v1/chat/completions', chat('usual'));
    expect(heard.map(({ ids }) => ids)).toEqual([{ 'x-request-id': requestId }]);
  });

  test('gets nothing if its channel says so', async () => {
    const { heard } = await ask('/v1/chat/completions', chat('silent'));
    expect(heard.map(({ ids }) => ids)).toEqual([{}]);
  });

  test.each([
    ['a whole answer', '/v1/chat/completions', chat('both')],
    ['a stream', '/v1/chat/completions', chat('both', { stream: true })],
    ['a translated request', '/v1/messages', chat('both', { max_tokens: 10 })],
    ['an embedding', '/v1/embeddings', { model: 'text-embedding-3-small', input: 'a' }],
  ])('gets what its channel says: %s', async (_name, path, body) => {
    const { requestId, heard } = await ask(path, body);
    expect(heard.map(({ ids }) => ids)).toEqual([bothIds(requestId)]);
  });

  test('gets the request id in the header that the provider documents', async () => {
    const { requestId, heard } = await ask('/v1/chat/completions', chat('documented'));
    expect(heard.map(({ ids }) => ids)).toEqual([bothIds(requestId, 0, 'x-client-request-id')]);
  });

  test('sees each attempt as another caller', async () => {
    const { requestId, heard } = await ask('/v1/chat/completions', chat('fails'));
    expect(heard.map(({ channel, ids }) => [channel, ids])).toEqual([
      ['first', bothIds(requestId, 0)],
      ['second', bothIds(requestId, 1)],
    ]);
  });

  test("of an account's own channel gets nothing unless that channel says so", async () => {
    const { heard } = await ask('/v1/chat/completions', chat('own'));
    expect(heard.map(({ ids }) => ids)).toEqual([{}]);
    const asked = await ask('/v1/chat/completions', chat('own-both'));
    expect(asked.heard.map(({ ids }) => ids)).toEqual([bothIds(asked.requestId, 0, 'x-client-request-id')]);
  });

  test('gets them with a request that is passed through', async () => {
    const { requestId, heard } = await ask('/v1/files', null, gateway, { 'x-switchyard-channel': 'own-both' });
    expect(heard.map(({ ids }) => ids)).toEqual([bothIds(requestId, 0, 'x-client-request-id')]);
  });

  test('gets them with the handshake of a realtime session', async () => {
    const from = heard.length;
    const url = `${gateway.origin.replace('http', 'ws')}/v1/realtime?model=gpt-realtime`;
    // Bun's own option for headers, which the type of the standard does not have.
    const options = { headers: { authorization: `Bearer ${gateway.apiKey}`, ...IDS } } as unknown as string;
    const socket = new WebSocket(url, options);
    await until('the upstream is asked', () => heard.length > from);
    socket.close();
    const { ids } = heard[from] as Heard;
    expect(ids).toEqual(bothIds(ids['x-client-request-id'] ?? '', 0, 'x-client-request-id'));
  });

  test('gets them when a task is submitted and when it is polled', async () => {
    const { requestId, heard: sent } = await ask('/v1/videos/generations', { model: 'clip', prompt: 'A boat.' });
    expect(sent.map(({ ids }) => ids)).toEqual([bothIds(requestId, 0, 'x-client-request-id')]);
    const poll = () => heard.find(({ path }) => path === '/v1/videos/video_1');
    await until('the task is polled', () => poll() !== undefined);
    const traceparent = `00-${TRACE}-${serverSpanIdOf(requestId)}-01`;
    expect(poll()?.ids).toEqual({ 'x-client-request-id': requestId, traceparent, tracestate: 'vendor=a' });
  });
});

describe('a trace that the gateway starts', () => {
  const send = (path: string, body: object | null, headers: Record<string, string> = {}) =>
    fetch(`${traced.origin}${path}`, {
      method: body === null ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${traced.apiKey}`, 'content-type': 'application/json', ...headers },
      ...(body !== null && { body: JSON.stringify(body) }),
    });

  test.each([
    ['whole', '/v1/chat/completions', chat('both'), {}, 200],
    ['streamed', '/v1/chat/completions', chat('both', { stream: true }), {}, 200],
    ['of a wrong model', '/v1/chat/completions', chat('none'), {}, 404],
    ['passed through', '/v1/files', null, { 'x-switchyard-channel': 'own-both' }, 200],
  ] as const)('is in the response, %s', async (_name, path, body, headers, status) => {
    const answer = await send(path, body, headers);
    await answer.text();
    const requestId = answer.headers.get('x-request-id') ?? '';
    expect(answer.status).toBe(status);
    expect(answer.headers.get('traceparent')).toStartWith(`00-${traceIdOf(requestId)}-${serverSpanIdOf(requestId)}-`);
  });

  test('reaches the upstream, and leads to the request in the log', async () => {
    const from = heard.length;
    const answer = await send('/v1/chat/completions', chat('both'));
    await answer.text();
    const requestId = answer.headers.get('x-request-id') ?? '';
    const attempt = attemptSpanIdOf(serverSpanIdOf(requestId), 0);
    expect(heard[from]?.ids.traceparent).toStartWith(`00-${traceIdOf(requestId)}-${attempt}-`);
    const found = await send(`/v1/management/requests?trace_id=${traceIdOf(requestId)}`, null, {
      authorization: `Bearer ${MANAGEMENT_TOKEN}`,
    });
    expect(await found.json()).toMatchObject({ data: [{ id: requestId, trace_id: traceIdOf(requestId) }] });
  });
});
