import { afterAll, beforeAll, expect, test } from 'bun:test';
import OpenAI from 'openai';
import { inParallel } from '../routing/client.ts';
import { until } from '../shared/until.ts';
import { channelTo, keyOf, type MoneyBed, modelOver, startMoneyBed } from './bed.ts';
import { Books, keptSqliteQuery, nano } from './books.ts';
import { buy, type Receipt } from './client.ts';
import { Gate } from './gate.ts';

/* Balances while requests fall back from a dear model that always fails to a cheap one. */

const CHEAP = modelOver('openai-chat', 'cheap');
const CHEAP_COST = nano('0.001');
const ASKED = 120;

const gate = new Gate();
let bed: MoneyBed;
let books: Books;

beforeAll(async () => {
  const usage = { input: 5, output: 1 };
  bed = await startMoneyBed({
    models: {
      dear: { words: 1, usage, refuses: 500, pricing: { per_request: '0.01' } },
      cheap: { words: 1, usage, pricing: { per_request: '0.001' }, opens: gate.pass },
    },
    accounts: [
      // Enough for three reservations of the dear model at once.
      { id: 'tight', balance_usd: '0.1' },
      { id: 'leaving', balance_usd: '0.1' },
      { id: 'reader', balance_usd: '1' },
    ],
    channels: (origin) => [
      { ...channelTo(origin, 'openai-chat', 'failing'), models: { falling: 'dear', plain: 'dear' } },
    ],
    pricedModels: [
      { id: 'falling', pricing: { per_request: '0.01' }, fallbacks: [CHEAP] },
      { id: 'plain', pricing: { per_request: '0.01' } },
    ],
  });
  books = new Books(bed, keptSqliteQuery(bed.space.database));
});

afterAll(async () => {
  await bed?.stop();
});

const ask = (account: string, signal?: AbortSignal): Promise<Receipt> =>
  buy({
    ...{ port: bed.port(), key: keyOf(account), model: 'falling', maxTokens: 10 },
    ...(signal && { signal }),
  });

test('many requests at once are each charged once, for the model that answered, and no reservation is left', async () => {
  const receipts = await inParallel(ASKED, 30, () => ask('tight'));
  const answered = receipts.filter(({ isComplete }) => isComplete);
  const charges = await books.charges('tight');
  expect(answered.length).toBeGreaterThan(0);
  expect(receipts.every(({ status }) => status === 200 || status === 402)).toBe(true);
  expect(charges.map(({ request_id }) => request_id).sort()).toEqual(answered.map(({ requestId }) => requestId).sort());
  expect(charges.every(({ amount_nano }) => amount_nano === -CHEAP_COST)).toBe(true);
  const rows = await books.log(answered);
  expect(answered.every(({ requestId }) => rows.get(requestId)?.model_id === CHEAP)).toBe(true);
  await books.untilNothingIsHeld('tight');
  expect(await books.balance('tight')).toBe(nano('0.1') - BigInt(answered.length) * CHEAP_COST);
  await books.verify();
});

test('clients that leave while the fallback is asked leave no reservation', async () => {
  gate.close();
  bed.upstream.forget();
  const leaving = new AbortController();
  const asking = Promise.allSettled(Array.from({ length: 8 }, () => ask('leaving', leaving.signal)));
  await until('the fallback is asked', () => bed.upstream.served.filter(({ model }) => model === 'cheap').length === 8);
  leaving.abort();
  await asking;
  gate.release();
  await books.untilNothingIsHeld('leaving');
  await books.verify();
});

test("OpenAI's client may send OpenRouter's list, which does not reach the upstream", async () => {
  bed.upstream.forget();
  const client = new OpenAI({ baseURL: `http://127.0.0.1:${bed.port()}/v1`, apiKey: keyOf('reader'), maxRetries: 0 });
  const routed = { models: ['plain', CHEAP], route: 'fallback' };
  const answer = await client.chat.completions.create({
    ...{ model: 'plain', max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }] },
    ...routed,
  });
  expect(answer).toMatchObject({ model: CHEAP, _routing: { requestedModel: 'plain', modelSteps: [{ to: CHEAP }] } });
  const refusal = await client.chat.completions
    .create({
      ...{ model: 'plain', messages: [{ role: 'user', content: 'Hello' }] },
      ...{ models: Array(20).fill(CHEAP) },
    })
    .catch((error: unknown) => error);
  expect(refusal).toMatchObject({ status: 400, param: 'models' });
  expect(await books.sum('reader')).toBe(nano('1') - CHEAP_COST);
});
