import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { STATE_MARKER } from '../src/formats/text/shared/state-token.ts';
import { clientKey } from './first-light/upstream.ts';
import { asObject } from './shared/json.ts';
import type { Serving } from './shared/serving.ts';
import { until } from './shared/until.ts';
import { Workspace } from './shared/workspace.ts';

/*
 * The fields of a request that can raise the cost, choose a host or reach an object, over a shared channel in every client format.
 * src/engine/operations/text/extras.test.ts checks each field of every manifest; acceptance/process/kept-containers.test.ts checks that an
 * account's objects survive a kill of the gateway.
 */

type JsonObject = Readonly<Record<string, unknown>>;

type Format = 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'gemini';

interface Seen {
  readonly channel: string;
  readonly path: string;
  readonly body: JsonObject;
}

const USAGE = { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 };
/** A token costs a thousand nano-USD. */
const COST = 150_000n;
const PRICING = { input_per_1m: '1', output_per_1m: '1' };

let upstream: ReturnType<typeof Bun.serve>;
let space: Workspace;
let serving: Serving;
let env: Record<string, string>;
let seen: Seen[] = [];
/** Whether the channels have lost the objects that they stored. */
let hasForgotten = false;
let answers = 0;
/** Fields that a response reports about its generation. */
let served: { readonly model?: string; readonly service_tier?: string } = {};

const ANSWERS: Readonly<Record<Format, (body: JsonObject) => object>> = {
  'openai-chat': ({ model }) => ({
    ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model, usage: USAGE, ...served },
    choices: [
      {
        index: 0,
        finish_reason: 'stop',
        message: {
          role: 'assistant',
          content: null,
          audio: { id: `audio_${++answers}`, data: '', transcript: 'Hi', expires_at: 9 },
        },
      },
    ],
  }),
  'openai-responses': ({ model, metadata }) => {
    const number = ++answers;
    return {
      ...{
        id: `resp_up${number}`,
        object: 'response',
        created_at: 1,
        status: 'completed',
        model,
        metadata,
        error: null,
        ...served,
      },
      output: [
        {
          type: 'code_interpreter_call',
          id: `ci_up${number}`,
          container_id: `cntr_up${number}`,
          status: 'completed',
          code: '1',
        },
        {
          ...{ type: 'message', id: `msg_up${number}`, role: 'assistant', status: 'completed' },
          content: [{ type: 'output_text', text: `Fruit number ${number}`, annotations: [], logprobs: [] }],
        },
        { type: 'reasoning', id: `rs_up${number}`, summary: [{ type: 'summary_text', text: 'Fruit.' }] },
      ],
      usage: { input_tokens: 100, output_tokens: 50, total_tokens: 150 },
    };
  },
  'anthropic-messages': ({ model }) => ({
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model, stop_reason: 'end_turn', stop_sequence: null },
    content: [{ type: 'text', text: 'Hi' }],
    container: { id: `container_up${++answers}`, expires_at: '2999-01-01T00:00:00Z' },
    usage: { input_tokens: 100, output_tokens: 50, server_tool_use: { web_search_requests: 3 } },
  }),
  gemini: () => ({
    candidates: [{ index: 0, finishReason: 'STOP', content: { role: 'model', parts: [{ text: 'Hi' }] } }],
    usageMetadata: {
      ...{ promptTokenCount: 100, candidatesTokenCount: 50, totalTokenCount: 150 },
      ...(served.service_tier === undefined ? {} : { serviceTier: served.service_tier }),
    },
    ...(served.model === undefined ? {} : { modelVersion: served.model }),
  }),
};

function formatOf(path: string): Format {
  if (path.endsWith('/chat/completions')) return 'openai-chat';
  if (path.endsWith('/responses')) return 'openai-responses';
  return path.endsWith('/messages') ? 'anthropic-messages' : 'gemini';
}

const BODIES: Readonly<Record<Format, JsonObject>> = {
  'openai-chat': { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 100 },
  'openai-responses': { input: 'Hello', max_output_tokens: 100 },
  'anthropic-messages': { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 100 },
  gemini: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }], generationConfig: { maxOutputTokens: 100 } },
};

const PATHS: Readonly<Record<Format, (model: string) => string>> = {
  'openai-chat': () => '/v1/chat/completions',
  'openai-responses': () => '/v1/responses',
  'anthropic-messages': () => '/v1/messages',
  gemini: (model) => `/v1beta/models/${model}:generateContent`,
};

async function ask(account: string, format: Format, model: string, members: JsonObject | string) {
  const response = await fetch(`http://127.0.0.1:${serving.port}${PATHS[format](model)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${clientKey(`governed-${account}`)}`, 'content-type': 'application/json' },
    body: bodyOf(format, model, members),
  });
  const text = await response.text();
  return { status: response.status, text, body: text.startsWith('{') ? asObject(JSON.parse(text)) : {} };
}

/** Members given as text are inserted into the body verbatim. */
function bodyOf(format: Format, model: string, members: JsonObject | string): string {
  const own = { ...(format === 'gemini' ? {} : { model }), ...BODIES[format] };
  if (typeof members !== 'string') return JSON.stringify({ ...own, ...members });
  return `${JSON.stringify(own).slice(0, -1)},${members}}`;
}

const FORMATS = Object.keys(BODIES) as Format[];
const PROVIDERS: Readonly<Record<Format, string>> = {
  'openai-chat': 'openai',
  'openai-responses': 'openai',
  'anthropic-messages': 'anthropic',
  gemini: 'google',
};

beforeAll(async () => {
  upstream = Bun.serve({
    port: 0,
    fetch: async (request) => {
      const { pathname } = new URL(request.url);
      const body = asObject(await request.json());
      const channel = (
        request.headers.get('authorization') ??
        request.headers.get('x-api-key') ??
        request.headers.get('x-goog-api-key') ??
        ''
      ).replace('Bearer ', '');
      seen.push({ channel, path: pathname, body });
      if (hasForgotten) return Response.json({ error: { message: 'Nothing here.' } }, { status: 404 });
      const answer = ANSWERS[formatOf(pathname)](body);
      if (body.stream !== true) return Response.json(answer);
      const events = [
        { type: 'message_start', message: { ...answer, content: [] } },
        {
          type: 'message_delta',
          delta: { stop_reason: 'end_turn', container: { id: 'container_streamed' } },
          usage: { output_tokens: 5 },
        },
        { type: 'message_stop' },
      ];
      return new Response(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''), {
        headers: { 'content-type': 'text/event-stream' },
      });
    },
  });
  const origin = `http://127.0.0.1:${upstream.port}`;
  space = await Workspace.create();
  const channel = (id: string, format: Format, models: JsonObject, more: JsonObject = {}) => ({
    ...{ id, name: id, provider: PROVIDERS[format], api_key: id, formats: [format], models },
    base_url: `${origin}${format === 'gemini' ? '/v1beta' : '/v1'}`,
    ...more,
  });
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    channels: [
      ...FORMATS.map((format) =>
        channel(format, format, { [`m-${format}`]: 'gpt-5.1', [`other-${format}`]: 'gpt-5.2' }),
      ),
      ...FORMATS.map((format) =>
        channel(`own-${format}`, format, { [`m-${format}`]: 'gpt-5.1' }, { owner: 'owner', priority: 5 }),
      ),
      channel('second', 'openai-responses', { 'm-openai-responses': 'gpt-5.1' }, { priority: 9 }),
      channel('chat-only', 'openai-chat', { 'chat-only': 'gpt-5.1' }),
      {
        ...channel('router', 'openai-chat', {
          routed: 'vendor/a',
          dear: 'vendor/b',
          hidden: 'vendor/c',
          free: 'vendor/free',
        }),
        provider: 'openrouter',
      },
      channel('claude', 'anthropic-messages', { 'free-claude': 'claude-free', 'dear-claude': 'claude-dear' }),
      channel('gpt', 'openai-responses', { 'free-gpt': 'gpt-5.1' }),
    ],
    models: [
      ...FORMATS.flatMap((format) => [`m-${format}`, `other-${format}`]).map((id) => ({ id, pricing: PRICING })),
      ...['routed', 'chat-only'].map((id) => ({ id, pricing: PRICING })),
      { id: 'dear', pricing: { input_per_1m: '10', output_per_1m: '10' } },
      ...['free', 'free-claude', 'free-gpt'].map((id) => ({ id, pricing: 'free' })),
      { id: 'dear-claude', pricing: { input_per_1m: '10', output_per_1m: '10' } },
      { id: 'hidden', pricing: PRICING, status: 'hidden' },
    ],
    accounts: [
      ...['one', 'two', 'owner'].map((id) => ({ id, balance_usd: '10' })),
      ...[
        ['poor', '0.0003'],
        ['broke', '0'],
      ].map(([id = '', balance_usd = '']) => ({ id, balance_usd })),
      { id: 'corp', billing: 'unlimited' },
      { id: 'listed', billing: 'unlimited', models: ['m-*', 'routed'] },
    ].map(({ id, models, ...account }: { id: string; models?: readonly string[] }) => ({
      ...{ id, name: id, role: 'VIP', ...account },
      keys: [{ id, name: id, secret: clientKey(`governed-${id}`), ...(models === undefined ? {} : { models }) }],
    })),
  });
  env = { SWITCHYARD_CONFIG };
  serving = await space.serve({ env });
});

afterAll(async () => {
  await space?.remove();
  upstream?.stop(true);
});

interface LogRow {
  readonly cost_nano: bigint | null;
  readonly answer_model: string | null;
}

/** Resolves to the cost of the latest request in the request log. */
async function latestCost(): Promise<bigint | null> {
  return (await latestRow()).cost_nano;
}

async function latestRow(): Promise<LogRow> {
  const database = new Database(space.database, { readonly: true, safeIntegers: true });
  try {
    const latest = database.query<LogRow & { n: bigint }, []>(
      'SELECT cost_nano, answer_model, (SELECT count(*) FROM request_log) AS n FROM request_log ORDER BY id DESC LIMIT 1',
    );
    let row = latest.get();
    await until('the request is in the log', () => {
      row = latest.get();
      return Number(row?.n ?? 0) >= asked;
    });
    return row ?? expect.unreachable();
  } finally {
    database.close();
  }
}

let asked = 0;
const send = async (...args: Parameters<typeof ask>) => {
  seen = [];
  const answer = await ask(...args);
  asked++;
  return answer;
};

const UNPRICED: Readonly<Record<Format, readonly [param: string, members: JsonObject]>> = {
  'openai-chat': ['service_tier', { service_tier: 'made-up' }],
  'openai-responses': ['tools[0].type', { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] }],
  'anthropic-messages': ['tools[0].type', { tools: [{ type: 'code_execution_20250825', name: 'code_execution' }] }],
  gemini: ['tools[0].googleMaps', { tools: [{ googleMaps: {} }] }],
};

describe.each(FORMATS)('%s: a field without a price', (format) => {
  const [param, members] = UNPRICED[format];
  const model = `m-${format}`;

  test('is refused by name for an account with limited balance, before any upstream request', async () => {
    const { status, text } = await send('one', format, model, members);
    expect(status).toBe(400);
    expect(text).toContain(param);
    expect(seen).toEqual([]);
  });

  test('is sent over the account’s own channel', async () => {
    expect((await send('owner', format, model, members)).status).toBe(200);
    expect(seen.map(({ channel }) => channel)).toEqual([`own-${format}`]);
    expect(await latestCost()).toBe(0n);
  });

  test('is sent for an unlimited account, and its cost is recorded as unknown', async () => {
    expect((await send('corp', format, model, members)).status).toBe(200);
    expect(await latestCost()).toBeNull();
  });

  test('a field on no list is sent', async () => {
    expect((await send('one', format, model, { brand_new: { member: true } })).status).toBe(200);
    expect(seen[0]?.body.brand_new).toEqual({ member: true });
  });
});

describe('more expensive options', () => {
  test('a tier is charged at its own price', async () => {
    expect((await send('one', 'openai-chat', 'm-openai-chat', { service_tier: 'priority' })).status).toBe(200);
    expect(await latestCost()).toBe(2n * COST);
  });

  test('a tier is charged at its own price after a translation', async () => {
    await send('one', 'openai-chat', 'm-openai-responses', { service_tier: 'priority' });
    expect(seen[0]?.body.service_tier).toBe('priority');
    expect(await latestCost()).toBe(2n * COST);
  });

  test('a tier is sent only if the balance covers it', async () => {
    expect((await send('poor', 'openai-chat', 'm-openai-chat', {})).status).toBe(200);
    expect((await send('poor', 'openai-chat', 'm-openai-chat', { service_tier: 'priority' })).status).toBe(402);
    expect(seen).toEqual([]);
  });

  test('a search is refused, because Claude has no price for it here', async () => {
    const tools = [{ type: 'web_search_20250305', name: 'web_search', max_uses: 2 }];
    expect((await send('one', 'anthropic-messages', 'm-anthropic-messages', { tools })).status).toBe(400);
    expect(
      (await send('one', 'openai-responses', 'm-openai-responses', { tools: [{ type: 'web_search' }] })).status,
    ).toBe(200);
  });
});

describe('generation details in a response', () => {
  afterAll(() => {
    served = {};
  });

  test.each([
    ['openai-chat', 'm-openai-chat', { service_tier: 'priority' }],
    ['openai-responses', 'm-openai-responses', { service_tier: 'priority' }],
    ['gemini', 'm-gemini', { serviceTier: 'priority' }],
    ['openai-chat', 'm-openai-responses', { service_tier: 'priority' }],
    ['anthropic-messages', 'm-openai-chat', {}],
  ] as const)(
    '%s for %s: the tier in the response is charged, if the request allows it',
    async (format, model, members) => {
      const asks = format === 'anthropic-messages' ? COST : 2n * COST;
      for (const [tier, cost] of [
        [model === 'm-gemini' ? 'STANDARD' : 'default', COST],
        ['flex', COST / 2n],
        ['priority', asks],
      ] as const) {
        served = { service_tier: tier };
        expect((await send('one', format, model, members)).status).toBe(200);
        expect(await latestCost()).toBe(cost);
      }
    },
  );

  test.each(['openai-chat', 'openai-responses', 'gemini'] as const)(
    '%s: another model in the response is in the request log and changes no price',
    async (format) => {
      served = { model: 'gpt-5.1-mini' };
      await send('one', format, `m-${format}`, {});
      expect(await latestRow()).toMatchObject({ cost_nano: COST, answer_model: 'gpt-5.1-mini' });
      served = { model: 'gpt-5.1' };
      await send('one', format, `m-${format}`, {});
      expect((await latestRow()).answer_model).toBeNull();
    },
  );
});

describe('a token count', () => {
  const count = async (
    account: string,
    format: 'anthropic-messages' | 'gemini' | 'openai-responses',
    members: JsonObject,
  ) => {
    seen = [];
    const model = `m-${format}`;
    const path = {
      gemini: `/v1beta/models/${model}:countTokens`,
      'anthropic-messages': '/v1/messages/count_tokens',
      'openai-responses': '/v1/responses/input_tokens',
    }[format];
    const isWrapped = Object.keys(members).some((name) => name.startsWith('generate'));
    const { max_tokens: _, generationConfig: __, ...own } = BODIES[format];
    const body = { ...(format === 'gemini' ? {} : { model }), ...(isWrapped ? {} : own), ...members };
    const response = await fetch(`http://127.0.0.1:${serving.port}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${clientKey(`governed-${account}`)}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    asked++;
    return { status: response.status, text: await response.text() };
  };
  const contents = BODIES.gemini.contents;

  test.each([
    ['anthropic-messages', 'tools[0].type', UNPRICED['anthropic-messages'][1]],
    ['openai-responses', 'tools[0].type', UNPRICED['openai-responses'][1]],
    ['gemini', 'tools[0].googleMaps', UNPRICED.gemini[1]],
    ['gemini', 'tools[0].googleMaps', { generateContentRequest: { contents, ...UNPRICED.gemini[1] } }],
    ['gemini', 'Tools', { generate_content_request: { contents, Tools: [{ googleMaps: {} }] } }],
    ['gemini', 'cachedContent', { generateContentRequest: { contents, cachedContent: 'cachedContents/x' } }],
    ['anthropic-messages', 'Speed', { Speed: 'fast' }],
  ] as const)('of %s is refused for %s like its generation', async (format, param, members) => {
    const { status, text } = await count('one', format, members);
    expect(text).toContain(param);
    expect([400, 404]).toContain(status);
    expect(seen).toEqual([]);
  });

  test('that names the model by its public name is sent with the upstream name', async () => {
    await count('one', 'gemini', { generateContentRequest: { model: 'models/m-gemini', contents } });
    expect(asObject(seen[0]?.body.generateContentRequest).model).toBe('models/gpt-5.1');
  });
});

describe('models named in a request', () => {
  /** `models` itself is the gateway's own list of fallback models (docs/fallbacks.md). */
  const models = (...named: string[]) => ({ plugins: [{ id: 'response-healing', models: named }] });

  test('must be served by the channel, and the most expensive is charged', async () => {
    expect((await send('one', 'openai-chat', 'routed', models('vendor/a', 'vendor/b'))).status).toBe(200);
    expect(await latestCost()).toBe(10n * COST);
    const unknown = await send('one', 'openai-chat', 'routed', models('vendor/a', 'openrouter/auto'));
    expect(unknown.status).toBe(400);
    expect(unknown.text).toContain('plugins[0].models[1]');
    expect(seen).toEqual([]);
  });

  test('must be on the key’s allow-list, whoever pays', async () => {
    expect((await send('listed', 'openai-chat', 'routed', models('vendor/a'))).status).toBe(200);
    expect((await send('listed', 'openai-chat', 'routed', models('vendor/b'))).status).toBe(403);
    expect((await send('listed', 'openai-chat', 'routed', { plugins: [{ id: 'auto-router' }] })).status).toBe(403);
  });

  test('cannot reach a model that an operator hides', async () => {
    for (const account of ['one', 'corp', 'listed']) {
      expect((await send(account, 'openai-chat', 'routed', models('vendor/c'))).status).toBe(403);
    }
  });

  test.each([
    ['models', '"models":["vendor/a"],"models":["vendor/c"]'],
    ['models', '"models":["vendor/c"],"mod\\u0065ls":["vendor/a"]'],
    ['Models', '"Models":["vendor/c"]'],
    ['preſet', '"preſet":"x"'],
    ['provider.Order', '"provider":{"Order":["x"]}'],
    ['plugins[0].Models', '"plugins":[{"id":"response-healing","Models":["vendor/c"]}]'],
    // A request with the upstream's own state is translated to the same format with all its members.
    ['Models', `"Models":["vendor/c"],"user":"${STATE_MARKER}"`],
  ])('are refused if named twice or in another spelling: %s in %s', async (param, members) => {
    for (const account of ['one', 'corp', 'listed']) {
      const refused = await send(account, 'openai-chat', 'routed', members);
      expect(refused.status).toBe(400);
      expect(refused.text).toContain(param);
      expect(seen).toEqual([]);
    }
  });

  const FALLBACKS = { fallbacks: [{ model: 'claude-dear' }] };

  test.each([
    ['models of a plugin of OpenRouter', 'openai-chat', 'free', models('vendor/b'), 10n * COST],
    ['models of a plugin of OpenRouter, from another format', 'anthropic-messages', 'free', models('vendor/b'), null],
    ['fallbacks of Anthropic', 'anthropic-messages', 'free-claude', FALLBACKS, 10n * COST],
  ] as const)(
    'a free model cannot bring in an expensive one that the balance does not cover: %s',
    async (_, format, model, members, cost) => {
      expect((await send('broke', format, model, {})).status).toBe(200);
      const refused = await send('broke', format, model, members);
      // A member that is not sent brings in nothing.
      if (cost === null) expect([refused.status, seen[0]?.body.plugins]).toEqual([200, undefined]);
      else {
        expect([refused.status, seen]).toEqual([402, []]);
        expect((await send('one', format, model, members)).status).toBe(200);
        expect(await latestCost()).toBe(cost);
      }
    },
  );

  test.each([
    ['openai-chat', 'free', { route: 'fallback' }],
    ['openai-chat', 'free', { preset: 'best' }],
    ['openai-chat', 'free', { plugins: [{ id: 'auto-router' }] }],
    ['openai-chat', 'free', { tools: [{ type: 'openrouter:advisor', parameters: { model: 'vendor/b' } }] }],
    ['openai-responses', 'free-gpt', { tools: [{ type: 'image_generation', model: 'gpt-image-1' }] }],
    ['anthropic-messages', 'free-claude', { tools: [{ type: 'advisor_20260301', name: 'a', model: 'claude-dear' }] }],
  ] as const)('%s: a free model cannot let the upstream choose another one: %s %j', async (...request) => {
    const [format, model, members] = request;
    for (const account of ['broke', 'one']) {
      expect([400, 402]).toContain((await send(account, format, model, members)).status);
      expect(seen).toEqual([]);
    }
  });

  test.each([
    ['openai-chat', 'free', { service_tier: 'priority' }],
    ['openai-chat', 'free', { provider: { order: ['fast-host'] } }],
    ['openai-responses', 'free-gpt', { tools: [{ type: 'web_search' }] }],
  ] as const)('%s: tiers, hosts and tools of a free model are free, too: %s %j', async (format, model, members) => {
    expect((await send('broke', format, model, members)).status).toBe(200);
    expect(await latestCost()).toBe(0n);
  });

  test.each([
    [
      'a host that must support all parameters',
      { provider: { require_parameters: true } },
      'provider.require_parameters',
    ],
    ['a tier', { service_tier: 'priority' }, 'service_tier'],
    ['a faster response', { speed: 'fast' }, 'speed'],
  ])('the upstream cannot choose a more expensive variant of a priced model: %s', async (_, members, param) => {
    const refused = await send('one', 'openai-chat', 'routed', members);
    expect([refused.status, seen]).toEqual([400, []]);
    expect(refused.text).toContain(param);
  });

  test('a suffix makes another id that no model has', async () => {
    for (const suffix of [':online', ':nitro', ':floor', '@preset/x']) {
      expect((await send('corp', 'openai-chat', `routed${suffix}`, {})).status).toBe(404);
    }
  });
});

const FILES: Readonly<Record<Format, readonly [param: string, members: JsonObject][]>> = {
  'openai-chat': [
    [
      'messages[0].content[0].file.file_id',
      { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-x' } }] }] },
    ],
    [
      'messages[0].audio.id',
      {
        messages: [
          { role: 'assistant', audio: { id: 'audio_x' } },
          { role: 'user', content: 'Hi' },
        ],
      },
    ],
    ...['ms://file-x', 'oss://bucket/file-x', 'asset://file-x'].map((url): [string, JsonObject] => [
      'messages[0].content[0].image_url.url',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] },
    ]),
  ],
  'openai-responses': [
    [
      'input[0].content[0].file_id',
      { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'file-x' }] }] },
    ],
    [
      'input[0].content[0].file_id',
      { input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'file-x' }] }] },
    ],
    ['input[0].id', { input: [{ type: 'item_reference', id: 'msg_x' }] }],
    ['input[0].id', { input: [{ type: 'image_generation_call', id: 'ig_x', status: 'completed', result: null }] }],
    ['conversation', { conversation: 'conv_x' }],
    ['conversation.id', { conversation: { id: 'conv_x' } }],
    ['prompt.id', { prompt: { id: 'pmpt_x' } }],
    ['tools[0].vector_store_ids[0]', { tools: [{ type: 'file_search', vector_store_ids: ['vs_x'] }] }],
    ['tools[0].container', { tools: [{ type: 'code_interpreter', container: 'cntr_x' }] }],
    [
      'tools[0].container.file_ids[0]',
      { tools: [{ type: 'code_interpreter', container: { type: 'auto', file_ids: ['file-x'] } }] },
    ],
  ],
  'anthropic-messages': [
    [
      'messages[0].content[0].source.file_id',
      { messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'file', file_id: 'file_x' } }] }] },
    ],
    [
      'messages[0].content[0].file_id',
      { messages: [{ role: 'user', content: [{ type: 'container_upload', file_id: 'file_x' }] }] },
    ],
    ['container', { container: 'container_x' }],
    ['container.id', { container: { id: 'container_x' } }],
    [
      'container.skills[0].skill_id',
      { container: { skills: [{ type: 'custom', skill_id: 'skill_x', version: '1' }] } },
    ],
  ],
  gemini: [
    ['cachedContent', { cachedContent: 'cachedContents/x' }],
    ['cachedContent', { cached_content: 'cachedContents/x' }],
    [
      'contents[0].parts[0].fileData.fileUri',
      {
        contents: [
          { role: 'user', parts: [{ fileData: { fileUri: 'gs://bucket/secret.pdf', mimeType: 'application/pdf' } }] },
        ],
      },
    ],
    [
      'contents[0].parts[0].fileData.fileUri',
      {
        contents: [
          {
            role: 'user',
            parts: [{ file_data: { file_uri: 'https://generativelanguage.googleapis.com/v1beta/files/x' } }],
          },
        ],
      },
    ],
    [
      'tools[0].fileSearch.fileSearchStoreNames[0]',
      { tools: [{ fileSearch: { fileSearchStoreNames: ['fileSearchStores/x'] } }] },
    ],
  ],
};

describe.each(FORMATS.flatMap((format) => FILES[format].map(([param, members]) => [format, param, members] as const)))(
  '%s: an object in %s that the account has not received',
  (format, param, members) => {
    test('is not found over a shared channel, even for unlimited accounts', async () => {
      for (const account of ['one', 'corp']) {
        const { status, text } = await send(account, format, `m-${format}`, members);
        expect(status).toBe(404);
        expect(text).toContain(param);
        expect(seen).toEqual([]);
      }
    });

    test('is sent over the account’s own channel', async () => {
      expect((await send('owner', format, `m-${format}`, members)).status).toBe(200);
      expect(seen.map(({ channel }) => channel)).toEqual([`own-${format}`]);
    });
  },
);

describe('an object from a response', () => {
  const output = (body: JsonObject) => body.output as { id: string; container_id?: string }[];

  test('can be used by the same account on the same channel only', async () => {
    const first = await send('corp', 'openai-responses', 'm-openai-responses', {});
    const container = output(first.body)[0]?.container_id ?? '';
    const named = { tools: [{ type: 'code_interpreter', container }] };
    expect((await send('corp', 'openai-responses', 'm-openai-responses', named)).status).toBe(200);
    expect(seen.map(({ channel }) => channel)).toEqual(['openai-responses']);
    expect((await send('one', 'openai-responses', 'm-openai-responses', named)).status).toBe(404);
    expect((await send('owner', 'openai-responses', 'm-openai-responses', named)).status).toBe(200);
    expect(seen.map(({ channel }) => channel)).toEqual(['own-openai-responses']);
  });

  test('a reasoning item keeps its id only for the account that received it', async () => {
    const first = await send('one', 'openai-responses', 'm-openai-responses', {});
    const thought = output(first.body)[2];
    const asked = (id?: string) => ({
      input: [
        { ...thought, id },
        { role: 'assistant', content: 'Hi' },
        { role: 'user', content: 'And now?' },
      ],
    });
    expect((await send('one', 'openai-responses', 'm-openai-responses', asked(thought?.id))).status).toBe(200);
    expect(seen[0]?.body.input).toEqual(asked(thought?.id).input as never);
    // A summary does not prove ownership: the id is removed, and the conversation is still answered.
    for (const [account, id, summary] of [
      ['two', thought?.id, [{ type: 'summary_text', text: 'Fruit.' }]],
      ['two', thought?.id, []],
      ['corp', 'rs_invented', [{ type: 'summary_text', text: 'Fruit.' }]],
    ] as const) {
      const { input } = asked(id);
      const members = { input: [{ ...input[0], summary }, ...input.slice(1)] };
      const answer = await send(account, 'openai-responses', 'm-openai-responses', members);
      expect(answer.status).toBe(200);
      expect(JSON.stringify(seen[0]?.body)).not.toContain('rs_');
      expect(JSON.stringify(seen[0]?.body)).toContain('And now?');
    }
    expect((await send('owner', 'openai-responses', 'm-openai-responses', asked('rs_own'))).status).toBe(200);
    expect(seen[0]?.body.input).toEqual(asked('rs_own').input as never);
  });

  test('an id that a response merely repeats grants no access', async () => {
    const metadata = { container_id: 'cntr_repeated', id: 'msg_repeated' };
    await send('corp', 'openai-responses', 'm-openai-responses', { metadata });
    const named = { tools: [{ type: 'code_interpreter', container: 'cntr_repeated' }] };
    expect((await send('corp', 'openai-responses', 'm-openai-responses', named)).status).toBe(404);
  });

  test('an item is sent by reference to the channel that stores it, and in full to others', async () => {
    const first = await send('one', 'openai-responses', 'm-openai-responses', {});
    const message = output(first.body)[1];
    const input = [
      { role: 'user', content: 'Hello' },
      { type: 'item_reference', id: message?.id },
      { role: 'user', content: 'And now?' },
    ];
    expect((await send('one', 'openai-responses', 'm-openai-responses', { input })).status).toBe(200);
    expect(seen[0]?.body.input).toEqual(input as never);
    expect(seen[0]?.channel).toBe('openai-responses');
    expect((await send('one', 'openai-responses', 'chat-only', { input })).status).toBe(200);
    expect(JSON.stringify(seen[0]?.body)).toContain('Fruit number');
    expect(JSON.stringify(seen[0]?.body)).not.toContain('item_reference');
    expect((await send('two', 'openai-responses', 'm-openai-responses', { input })).status).toBe(404);
    expect((await send('two', 'openai-responses', 'chat-only', { input })).status).toBe(404);
  });

  test('an item that only the gateway stores can be referenced, too', async () => {
    const first = await send('one', 'openai-responses', 'chat-only', {});
    const [message] = output(first.body);
    const input = [
      { type: 'item_reference', id: message?.id },
      { role: 'user', content: 'And now?' },
    ];
    expect((await send('one', 'openai-responses', 'chat-only', { input })).status).toBe(200);
    expect((await send('two', 'openai-responses', 'chat-only', { input })).status).toBe(404);
  });

  test('can be the audio of a chat or the container of a message, whole or streamed', async () => {
    const chat = await send('corp', 'openai-chat', 'm-openai-chat', {
      modalities: ['text', 'audio'],
      audio: { voice: 'a', format: 'wav' },
    });
    const id = /"id":"(audio_\d+)"/.exec(chat.text)?.[1] ?? '';
    const messages = [
      { role: 'assistant', audio: { id } },
      { role: 'user', content: 'Again?' },
    ];
    expect((await send('corp', 'openai-chat', 'm-openai-chat', { messages })).status).toBe(200);
    expect((await send('two', 'openai-chat', 'm-openai-chat', { messages })).status).toBe(404);
    const tools = [{ type: 'code_execution_20250825', name: 'code_execution' }];
    await send('corp', 'anthropic-messages', 'm-anthropic-messages', { tools, stream: true });
    const container = { container: 'container_streamed' };
    expect((await send('corp', 'anthropic-messages', 'm-anthropic-messages', container)).status).toBe(200);
    expect((await send('two', 'anthropic-messages', 'm-anthropic-messages', container)).status).toBe(404);
  });

  test('that its channel has lost is not counted as a channel failure', async () => {
    const first = await send('corp', 'openai-responses', 'm-openai-responses', {});
    const named = { tools: [{ type: 'code_interpreter', container: output(first.body)[0]?.container_id ?? '' }] };
    hasForgotten = true;
    for (let round = 0; round < 12; round++) {
      expect((await send('corp', 'openai-responses', 'm-openai-responses', named)).status).toBe(404);
      expect(seen).toHaveLength(1);
    }
    hasForgotten = false;
    expect((await send('corp', 'openai-responses', 'm-openai-responses', {})).status).toBe(200);
    expect(seen[0]?.channel).toBe('openai-responses');
  });

  test('is known after a restart', async () => {
    const first = await send('corp', 'openai-responses', 'm-openai-responses', {});
    const named = { tools: [{ type: 'code_interpreter', container: output(first.body)[0]?.container_id ?? '' }] };
    await serving.stop();
    serving = await space.serve({ env });
    expect((await send('corp', 'openai-responses', 'm-openai-responses', named)).status).toBe(200);
    expect((await send('two', 'openai-responses', 'm-openai-responses', named)).status).toBe(404);
  });
});
