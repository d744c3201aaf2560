import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import type { MessageBatch, MessageBatchResult } from '@anthropic-ai/sdk/resources/messages/batches';
import { keyOf, type MoneyBed, startMoneyBed } from '../money/bed.ts';
import { Books, keptSqliteQuery, nano, sqliteQuery } from '../money/books.ts';
import { until } from '../shared/until.ts';
import { BatchClient, chatBody, inputLine } from './client.ts';
import { errored, ProviderMessageBatches, succeeded, USUAL } from './provider-message-batches.ts';

/* Lines that go into Anthropic's message batches, with the SDKs of OpenAI and Anthropic in front. */

setDefaultTimeout(60_000);

/** 50 × 2 + 8 × 10 for a million. */
const FULL = nano('0.00018');
const MODEL = 'batched';
const CHAT = '/v1/chat/completions';

let bed: MoneyBed;
let books: Books;
let provider: ProviderMessageBatches;

beforeAll(async () => {
  provider = new ProviderMessageBatches();
  bed = await startMoneyBed({
    models: { plain: { words: 8, usage: { input: 50, output: 8 } } },
    accounts: ['buyer', 'mixed', 'quitter', 'lost', 'revoked', 'chatting'].map((id) => ({ id, balance_usd: '10' })),
    channels: () => [
      {
        ...{ id: 'relaying', name: 'relaying', provider: 'anthropic', api_key: 'upstream-key' },
        ...{ base_url: provider.baseUrl, batches: 'relay', models: { [MODEL]: 'up-model' } },
      },
      {
        ...{ id: 'compatible', name: 'compatible', provider: 'anthropic', api_key: 'upstream-key' },
        ...{ base_url: provider.baseUrl, batches: 'relay', models: { chatting: 'up-model' }, formats: ['openai-chat'] },
      },
    ],
    pricedModels: [MODEL, 'chatting'].map((id) => ({ id, pricing: { input_per_1m: '2', output_per_1m: '10' } })),
    settings: { batches: { price_percent: 80 } },
  });
  books = new Books(bed, keptSqliteQuery(bed.space.database));
});

beforeEach(() => {
  provider.plan = USUAL;
  provider.batches.length = 0;
  provider.direct.length = 0;
});

afterAll(async () => {
  await bed?.stop();
  await provider?.stop();
});

const client = (account: string) => new BatchClient(keyOf(account), () => bed.port());
const lines = (count: number, model = MODEL) =>
  Array.from({ length: count }, (_, index) => inputLine(`ask-${index}`, CHAT, chatBody(model)));

async function expectSettled(): Promise<void> {
  expect(await books.openHolds()).toBe(0);
  await books.verify();
}

test('chat lines become one message batch, at half the price', async () => {
  const buyer = client('buyer');
  const made = await buyer.begin(CHAT, lines(7));
  const batch = await buyer.ended(made.id);
  expect(batch.request_counts).toEqual({ total: 7, completed: 7, failed: 0 });
  expect(provider.batches.map(({ requests }) => requests.length)).toEqual([7]);
  expect(provider.batches[0]?.requests[0]).toEqual({
    custom_id: expect.stringMatching(/^1-[0-9a-f]{24}$/),
    params: { model: 'up-model', max_tokens: 20, messages: [{ role: 'user', content: 'Hello' }] },
  });
  // The provider keeps nothing of it.
  expect(provider.batches[0]?.results).toEqual([]);
  const results = await buyer.lines(batch.output_file_id);
  expect(results[0]?.response?.body).toMatchObject({
    ...{ object: 'chat.completion', model: MODEL, _routing: { cost: { total_usd: '0.00009' } } },
    choices: [{ message: { content: 'Relayed.' } }],
  });
  const charges = await books.chargesByRequest();
  for (const { response } of results) expect(charges.get(response?.request_id ?? '')).toBe(FULL / 2n);
  expect(provider.direct).toEqual([]);
  await expectSettled();
});

test("Anthropic's SDK gets results, errors and what the gateway ran itself", async () => {
  const results = [succeeded, () => errored('overloaded_error'), () => errored('invalid_request_error')];
  const more = [() => ({ type: 'expired' }), () => ({ type: 'canceled' }), () => null];
  provider.plan = {
    ...USUAL,
    resultOf: (request) => {
      const number = Number(request.custom_id.split('-')[0]);
      return [...results, ...more][number - 1]?.(request) ?? null;
    },
  };
  const baseURL = `http://127.0.0.1:${bed.port()}`;
  const { batches } = new Anthropic({ apiKey: keyOf('mixed'), baseURL, maxRetries: 0 }).messages;
  const params = { model: MODEL, max_tokens: 20, messages: [{ role: 'user' as const, content: 'Hello' }] };
  const made = await batches.create({
    requests: Array.from({ length: 6 }, (_, index) => ({ custom_id: `ask-${index + 1}`, params })),
  });
  let batch: MessageBatch = made;
  await until('the batch has ended', async () => {
    batch = await batches.retrieve(made.id);
    return batch.processing_status === 'ended';
  });
  expect(batch.request_counts).toMatchObject({ succeeded: 5, errored: 1 });
  const told = new Map<string, MessageBatchResult>();
  for await (const { custom_id, result } of await batches.results(made.id)) told.set(custom_id, result);
  expect(told.get('ask-1')).toMatchObject({ message: { model: MODEL, content: [{ type: 'text', text: 'Relayed.' }] } });
  expect(told.get('ask-3')).toMatchObject({ error: { error: { type: 'invalid_request_error' } } });
  // The overloaded, expired, canceled and missing ones.
  expect(provider.direct).toEqual(Array(4).fill('up-model'));
  const costs = [...(await books.chargesByRequest()).values()];
  expect(costs.filter((cost) => cost === (FULL * 80n) / 100n)).toHaveLength(4);
  expect(await books.charges('mixed')).toHaveLength(5);
  await expectSettled();
});

test('lines over the endpoint that is compatible with OpenAI are sent as usual', async () => {
  const chatting = client('chatting');
  const made = await chatting.begin(CHAT, lines(2, 'chatting'));
  const batch = await chatting.ended(made.id);
  expect(batch.request_counts).toEqual({ total: 2, completed: 2, failed: 0 });
  expect(provider.direct).toEqual(['up-model', 'up-model']);
  expect(provider.batches).toEqual([]);
  await expectSettled();
});

test('a batch whose answer was lost is found by the ids in its results, also beside another of its size', async () => {
  provider.plan = { ...USUAL, losesAnswer: true };
  const lost = client('lost');
  const made = await lost.begin(CHAT, lines(2));
  await until('the provider has the batch', () => provider.batches.length === 1);
  provider.addStranger(2);
  const batch = await lost.ended(made.id);
  expect(batch.request_counts).toEqual({ total: 2, completed: 2, failed: 0 });
  expect(provider.batches).toHaveLength(2);
  expect(provider.direct).toEqual([]);
  await expectSettled();
});

test('a cancelled batch cancels that of the provider, and settles what has finished', async () => {
  provider.plan = { ...USUAL, isSlow: true };
  const resultOf: typeof USUAL.resultOf = (request) =>
    request.custom_id.startsWith('1-') ? succeeded(request) : { type: 'canceled' };
  provider.plan = { ...provider.plan, resultOf };
  const quitter = client('quitter');
  const made = await quitter.begin(CHAT, lines(3));
  await until('the provider has the batch', () => provider.batches.length === 1);
  await quitter.openai.batches.cancel(made.id);
  const batch = await quitter.ended(made.id);
  expect(batch).toMatchObject({ status: 'cancelled', request_counts: { total: 3, completed: 1 } });
  expect(await books.charges('quitter')).toHaveLength(1);
  expect(provider.direct).toEqual([]);
  await expectSettled();
});

test('an answer is charged although its key was revoked meanwhile', async () => {
  provider.plan = { ...USUAL, isSlow: true };
  const revoked = client('revoked');
  const made = await revoked.begin(CHAT, lines(1));
  await until('the provider has the batch', () => provider.batches.length === 1);
  expect((await bed.run('keys', 'revoke', 'revoked/revoked')).exitCode).toBe(0);
  provider.plan = USUAL;
  await until('the batch has ended', async () => {
    const rows = await sqliteQuery(bed.space.database)<{ stage: string }>(
      `SELECT stage FROM batches WHERE id = '${made.id}'`,
    );
    return rows[0]?.stage === 'completed';
  });
  expect(await books.charges('revoked')).toMatchObject([{ amount_nano: -FULL / 2n }]);
  await expectSettled();
});
