import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type ConfiguredChannel, type Gateway, startGatewayWith } from '../../shared/gateway.ts';
import { asArray, asObject, parseJson } from '../../shared/json.ts';
import { type StrictServer, startStrictServer } from '../server.ts';

setDefaultTimeout(600_000);

export type Json = Readonly<Record<string, unknown>>;

/** Each model is served over both formats, which is the default, and over chat completions only. */
const PLACES = {
  'openai-responses': { provider: 'openai', formats: undefined },
  'openai-chat': { provider: 'openai', formats: ['openai-chat'] },
  'azure-openai-chat': { provider: 'azure-openai', formats: ['openai-chat'] },
} as const;
export const MODELS = [
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

export interface Client {
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

export const SCHEMA = { type: 'object', properties: { city: { type: 'string' } } };

export const CLIENTS: Readonly<Record<string, Client>> = {
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

export interface OpenAiBed {
  readonly strict: StrictServer;
  ask(
    client: Client,
    model: string,
    body: Json,
    stream: boolean,
  ): Promise<{ readonly status: number; readonly text: string; readonly lost: readonly string[] }>;
}

/** Starts strict upstreams and a gateway, before the tests of the calling file, that serves every model at every place as `place--model`. */
export function openAiBed(): OpenAiBed {
  let strict: StrictServer;
  let gateway: Gateway;
  let joined: ReturnType<typeof startJoined>;

  beforeAll(async () => {
    strict = startStrictServer();
    joined = startJoined(strict);
    gateway = await startGatewayWith(Object.keys(PLACES).map((id) => channelAt(id as Place, strict, joined.baseUrl)));
  });
  afterAll(async () => {
    await gateway?.stop();
    await joined?.stop();
    await strict?.stop();
  });
  beforeEach(() => strict.clear());

  return {
    get strict() {
      return strict;
    },
    ask: (...asked) => ask(gateway, ...asked),
  };
}

type Place = keyof typeof PLACES;

function channelAt(id: Place, strict: StrictServer, joinedUrl: string): ConfiguredChannel {
  const { provider, formats } = PLACES[id];
  return {
    ...{ id, name: id, provider, api_key: 'upstream-key' },
    base_url: id === 'azure-openai-chat' ? strict.baseUrlOf(id) : joinedUrl,
    ...(formats !== undefined && { formats }),
    models: Object.fromEntries(MODELS.map((model) => [`${id}--${model}`, model])),
  };
}

async function ask(gateway: Gateway, client: Client, model: string, body: Json, stream: boolean) {
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

/** Describes the answers of these models, over every wire, to every client. */
export function describeOpenAiModels(bed: OpenAiBed, models: readonly string[]): void {
  describe.each(Object.entries(CLIENTS))('a %s client', (_, client) => {
    describe.each(Object.keys(PLACES))('over %s', (place) => {
      test.each(KNOBS)('with %s gets a response of every model, alternately whole and streamed', async (_, knobs) => {
        for (const [index, model] of models.entries()) {
          const stream = (index + KNOBS.findIndex(([, one]) => one === knobs)) % 2 === 1;
          const { status, text } = await bed.ask(client, `${place}--${model}`, client.body(knobs), stream);
          const refusal = bed.strict.refusals.at(-1);
          const why = refusal === undefined ? (status === 200 ? null : text) : `${refusal.rule.id}: ${refusal.message}`;
          expect({ model, stream, status, why }).toEqual({ model, stream, status: 200, why: null });
        }
      });
    });
  });
}
