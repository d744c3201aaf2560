import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { keyOf, type MoneyBed, startMoneyBed } from '../money/bed.ts';
import { Books, keptSqliteQuery, nano, sqliteQuery } from '../money/books.ts';
import { metricsOf } from '../shared/metrics.ts';
import { until } from '../shared/until.ts';
import { BatchClient, chatBody, inputLine } from './client.ts';
import { answered, completion, USUAL } from './file-batch-upstream.ts';
import { ProviderBatches } from './provider-batches.ts';

/* Lines that go into batches of their provider, with OpenAI's SDK in front and OpenAI's batches behind. */

setDefaultTimeout(60_000);

const PRICING = { input_per_1m: '2', output_per_1m: '10' };
/** 50 × 2 + 8 × 10 for a million. */
const FULL = nano('0.00018');
const MODEL = 'batched';
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

let bed: MoneyBed;
let books: Books;
let provider: ProviderBatches;
let hook: ReturnType<typeof Bun.serve>;
/** The stages at which the webhook of a guard was asked. */
const stages: string[] = [];

beforeAll(async () => {
  provider = new ProviderBatches();
  hook = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      if (request.method !== 'POST') return new Response(null, { status: 404 });
      const { stage } = (await request.json()) as { readonly stage: string };
      stages.push(stage);
      return Response.json(
        stage === 'input' ? { action: 'mask', rule: 'person', texts: ['Bob'] } : { action: 'allow' },
      );
    },
  });
  bed = await startMoneyBed({
    models: { plain: { words: 8, usage: { input: 50, output: 8 } } },
    accounts: ['buyer', 'mixed', 'liar', 'failed', 'poor', 'quitter', 'revoked', 'lost', 'masked', 'judged'].map(
      (id) => ({
        id,
        ...(id === 'masked' && { guards: ['words'] }),
        ...(id === 'judged' && { guards: ['judge'] }),
        balance_usd: id === 'poor' ? '0.000001' : '10',
      }),
    ),
    channels: () => [
      {
        ...{ id: 'relaying', name: 'relaying', provider: 'openai', api_key: 'upstream-key', formats: ['openai-chat'] },
        ...{ base_url: provider.baseUrl, batches: 'relay', models: { [MODEL]: 'up-model' } },
      },
    ],
    pricedModels: [{ id: MODEL, pricing: PRICING }],
    settings: {
      batches: { price_percent: 80 },
      alerts: { allow_http: true, allowed_ranges: ['127.0.0.1'] },
      guards: [
        { id: 'words', stages: ['input'], patterns: [{ name: 'name', pattern: 'Ada', action: 'mask' }] },
        {
          id: 'judge',
          stages: ['input', 'output'],
          webhook: { url: `http://127.0.0.1:${hook.port}/`, secret: SECRET },
        },
      ],
    },
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
  provider?.stop();
  await hook?.stop(true);
});

const client = (account: string) => new BatchClient(keyOf(account), () => bed.port());

const lines = (count: number, body: object = chatBody(MODEL)) =>
  Array.from({ length: count }, (_, index) => inputLine(`ask-${index}`, '/v1/chat/completions', body));

/** Answers with what was said. */
const echoed: typeof USUAL.answers = ({ custom_id: customId, body: { model, messages } }) => {
  const [{ content = '' } = {}] = messages as readonly { readonly content: string }[];
  const message = { role: 'assistant', content: `You said: ${content}` };
  return [
    {
      customId,
      status: 200,
      body: { ...completion(model), choices: [{ index: 0, message, finish_reason: 'stop' }] },
    },
  ];
};

test('lines are answered by one batch of the provider, at half the price', async () => {
  const buyer = client('buyer');
  const made = await buyer.begin('/v1/chat/completions', lines(12));
  const batch = await buyer.ended(made.id);
  expect(batch).toMatchObject({ status: 'completed', request_counts: { total: 12, completed: 12, failed: 0 } });
  expect(provider.batches).toHaveLength(1);
  expect(provider.direct).toEqual([]);
  const [upstream] = provider.batches;
  expect(upstream?.lines.every(({ body }) => body.model === 'up-model')).toBe(true);
  expect(upstream?.lines.some(({ custom_id }) => custom_id.includes('ask'))).toBe(false);
  const results = await buyer.lines(batch.output_file_id);
  expect(results.map(({ custom_id }) => custom_id)).toEqual(Array.from({ length: 12 }, (_, index) => `ask-${index}`));
  expect(results[0]?.response?.body).toMatchObject({ model: MODEL, _routing: { cost: { total_usd: '0.00009' } } });
  const charges = await books.chargesByRequest();
  for (const { response } of results) expect(charges.get(response?.request_id ?? '')).toBe(FULL / 2n);
  const read = () =>
    sqliteQuery(bed.space.database)<{ channel_id: string; status: bigint }>(
      `SELECT channel_id, status FROM request_log WHERE batch_id = '${made.id}'`,
    );
  await until('all lines are in the request log', async () => (await read()).length >= 12);
  expect(await read()).toEqual(Array.from({ length: 12 }, () => ({ channel_id: 'relaying', status: 200n })));
  expect(await books.openHolds()).toBe(0);
  expect(provider.files.size).toBe(0);
  const counted = (await metricsOf({ origin: `http://127.0.0.1:${bed.port()}` })).filter(
    ({ name, labels }) => name === 'switchyard_requests_total' && labels.model === MODEL,
  );
  expect(counted.map(({ labels, value }) => [labels.status, value])).toEqual([['200', 12]]);
  await books.verify();
});

test('lines that fail for a passing reason are run by the gateway, at its own price', async () => {
  let asked = 0;
  const answers: typeof USUAL.answers = (line) => {
    const body = { error: { message: 'Broken.', type: 'x', code: null, param: null } };
    const status = [500, 400, 200][asked++ % 3] ?? 200;
    return status === 200 ? [answered(line)] : [{ customId: line.custom_id, status, body }];
  };
  provider.plan = { ...provider.plan, answers };
  const mixed = client('mixed');
  const made = await mixed.begin('/v1/chat/completions', lines(6));
  const batch = await mixed.ended(made.id);
  expect(batch.request_counts).toEqual({ total: 6, completed: 4, failed: 2 });
  expect(provider.direct).toEqual(['up-model', 'up-model']);
  const costs = await books.charges('mixed');
  expect(costs).toHaveLength(4);
  const charged = [...(await books.chargesByRequest()).values()];
  expect(charged.filter((cost) => cost === (FULL * 80n) / 100n)).toHaveLength(2);
  expect(await books.openHolds()).toBe(0);
  await books.verify();
});

test('a provider that lies about its results neither doubles nor invents charges', async () => {
  const answers: typeof USUAL.answers = (line) => {
    const [number = ''] = line.custom_id.split('-');
    // The first line is answered twice, the second not at all, the third with a usage that cannot be.
    if (number === '2') return [{ customId: `2-${'0'.repeat(24)}`, status: 200, body: completion('up-model') }];
    if (number === '3') return [answered(line, { prompt_tokens: 1e15, total_tokens: 1e15 })];
    return [answered(line), answered(line), { customId: 'unknown', status: 200, body: {} }];
  };
  provider.plan = { ...provider.plan, answers };
  const liar = client('liar');
  const made = await liar.begin('/v1/chat/completions', lines(3));
  const batch = await liar.ended(made.id);
  expect(batch.request_counts).toEqual({ total: 3, completed: 3, failed: 0 });
  expect(provider.direct).toEqual(['up-model']);
  expect(await books.charges('liar')).toHaveLength(3);
  expect(await books.openHolds()).toBe(0);
  await books.verify();
});

test('the gateway runs all lines of a batch that the provider fails', async () => {
  provider.plan = { ...provider.plan, status: 'failed' };
  const failed = client('failed');
  const made = await failed.begin('/v1/chat/completions', lines(3));
  const batch = await failed.ended(made.id);
  expect(batch.request_counts).toEqual({ total: 3, completed: 3, failed: 0 });
  expect(provider.direct).toHaveLength(3);
  expect(await books.openHolds()).toBe(0);
  await books.verify();
});

test('a line that the account cannot pay for is not handed over', async () => {
  const poor = client('poor');
  const made = await poor.begin('/v1/chat/completions', lines(1));
  const batch = await poor.ended(made.id);
  const [refused] = await poor.lines(batch.error_file_id);
  expect(refused?.response?.status_code).toBe(402);
  expect(provider.batches).toEqual([]);
});

test('a cancelled batch cancels that of the provider, and settles what has finished', async () => {
  provider.plan = { ...provider.plan, isSlow: true };
  const answers: typeof USUAL.answers = (line) => (line.custom_id.startsWith('1-') ? [answered(line)] : []);
  provider.plan = { ...provider.plan, answers };
  const quitter = client('quitter');
  const made = await quitter.begin('/v1/chat/completions', lines(3));
  await until('the provider has the batch', () => provider.batches.length === 1);
  await quitter.openai.batches.cancel(made.id);
  const batch = await quitter.ended(made.id);
  expect(batch).toMatchObject({ status: 'cancelled', request_counts: { total: 3, completed: 1 } });
  expect(provider.direct).toEqual([]);
  expect(await books.charges('quitter')).toHaveLength(1);
  expect(await books.openHolds()).toBe(0);
  await books.verify();
});

test('masked values never reach the provider, and are restored in the results', async () => {
  provider.plan = { ...provider.plan, answers: echoed };
  const masked = client('masked');
  const body = { ...chatBody(MODEL), messages: [{ role: 'user', content: 'I am Ada, not [NAME_1].' }] };
  const made = await masked.begin('/v1/chat/completions', lines(1, body));
  const batch = await masked.ended(made.id);
  expect(JSON.stringify(provider.batches)).not.toContain('Ada');
  const [result] = await masked.lines(batch.output_file_id);
  expect(JSON.stringify(result?.response?.body)).toContain('I am Ada, not [NAME_1].');
});

test('the webhook of a guard is asked once about a line, and what it masks is restored in the result', async () => {
  provider.plan = { ...provider.plan, answers: echoed };
  const judged = client('judged');
  const body = { ...chatBody(MODEL), messages: [{ role: 'user', content: 'I am Bob.' }] };
  const made = await judged.begin('/v1/chat/completions', lines(1, body));
  const batch = await judged.ended(made.id);
  expect(stages).toEqual(['input', 'output']);
  expect(JSON.stringify(provider.batches)).toContain('I am [PERSON_1].');
  const [result] = await judged.lines(batch.output_file_id);
  expect(JSON.stringify(result?.response?.body)).toContain('I am Bob.');
});

test('a batch whose answer was lost is found again instead of submitted twice', async () => {
  provider.plan = { ...provider.plan, losesAnswer: true };
  const lost = client('lost');
  const made = await lost.begin('/v1/chat/completions', lines(2));
  const batch = await lost.ended(made.id);
  expect(batch.request_counts).toEqual({ total: 2, completed: 2, failed: 0 });
  expect(provider.batches).toHaveLength(1);
  expect(provider.direct).toEqual([]);
  await books.verify();
});

test('an answer is charged although its key was revoked meanwhile', async () => {
  provider.plan = { ...provider.plan, isSlow: true };
  const revoked = client('revoked');
  const made = await revoked.begin('/v1/chat/completions', lines(1));
  await until('the provider has the batch', () => provider.batches.length === 1);
  expect((await bed.run('keys', 'revoke', 'revoked/revoked')).exitCode).toBe(0);
  provider.plan = { ...provider.plan, isSlow: false };
  const endedRow = async () => {
    const rows = await sqliteQuery(bed.space.database)<{ stage: string; sums: string }>(
      `SELECT stage, sums FROM batches WHERE id = '${made.id}'`,
    );
    return rows[0];
  };
  await until('the batch has ended', async () => (await endedRow())?.stage === 'completed');
  expect((await endedRow())?.sums).toContain('"errored":1');
  expect(await books.charges('revoked')).toMatchObject([{ amount_nano: -FULL / 2n }]);
  expect(await books.openHolds()).toBe(0);
  await books.verify();
});
