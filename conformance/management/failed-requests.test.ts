import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ACCOUNT_ID, type Gateway, MANAGEMENT_TOKEN, startGatewayWith } from '../shared/gateway.ts';
import { until } from '../shared/until.ts';

/* The request log says why a request failed: what the client was told, and what each upstream said. */

const OPERATOR_TOKEN = 'mt-operator-of-failures-0000001';
const LIMITED_KEY = 'sk-limited-of-failures-00000001';
const EMPTY_KEY = 'sk-empty-of-failures-0000000001';
const SPENT_KEY = 'sk-spent-of-failures-0000000001';
const NARROW_KEY = 'sk-narrow-of-failures-000000001';
const SHARED_SECRET = 'sk-upstream-of-the-operator-0001';

setDefaultTimeout(240_000);

// The tests know its shape.
type Json = any;

let upstream: ReturnType<typeof Bun.serve>;
let gateway: Gateway;

beforeAll(async () => {
  upstream = Bun.serve({
    port: 0,
    fetch: async (request) => {
      // The gateway also asks which kind of server this is.
      if (request.method === 'GET') return new Response(null, { status: 404 });
      if ((await request.text()).includes('"half"')) return brokenStream();
      const message = request.url.includes('/shared/')
        ? `boom: see https://me:mine@internal.example/?token=t0psecret or ask for ${SHARED_SECRET}`
        : 'bust';
      return Response.json({ error: { message } }, { status: 500 });
    },
  });
  const base = (name: string) => `http://127.0.0.1:${upstream.port}/${name}/v1`;
  const breaker = { minimum_requests: 1_000 };
  const provider = 'openai-compatible';
  gateway = await startGatewayWith(
    [
      {
        ...{
          id: 'own',
          name: 'Our own',
          provider,
          base_url: base('own'),
          api_key: 'sk-our-own-upstream-0001',
          breaker,
        },
        ...{ owner: ACCOUNT_ID, priority: 1, models: { broken: 'broken', half: 'half' } },
      },
      {
        ...{ id: 'main', name: 'OpenAI main', provider, base_url: base('shared'), api_key: SHARED_SECRET, breaker },
        models: { broken: 'broken', single: 'single', priced: 'priced' },
      },
    ],
    {
      models: [{ id: 'priced', pricing: { input_per_1m: '5', output_per_1m: '5' } }],
      accounts: [
        {
          ...{ id: 'poor', name: 'Poor Ltd', billing: 'prepaid' },
          keys: [{ id: 'empty', name: 'No balance', secret: EMPTY_KEY }],
        },
        {
          ...{ id: 'house', admin: true, billing: 'unlimited', keys: [] },
          management_tokens: [{ id: 'ops', name: 'Ops', secret: OPERATOR_TOKEN }],
        },
        {
          ...{ id: 'limited', name: 'Limited Ltd', billing: 'unlimited', requests_per_minute: 1 },
          keys: [{ id: 'one', name: 'One a minute', secret: LIMITED_KEY }],
        },
        {
          ...{ id: 'narrow', name: 'Narrow Ltd', billing: 'unlimited' },
          keys: [
            { id: 'few', name: 'Few models', secret: NARROW_KEY, models: ['other-*'] },
            { id: 'spent', name: 'No limit left', secret: SPENT_KEY, limit_usd: '0.000000001' },
          ],
        },
      ],
    },
  );
});

afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop(true);
});

/** Returns a stream that ends in the middle of an event. */
function brokenStream(): Response {
  const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'half' };
  const choice = { index: 0, delta: { role: 'assistant', content: 'Hel' }, finish_reason: null };
  const text = `data: ${JSON.stringify({ ...chunk, choices: [choice] })}\n\ndata: {"id":"c","choi`;
  return new Response(text, { headers: { 'content-type': 'text/event-stream' } });
}

async function manage(path: string, token = MANAGEMENT_TOKEN): Promise<Json> {
  const answer = await fetch(`${gateway.origin}/v1/management${path}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return answer.headers.get('content-type') === 'application/json' ? answer.json() : answer.text();
}

/** Sends a request, and resolves to the error of its response and to its entry in the log. */
async function failed(path: string, body: object, { key = gateway.apiKey } = {}) {
  const isForm = body instanceof FormData;
  const answer = await fetch(`${gateway.origin}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, ...(!isForm && { 'content-type': 'application/json' }) },
    body: isForm ? body : JSON.stringify(body),
  });
  const { error } = (await answer.json()) as Json;
  return { status: answer.status, error, logged: await entryOf(answer.headers.get('x-request-id')) };
}

/** Resolves to the entry of a request, as an operator sees it. */
async function entryOf(id: string | null): Promise<Json> {
  let logged: Json;
  await until('the request is in the log', async () => {
    logged = await manage(`/requests/${id}`, OPERATOR_TOKEN);
    return logged.object === 'request';
  });
  return logged;
}

const messages = [{ role: 'user', content: 'Hello' }];
const chat = { model: 'single', messages };

function form(fields: Readonly<Record<string, string>>): FormData {
  const made = new FormData();
  for (const [name, value] of Object.entries(fields)) made.append(name, value);
  return made;
}

describe('a refused request has what the client was told, the field and the model', () => {
  const cases: readonly (readonly [path: string, body: object, param: string, model: string])[] = [
    ['/v1/chat/completions', { ...chat, temperature: 'hot' }, 'temperature', 'single'],
    ['/v1/messages', { ...chat, max_tokens: 'many' }, 'max_tokens', 'single'],
    ['/v1/responses', { model: 'single', input: 'Hello', temperature: 'hot' }, 'temperature', 'single'],
    ['/v1beta/models/single:generateContent', { contents: 'Hello' }, 'contents', 'single'],
    ['/v1/completions', { model: 'single', prompt: 'Hello', max_tokens: 'many' }, 'max_tokens', 'single'],
    ['/v1/embeddings', { model: 'single', input: 7 }, 'input', 'single'],
    ['/v1/images/generations', { model: 'single', prompt: 7 }, 'prompt', 'single'],
    ['/v1/audio/speech', { model: 'single', voice: 'alloy', input: 7 }, 'input', 'single'],
    ['/v1/videos/generations', { model: 'single', prompt: 7 }, 'prompt', 'single'],
    ['/v1/rerank', { model: 'single', query: 7, documents: ['a'] }, 'query', 'single'],
    ['/v1/audio/transcriptions', form({ model: 'single' }), 'file', 'single'],
  ];
  test.each(cases)('%s with a wrong field', async (path, body, param, model) => {
    const { status, error, logged } = await failed(path, body);
    expect([path, status]).toEqual([path, 400]);
    expect(logged).toMatchObject({
      ...{ error_message: error.message, error_param: param, error_side: 'client' },
      ...{ requested_model: model, account: ACCOUNT_ID, account_name: 'Conformance', key_name: 'Conformance' },
      ...{ channel: null, channel_name: null, failed_attempts: [] },
    });
    expect(logged.error_message.length).toBeGreaterThan(10);
  });

  const unknown: readonly (readonly [path: string, body: object])[] = [
    ['/v1/chat/completions', { model: 'singel', messages }],
    ['/v1/messages', { model: 'singel', messages, max_tokens: 9 }],
    ['/v1/responses', { model: 'singel', input: 'Hello' }],
    ['/v1beta/models/singel:generateContent', { contents: [{ parts: [{ text: 'Hello' }] }] }],
    ['/v1/embeddings', { model: 'singel', input: 'Hello' }],
    ['/v1/images/generations', { model: 'singel', prompt: 'A cat' }],
    ['/v1/audio/speech', { model: 'singel', voice: 'alloy', input: 'Hello' }],
    ['/v1/moderations', { model: 'singel', input: 'Hello' }],
    ['/v1/rerank', { model: 'singel', query: 'a', documents: ['a'] }],
  ];
  test.each(unknown)('%s with an unknown model', async (path, body) => {
    const { status, error, logged } = await failed(path, body);
    expect([path, status]).toEqual([path, 404]);
    expect(logged).toMatchObject({
      ...{ model: null, requested_model: 'singel', error_code: 'model_not_found', error_param: 'model' },
      error_message: error.message,
    });
  });

  test('with the suggestion', async () => {
    const { error, logged } = await failed('/v1/chat/completions', { model: 'singel', messages });
    expect(error.hint).toContain('single');
    expect(logged.error_hint).toBe(error.hint);
  });

  test('by a key that may not use the model', async () => {
    const { status, error, logged } = await failed('/v1/chat/completions', chat, { key: NARROW_KEY });
    expect(status).toBe(403);
    expect(logged).toMatchObject({
      ...{ error_code: 'model_not_allowed', error_message: error.message, error_param: 'model' },
      ...{ requested_model: 'single', key_name: 'Few models', account_name: 'Narrow Ltd' },
    });
  });

  test.each([
    ['the balance', EMPTY_KEY, 'insufficient_balance', 'No balance', 'Poor Ltd'],
    ['the limit of the key', SPENT_KEY, 'quota_exceeded', 'No limit left', 'Narrow Ltd'],
  ])('by %s', async (_what, key, code, name, account) => {
    const { status, error, logged } = await failed('/v1/chat/completions', { ...chat, model: 'priced' }, { key });
    expect([status, error.code]).toEqual([402, code]);
    expect(logged).toMatchObject({
      ...{ error_code: code, error_message: error.message, error_hint: error.hint ?? null, error_side: 'client' },
      ...{ model: 'priced', requested_model: 'priced', key_name: name, account_name: account, failed_attempts: [] },
    });
  });

  test('by a limit, before the body was read', async () => {
    await failed('/v1/chat/completions', chat, { key: LIMITED_KEY });
    const { status, error, logged } = await failed('/v1/chat/completions', chat, { key: LIMITED_KEY });
    expect(status).toBe(429);
    expect(logged).toMatchObject({
      ...{ error_code: 'rate_limit_exceeded', error_message: error.message, error_hint: error.hint ?? null },
      requested_model: null,
    });
  });
});

describe('a request that all channels failed', () => {
  const boom = 'boom: see https://[redacted]@internal.example/?token=[redacted] or ask for [redacted]';
  const said = (message: string) => `The provider failed (HTTP 500): ${message}`;

  test("has the upstreams' messages for operators, and those of its own channels for the account", async () => {
    const sent = await failed('/v1/chat/completions', { ...chat, model: 'broken' });
    const own = await manage(`/requests/${sent.logged.id}`);
    const of = (view: Json) => view.failed_attempts.map(({ channel, message }: Json) => [channel, message]);
    const told = of(sent.logged) as [string, string][];
    expect(new Map(told)).toEqual(
      new Map([
        ['own', said('bust')],
        ['main', said(boom)],
      ]),
    );
    expect(new Map(of(own))).toEqual(
      new Map([
        ['own', said('bust')],
        ['main', null],
      ]),
    );
    for (const view of [sent.logged, own]) {
      expect(view).toMatchObject({ error_message: sent.error.message, error_code: sent.error.code });
      expect(JSON.stringify(view)).not.toContain('t0psecret');
      expect(JSON.stringify(view)).not.toContain(SHARED_SECRET);
    }
    const lines = sent.logged.time_line.attempts.map(({ channel_name, message }: Json) => [channel_name, message]);
    expect(lines).toContainEqual(['OpenAI main', said(boom)]);
    expect(lines).toContainEqual(['Our own', said('bust')]);
    expect(own.time_line.attempts.find(({ channel }: Json) => channel === 'main').message).toBeNull();
  });

  test('is found by several codes and channels, in the list and in files', async () => {
    await failed('/v1/chat/completions', chat);
    const query = `account_id=${ACCOUNT_ID}&channel=main,own&error_code=upstream_error,all_channels_failed`;
    const { data } = await manage(`/requests?${query}`, OPERATOR_TOKEN);
    expect(data.length).toBeGreaterThan(0);
    for (const line of data) {
      expect(['main', 'own']).toContain(line.channel);
      expect(['OpenAI main', 'Our own']).toContain(line.channel_name);
    }
    const none = await manage(`/requests?account_id=${ACCOUNT_ID}&error_code=timeout_error,quota_exceeded`);
    expect(none.data).toEqual([]);
    expect((await manage(`/requests?error_code=a,,b`)).error).toMatchObject({ param: 'error_code' });
    const [head = '', line = ''] = (await manage(`/requests/export?${query}`, OPERATOR_TOKEN)).split('\r\n');
    expect(head).toEndWith(
      'recovered,requested_model,error_message,error_param,error_hint,error_side,account_name,key_name,channel_name,client_request_id,trace_id',
    );
    expect(line).toContain('The provider failed (HTTP 500)');
    expect(line).toMatch(/,upstream,Conformance,Conformance,(?:OpenAI main|Our own),,$/);
    const [json = ''] = (await manage(`/requests/export?format=jsonl&${query}`, OPERATOR_TOKEN)).split('\n');
    expect(JSON.parse(json)).toMatchObject({ error_side: 'upstream', account_name: 'Conformance' });
  });

  test('streams its message to a live view', async () => {
    const watching = await fetch(`${gateway.origin}/v1/management/requests/live`, {
      headers: { authorization: `Bearer ${MANAGEMENT_TOKEN}` },
    });
    await failed('/v1/chat/completions', { model: 'singel', messages });
    const decoder = new TextDecoder();
    let text = '';
    for await (const chunk of watching.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (text.includes('"requested_model":"singel"')) break;
    }
    expect(text).toContain('"account_name":"Conformance"');
    expect(text).toContain('"error_hint":"Did you mean `single`?"');
  });
});

test('a stream that broke off has the error that ended it', async () => {
  const answer = await fetch(`${gateway.origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...chat, model: 'half', stream: true }),
  });
  const text = await answer.text();
  expect([answer.status, text]).toEqual([200, expect.stringContaining('"Hel"')]);
  const logged = await entryOf(answer.headers.get('x-request-id'));
  expect(logged).toMatchObject({ status: 200, error_side: 'upstream', error_code: 'upstream_error' });
  expect(logged.error_message.length).toBeGreaterThan(10);
  expect(text).toContain(JSON.stringify(logged.error_message).slice(1, -1));
  expect(logged.time_line.attempts).toMatchObject([
    { channel_name: 'Our own', outcome: 'failed', message: logged.error_message },
  ]);
});

describe('over a WebSocket', () => {
  /** Resolves to the newest entry with this requested model and format. */
  async function latest(model: string, format: string): Promise<Json> {
    let found: Json;
    await until('the request is in the log', async () => {
      const { data } = await manage(`/requests?format=${format}`);
      found = data.find((line: Json) => line.requested_model === model);
      return found !== undefined;
    });
    return found;
  }

  function connect(path: string): WebSocket {
    const init = { headers: { authorization: `Bearer ${gateway.apiKey}` } };
    return new WebSocket(`${gateway.origin.replace('http', 'ws')}${path}`, init as object as string[]);
  }

  test('a refused response has what the client was told', async () => {
    const socket = connect('/v1/responses');
    const told = new Promise<Json>((resolve) => {
      socket.onmessage = ({ data }) => resolve(JSON.parse(String(data)));
    });
    socket.onopen = () =>
      socket.send(JSON.stringify({ type: 'response.create', model: 'over-socket', input: 'Hello' }));
    const { error } = await told;
    socket.close();
    const line = await latest('over-socket', 'openai-responses');
    expect(line).toMatchObject({ error_code: 'model_not_found', error_message: error.message, model: null });
  });

  test('a refused realtime session has its model', async () => {
    const socket = connect('/v1/realtime?model=my-voice');
    const ended = new Promise((resolve) => {
      socket.onclose = resolve;
      socket.onerror = () => undefined;
    });
    await ended;
    const line = await latest('my-voice', 'openai-chat');
    expect(line.error_message.length).toBeGreaterThan(10);
    expect(line.error_code).toBeString();
  });
});
