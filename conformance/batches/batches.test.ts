import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import OpenAI, { type APIError, toFile } from 'openai';
import { keyOf, type MoneyBed, modelOver, startMoneyBed } from '../money/bed.ts';
import { Books, keptSqliteQuery, nano, sqliteQuery } from '../money/books.ts';
import { until } from '../shared/until.ts';

/* `/v1/batches` with OpenAI's SDK, unchanged, over providers that have no batches. */

setDefaultTimeout(60_000);

const PRICING = { input_per_1m: '2', output_per_1m: '10' };
/** 50 × 2 + 8 × 10 for a million, at half the price. */
const COST = nano('0.00009');
/** Enough for six lines, and not for the reservation of another one. */
const BUDGET = '0.0006';
const MODEL = modelOver('anthropic-messages', 'sound');

/** 220 × 1 for a million, and one search, at half the price. */
const SEARCHING_COST = nano('0.00261');

let bed: MoneyBed;
let books: Books;

/** Calls the search tool first, and answers when it has the results. */
const searching = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: async (request) => {
    if (request.method !== 'POST') return new Response(null, { status: 404 });
    const { messages } = (await request.json()) as { messages: { role: string }[] };
    const isSecond = messages.some(({ role }) => role === 'tool');
    const called = { id: 'call_1', type: 'function', function: { name: 'web_search', arguments: '{"query":"foxes"}' } };
    const message = isSecond
      ? { role: 'assistant', content: 'Foxes hunt in the snow [[cite:1]].' }
      : { role: 'assistant', content: null, tool_calls: [called] };
    return Response.json({
      ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'plain' },
      usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
      choices: [{ index: 0, message, finish_reason: isSecond ? 'stop' : 'tool_calls' }],
    });
  },
});

beforeAll(async () => {
  const sound = { words: 8, usage: { input: 50, output: 8 }, pricing: PRICING };
  bed = await startMoneyBed({
    models: { sound, own: sound, down: { ...sound, refuses: 503, pricing: { input_per_1m: '7', output_per_1m: '7' } } },
    channels: () => [
      {
        ...{ id: 'plain', name: 'Plain', provider: 'openai-compatible', api_key: 'upstream-key' },
        ...{ base_url: `http://127.0.0.1:${searching.port}/v1`, models: { plain: 'plain' } },
      },
      { id: 'made-up', name: 'Made up', provider: 'sandbox', models: { finder: 'sandbox-search' } },
    ],
    pricedModels: [
      { id: 'plain', pricing: { input_per_1m: '1', output_per_1m: '1' } },
      { id: 'finder', category: 'rerank', operations: ['search'], pricing: { per_request: '0.005' } },
    ],
    accounts: ['buyer', 'other', 'poor', 'revoked', 'guarded', 'budgeted', 'falling', 'searcher'].map((id) => ({
      id,
      ...(id === 'guarded' && { guards: ['words'] }),
      ...(id === 'budgeted' && { keys: [{ id, name: id, secret: keyOf(id), budget: { usd: BUDGET, per: 'month' } }] }),
      balance_usd: id === 'poor' ? '0.000001' : '10',
    })),
    settings: {
      batches: { price_percent: 50, max_lines: 40 },
      search: { model: 'finder' },
      guards: [{ id: 'words', stages: ['output'], patterns: [{ name: 'any', pattern: '[a-z]+' }] }],
    },
  });
  books = new Books(bed, keptSqliteQuery(bed.space.database));
});

afterAll(async () => {
  await bed?.stop();
  await searching.stop(true);
});

const client = (account: string) =>
  new OpenAI({ apiKey: keyOf(account), baseURL: `http://127.0.0.1:${bed.port()}/v1`, maxRetries: 0 });

const chat = (model: string) => ({ model, max_tokens: 20, messages: [{ role: 'user', content: 'Hello' }] });

/** Checks that these requests are charged, each once and with this cost, and that nothing else is. */
async function expectCharged(account: string, requestIds: readonly (string | undefined)[], cost: bigint) {
  await books.chargesByRequest();
  const charges = (await books.charges(account)).map(({ request_id, amount_nano }) => [request_id, -amount_nano]);
  expect(charges.toSorted()).toEqual(requestIds.map((id) => [id ?? '', cost]).toSorted() as typeof charges);
  await books.untilNothingIsHeld(account);
  await books.verify();
}

const line = (id: string, body: object, members: object = {}) =>
  JSON.stringify({ custom_id: id, method: 'POST', url: '/v1/chat/completions', body, ...members });

async function begin(account: string, lines: readonly string[]): Promise<OpenAI.Batch> {
  const openai = client(account);
  const file = await openai.files.create({
    purpose: 'batch',
    file: await toFile(Buffer.from(`${lines.join('\n')}\n`), 'lines.jsonl'),
  });
  return openai.batches.create({
    ...{ input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' },
    metadata: { run: 'nightly' },
  });
}

async function ended(account: string, id: string): Promise<OpenAI.Batch> {
  let batch = await client(account).batches.retrieve(id);
  await until('the batch has ended', async () => {
    batch = await client(account).batches.retrieve(id);
    return ['completed', 'failed', 'cancelled', 'expired'].includes(batch.status);
  });
  return batch;
}

interface ResultLine {
  readonly custom_id: string;
  readonly response: { readonly status_code: number; readonly request_id: string; readonly body: object } | null;
  readonly error: { readonly code: string } | null;
}

async function linesOf(account: string, id: string | null | undefined): Promise<readonly ResultLine[]> {
  if (id == null) return [];
  const text = await (await client(account).files.content(id)).text();
  return text
    .trimEnd()
    .split('\n')
    .map((json): ResultLine => JSON.parse(json));
}

test('lines are answered in order, charged once at the batch price, and failures are listed apart', async () => {
  const lines = Array.from({ length: 12 }, (_, index) => line(`ask-${index}`, chat(MODEL)));
  lines.splice(3, 0, line('unknown', chat('no-such-model')), line('streams', { ...chat(MODEL), stream: true }));
  const made = await begin('buyer', lines);
  expect(made).toMatchObject({ object: 'batch', status: 'validating', metadata: { run: 'nightly' } });
  const batch = await ended('buyer', made.id);
  expect(batch).toMatchObject({
    status: 'completed',
    request_counts: { total: 14, completed: 12, failed: 2 },
    usage: { input_tokens: 600, output_tokens: 96, total_tokens: 696 },
  });
  const results = await linesOf('buyer', batch.output_file_id);
  expect(results.map(({ custom_id }) => custom_id)).toEqual(Array.from({ length: 12 }, (_, index) => `ask-${index}`));
  expect(results[0]?.response).toMatchObject({
    status_code: 200,
    body: { model: MODEL, _routing: { cost: { total_usd: '0.00009' } } },
  });
  const failed = await linesOf('buyer', batch.error_file_id);
  expect(failed.map(({ custom_id, response }) => [custom_id, response?.status_code])).toEqual([
    ['unknown', 404],
    ['streams', 400],
  ]);
  const charges = await books.chargesByRequest();
  for (const { response } of results) expect(charges.get(response?.request_id ?? '')).toBe(COST);
  expect(await books.charges('buyer')).toHaveLength(12);
  const read = () =>
    sqliteQuery(bed.space.database)<{ batch_id: string }>(
      `SELECT batch_id FROM request_log WHERE account_id = 'buyer' AND error_code IS NULL`,
    );
  // Lines of the log are written a moment after their requests.
  await until('all lines are in the request log', async () => (await read()).length >= results.length);
  const rows = await read();
  expect(rows.map(({ batch_id }) => batch_id)).toEqual(results.map(() => made.id));
  await books.verify();
});

test('an input file with wrong lines is refused as a whole, and names them', async () => {
  const made = await begin('other', [
    line('one', chat(MODEL)),
    'not JSON',
    line('one', chat(MODEL)),
    line('two', chat(MODEL), { url: '/v1/embeddings' }),
    line('three', chat(MODEL), { method: 'GET' }),
  ]);
  const batch = await ended('other', made.id);
  expect(batch.status).toBe('failed');
  expect(batch.errors?.data?.map(({ code, line: number }) => [code, number])).toEqual([
    ['invalid_json_line', 2],
    ['duplicate_custom_id', 3],
    ['mismatched_endpoint', 4],
    ['invalid_method', 5],
  ]);
  const many = await begin(
    'other',
    Array.from({ length: 41 }, (_, index) => line(`${index}`, chat(MODEL))),
  );
  expect((await ended('other', many.id)).errors?.data?.[0]).toMatchObject({ code: 'too_many_lines', line: null });
  expect(await books.charges('other')).toEqual([]);
});

test('a line that the account cannot pay for fails alone', async () => {
  const made = await begin('poor', [line('one', chat(MODEL))]);
  const batch = await ended('poor', made.id);
  expect(batch).toMatchObject({ status: 'completed', request_counts: { completed: 0, failed: 1 } });
  const [failed] = await linesOf('poor', batch.error_file_id);
  expect(failed?.response?.status_code).toBe(402);
});

test('lines of a key with a budget are answered until it is spent', async () => {
  const made = await begin(
    'budgeted',
    Array.from({ length: 12 }, (_, index) => line(`${index}`, chat(MODEL))),
  );
  const batch = await ended('budgeted', made.id);
  const [answered, failed] = [
    await linesOf('budgeted', batch.output_file_id),
    await linesOf('budgeted', batch.error_file_id),
  ];
  expect(answered.length + failed.length).toBe(12);
  expect(answered.length).toBeGreaterThan(0);
  expect(COST * BigInt(answered.length)).toBeLessThanOrEqual(nano(BUDGET));
  for (const { response } of failed) expect(response?.status_code).toBe(402);
  await expectCharged(
    'budgeted',
    answered.map(({ response }) => response?.request_id),
    COST,
  );
});

test('a line that a fallback model answers costs the batch price of that model', async () => {
  const models = [modelOver('openai-chat', 'down'), MODEL];
  const made = await begin('falling', [line('one', { ...chat(models[0] ?? ''), models })]);
  const batch = await ended('falling', made.id);
  const [answer] = await linesOf('falling', batch.output_file_id);
  expect(answer?.response?.body).toMatchObject({ model: MODEL });
  await expectCharged('falling', [answer?.response?.request_id], COST);
});

test('the searches of a line are charged at the batch price', async () => {
  const body = {
    model: 'plain',
    max_tokens: 100,
    messages: [{ role: 'user', content: 'Foxes?' }],
    web_search_options: {},
  };
  const made = await begin('searcher', [line('one', body)]);
  const batch = await ended('searcher', made.id);
  const [answer] = await linesOf('searcher', batch.output_file_id);
  expect(answer?.response).toMatchObject({ status_code: 200 });
  await expectCharged('searcher', [answer?.response?.request_id], SEARCHING_COST);
});

test('another account sees neither the batch nor its files', async () => {
  const made = await begin('buyer', [line('one', chat(MODEL))]);
  const batch = await ended('buyer', made.id);
  const refused = async (work: Promise<unknown>) => ((await work.catch((error: APIError) => error)) as APIError).status;
  expect(await refused(client('other').batches.retrieve(made.id))).toBe(404);
  expect(await refused(client('other').batches.cancel(made.id))).toBe(404);
  expect(await refused(client('other').files.content(batch.output_file_id ?? ''))).toBe(404);
  expect(await refused(client('buyer').batches.cancel(made.id))).toBe(409);
  const page = await client('buyer').batches.list({ limit: 1 });
  expect(page.data.map(({ id }) => id)).toEqual([made.id]);
});

test('a response that a guard refuses is charged, and reaches no file', async () => {
  const made = await begin('guarded', [line('one', chat(MODEL))]);
  const batch = await ended('guarded', made.id);
  expect(batch.request_counts).toEqual({ total: 1, completed: 0, failed: 1 });
  expect(batch.output_file_id ?? null).toBeNull();
  const [refused] = await linesOf('guarded', batch.error_file_id);
  expect(refused?.response).toMatchObject({ status_code: 400, body: { error: { code: 'content_policy_violation' } } });
  expect(await books.charges('guarded')).toHaveLength(1);
  await books.verify();
});
