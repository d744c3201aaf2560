import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type Gateway, startGatewayWith } from './shared/gateway.ts';
import { until } from './shared/until.ts';

/* Guards over whole gateways: masked values reach no upstream, and are in the client's responses again. */

setDefaultTimeout(120_000);

const EMAIL = 'jane.doe@example.com';
const CARD = '4111 1111 1111 1111';
const ACME_KEY = 'sk-acme-of-guards-0000000000000001';
const OPEN_KEY = 'sk-open-of-guards-0000000000000001';
const MASKED_KEY = 'sk-masked-of-guards-00000000000001';
const OWNER = 'mt-acme-of-guards-0000000000000001';
const OPERATOR = 'mt-house-of-guards-000000000000001';

let upstream: ReturnType<typeof Bun.serve>;
let gateway: Gateway;
/** The bodies that the upstream has received. */
let received: string[] = [];
/** Answers for the upstream. */
let answer: (path: string, body: string) => Response = () => new Response(null, { status: 404 });

beforeAll(async () => {
  upstream = Bun.serve({
    port: 0,
    fetch: async (request) => {
      if (request.method !== 'POST') return new Response(null, { status: 404 });
      const body = await request.text();
      received.push(body);
      return answer(new URL(request.url).pathname, body);
    },
  });
  const channel = {
    ...{ id: 'main', name: 'Main', provider: 'openai-compatible', api_key: 'sk-upstream' },
    base_url: `http://127.0.0.1:${upstream.port}/v1`,
  };
  const sandbox: object = { id: 'made-up', name: 'Made up', provider: 'sandbox', models: { clip: 'sandbox-video' } };
  const openai = {
    ...channel,
    id: 'openai',
    name: 'OpenAI',
    provider: 'openai',
    models: { vectors: 'v', scribe: 's' },
  };
  gateway = await startGatewayWith(
    [
      { ...channel, models: { 'plain-chat': 'plain-chat', 'guarded-chat': 'guarded-chat', fallback: 'fallback' } },
      ...[
        openai,
        { ...openai, id: 'own', owner: 'acme', models: { rt: 'gpt-realtime' } },
        sandbox as typeof channel & { readonly models: Readonly<Record<string, string>> },
      ],
    ],
    {
      models: [
        { id: 'guarded-chat', guards: ['pii'], pricing: 'free' },
        { id: 'plain-chat', pricing: 'free' },
        { id: 'fallback', pricing: 'free', guards: ['terms'] },
        { id: 'vectors', category: 'embedding', pricing: 'free' },
        { id: 'scribe', category: 'stt', pricing: 'free' },
        {
          id: 'virtual',
          rules: [
            { name: 'streams', when: { stream: true }, model: 'plain-chat' },
            { name: 'others', model: 'guarded-chat' },
          ],
        },
      ],
      accounts: [
        { id: 'house', admin: true, management_tokens: [{ id: 'ops', secret: OPERATOR }] },
        {
          ...{ id: 'acme', billing: 'unlimited', capture: 'full', guards: ['pii'], requests_per_minute: 100_000 },
          cache: { strategy: 'exact', max_temperature: 2 },
          keys: [{ id: 'ci', secret: ACME_KEY, guards: ['terms'] }],
          management_tokens: [{ id: 'own', secret: OWNER }],
        },
        {
          ...{ id: 'duo', billing: 'unlimited', cache: { strategy: 'exact', max_temperature: 2 } },
          keys: [
            { id: 'open', secret: OPEN_KEY },
            { id: 'masked', secret: MASKED_KEY, guards: ['pii', 'out'] },
          ],
        },
      ],
      guards: [
        { id: 'pii', pii: [{ class: 'email' }, { class: 'card' }, { class: 'iban', action: 'flag' }] },
        { id: 'terms', terms: [{ name: 'project', terms: ['operation bluebird'] }] },
        { id: 'out', stages: ['output'], terms: [{ name: 'project', terms: ['operation bluebird'] }] },
      ],
    },
  );
});

afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop(true);
});

beforeEach(() => {
  received = [];
});

function completion(content: string) {
  return {
    id: 'c1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 3, total_tokens: 6 },
  };
}

function streamOf(pieces: readonly string[]): Response {
  const chunk = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const text = [
    chunk({ role: 'assistant', content: '' }),
    ...pieces.map((content) => chunk({ content })),
    chunk({}, 'stop'),
    'data: [DONE]\n\n',
  ];
  return new Response(text.join(''), { headers: { 'content-type': 'text/event-stream' } });
}

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  fetch(`${gateway.origin}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${gateway.apiKey}`,
      'x-api-key': gateway.apiKey,
      'content-type': 'application/json',
      ...headers,
    },
    body: JSON.stringify(body),
  });

const said = (content: unknown, model = 'guarded-chat') => ({ model, messages: [{ role: 'user', content }] });

describe('a masked value', () => {
  test('reaches no upstream, and is in the whole response again', async () => {
    answer = () => Response.json(completion('I wrote to [EMAIL_1] and charged "[CARD_1]".'));
    const response = await post('/v1/chat/completions', said(`Write to ${EMAIL} and charge ${CARD}; again ${EMAIL}`));
    expect(received[0]).toContain('Write to [EMAIL_1] and charge [CARD_1]; again [EMAIL_1]');
    expect(await response.json()).toMatchObject({
      choices: [{ message: { content: `I wrote to ${EMAIL} and charged "${CARD}".` } }],
    });
  });

  test('is restored in streams of all formats, although its placeholder is split', async () => {
    answer = () => streamOf(['I wrote to [', 'EMA', 'IL_1', '] and [EMAIL', '_9] or [', 'x]', ' [']);
    const expected = `I wrote to ${EMAIL} and [EMAIL_9] or [x] [`;
    const messages = [{ role: 'user', content: `Write to ${EMAIL}` }];
    const texts = [
      ['/v1/chat/completions', { model: 'guarded-chat', stream: true, messages }],
      ['/v1/responses', { model: 'guarded-chat', stream: true, input: `Write to ${EMAIL}` }],
      ['/v1/messages', { model: 'guarded-chat', stream: true, max_tokens: 50, messages }],
      [
        '/v1beta/models/guarded-chat:streamGenerateContent?alt=sse',
        { contents: [{ parts: [{ text: `Write to ${EMAIL}` }] }] },
      ],
      ['/v1beta/models/guarded-chat:streamGenerateContent', { contents: [{ parts: [{ text: `Write to ${EMAIL}` }] }] }],
    ] as const;
    for (const [path, body] of texts) {
      const text = await (await post(path, body)).text();
      expect({ path, text: textOfStream(text) }).toEqual({ path, text: expected });
    }
    expect(received.join()).not.toContain(EMAIL);
    expect(received).toHaveLength(texts.length);
  });

  test('is found in the arguments of tools, in base64 and in text with escapes', async () => {
    answer = () => Response.json(completion('ok'));
    const encoded = Buffer.from(`the mail of Jane is ${EMAIL}`).toString('base64');
    const call = {
      id: 'call_1',
      type: 'function',
      function: { name: 'send', arguments: '{"to":"jane.doe\\u0040example.com","card":4111111111111111}' },
    };
    const messages = [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'hi' },
          { type: 'file', file: { filename: 'a.txt', file_data: `data:text/plain;base64,${encoded}` } },
        ],
      },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: `sent ${encoded}` },
    ];
    await post('/v1/chat/completions', { model: 'guarded-chat', messages });
    const sent = received.join();
    expect(sent).toContain('[EMAIL_1]');
    expect(sent).toContain('[CARD_1]');
    expect(sent).not.toContain('4111111111111111');
    expect(sent).not.toContain(encoded);
    expect(sent).not.toContain('jane.doe');
  });
});

test('a rule refuses a request in the format of the client, and names itself without the text', async () => {
  const response = await post('/v1/chat/completions', said('About Operatiоn  BLUE\u200bbird', 'fallback'));
  expect(response.status).toBe(400);
  const { error } = (await response.json()) as { error: { code: string; message: string } };
  expect(error).toMatchObject({ code: 'content_policy_violation' });
  expect(error.message).toContain('`project` of the guard `terms`');
  expect(error.message.toLowerCase()).not.toContain('blue');
  const id = response.headers.get('x-request-id') ?? '';
  let line = '';
  await until('the log has its line', async () => {
    const shown = await managed(`/requests/${id}`, OPERATOR);
    line = await shown.text();
    return shown.ok;
  });
  expect(line).toContain('"guards":[{"guard":"terms","rule":"project","stage":"input","action":"refuse","count":1}]');
  expect(received).toEqual([]);
});

test('the guards of models that rules or fallbacks may reach apply as well', async () => {
  answer = () => Response.json(completion('ok'));
  await post('/v1/chat/completions', said(EMAIL, 'plain-chat'));
  await post('/v1/chat/completions', said(EMAIL, 'virtual'));
  expect(received.map((body) => body.includes(EMAIL))).toEqual([true, false]);
  const refused = await post('/v1/chat/completions', said('operation bluebird', 'plain-chat'), {
    'x-switchyard-fallback-models': 'fallback',
  });
  expect(refused.status).toBe(400);
});

const managed = (path: string, token: string, method = 'GET', body?: object) =>
  fetch(`${gateway.origin}/v1/management${path}`, {
    ...{ method, headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' } },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

test('captures and caches have placeholders, and a hit has the value of its own request', async () => {
  answer = () => Response.json(completion('I wrote to [EMAIL_1].'));
  const asked = async (email: string) => {
    const response = await post('/v1/chat/completions', said(`Write to ${email}`, 'plain-chat'), {
      authorization: `Bearer ${ACME_KEY}`,
    });
    return { id: response.headers.get('x-request-id') ?? '', text: await response.text() };
  };
  const first = await asked(EMAIL);
  expect(first.text).toContain(`I wrote to ${EMAIL}.`);
  expect((await asked('john@example.com')).text).toContain('I wrote to john@example.com.');
  expect(received).toHaveLength(1);
  let capture = '';
  await until('the capture is stored', async () => {
    const response = await managed(`/requests/${first.id}/capture`, OWNER);
    capture = await response.text();
    return response.ok;
  });
  expect(capture).toContain('[EMAIL_1]');
  expect(capture).not.toContain(EMAIL);
});

test('a key without a guard gets nothing that a guard has masked or refused from the cache, and the other way round', async () => {
  const asked = async (content: string, key: string) => {
    const headers = { authorization: `Bearer ${key}` };
    const response = await post('/v1/chat/completions', said(content, 'plain-chat'), headers);
    return { status: response.status, text: await response.text() };
  };
  answer = () => Response.json(completion('I wrote to [EMAIL_1].'));
  expect((await asked(`Write to ${EMAIL}`, MASKED_KEY)).text).toContain(EMAIL);
  // The entry of the masked request has its placeholder, and belongs to the masked text.
  expect((await asked('Write to [EMAIL_1]', OPEN_KEY)).text).not.toContain(EMAIL);
  expect(received).toHaveLength(1);
  await asked(`Write to ${EMAIL}`, OPEN_KEY);
  expect(received).toHaveLength(2);
  answer = () => Response.json(completion('operation bluebird'));
  expect((await asked('Which one?', OPEN_KEY)).text).toContain('bluebird');
  const refused = await asked('Which one?', MASKED_KEY);
  expect([refused.status, refused.text.includes('bluebird'), received.length]).toEqual([400, false, 3]);
});

describe('a guard of an account checks', () => {
  const asAcme = { authorization: `Bearer ${ACME_KEY}` };

  test('tasks, whose entry in the log has its verdicts', async () => {
    const made = await post('/v1/videos/generations', { model: 'clip', prompt: `a letter to ${EMAIL}` }, asAcme);
    expect(made.status).toBeLessThan(300);
    const { id } = (await made.json()) as { id: string };
    await until('the task has ended', async () => {
      const shown = await fetch(`${gateway.origin}/v1/tasks/${id}`, { headers: asAcme });
      return ((await shown.json()) as { status: string }).status === 'completed';
    });
    let line = '';
    await until('the log has its line', async () => {
      const shown = await managed(`/requests/${made.headers.get('x-request-id')}`, OWNER);
      line = await shown.text();
      return shown.ok;
    });
    expect(line).toContain('"guards":[{"guard":"pii","rule":"email","stage":"input","action":"mask","count":1}]');
    expect(line).not.toContain(EMAIL);
  });

  test('embeddings, and the fields of forms', async () => {
    answer = (path) =>
      path.endsWith('embeddings')
        ? Response.json({ object: 'list', model: 'v', data: [{ object: 'embedding', index: 0, embedding: [1] }] })
        : Response.json({ text: `I heard [EMAIL_1]` });
    const embedded = await post('/v1/embeddings', { model: 'vectors', input: [`to ${EMAIL}`] }, asAcme);
    expect(embedded.status).toBe(200);
    const form = new FormData();
    form.set('model', 'scribe');
    form.set('prompt', `names: ${EMAIL}`);
    form.set('file', new File(['RIFF\u0024\u0000\u0000\u0000WAVEfmt ', new Uint8Array(64)], 'a.wav'));
    const address = `${gateway.origin}/v1/audio/transcriptions`;
    const heard = await fetch(address, { method: 'POST', headers: asAcme, body: form });
    expect(await heard.text()).toContain(`I heard ${EMAIL}`);
    expect(received.map((body) => [body.includes('[EMAIL_1]'), body.includes(EMAIL)])).toEqual([
      ...Array(2).fill([true, false]),
    ]);
  });

  test('Responses over WebSocket, and conversations, in which earlier placeholders keep their own names', async () => {
    answer = () => streamOf(['I wrote to [EM', 'AIL_1].']);
    const events = await overSocket({ type: 'response.create', model: 'plain-chat', input: `Write to ${EMAIL}` });
    expect(events).toContain(`I wrote to ${EMAIL}.`);
    answer = () => Response.json(completion('I wrote to [EMAIL_1].'));
    const first = await post('/v1/responses', { model: 'plain-chat', input: `Write to ${EMAIL}` }, asAcme);
    const { id } = (await first.json()) as { id: string };
    received = [];
    const next = { model: 'plain-chat', previous_response_id: id, input: 'Now to john@example.com' };
    expect((await post('/v1/responses', next, asAcme)).status).toBe(200);
    const [sent = ''] = received;
    expect(sent).toContain('Write to [EMAIL_1]');
    expect(sent).toMatch(/Now to \[EMAIL_[A-Z0-9]{4}_1\]/);
    expect(received.join()).not.toContain('@example.com');
  });

  test.each([
    ['passed-through objects', '/v1/vector_stores', { name: `about ${EMAIL}` }],
    ['secrets of realtime sessions', '/v1/realtime/client_secrets', { session: { type: 'realtime', model: 'rt' } }],
  ])('nothing of %s, and refuses them', async (_, path, body) => {
    const refused = await post(path, body, asAcme);
    expect(await refused.json()).toMatchObject({ error: { code: 'content_policy_violation' } });
    expect(refused.status).toBe(400);
    expect(received).toEqual([]);
  });
});

/** Sends one message to the Responses API over WebSocket. Resolves to the text of its events. */
function overSocket(message: object): Promise<string> {
  const init = { headers: { authorization: `Bearer ${ACME_KEY}` } };
  const address = `${gateway.origin.replace('http', 'ws')}/v1/responses`;
  const socket = new WebSocket(address, init as unknown as string[]);
  let text = '';
  return new Promise((resolve, reject) => {
    socket.onopen = () => socket.send(JSON.stringify(message));
    socket.onerror = () => reject(new Error('the connection failed'));
    socket.onmessage = ({ data }) => {
      const event = JSON.parse(String(data)) as { type: string; delta?: string };
      if (event.type === 'response.output_text.delta') text += event.delta;
      if (event.type === 'response.completed' || event.type === 'error' || event.type === 'response.failed') {
        socket.close();
        resolve(event.type === 'response.completed' ? text : String(data));
      }
    };
  });
}

test('operators manage guards, and accounts see their names only', async () => {
  const made = await managed('/guards', OPERATOR, 'POST', {
    id: 'more',
    patterns: [{ name: 'ticket', pattern: 'TCK-\\d+' }],
  });
  expect(made.status).toBe(201);
  const wrong = await managed('/guards', OPERATOR, 'POST', {
    id: 'wrong',
    patterns: [{ name: 'a', pattern: '(a)\\1' }],
  });
  expect(await wrong.text()).toContain('patterns[0].pattern');
  const listed = await (await managed('/guards', OWNER)).text();
  expect(listed).toContain('"more"');
  expect(listed).not.toContain('TCK');
  expect((await managed('/guards/more', OWNER, 'DELETE')).status).toBe(403);
  const key = await managed('/keys', OWNER, 'POST', { id: 'guarded', guards: ['more'] });
  const { secret } = (await key.json()) as { secret: string };
  const refused = await post('/v1/chat/completions', said('see TCK-1', 'plain-chat'), {
    authorization: `Bearer ${secret}`,
  });
  expect(await refused.text()).toContain('`ticket` of the guard `more`');
  expect((await managed('/keys', OWNER, 'POST', { id: 'other', guards: ['unknown'] })).status).toBe(400);
  expect((await managed('/guards/more', OPERATOR, 'DELETE')).status).toBe(409);
  expect((await managed('/keys/guarded', OWNER, 'DELETE')).status).toBeLessThan(300);
  expect((await managed('/guards/more', OPERATOR, 'DELETE')).status).toBe(204);
});

/** Returns the text that the events of any format's stream make. */
function textOfStream(stream: string): string {
  const events = stream.startsWith('[')
    ? (JSON.parse(stream) as unknown[])
    : [...stream.matchAll(/^data: (\{.*)$/gm)].map(([, json = '']) => JSON.parse(json) as unknown);
  return events.map((event) => textOf(event as Record<string, never>)).join('');
}

function textOf(event: any): string {
  if (event.type === 'response.output_text.delta') return event.delta;
  if (event.type === 'content_block_delta') return event.delta.text ?? '';
  if (event.candidates)
    return (event.candidates[0]?.content?.parts ?? []).map((part: { text?: string }) => part.text ?? '').join('');
  return event.choices?.[0]?.delta?.content ?? '';
}
