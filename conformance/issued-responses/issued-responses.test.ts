import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, type ModelMessage } from 'ai';
import type OpenAI from 'openai';
import { clientKey } from '../first-light/upstream.ts';
import { asArray, asObject } from '../shared/json.ts';
import { IssuedResponsesBed, reference } from './bed.ts';

/* Conversations that one provider stores, continued with a model of another. acceptance/postgres/issued-responses.test.ts covers PostgreSQL. */

let bed: IssuedResponsesBed;

beforeAll(async () => {
  bed = await IssuedResponsesBed.start();
});

afterAll(() => bed?.stop());

afterEach(() => {
  bed.keeping.instead = null;
  bed.keeping.showsWholeInput = false;
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
  test(`previous_response_id continues at another provider with ${showsWholeInput ? 'input items of all turns' : 'each turn'}`, async () => {
    const { second, third, texts } = await bed.conversation();
    bed.keeping.showsWholeInput = showsWholeInput;
    await bed.ask('other', 'Four.', third.id);
    expect(bed.heard()).toEqual([...texts, 'Four.']);
    // Continues from the middle, of which the gateway stores nothing.
    await bed.ask('other', 'Instead.', second.id);
    expect(bed.heard()).toEqual([...texts.slice(0, 4), 'Instead.']);
  });
}

test('the AI SDK refers to items, and continues at another provider', async () => {
  const messages: ModelMessage[] = [];
  const said: string[] = [];
  const turn = async (model: string, text: string) => {
    messages.push({ role: 'user', content: text });
    const provider = createOpenAI({ baseURL: bed.baseUrl, apiKey: clientKey('acme') });
    const result = await generateText({ model: provider.responses(model), messages, maxRetries: 0 });
    messages.push(...result.responseMessages);
    said.push(text, result.text);
  };
  bed.keeping.asked.length = 0;
  await turn('kept', 'One.');
  await turn('kept', 'Two.');
  // The provider that stores the items is not asked for them.
  expect(JSON.stringify(bed.keeping.bodies.at(-1))).toContain('item_reference');
  expect(bed.keeping.asked).toEqual([]);
  await turn('other', 'Three.');
  expect(bed.heard()).toEqual(said.slice(0, -1));
  await turn('kept', 'Four.');
});

test('a request that the issuer can serve goes to its channel, and nothing is fetched', async () => {
  const { first, second } = await bed.conversation();
  await bed.ask('kept', [reference(first), reference(second), { role: 'user', content: 'And?' }]);
  expect(asArray(bed.keeping.bodies.at(-1)?.input).map((item) => asObject(item).type)).toEqual([
    'item_reference',
    'item_reference',
    undefined,
  ]);
  expect(bed.keeping.asked).toEqual([]);
  // The issuer also finds the conversation by the earlier response's id.
  await bed.ask('kept', 'And?', second.id);
  expect(bed.keeping.bodies.at(-1)).toMatchObject({ previous_response_id: second.id, input: 'And?' });
});

test('stored responses are read and deleted at the issuer', async () => {
  const { first, second } = await bed.conversation();
  const read = await bed.sdk().responses.retrieve(second.id);
  expect([read.output_text, read.model]).toEqual([second.output_text, 'kept']);
  const items = await bed.sdk().responses.inputItems.list(second.id, { order: 'asc' });
  expect(items.data.map((item) => ('content' in item ? item.type : null))).toEqual([
    'message',
    null,
    'message',
    'message',
  ]);
  await bed.sdk().responses.delete(first.id);
  expect(bed.keeping.asked.at(-1)).toBe(`DELETE /v1/responses/${first.id}`);
  expect(await errorOf(bed.sdk().responses.retrieve(first.id))).toMatchObject({
    status: 404,
    code: 'response_not_found',
  });
  expect(await errorOf(bed.ask('other', 'And?', second.id))).toMatchObject({
    ...{ status: 400, code: 'previous_response_not_found', param: 'previous_response_id' },
    message: expect.stringContaining(first.id),
  });
  expect(await errorOf(bed.ask('other', [reference(first), { role: 'user', content: 'And?' }]))).toMatchObject({
    status: 404,
    message: expect.stringContaining("Item with id '"),
  });
  expect(await errorOf(bed.sdk().responses.delete(first.id))).toMatchObject({ status: 404 });
});

test('another account gets a 404 without an upstream request', async () => {
  const { first, second } = await bed.conversation();
  const status = async (call: PromiseLike<unknown>) => (await errorOf(call)).status;
  expect(await status(bed.ask('other', 'And?', second.id, 'globex'))).toBe(400);
  expect(await status(bed.ask('other', [reference(first), { role: 'user', content: 'And?' }], null, 'globex'))).toBe(
    404,
  );
  expect(await status(bed.sdk('globex').responses.retrieve(first.id))).toBe(404);
  expect(await status(bed.sdk('globex').responses.delete(first.id))).toBe(404);
  expect(bed.keeping.asked).toEqual([]);
});

describe('an issuer that', () => {
  const follow = (first: OpenAI.Responses.Response) =>
    errorOf(bed.ask('other', [reference(first), { role: 'user', content: 'And?' }]));
  const json = (value: unknown) => () => Response.json(value);

  test.each<[string, () => Response, number]>([
    ['fails', () => Response.json({ error: { message: 'broken upstream-key' } }, { status: 500 }), 502],
    ['returns another response', json({ id: 'resp_else', output: [] }), 502],
    ['returns no JSON', () => new Response('<html>'), 502],
    ['refuses the key', () => Response.json({ error: { message: 'bad upstream-key' } }, { status: 401 }), 502],
    ['returns too many bytes', () => new Response(new Uint8Array(17 * 1024 * 1024)), 502],
    ['has lost it', () => Response.json({ error: { message: 'gone' } }, { status: 404 }), 404],
  ])('%s causes an error, and keeps its channel', async (_what, instead, status) => {
    const { first } = await bed.conversation();
    bed.keeping.instead = instead;
    for (let times = 0; times < 3; times++) {
      const error = await follow(first);
      expect([error.status, error.message]).toEqual([status, expect.not.stringContaining('upstream-key')]);
    }
    expect((await bed.ask('kept', 'Still there?')).output_text).toContain('Answer');
  });

  test('has endless pages is not read to the end', async () => {
    const { second } = await bed.conversation();
    let pages = 0;
    bed.keeping.instead = () => {
      const isPage = bed.keeping.asked.at(-1)?.endsWith('/input_items') ?? false;
      if (isPage) pages++;
      return Response.json(
        isPage ? { data: [{ id: `in_${pages}` }], has_more: true } : { id: second.id, output: [], model: 'x' },
      );
    };
    expect(await errorOf(bed.ask('other', 'And?', second.id))).toMatchObject({
      status: 400,
      param: 'previous_response_id',
    });
    expect(pages).toBeLessThan(30);
  });
});

test('a conversation can be continued after a restart', async () => {
  const { third, texts } = await bed.conversation();
  await bed.restart();
  await bed.ask('other', 'Four.', third.id);
  expect(bed.heard()).toEqual([...texts, 'Four.']);
});
