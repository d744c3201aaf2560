import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, type ModelMessage } from 'ai';
import OpenAI from 'openai';
import {
  hasTestPostgres,
  POSTGRES_REQUIREMENT,
  type SharedTestPostgres,
  sharedTestPostgres,
} from '../src/stores/shared/testing/postgres.ts';
import { testNeeding } from '../tools/test/needs.ts';
import { accountWith, channelTo, clientKey, keyNamed, startUpstream } from './first-light/upstream.ts';
import { startKeepingUpstream } from './issued-responses/keeping-upstream.ts';
import { asArray, asObject, parseJson } from './shared/json.ts';
import type { Serving } from './shared/serving.ts';
import { Workspace } from './shared/workspace.ts';

/*
 * Conversations that a provider has stored, gone on with at a model of another: the gateway has room for one response, so that it
 * has no copy of what was before.
 */

const keeping = startKeepingUpstream();
const chat = startUpstream();
let space: Workspace;
let serving: Serving;
let env: Record<string, string>;

beforeAll(async () => {
  space = await Workspace.create();
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    server: { max_responses_per_account: 1 },
    channels: [
      { ...channelTo(keeping), id: 'keeping', provider: 'openai', models: { kept: 'gpt-5.5' } },
      channelTo(chat, { models: ['other'] }),
    ],
    accounts: ['acme', 'globex'].map((id) => accountWith(id, [keyNamed(id)])),
  });
  env = { SWITCHYARD_CONFIG };
  serving = await space.serve({ env });
}, 60_000);

afterAll(async () => {
  await space?.remove();
  await keeping.stop();
  await chat.stop();
});

afterEach(() => {
  keeping.instead = null;
  keeping.showsWholeInput = false;
});

const sdk = (account = 'acme') => new OpenAI({ baseURL: serving.baseUrl, apiKey: clientKey(account), maxRetries: 0 });

const ask = (
  model: string,
  input: OpenAI.Responses.ResponseInput | string,
  previous: string | null = null,
  of = 'acme',
) => sdk(of).responses.create({ model, input, previous_response_id: previous });

/** The messages that the other provider has got last. */
function heard(): unknown[] {
  const { messages } = asObject(parseJson(chat.requests.at(-1)?.text ?? '{}'));
  return asArray(messages).map((message) => asObject(message).content);
}

/** Three turns, of which the gateway keeps the last at most. */
async function conversation() {
  const first = await ask('kept', 'One.');
  const second = await ask('kept', 'Two.', first.id);
  const third = await ask('kept', 'Three.', second.id);
  keeping.asked.length = 0;
  return { first, second, third, texts: ['One.', first, 'Two.', second, 'Three.', third].map(textOf) };
}

const textOf = (said: string | OpenAI.Responses.Response) => (typeof said === 'string' ? said : said.output_text);

const reference = (response: OpenAI.Responses.Response) => ({
  type: 'item_reference' as const,
  id: response.output.find(({ type }) => type === 'message')?.id ?? 'none',
});

async function errorOf(call: PromiseLike<unknown>) {
  const error = await Promise.resolve(call).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  const { status, code, param, message } = asObject(error as object);
  return { status, code, param, message: String(message) };
}

for (const showsWholeInput of [false, true]) {
  test(`previous_response_id goes on elsewhere with ${showsWholeInput ? 'input items of all turns' : 'each turn'}`, async () => {
    const { second, third, texts } = await conversation();
    keeping.showsWholeInput = showsWholeInput;
    await ask('other', 'Four.', third.id);
    expect(heard()).toEqual([...texts, 'Four.']);
    // From the middle, where the gateway keeps none of it.
    await ask('other', 'Instead.', second.id);
    expect(heard()).toEqual([...texts.slice(0, 4), 'Instead.']);
  });
}

test('the AI SDK points to items, and goes on elsewhere', async () => {
  const messages: ModelMessage[] = [];
  const said: string[] = [];
  const turn = async (model: string, text: string) => {
    messages.push({ role: 'user', content: text });
    const provider = createOpenAI({ baseURL: serving.baseUrl, apiKey: clientKey('acme') });
    const result = await generateText({ model: provider.responses(model), messages, maxRetries: 0 });
    messages.push(...result.responseMessages);
    said.push(text, result.text);
  };
  keeping.asked.length = 0;
  await turn('kept', 'One.');
  await turn('kept', 'Two.');
  // Whoever keeps them is not asked for them.
  expect(JSON.stringify(keeping.bodies.at(-1))).toContain('item_reference');
  expect(keeping.asked).toEqual([]);
  await turn('other', 'Three.');
  expect(heard()).toEqual(said.slice(0, -1));
  await turn('kept', 'Four.');
});

test('one who has the issuer among his channels is sent there, and nothing is asked for', async () => {
  const { first, second } = await conversation();
  await ask('kept', [reference(first), reference(second), { role: 'user', content: 'And?' }]);
  expect(asArray(keeping.bodies.at(-1)?.input).map((item) => asObject(item).type)).toEqual([
    'item_reference',
    'item_reference',
    undefined,
  ]);
  expect(keeping.asked).toEqual([]);
  // By the earlier answer's id the issuer knows the conversation, too.
  await ask('kept', 'And?', second.id);
  expect(keeping.bodies.at(-1)).toMatchObject({ previous_response_id: second.id, input: 'And?' });
});

test('the responses themselves are read and deleted there', async () => {
  const { first, second } = await conversation();
  const read = await sdk().responses.retrieve(second.id);
  expect([read.output_text, read.model]).toEqual([second.output_text, 'kept']);
  const items = await sdk().responses.inputItems.list(second.id, { order: 'asc' });
  expect(items.data.map((item) => ('content' in item ? item.type : null))).toEqual([
    'message',
    null,
    'message',
    'message',
  ]);
  await sdk().responses.delete(first.id);
  expect(keeping.asked.at(-1)).toBe(`DELETE /v1/responses/${first.id}`);
  expect(await errorOf(sdk().responses.retrieve(first.id))).toMatchObject({ status: 404, code: 'response_not_found' });
  expect(await errorOf(ask('other', 'And?', second.id))).toMatchObject({
    ...{ status: 400, code: 'previous_response_not_found', param: 'previous_response_id' },
    message: expect.stringContaining(first.id),
  });
  expect(await errorOf(ask('other', [reference(first), { role: 'user', content: 'And?' }]))).toMatchObject({
    status: 404,
    message: expect.stringContaining("Item with id '"),
  });
  expect(await errorOf(sdk().responses.delete(first.id))).toMatchObject({ status: 404 });
});

test('another account has none of it, and nobody is asked', async () => {
  const { first, second } = await conversation();
  const status = async (call: PromiseLike<unknown>) => (await errorOf(call)).status;
  expect(await status(ask('other', 'And?', second.id, 'globex'))).toBe(400);
  expect(await status(ask('other', [reference(first), { role: 'user', content: 'And?' }], null, 'globex'))).toBe(404);
  expect(await status(sdk('globex').responses.retrieve(first.id))).toBe(404);
  expect(await status(sdk('globex').responses.delete(first.id))).toBe(404);
  expect(keeping.asked).toEqual([]);
});

describe('an issuer that', () => {
  const follow = (first: OpenAI.Responses.Response) =>
    errorOf(ask('other', [reference(first), { role: 'user', content: 'And?' }]));
  const json = (value: unknown) => () => Response.json(value);

  test.each<[string, () => Response, number]>([
    ['fails', () => Response.json({ error: { message: 'broken upstream-key' } }, { status: 500 }), 502],
    ['gives another response', json({ id: 'resp_else', output: [] }), 502],
    ['gives no JSON', () => new Response('<html>'), 502],
    ['refuses the key', () => Response.json({ error: { message: 'bad upstream-key' } }, { status: 401 }), 502],
    ['sends more than a response has', () => new Response(new Uint8Array(17 * 1024 * 1024)), 502],
    ['has lost it', () => Response.json({ error: { message: 'gone' } }, { status: 404 }), 404],
  ])('%s is told of, and goes on serving', async (_what, instead, status) => {
    const { first } = await conversation();
    keeping.instead = instead;
    for (let times = 0; times < 3; times++) {
      const error = await follow(first);
      expect([error.status, error.message]).toEqual([status, expect.not.stringContaining('upstream-key')]);
    }
    expect((await ask('kept', 'Still there?')).output_text).toContain('Answer');
  });

  test('has pages without an end is left', async () => {
    const { second } = await conversation();
    let pages = 0;
    keeping.instead = () => {
      const isPage = keeping.asked.at(-1)?.endsWith('/input_items') ?? false;
      if (isPage) pages++;
      return Response.json(
        isPage ? { data: [{ id: `in_${pages}` }], has_more: true } : { id: second.id, output: [], model: 'x' },
      );
    };
    expect(await errorOf(ask('other', 'And?', second.id))).toMatchObject({
      status: 400,
      param: 'previous_response_id',
    });
    expect(pages).toBeLessThan(30);
  });
});

test('after a restart it still goes on', async () => {
  const { third, texts } = await conversation();
  await serving.stop();
  serving = await space.serve({ env });
  await ask('other', 'Four.', third.id);
  expect(heard()).toEqual([...texts, 'Four.']);
});

const isPresent = hasTestPostgres();
testNeeding(POSTGRES_REQUIREMENT, isPresent)(
  'over PostgreSQL too',
  async () => {
    const server: SharedTestPostgres = await sharedTestPostgres();
    const before = serving;
    const other = await Workspace.create();
    try {
      const DATABASE_URL = await server.createDatabase();
      serving = await other.serve({
        env: { ...env, DATABASE_URL, SWITCHYARD_SECRET: 'the master secret of all nodes' },
      });
      const { first, third, texts } = await conversation();
      await ask('other', 'Four.', third.id);
      expect(heard()).toEqual([...texts, 'Four.']);
      await ask('other', [reference(first), { role: 'user', content: 'And?' }]);
      expect(heard()).toEqual([first.output_text, 'And?']);
    } finally {
      serving = before;
      await other.remove();
    }
  },
  60_000,
);
