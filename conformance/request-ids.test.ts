import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { connect } from 'node:net';
import { serverSpanIdOf } from '../src/domain/trace/span-ids.ts';
import { type Gateway, MANAGEMENT_TOKEN, startGatewayWith } from './shared/gateway.ts';

/* A client's request id and trace come back with every answer, lead to its line of the log, and reach an upstream only if that is configured. */

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${TRACE}-00f067aa0ba902b7-01`;
const OPERATOR_TOKEN = 'mt-operator-of-request-ids-00001';
const OTHER_TOKEN = 'mt-another-of-request-ids-000001';
const OTHER_KEY = 'sk-another-of-request-ids-000001';

setDefaultTimeout(240_000);

// The tests know its shape.
type Json = any;

let upstream: ReturnType<typeof Bun.serve>;
let gateway: Gateway;

beforeAll(async () => {
  upstream = Bun.serve({
    port: 0,
    fetch: async (request) => {
      if (request.method === 'GET') return new Response(null, { status: 404 });
      return (await request.text()).includes('"stream":true') ? streamed() : Response.json(completion());
    },
  });
  const provider = 'openai-compatible';
  gateway = await startGatewayWith(
    [
      {
        ...{ id: 'main', name: 'Main', provider, base_url: `http://127.0.0.1:${upstream.port}/v1`, api_key: 'sk-up-1' },
        models: { chat: 'chat' },
      },
    ],
    {
      telemetry: { trace_url: 'https://traces.example/trace/{trace_id}' },
      accounts: [
        {
          ...{ id: 'ops', name: 'Operators', admin: true, billing: 'unlimited' },
          management_tokens: [{ id: 'ops', name: 'Ops', secret: OPERATOR_TOKEN }],
        },
        {
          ...{ id: 'other', name: 'Other', billing: 'unlimited' },
          keys: [{ id: 'other', name: 'Other', secret: OTHER_KEY }],
          management_tokens: [{ id: 'other', name: 'Other', secret: OTHER_TOKEN }],
        },
      ],
    },
  );
});

afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop(true);
});

function completion() {
  const choices = [{ index: 0, message: { role: 'assistant', content: 'Yes.' }, finish_reason: 'stop' }];
  const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
  return { id: 'c', object: 'chat.completion', created: 1, model: 'chat', choices, usage };
}

function streamed(): Response {
  const chunk = (delta: object, finish_reason: string | null) =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'chat', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const body = `${chunk({ role: 'assistant', content: 'Yes.' }, null)}${chunk({}, 'stop')}data: [DONE]\n\n`;
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

function ask(path: string, { method, headers = {}, body }: Sent = {}): Promise<Response> {
  const authorization = `Bearer ${gateway.apiKey}`;
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  return fetch(`${gateway.origin}${path}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { authorization, ...type, ...headers },
    ...(body !== undefined && { body }),
  });
}

function chat(content: string, more: object = {}): string {
  return JSON.stringify({ model: 'chat', messages: [{ role: 'user', content }], ...more });
}

const operator = { authorization: `Bearer ${OPERATOR_TOKEN}` };
const cached = { 'x-switchyard-cache': 'default' };

describe('an answer repeats the ids of its client', () => {
  const answers: Readonly<Record<string, readonly [path: string, sent: Sent, status: number]>> = {
    whole: ['/v1/chat/completions', { body: chat('a') }, 200],
    streamed: ['/v1/chat/completions', { body: chat('b', { stream: true }) }, 200],
    'of a wrong key': ['/v1/chat/completions', { body: chat('c'), headers: { authorization: 'Bearer wrong' } }, 401],
    'of a malformed body': ['/v1/messages', { body: '{"model":' }, 400],
    'of an unknown model': ['/v1/embeddings', { body: '{"model":"none","input":"a"}' }, 404],
    'of an unknown path': ['/v1/nothing', {}, 404],
    'of a wrong method': ['/v1/chat/completions', { method: 'DELETE' }, 405],
    'with models': ['/v1/models', {}, 200],
    'about a task': ['/v1/tasks/task_none', {}, 404],
    'about a file': ['/v1/files', {}, 200],
    'of media': ['/v1/media/none', {}, 404],
    'of the front page': ['/', {}, 200],
    'of the management API': ['/v1/management/models', { headers: operator }, 200],
    'of the management API about nothing': ['/v1/management/nothing', { headers: operator }, 404],
    'of the management API without a token': ['/v1/management/keys', { headers: { authorization: 'Bearer x' } }, 401],
    'about a session': ['/v1/management/auth/get-session', {}, 404],
    'of the playground': ['/v1/management/playground/v1/models', { headers: operator }, 403],
    'about its health': ['/healthz', {}, 200],
    'with the OpenAPI document': ['/openapi.json', {}, 200],
    'with a page': ['/docs', {}, 200],
  };

  test.each(Object.entries(answers))('%s', async (_name, [path, sent, status]) => {
    const ids = { 'x-client-request-id': 'order-17', traceparent: TRACEPARENT };
    const answer = await ask(path, { ...sent, headers: { ...sent.headers, ...ids } });
    await answer.arrayBuffer();
    expect(answer.status).toBe(status);
    const own = answer.headers.get('x-request-id') ?? '';
    expect(own).toStartWith('req_');
    expect(answer.headers.get('x-client-request-id')).toBe('order-17');
    expect(answer.headers.get('traceparent')).toBe(`00-${TRACE}-${serverSpanIdOf(own)}-01`);
    const without = await ask(path, sent);
    await without.arrayBuffer();
    expect([without.headers.get('x-client-request-id'), without.headers.get('traceparent')]).toEqual([null, null]);
  });

  test('from the cache', async () => {
    const body = chat('cached', { temperature: 0, seed: 1 });
    await (await ask('/v1/chat/completions', { body, headers: cached })).text();
    const answer = await ask('/v1/chat/completions', { body, headers: { ...cached, 'x-request-id': 'again' } });
    expect(answer.headers.get('x-cache-entry-id')).not.toBeNull();
    expect(answer.headers.get('x-client-request-id')).toBe('again');
  });

  test('that opens a WebSocket', async () => {
    const head = await handshake('/v1/responses', [
      `authorization: Bearer ${gateway.apiKey}`,
      'x-client-request-id: socket-1',
      `traceparent: ${TRACEPARENT}`,
    ]);
    const own = /^x-request-id: (\S+)/im.exec(head)?.[1] ?? '';
    expect(head).toStartWith('HTTP/1.1 101');
    expect(head.toLowerCase()).toContain('x-client-request-id: socket-1');
    expect(head.toLowerCase()).toContain(`traceparent: 00-${TRACE}-${serverSpanIdOf(own)}-01`);
  });

  test('to a page of another origin, which may send and read them', async () => {
    const asked = 'x-client-request-id,x-request-id,traceparent,tracestate';
    const origin = 'https://app.example';
    const preflight = await ask('/v1/chat/completions', {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': asked },
    });
    expect(preflight.headers.get('access-control-allow-headers')).toBe(asked.replaceAll(',', ', '));
    const answer = await ask('/v1/models', { headers: { origin, 'x-client-request-id': 'page' } });
    expect(answer.headers.get('access-control-expose-headers')).toBe('*');
    expect(answer.headers.get('x-client-request-id')).toBe('page');
  });
});

describe('an invalid id', () => {
  test.each([
    ['with a space', 'a b'],
    ['with quotes', 'a"b'],
    ['with other characters', 'caf\u00e9'],
    ['with more than 128 characters', 'x'.repeat(129)],
    ['with 10,000 characters', 'x'.repeat(10_000)],
  ])('%s is ignored', async (_name, id) => {
    const answer = await ask('/v1/chat/completions', { body: chat('a'), headers: { 'x-client-request-id': id } });
    expect([answer.status, answer.headers.get('x-client-request-id')]).toEqual([200, null]);
    expect(gateway.output()).not.toContain(id);
  });

  test.each([
    ['of zeros', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`],
    ['in upper case', TRACEPARENT.toUpperCase()],
    ['with 10,000 characters', `cc-${TRACEPARENT.slice(3)}-${'x'.repeat(10_000)}`],
  ])('of a trace, %s, is ignored', async (_name, traceparent) => {
    const answer = await ask('/v1/chat/completions', { body: chat('a'), headers: { traceparent } });
    expect([answer.status, answer.headers.get('traceparent')]).toEqual([200, null]);
  });
});

describe('the request log', () => {
  const own = `Bearer ${MANAGEMENT_TOKEN}`;
  const manage = async (path: string, authorization: string) => {
    const answer = await ask(`/v1/management${path}`, { headers: { authorization } });
    return { status: answer.status, json: (await answer.json()) as Json };
  };
  const idsOf = ({ json }: { readonly json: Json }) => json.data.map(({ id }: Json) => id);
  const sent = async (headers: Record<string, string>) => {
    const answer = await ask('/v1/chat/completions', { body: chat('log'), headers });
    await answer.text();
    return answer.headers.get('x-request-id') ?? '';
  };

  test("finds a client's id and a trace, in the list, a request and an export", async () => {
    const traceparent = TRACEPARENT.replace('4bf9', 'aaaa');
    const first = await sent({ 'x-request-id': 'found%_1', traceparent });
    const second = await sent({ 'x-client-request-id': 'found%_1' });
    expect(idsOf(await manage('/requests?client_request_id=found%25_1', own))).toEqual([second, first]);
    const trace = TRACE.replace('4bf9', 'AAAA');
    const list = await manage(`/requests?trace_id=${trace}`, own);
    expect(idsOf(list)).toEqual([first]);
    expect(list.json.data[0]).toMatchObject({ client_request_id: 'found%_1', trace_id: trace.toLowerCase() });
    const shown = (await manage(`/requests/${first}`, own)).json;
    expect(shown).toMatchObject({ client_request_id: 'found%_1', trace_id: trace.toLowerCase(), trace_url: null });
    const forOperator = (await manage(`/requests/${first}`, operator.authorization)).json;
    expect(forOperator.trace_url).toBe(`https://traces.example/trace/${trace.toLowerCase()}`);
    const exported = await ask('/v1/management/requests/export?client_request_id=found%25_1', {
      headers: { authorization: own },
    });
    const [, ...lines] = (await exported.text()).trim().split('\r\n');
    expect(lines.map((line) => line.slice(0, first.length))).toEqual([second, first]);
  });

  test('shows an account nothing of another one, also not with wildcards', async () => {
    const traceparent = TRACEPARENT.replace('4bf9', 'bbbb');
    const headers = { 'x-client-request-id': 'private-1', traceparent };
    const others = await sent({ ...headers, authorization: `Bearer ${OTHER_KEY}` });
    const searches = ['client_request_id=private-1', 'client_request_id=%25', 'client_request_id=private-_'];
    for (const search of [...searches, `trace_id=${traceparent.slice(3, 35)}`]) {
      const found = await manage(`/requests?${search}`, own);
      expect([found.status, found.json.data, found.json.has_more]).toEqual([200, [], false]);
    }
    expect((await manage(`/requests/${others}`, own)).status).toBe(404);
    expect(idsOf(await manage('/requests?client_request_id=private-1', `Bearer ${OTHER_TOKEN}`))).toEqual([others]);
    expect(idsOf(await manage('/requests?client_request_id=private-1', operator.authorization))).toEqual([others]);
  });

  test('shows an account nothing of another one in the live stream and in an export', async () => {
    const search = 'client_request_id=private-2';
    const live = await ask(`/v1/management/requests/live?${search}`, { headers: { authorization: own } });
    const others = await sent({ 'x-client-request-id': 'private-2', authorization: `Bearer ${OTHER_KEY}` });
    const mine = await sent({ 'x-client-request-id': 'private-2' });
    let events = '';
    const decoder = new TextDecoder();
    for await (const piece of live.body ?? []) {
      events += decoder.decode(piece, { stream: true });
      if (events.includes(mine)) break;
    }
    const exported = await ask(`/v1/management/requests/export?${search}`, { headers: { authorization: own } });
    const lines = await exported.text();
    expect([events.includes(mine), events.includes(others)]).toEqual([true, false]);
    expect([lines.includes(mine), lines.includes(others)]).toEqual([true, false]);
  });

  test.each([
    ['client_request_id=a%20b', 'client_request_id: must be 1 to 128 printable ASCII'],
    [`client_request_id=${'x'.repeat(129)}`, 'client_request_id: must be 1 to 128 printable ASCII'],
    ['trace_id=123', 'trace_id: must be a trace id'],
    [`trace_id=${'%25'.repeat(32)}`, 'trace_id: must be a trace id'],
  ])('refuses %s', async (query, message) => {
    const { status, json } = await manage(`/requests?${query}`, own);
    expect(status).toBe(400);
    expect(json.error.message).toContain(message);
  });
});

/** Resolves to the head of the answer to a WebSocket handshake. */
function handshake(path: string, headers: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(gateway.origin);
  const lines = [`GET ${path} HTTP/1.1`, `host: ${hostname}:${port}`, 'connection: upgrade', 'upgrade: websocket'];
  const own = ['sec-websocket-version: 13', 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=='];
  return new Promise((resolve, reject) => {
    let head = '';
    const socket = connect(Number(port), hostname, () =>
      socket.write([...lines, ...own, ...headers, '', ''].join('\r\n')),
    );
    socket.on('error', reject);
    socket.on('data', (data) => {
      head += data.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      socket.destroy();
      resolve(head.slice(0, end));
    });
  });
}
