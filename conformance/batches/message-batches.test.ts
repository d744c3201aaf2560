import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import Anthropic, { type APIError } from '@anthropic-ai/sdk';
import type { MessageBatch, MessageBatchIndividualResponse } from '@anthropic-ai/sdk/resources/messages/batches';
import { keyOf, type MoneyBed, modelOver, startMoneyBed } from '../money/bed.ts';
import { Books, keptSqliteQuery, nano } from '../money/books.ts';
import { CLIENT_FORMATS } from '../routing/client.ts';
import { until } from '../shared/until.ts';

/* `/v1/messages/batches` with Anthropic's SDK, unchanged, over providers of every text format. */

setDefaultTimeout(60_000);

/** 50 × 2 + 8 × 10 for a million, at half the price. */
const COST = nano('0.00009');

let bed: MoneyBed;
let books: Books;

beforeAll(async () => {
  const usage = { input: 50, output: 8 };
  bed = await startMoneyBed({
    models: { sound: { words: 8, usage, pricing: { input_per_1m: '2', output_per_1m: '10' } } },
    accounts: ['buyer', 'other'].map((id) => ({ id, balance_usd: '10' })),
    settings: { batches: { price_percent: 50, max_lines: 40 } },
  });
  books = new Books(bed, keptSqliteQuery(bed.space.database));
});

afterAll(async () => {
  await bed?.stop();
});

const origin = () => `http://127.0.0.1:${bed.port()}`;
const batchesOf = (account: string) =>
  new Anthropic({ apiKey: keyOf(account), baseURL: origin(), maxRetries: 0 }).messages.batches;

const request = (custom_id: string, model: string) => ({
  custom_id,
  params: { model, max_tokens: 20, messages: [{ role: 'user' as const, content: 'Hello' }] },
});

async function ended(id: string): Promise<MessageBatch> {
  let batch = await batchesOf('buyer').retrieve(id);
  await until('the batch has ended', async () => {
    batch = await batchesOf('buyer').retrieve(id);
    return batch.processing_status === 'ended';
  });
  return batch;
}

async function refusal(work: Promise<unknown>): Promise<APIError> {
  return await work.then(
    () => Promise.reject(new Error('the request succeeded')),
    (error: APIError) => error,
  );
}

test('requests to each provider are answered and charged once, and failures are among the results', async () => {
  const batches = batchesOf('buyer');
  const models = CLIENT_FORMATS.map((format) => modelOver(format, 'sound'));
  const requests = [
    ...models.flatMap((model, place) => [0, 1, 2].map((index) => request(`ask-${place}-${index}`, model))),
    request('unknown', 'no-such-model'),
  ];
  const made = await batches.create({ requests });
  expect(made).toMatchObject({
    type: 'message_batch',
    processing_status: 'in_progress',
    request_counts: { processing: 13, succeeded: 0, errored: 0, canceled: 0, expired: 0 },
    results_url: null,
    ended_at: null,
  });
  expect(made.id).toMatch(/^msgbatch_[A-Za-z0-9]{32}$/);
  expect(Date.parse(made.expires_at) - Date.parse(made.created_at)).toBe(86_400_000);
  expect(await ended(made.id)).toMatchObject({
    request_counts: { processing: 0, succeeded: 12, errored: 1, canceled: 0, expired: 0 },
    results_url: `${origin()}/v1/messages/batches/${made.id}/results`,
  });
  const results = new Map<string, MessageBatchIndividualResponse['result']>();
  for await (const { custom_id, result } of await batches.results(made.id)) results.set(custom_id, result);
  expect([...results.keys()].sort()).toEqual(requests.map(({ custom_id }) => custom_id).sort());
  expect(results.get('unknown')).toMatchObject({ type: 'errored', error: { error: { type: 'not_found_error' } } });
  for (const { custom_id, params } of requests.slice(0, 12)) {
    expect(results.get(custom_id)).toMatchObject({
      type: 'succeeded',
      message: { type: 'message', role: 'assistant', model: params.model, usage: { output_tokens: 8 } },
    });
  }
  const charged = await books.charges('buyer');
  expect(charged.map(({ amount_nano }) => amount_nano)).toEqual(Array.from({ length: 12 }, () => -COST));
  await books.verify();
});

test('batches are listed in both directions, and deleted after their end', async () => {
  const batches = batchesOf('buyer');
  const ids: string[] = [];
  for (const id of ['x', 'y', 'z']) {
    const { id: batchId } = await batches.create({ requests: [request(id, modelOver('gemini', 'sound'))] });
    await ended(batchId);
    ids.unshift(batchId);
  }
  const first = await batches.list({ limit: 2 });
  expect(first.data.map(({ id }) => id)).toEqual(ids.slice(0, 2));
  expect(first).toMatchObject({ has_more: true, first_id: ids[0], last_id: ids[1] });
  const next = await first.getNextPage();
  expect(next.data[0]?.id).toBe(ids[2] as string);
  const before = await batches.list({ limit: 1, before_id: ids[2] as string });
  expect(before.data.map(({ id }) => id)).toEqual([ids[1] as string]);
  const [newest = ''] = ids;
  expect(await batches.delete(newest)).toEqual({ id: newest, type: 'message_batch_deleted' });
  expect((await refusal(batches.retrieve(newest))).status).toBe(404);
  expect((await refusal(batches.results(newest))).status).toBe(404);
});

test('a batch is cancelled, seen by its account only, and has no results before its end', async () => {
  const [batches, others] = [batchesOf('buyer'), batchesOf('other')];
  const model = modelOver('openai-chat', 'sound');
  const requests = Array.from({ length: 40 }, (_, index) => request(`${index}`, model));
  const { id } = await batches.create({ requests });
  const cancelled = await batches.cancel(id);
  expect(['canceling', 'ended']).toContain(cancelled.processing_status);
  expect(cancelled.cancel_initiated_at).not.toBeNull();
  for (const work of [others.retrieve(id), others.cancel(id), others.delete(id), others.results(id)]) {
    expect(await refusal(work)).toMatchObject({ status: 404, error: { error: { type: 'not_found_error' } } });
  }
  const { request_counts: counts } = await ended(id);
  expect(counts.succeeded + counts.canceled).toBe(40);
  const types: string[] = [];
  for await (const { result } of await batches.results(id)) types.push(result.type);
  expect(types.filter((type) => type === 'canceled')).toHaveLength(counts.canceled);
  expect(types).toHaveLength(40);
  await books.verify();
});

test('a wrong body is refused in Anthropic’s envelope, and leaves no file', async () => {
  const model = modelOver('gemini', 'sound');
  const post = async (body: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${origin()}/v1/messages/batches`, {
      method: 'POST',
      headers: { 'x-api-key': keyOf('other'), 'content-type': 'application/json', ...headers },
      body,
    });
    return { status: answer.status, body: await answer.text() };
  };
  const twice = JSON.stringify({ requests: [request('a', model), request('a', model)] });
  const many = JSON.stringify({ requests: Array.from({ length: 41 }, (_, index) => request(`${index}`, model)) });
  const cases: readonly [string, number, string][] = [
    [twice, 400, 'requests[1].custom_id'],
    [many, 400, 'more than 40 requests'],
    ['{"requests":[]}', 400, 'at least one'],
    ['{"requests":[{"custom_id":"a","params":{}}', 400, 'ends before'],
    ['{"requests":[{"custom_id":"a","params":{"stream":true}}]}', 400, 'params.stream'],
  ];
  for (const [body, status, text] of cases) {
    const answer = await post(body);
    expect({ status: answer.status, names: answer.body.includes(text) }).toEqual({ status, names: true });
    expect(JSON.parse(answer.body)).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
  }
  expect((await post(twice, { 'content-encoding': 'gzip' })).status).toBe(415);
  const files = await fetch(`${origin()}/v1/files`, { headers: { authorization: `Bearer ${keyOf('other')}` } });
  expect(await files.json()).toMatchObject({ data: [] });
  expect((await batchesOf('other').list()).data).toEqual([]);
});
