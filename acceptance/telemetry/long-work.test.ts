import { afterAll, beforeAll, expect, test } from 'bun:test';
import { asObject, isObject, parseJson } from '../../conformance/shared/json.ts';
import { until } from '../../conformance/shared/until.ts';
import { Bed, KEY, SECRETS, treeOf } from './bed.ts';
import type { Span } from './otlp-json.ts';

/* The traces of work that outlives its request: tasks and WebSockets. */

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const CLIENT_SPAN = '00f067aa0ba902b7';
const TRACEPARENT = `00-${TRACE_ID}-${CLIENT_SPAN}-01`;
const FAILING_POLLS = 1;
/** More than a trace shows. */
const WAITING_POLLS = 5;

/** Makes images in jobs: the first poll about one says that it waits, the second fails, some more say that it waits, and the last has it. */
let polls = 0;
const images = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: ({ method, url }) => {
    const { origin } = new URL(url);
    if (method === 'POST') return Response.json({ id: 'job-1', polling_url: `${origin}/v1/get_result?id=job-1` });
    if (new URL(url).pathname.endsWith('.png')) return new Response(SECRETS.answer);
    polls++;
    if (polls === 2) return Response.json({ detail: 'busy' }, { status: 503 });
    if (polls <= FAILING_POLLS + WAITING_POLLS) return Response.json({ id: 'job-1', status: 'Pending' });
    return Response.json({ id: 'job-1', status: 'Ready', result: { sample: `${origin}/picture.png` } });
  },
});

/** Echoes each message of a realtime session. */
const voices = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: (request, server) => (server.upgrade(request) ? undefined : new Response(null, { status: 400 })),
  websocket: { message: (socket, message) => void socket.send(message) },
});

let bed: Bed;
beforeAll(async () => {
  bed = await Bed.start({
    configuration: { tasks: { poll_interval_ms: 10 } },
    channels: [
      {
        ...{ id: 'images', provider: 'black-forest-labs', api_key: SECRETS.upstreamKey },
        ...{ base_url: `http://127.0.0.1:${images.port}/v1`, models: { flux: 'flux-pro-1.1' } },
      },
      {
        ...{ id: 'voices', owner: 'acme', provider: 'openai', api_key: SECRETS.upstreamKey },
        ...{ base_url: `http://127.0.0.1:${voices.port}/v1`, models: { 'my-voice': 'gpt-realtime' } },
      },
    ],
    models: [{ id: 'flux', category: 'image', pricing: { per_request: '0.04' } }],
  });
});
afterAll(async () => {
  await bed?.remove();
  await Promise.all([images.stop(true), voices.stop(true)]);
});

const named = (spans: readonly Span[], name: string) => spans.filter((span) => span.name === name);

async function madeImage(headers: Readonly<Record<string, string>>): Promise<Response> {
  polls = 0;
  const body = { model: 'flux', prompt: SECRETS.prompt, async: true };
  const answer = await bed.send('/v1/images/generations', body, headers);
  const { id } = asObject(await answer.clone().json());
  await until('the task is completed', async () => {
    const task = await fetch(`${bed.serving.origin}/v1/tasks/${id}`, { headers: { authorization: `Bearer ${KEY}` } });
    return asObject(await task.json()).status === 'completed';
  });
  return answer;
}

test('a task is in the trace of the request that created it, from its creation to its charge', async () => {
  const answer = await madeImage({ 'x-request-id': 'picture-1' });
  const [, traceId = '', serverSpan = ''] = (answer.headers.get('traceparent') ?? '').split('-');
  const spans = await bed.collector.trace(traceId, (all) => named(all, 'task image').length === 1);
  const [life] = named(spans, 'task image');
  expect(life).toMatchObject({
    ...{ parentSpanId: serverSpan, kind: 'internal', status: 'unset' },
    attributes: {
      ...{ 'switchyard.task.kind': 'image', 'switchyard.task.polls': polls },
      ...{ 'switchyard.task.failed_polls': FAILING_POLLS, 'switchyard.channel.id': 'images' },
      ...{ 'switchyard.request.id': answer.headers.get('x-request-id'), 'switchyard.client_request.id': 'picture-1' },
      ...{ 'switchyard.cost.usd': '0.04', 'gen_ai.request.model': 'flux' },
    },
  });
  // The first, the failed one, and the last; the others only count.
  const factsOf = ({ attributes }: Span) => [
    ...[attributes['switchyard.task.poll.number'], attributes['switchyard.task.poll.outcome']],
  ];
  const shown = named(spans, 'poll task').sort((one, other) => Number(one.startNs - other.startNs));
  expect(shown.map(factsOf)).toEqual([
    [1, 'working'],
    [2, 'unanswered'],
    [polls, 'done'],
  ]);
  for (const poll of shown) {
    expect(poll).toMatchObject({
      parentSpanId: life?.spanId,
      kind: 'client',
      links: [{ traceId, spanId: serverSpan }],
    });
  }
  expect(shown[1]).toMatchObject({ status: 'error', attributes: { 'error.type': 'http_503' } });
  expect(named(spans, 'settle').map(({ parentSpanId }) => parentSpanId)).toEqual([life?.spanId ?? '']);
  expect(treeOf(spans)[0]).toBe('POST /v1/images/generations (server)');
});

test('the trace of the client that created a task goes on in the task', async () => {
  await madeImage({ traceparent: TRACEPARENT });
  const spans = await bed.collector.trace(TRACE_ID, (all) => named(all, 'task image').length === 1);
  const [server] = named(spans, 'POST /v1/images/generations');
  expect(server?.parentSpanId).toBe(CLIENT_SPAN);
  expect(named(spans, 'task image')[0]?.parentSpanId).toBe(server?.spanId ?? '');
});

function open(path: string, headers: Readonly<Record<string, string>>) {
  const init = { headers: { authorization: `Bearer ${KEY}`, 'x-own-secret': SECRETS.header, ...headers } };
  const socket = new WebSocket(`${bed.serving.origin.replace('http', 'ws')}${path}`, init as unknown as string[]);
  const received: string[] = [];
  socket.onmessage = ({ data }) => void received.push(String(data));
  return { socket, received };
}

test('a WebSocket has a span, and each request on it a trace that refers to it', async () => {
  const id = 'session-1';
  const { socket, received } = open('/v1/responses', { 'x-request-id': id });
  await until('the socket is open', () => socket.readyState === WebSocket.OPEN);
  for (const turn of [1, 2]) {
    socket.send(JSON.stringify({ type: 'response.create', model: 'good', input: SECRETS.prompt, store: false }));
    const isOver = (text: string) => asObject(parseJson(text)).type === 'response.completed';
    await until(`turn ${turn} has ended`, () => received.filter(isOver).length === turn);
  }
  socket.close();
  const isSession = (span: Span) => span.attributes['switchyard.session.turns'] === 2;
  await until('the session has been exported', async () => (await bed.collector.spans()).some(isSession));
  const all = await bed.collector.spans();
  const session = all.find(isSession);
  expect(session).toMatchObject({
    ...{ name: 'GET /v1/responses', kind: 'server', parentSpanId: '', status: 'unset' },
    attributes: {
      'http.response.status_code': 101,
      'switchyard.client_request.id': id,
      'switchyard.account.id': 'acme',
    },
  });
  const turns = all.filter(({ links }) => links.some(({ spanId }) => spanId === session?.spanId));
  expect(turns).toHaveLength(2);
  expect(new Set([session, ...turns].map((span) => span?.traceId)).size).toBe(3);
  for (const turn of turns) {
    expect(turn).toMatchObject({ name: 'message openai-responses', kind: 'server', parentSpanId: '' });
    const trace = all.filter(({ traceId }) => traceId === turn.traceId);
    expect(named(trace, 'chat good')[0]).toMatchObject({ parentSpanId: turn.spanId, kind: 'client' });
  }
});

test('a realtime session has one span, with the numbers of its messages', async () => {
  const { socket, received } = open('/v1/realtime?model=my-voice', { traceparent: TRACEPARENT });
  await until('the socket is open', () => socket.readyState === WebSocket.OPEN);
  for (const text of ['one', 'two', SECRETS.prompt]) socket.send(text);
  await until('all are echoed', () => received.length === 3);
  socket.close(1000);
  const isSession = ({ attributes }: Span) => attributes['switchyard.session.messages.from_client'] === 3;
  const spans = await bed.collector.trace(TRACE_ID, (all) => all.some(isSession));
  expect(spans.find(isSession)).toMatchObject({
    ...{ name: 'GET /v1/realtime', kind: 'server', parentSpanId: CLIENT_SPAN },
    attributes: { 'switchyard.session.messages.from_upstream': 3, 'http.response.status_code': 101 },
  });
});

test('nothing secret has been exported', async () => {
  const text = await bed.collector.text();
  const found = Object.entries(SECRETS).filter(([, secret]) => text.includes(secret));
  expect(found).toEqual([]);
  expect(isObject(parseJson(text.split('\n')[0] ?? ''))).toBe(true);
});
