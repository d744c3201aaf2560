import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type ConfiguredChannel, type Gateway, startGatewayWith } from '../../shared/gateway.ts';
import { asArray, asObject, parseJson } from '../../shared/json.ts';
import { type StrictServer, startStrictServer } from '../server.ts';
import { bodyOf } from '../shared/members.ts';

/* Requests in every client format to OpenAI's and Azure's models, which refuse what the real ones refuse. */

setDefaultTimeout(600_000);

type Json = Readonly<Record<string, unknown>>;

let strict: StrictServer;
let gateway: Gateway;

/** Each model is served over both formats, which is the default, and over chat completions only. */
const PLACES = {
  'openai-responses': { provider: 'openai', formats: undefined },
  'openai-chat': { provider: 'openai', formats: ['openai-chat'] },
  'azure-openai-chat': { provider: 'azure-openai', formats: ['openai-chat'] },
} as const;
const MODELS = [
  ...['gpt-4o', 'gpt-4.1', 'gpt-5-chat-latest', 'gpt-5.1-chat-latest', 'o4-mini', 'gpt-5', 'gpt-5.1'],
  ...['gpt-5.4', 'gpt-5.5', 'gpt-5.6-terra'],
];

/** Both wires of OpenAI have the same base URL, as at OpenAI. */
function startJoined(server: StrictServer): { readonly baseUrl: string; readonly stop: () => Promise<void> } {
  const joined = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const name = pathname.startsWith('/responses') ? 'openai-responses' : 'openai-chat';
      const { method, headers } = request;
      return fetch(`${server.baseUrlOf(name)}${pathname}`, { method, headers, body: await request.arrayBuffer() });
    },
  });
  return { baseUrl: `http://127.0.0.1:${joined.port}`, stop: () => joined.stop(true) };
}

let joined: ReturnType<typeof startJoined>;

beforeAll(async () => {
  strict = startStrictServer();
  joined = startJoined(strict);
  const channels = Object.entries(PLACES).map(
    ([id, { provider, formats }]): ConfiguredChannel => ({
      ...{ id, name: id, provider, api_key: 'upstream-key' },
      base_url: id === 'azure-openai-chat' ? strict.baseUrlOf(id) : joined.baseUrl,
      ...(formats !== undefined && { formats }),
      models: Object.fromEntries(MODELS.map((model) => [`${id}--${model}`, model])),
    }),
  );
  gateway = await startGatewayWith(channels);
});
afterAll(async () => {
  await gateway.stop();
  await joined.stop();
  await strict.stop();
});
beforeEach(() => strict.clear());

interface Client {
  readonly path: (model: string, stream: boolean) => string;
  /** Returns a request with these knobs, as the format names them. */
  body(knobs: Knobs): Json;
}

interface Knobs {
  readonly sampling?: boolean;
  readonly penalties?: 0 | 0.5;
  readonly effort?: string;
  readonly tools?: boolean;
}

const SCHEMA = { type: 'object', properties: { city: { type: 'string' } } };

const CLIENTS: Readonly<Record<string, Client>> = {
  chat: {
    path: () => '/v1/chat/completions',
    body: ({ sampling, penalties, effort, tools }) => ({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
      ],
      max_tokens: 64,
      ...(sampling && { temperature: 0, top_p: 0.5 }),
      ...(penalties !== undefined && { presence_penalty: penalties, frequency_penalty: penalties }),
      ...(effort !== undefined && { reasoning_effort: effort }),
      ...(tools && { tools: [{ type: 'function', function: { name: 'weather', parameters: SCHEMA } }] }),
    }),
  },
  responses: {
    path: () => '/v1/responses',
    body: ({ sampling, effort, tools }) => ({
      input: 'Hi',
      include: ['reasoning.encrypted_content'],
      ...(sampling && { temperature: 0, top_p: 0.5 }),
      ...(effort !== undefined && { reasoning: { effort, summary: 'auto' } }),
      ...(tools && { tools: [{ type: 'function', name: 'weather', parameters: SCHEMA, strict: false }] }),
    }),
  },
  messages: {
    path: () => '/v1/messages',
    body: ({ sampling, effort, tools }) => ({
      max_tokens: 64,
      messages: [{ role: 'user', content: 'Hi' }],
      ...(sampling && { temperature: 0, top_p: 0.5 }),
      ...(effort !== undefined && { output_config: { effort } }),
      ...(tools && { tools: [{ name: 'weather', input_schema: SCHEMA }] }),
    }),
  },
  gemini: {
    path: (model, stream) => `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: ({ sampling, effort, tools }) => ({
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      generationConfig: {
        ...(sampling && { temperature: 0, topP: 0.5 }),
        ...(effort !== undefined && { thinkingConfig: { thinkingLevel: effort } }),
      },
      ...(tools && { tools: [{ functionDeclarations: [{ name: 'weather', parameters: SCHEMA }] }] }),
    }),
  },
};

const KNOBS: readonly (readonly [name: string, knobs: Knobs])[] = [
  ['only a prompt', {}],
  ['sampling', { sampling: true }],
  ['penalties', { penalties: 0.5 }],
  ['penalties of 0', { penalties: 0 }],
  ['an effort', { effort: 'high' }],
  ['tools', { tools: true }],
  ['tools and an effort', { tools: true, effort: 'high' }],
  ['everything', { sampling: true, penalties: 0.5, effort: 'low', tools: true }],
];

async function ask(client: Client, model: string, body: Json, stream: boolean) {
  const path = client.path(model, stream);
  const response = await fetch(`${gateway.origin}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...{ authorization: `Bearer ${gateway.apiKey}`, 'x-api-key': gateway.apiKey, 'anthropic-version': '2023-06-01' },
    },
    body: JSON.stringify({ ...body, ...(path.startsWith('/v1/') && { model, stream }) }),
  });
  const lost = asArray(parseJson(response.headers.get('x-switchyard-losses') ?? '[]')).map((loss) =>
    String(asObject(loss).field),
  );
  return { status: response.status, text: await response.text(), lost };
}

describe.each(Object.entries(CLIENTS))('a %s client', (_, client) => {
  describe.each(Object.keys(PLACES))('over %s', (place) => {
    test.each(KNOBS)('with %s gets a response of every model, alternately whole and streamed', async (_, knobs) => {
      for (const [index, model] of MODELS.entries()) {
        const stream = (index + KNOBS.findIndex(([, one]) => one === knobs)) % 2 === 1;
        const { status, text } = await ask(client, `${place}--${model}`, client.body(knobs), stream);
        const refusal = strict.refusals.at(-1);
        const why = refusal === undefined ? (status === 200 ? null : text) : `${refusal.rule.id}: ${refusal.message}`;
        expect({ model, stream, status, why }).toEqual({ model, stream, status: 200, why: null });
      }
    });
  });
});

const sent = (upstream: string): Json => {
  const request = strict.requestsTo(upstream).at(-1);
  if (request === undefined) throw new Error(`nothing was sent to ${upstream}`);
  return bodyOf(request);
};
const chat = CLIENTS.chat as Client;

describe('a relayed chat request', () => {
  test('has its losses named, and keeps everything else', async () => {
    const body = { ...chat.body({ sampling: true, penalties: 0.5 }), logit_bias: { 50256: -100 }, user: 'ann' };
    const { lost } = await ask(chat, 'openai-chat--gpt-5', body, false);
    expect(lost.toSorted()).toEqual(['frequency_penalty', 'logit_bias', 'presence_penalty', 'temperature', 'top_p']);
    expect(Object.keys(sent('openai-chat')).toSorted()).toEqual([
      ...['max_completion_tokens', 'messages', 'model', 'stream', 'user'],
    ]);
  });

  test('has no losses if the values are defaults', async () => {
    const body = { ...chat.body({ penalties: 0 }), temperature: 1, logprobs: false };
    expect((await ask(chat, 'openai-chat--gpt-5', body, false)).lost).toEqual([]);
    expect(sent('openai-chat')).not.toHaveProperty('presence_penalty');
  });

  test('has no losses if the model does not reason', async () => {
    const atRest = chat.body({ sampling: true });
    expect((await ask(chat, 'openai-chat--gpt-5.1', atRest, false)).lost).toEqual([]);
    expect(sent('openai-chat')).toMatchObject({ temperature: 0, top_p: 0.5 });
    const told = { ...chat.body({ sampling: true, effort: 'none' }) };
    expect((await ask(chat, 'openai-chat--gpt-5.5', told, false)).lost).toEqual([]);
    expect(sent('openai-chat')).toMatchObject({ temperature: 0, reasoning_effort: 'none' });
    const reasoning = chat.body({ sampling: true, effort: 'medium' });
    expect((await ask(chat, 'openai-chat--gpt-5.1', reasoning, false)).lost).toEqual(['temperature', 'top_p']);
  });
});

test('a chat request with tools and an effort is sent to the Responses API if the channel has it', async () => {
  const body = chat.body({ tools: true, effort: 'high' });
  expect((await ask(chat, 'openai-responses--gpt-5.4', body, false)).lost).toEqual([]);
  expect(sent('openai-responses')).toMatchObject({ reasoning: { effort: 'high' }, tools: [{ name: 'weather' }] });
  expect((await ask(chat, 'openai-chat--gpt-5.4', body, false)).lost).toEqual(['reasoning_effort']);
  expect(sent('openai-chat').reasoning_effort).toBe('none');
});

test('encrypted reasoning is requested only of reasoning models', async () => {
  const messages = CLIENTS.messages as Client;
  await ask(messages, 'openai-responses--gpt-4o', messages.body({}), false);
  expect(sent('openai-responses')).not.toHaveProperty('include');
  await ask(messages, 'openai-responses--gpt-5', messages.body({}), false);
  expect(sent('openai-responses').include).toEqual(['reasoning.encrypted_content']);
});

test('a schema that OpenAI refuses in strict mode is sent without it, with the loss named', async () => {
  const messages = CLIENTS.messages as Client;
  const tools = [{ name: 'weather', strict: true, input_schema: SCHEMA }];
  for (const place of ['openai-responses', 'openai-chat']) {
    const { status, lost } = await ask(messages, `${place}--gpt-4.1`, { ...messages.body({}), tools }, false);
    expect({ place, status, lost }).toEqual({ place, status: 200, lost: ['tools[0].strict'] });
  }
});

test('call ids of another provider that are too long are shortened, equally for a call and its result', async () => {
  const id = `call_${'x'.repeat(80)}`;
  const asked = {
    messages: [
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: id, content: 'Snow.' },
    ],
  };
  const messages = CLIENTS.messages as Client;
  const used = {
    ...messages.body({}),
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [{ type: 'tool_use', id, name: 'f', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'Snow.' }] },
    ],
  };
  for (const place of ['openai-chat', 'openai-responses']) {
    expect((await ask(chat, `${place}--gpt-4.1`, asked, false)).status).toBe(200);
    expect((await ask(messages, `${place}--gpt-4.1`, used, false)).status).toBe(200);
  }
});
