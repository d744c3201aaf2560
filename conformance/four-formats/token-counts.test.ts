import { afterAll, beforeAll, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { type Serving, Workspace } from '../first-light/support.ts';
import { accountWith, clientKey, keyNamed } from '../first-light/upstream.ts';
import { asObject, parseJson } from '../shared/json.ts';

/* Counting: by the provider where it can, else by the tokenizer, which says so. */

interface Received {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

const received: Received[] = [];
const upstream = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url);
    const body = asObject(parseJson(await request.text()));
    received.push({ path: pathname, body });
    if (JSON.stringify(body).includes('anthropic-down')) return Response.json({}, { status: 500 });
    if (pathname.endsWith('/messages/count_tokens')) return Response.json({ input_tokens: 4711 });
    if (pathname.endsWith(':countTokens')) return Response.json({ totalTokens: 815, promptTokensDetails: [] });
    return Response.json({ error: { message: 'not a count' } }, { status: 400 });
  },
});
const address = `http://127.0.0.1:${upstream.port}`;

let space: Workspace;
let serving: Serving;
let anthropic: Anthropic;
let google: GoogleGenAI;

beforeAll(async () => {
  space = await Workspace.create();
  const channel = (provider: string, models: Record<string, string>) => ({
    id: provider,
    provider,
    base_url: `${address}/v1`,
    api_key: 'upstream-key',
    models,
  });
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    channels: [
      channel('anthropic', { claude: 'claude-sonnet-4-6', 'claude-down': 'anthropic-down' }),
      channel('google', { gemini: 'gemini-2.5-flash' }),
      channel('openai-compatible', { other: 'other' }),
    ],
    accounts: [accountWith('acme', [keyNamed('main')])],
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG } });
  const origin = serving.baseUrl.replace(/\/v1$/, '');
  anthropic = new Anthropic({ baseURL: origin, apiKey: clientKey('main'), maxRetries: 0 });
  google = new GoogleGenAI({ apiKey: clientKey('main'), httpOptions: { baseUrl: origin } });
});

afterAll(async () => {
  await space.remove();
  await upstream.stop(true);
});

const tools = [{ name: 'look', description: 'Looks.', input_schema: { type: 'object' as const, properties: {} } }];
const count = (model: string) =>
  anthropic.messages.countTokens({
    model,
    system: 'Be kind.',
    tools,
    messages: [{ role: 'user', content: 'Hello there' }],
  });

test('the same format: the provider counts the client’s own bytes', async () => {
  const answer = await count('claude');
  expect(answer).toMatchObject({ input_tokens: 4711, _routing: { channel: { id: 'anthropic' } } });
  expect(received.at(-1)).toEqual({
    path: '/v1/messages/count_tokens',
    body: {
      model: 'claude-sonnet-4-6',
      system: 'Be kind.',
      tools,
      messages: [{ role: 'user', content: 'Hello there' }],
    },
  });
});

test('another format: the provider counts the translated request', async () => {
  expect(await count('gemini')).toMatchObject({ input_tokens: 815 });
  expect(received.at(-1)?.path).toEndWith('/models/gemini-2.5-flash:countTokens');
  expect(JSON.stringify(received.at(-1)?.body)).toContain('Hello there');
  expect(JSON.stringify(received.at(-1)?.body)).toContain('Be kind.');
  const answer = await google.models.countTokens({ model: 'claude', contents: 'Hello there' });
  expect(answer.totalTokens).toBe(4711);
});

test('a provider that cannot count: the tokenizer estimates, and the answer says so', async () => {
  const answer = await count('other');
  expect(answer).toMatchObject({ estimated: true });
  expect(answer.input_tokens).toBeWithin(10, 60);
  const longer = await anthropic.messages.countTokens({
    model: 'other',
    messages: [{ role: 'user', content: 'word '.repeat(1_000) }],
  });
  expect(longer.input_tokens).toBeWithin(1_000, 1_020);
});

test('a provider that fails to count is replaced by the tokenizer, too', async () => {
  expect(await count('claude-down')).toMatchObject({ estimated: true });
});
