import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { accountWith, clientKey, keyNamed } from '../first-light/upstream.ts';
import { answerOf } from '../shared/answer.ts';
import { asArray, asObject, type JsonObject } from '../shared/json.ts';
import { pngOf } from '../shared/png.ts';
import type { Serving } from '../shared/serving.ts';
import { until } from '../shared/until.ts';
import { Workspace } from '../shared/workspace.ts';
import { openaiChat } from './openai/chat.ts';
import { selfHostedUpstreams } from './self-hosted/index.ts';
import { type StrictServer, startStrictServer } from './server.ts';

/*
 * Servers of open models, each over its own provider, and over `openai-compatible` with its name in the settings or
 * detected, on shared channels and on an account's own.
 */

setDefaultTimeout(600_000);

const ACME = clientKey('acme');
/** The values of the setting `server`, by upstream. */
const FAMILIES: Readonly<Record<string, string>> = {
  'vllm-chat': 'vllm',
  'sglang-chat': 'sglang',
  'llamacpp-chat': 'llama.cpp',
  'lm-studio-chat': 'lm-studio',
  'ollama-chat': 'ollama',
};
/** The member in which each accepts earlier thoughts. */
const THOUGHTS_IN: Readonly<Record<string, string>> = { 'vllm-chat': 'reasoning', 'ollama-chat': 'reasoning' };

const FOR_ACCOUNT = 'for an account';

let server: StrictServer;
let space: Workspace;
let serving: Serving;

const ways = selfHostedUpstreams.flatMap(({ name, provider }) => [
  [`${name} as ${provider}`, name, { provider }] as const,
  [`${name} as set`, name, { provider: 'openai-compatible', settings: { server: FAMILIES[name] } }] as const,
  [`${name} as recognized`, name, { provider: 'openai-compatible' }] as const,
  [`${name} as recognized ${FOR_ACCOUNT}`, name, { provider: 'openai-compatible', owner: 'acme' }] as const,
]);
const slug = (way: string) => way.replaceAll(' ', '-');
const modelsOf = (name: string) => selfHostedUpstreams.find((upstream) => upstream.name === name)?.models ?? [];

beforeAll(async () => {
  server = startStrictServer([...selfHostedUpstreams, openaiChat]);
  space = await Workspace.create();
  const channel = (id: string, upstream: string, extra: object) => ({
    ...{ id, name: id, base_url: server.baseUrlOf(upstream), api_key: 'key', ...extra },
    // One failure opens the breaker.
    breaker: { minimum_requests: 1, cooldown_ms: 300_000 },
  });
  const config = {
    cache: { strategy: 'off' },
    channels: [
      ...ways.map(([way, upstream, extra]) =>
        channel(slug(way), upstream, {
          ...{ ...extra, formats: ['openai-chat'] },
          models: Object.fromEntries(modelsOf(upstream).map((id, index) => [`${slug(way)}-${index}`, id])),
        }),
      ),
      channel('plain-vllm', 'vllm-chat', { provider: 'vllm', models: { both: 'meta-llama/Llama-3-8B' }, priority: 0 }),
      channel('blind', 'llamacpp-chat', { provider: 'llamacpp', models: { eyes: 'gemma-3-4b-it' }, priority: 0 }),
      channel('able', 'vllm-chat', {
        ...{ provider: 'vllm', priority: 1 },
        models: { both: 'Qwen/Qwen3.6-27B', eyes: 'Qwen/Qwen3.6-27B', stated: 'Qwen/Qwen3.6-27B' },
      }),
      channel('small', 'lm-studio-chat', {
        ...{ provider: 'openai-compatible', models: { grows: 'qwen3.8-27b' }, priority: 0 },
      }),
      channel('large', openaiChat.name, {
        ...{ provider: 'openai', formats: ['openai-chat'], models: { grows: 'gpt-4.1' }, priority: 1 },
      }),
    ],
    models: [{ id: 'stated', capabilities: { features: ['streaming'] } }],
    accounts: [accountWith('acme', [keyNamed('acme')], { billing: 'unlimited' })],
  };
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', config);
  serving = await space.serve({ env: { SWITCHYARD_CONFIG }, sleep: () => Promise.resolve() });
});
afterAll(async () => {
  await space?.remove();
  await server?.stop();
});
beforeEach(() => server.clear());

async function post(path: string, body: object) {
  const headers = {
    ...{ authorization: `Bearer ${ACME}`, 'x-api-key': ACME, 'content-type': 'application/json' },
    'anthropic-version': '2023-06-01',
  };
  const url = `${serving.origin}${path}`;
  return answerOf(await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) }));
}

const refusals = () => server.refusals.map(({ message }) => message);
const lastBody = (): JsonObject => asObject(server.journal.at(-1)?.request.body) as JsonObject;
const TOOL = { name: 'look', description: 'Looks.', input_schema: { type: 'object', properties: {} } };
const CHAT_TOOL = { type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } };
const PNG = pngOf({ width: 1, height: 1 }).toString('base64');

/** Sends an earlier thought; resolves to the status and to what the upstream received of the thought. */
async function thoughtsSentFor(model: string): Promise<Readonly<Record<string, unknown>>> {
  const { status } = await post('/v1/messages', {
    ...{ model, max_tokens: 2_048, thinking: { type: 'enabled', budget_tokens: 1_024 } },
    messages: [
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Greet.', signature: '' },
          { type: 'text', text: 'Hello.' },
        ],
      },
      { role: 'user', content: 'Go on.' },
    ],
  });
  const { reasoning, reasoning_content } =
    asArray(lastBody().messages)
      .map(asObject)
      .find(({ role }) => role === 'assistant') ?? {};
  return { status, reasoning, reasoning_content };
}

describe.each(ways.map(([way, upstream]) => [way, upstream] as const))('%s', (way, upstream) => {
  const model = `${slug(way)}-0`;

  test("accepts a coding agent's conversation with a system message in the middle", async () => {
    const { status } = await post('/v1/messages', {
      ...{ model, max_tokens: 64, system: 'Be brief.', tools: [TOOL] },
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hello.' },
        { role: 'user', content: 'Look.' },
        { role: 'system', content: 'Remember the rules.' },
      ],
    });
    expect({ status, refusals: refusals() }).toEqual({ status: 200, refusals: [] });
  });

  test('gets earlier thoughts in the member that it reads', async () => {
    const field = THOUGHTS_IN[upstream] ?? 'reasoning_content';
    // The server behind an account's own channel is detected at the first use, not at the start.
    if (way.endsWith(FOR_ACCOUNT)) {
      await until('the server is recognized', async () => (await thoughtsSentFor(model))[field] !== undefined);
      server.clear();
    }
    const sent = await thoughtsSentFor(model);
    expect({ ...sent, refusals: refusals() }).toEqual({
      ...{ status: 200, reasoning: undefined, reasoning_content: undefined, refusals: [] },
      [field]: 'Greet.',
    });
  });
});

const LONG = 'word '.repeat(40_000);

describe('a prompt that is too long', () => {
  const wanted = { status: 400, code: 'context_length_exceeded' };

  test.each(['lm-studio-chat as lmstudio', 'llamacpp-chat as llamacpp', 'sglang-chat as recognized'])(
    '%s: is a 400 for the client in each format, is sent once, and does not affect the channel',
    async (way) => {
      for (const model of [`${slug(way)}-0`, ...(way.startsWith('llamacpp') ? [`${slug(way)}-1`] : [])]) {
        server.clear();
        const chat = await post('/v1/chat/completions', { model, messages: [{ role: 'user', content: LONG }] });
        expect({ status: chat.status, code: chat.error.code }).toEqual(wanted);
        const responses = await post('/v1/responses', { model, input: LONG });
        expect({ status: responses.status, code: responses.error.code }).toEqual(wanted);
        const messages = await post('/v1/messages', {
          model,
          max_tokens: 64,
          messages: [{ role: 'user', content: LONG }],
        });
        expect([messages.status, messages.error.type]).toEqual([400, 'invalid_request_error']);
        const contents = [{ role: 'user', parts: [{ text: LONG }] }];
        const gemini = await post(`/v1beta/models/${model}:generateContent`, { contents });
        expect([gemini.status, gemini.error.status]).toEqual([400, 'INVALID_ARGUMENT']);
        const stream = await post('/v1/chat/completions', {
          ...{ model, stream: true, messages: [{ role: 'user', content: LONG }] },
        });
        expect({ status: stream.status, code: stream.error.code }).toEqual(wanted);
        expect(server.journal).toHaveLength(5);
        const short = await post('/v1/chat/completions', { model, messages: [{ role: 'user', content: 'Hi' }] });
        expect(short.status).toBe(200);
      }
    },
  );
});

test('a prompt that is too long for one channel is sent to another with a larger context', async () => {
  const ask = (content: string) =>
    post('/v1/chat/completions', { model: 'grows', messages: [{ role: 'user', content }] });
  expect((await ask(LONG)).json).toMatchObject({ _routing: { channel: { id: 'large' }, retryCount: 1 } });
  expect((await ask('Hi')).json).toMatchObject({ _routing: { channel: { id: 'small' }, retryCount: 0 } });
});

describe("what one channel's model does not support", () => {
  const tools = { messages: [{ role: 'user', content: 'Look.' }], tools: [CHAT_TOOL] };
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } };
  const seeing = { messages: [{ role: 'user', content: [image] }] };

  test.each([
    ['tools', 'both', tools],
    ['an image, refused with a 500', 'eyes', seeing],
  ])('%s: is served by the next channel', async (_, model, body) => {
    for (const stream of [false, true]) {
      server.clear();
      const answered = await post('/v1/chat/completions', { model, stream, ...body });
      expect(answered.status).toBe(200);
      expect([server.refusals.length, server.journal.length]).toEqual([1, 2]);
    }
    // The first channel is as healthy as before.
    server.clear();
    const plain = await post('/v1/chat/completions', { model, messages: [{ role: 'user', content: 'Hi' }] });
    expect(plain.json).toMatchObject({ _routing: { channel: { id: model === 'both' ? 'plain-vllm' : 'blind' } } });
  });

  test('is a 400 for the client if no other channel supports it', async () => {
    const model = 'ollama-chat-as-ollama-1';
    const { status, error } = await post('/v1/chat/completions', { model, ...tools });
    expect([status, error.message]).toEqual([400, expect.stringContaining('does not support tools')]);
    expect(server.journal).toHaveLength(1);
  });
});

test('tools for a model whose declared features lack them are a 400, without an upstream request', async () => {
  const messages = [{ role: 'user', content: 'Look.' }];
  const refused = [
    await post('/v1/chat/completions', { model: 'stated', messages, tools: [CHAT_TOOL] }),
    await post('/v1/responses', {
      model: 'stated',
      input: 'Look.',
      tools: [{ type: 'function', ...CHAT_TOOL.function }],
    }),
  ];
  for (const { status, error } of refused) {
    expect([status, error.code, error.param]).toEqual([400, 'unsupported_parameter', 'tools']);
  }
  expect((await post('/v1/messages', { model: 'stated', max_tokens: 64, messages, tools: [TOOL] })).status).toBe(400);
  expect(server.journal).toEqual([]);
  expect((await post('/v1/chat/completions', { model: 'stated', messages })).status).toBe(200);
});

test('LM Studio gets the schema of any object instead of JSON mode', async () => {
  const model = 'lm-studio-chat-as-set-0';
  const ways = {
    '/v1/responses': { model, input: 'Say JSON.', text: { format: { type: 'json_object' } } },
    '/v1/chat/completions': {
      ...{ model, messages: [{ role: 'user', content: 'Say JSON.' }], response_format: { type: 'json_object' } },
    },
  };
  for (const [path, body] of Object.entries(ways)) {
    const { status } = await post(path, body);
    expect({ path, status, refusals: refusals() }).toEqual({ path, status: 200, refusals: [] });
    expect(lastBody().response_format).toMatchObject({
      ...{ type: 'json_schema', json_schema: { schema: { type: 'object' } } },
    });
  }
});

test('`channels test` reports the server, and how it was recognized', async () => {
  const serverOf = async (id: string) => {
    const { stdout } = await space.run(['channels', 'test', id, '--json']);
    return asObject(JSON.parse(stdout)).server;
  };
  expect(await serverOf('sglang-chat-as-recognized')).toEqual({ name: 'sglang', label: 'SGLang', source: 'detected' });
  expect(await serverOf('llamacpp-chat-as-set')).toMatchObject({ name: 'llama.cpp', source: 'set' });
  expect(await serverOf('able')).toBeNull();
  const { stdout } = await space.run(['channels', 'test', 'ollama-chat-as-recognized']);
  expect(stdout).toContain('server      Ollama (recognized)');
});
