import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import type { MessageBatch } from '@anthropic-ai/sdk/resources/messages/batches';
import { keyOf, type MoneyBed, startMoneyBed } from '../money/bed.ts';
import { Books, keptSqliteQuery, nano } from '../money/books.ts';
import { until } from '../shared/until.ts';
import { BatchClient, chatBody, inputLine } from './client.ts';
import { answered, type FileBatchUpstream, type InputLine, type ProviderPlan, USUAL } from './file-batch-upstream.ts';
import { AzureBatches, BATCH_SUFFIX } from './provider-azure.ts';
import { MistralJobs } from './provider-mistral.ts';
import { TogetherBatches } from './provider-together.ts';

/* Lines that go into the batches of providers that differ from OpenAI's, with the SDKs of OpenAI and Anthropic in front. */

setDefaultTimeout(60_000);

/** 50 × 2 + 8 × 10 for a million. */
const FULL = nano('0.00018');
const RELAYED = FULL / 2n;
const OWN = (FULL * 80n) / 100n;
const CHAT = '/v1/chat/completions';
const PROVIDERS = ['mistral', 'together', 'azure-openai'] as const;
type Name = (typeof PROVIDERS)[number];
const TASKS = ['mixed', 'failed', 'expired', 'cancelled', 'lost', 'messages'] as const;

let bed: MoneyBed;
let books: Books;
const upstreams = {} as Record<Name, FileBatchUpstream>;

beforeAll(async () => {
  upstreams.mistral = new MistralJobs();
  upstreams.together = new TogetherBatches();
  upstreams['azure-openai'] = new AzureBatches();
  const settings = { 'azure-openai': { formats: ['openai-chat'], settings: { batch_suffix: BATCH_SUFFIX } } };
  bed = await startMoneyBed({
    models: { plain: { words: 8, usage: { input: 50, output: 8 } } },
    accounts: TASKS.flatMap((task) => PROVIDERS.map((name) => ({ id: `${task}-${name}`, balance_usd: '10' }))),
    channels: () =>
      PROVIDERS.map((name) => ({
        ...{ id: name, name, provider: name, api_key: 'upstream-key', base_url: upstreams[name].baseUrl },
        ...{ batches: 'relay', models: { [`batched-${name}`]: 'up-model' } },
        ...(name === 'azure-openai' && settings[name]),
      })),
    pricedModels: PROVIDERS.map((name) => ({
      ...{ id: `batched-${name}`, pricing: { input_per_1m: '2', output_per_1m: '10' } },
    })),
    settings: { batches: { price_percent: 80 } },
  });
  books = new Books(bed, keptSqliteQuery(bed.space.database));
});

beforeEach(() => {
  plan({});
  for (const name of PROVIDERS) {
    upstreams[name].batches.length = 0;
    upstreams[name].direct.length = 0;
  }
});

afterAll(async () => {
  await bed?.stop();
  await Promise.all(Object.values(upstreams).map((one) => one.stop()));
});

function plan(changes: Partial<ProviderPlan>): void {
  for (const name of PROVIDERS) upstreams[name].plan = { ...USUAL, ...changes };
}

const client = (account: string) => new BatchClient(keyOf(account), () => bed.port());
const numberOf = ({ custom_id }: InputLine) => Number(custom_id.split('-')[0]);
const onlyFirst: ProviderPlan['answers'] = (line) => (numberOf(line) === 1 ? [answered(line)] : []);

async function begin(task: (typeof TASKS)[number], name: Name, count: number) {
  const one = client(`${task}-${name}`);
  const lines = Array.from({ length: count }, (_, at) => inputLine(`ask-${at + 1}`, CHAT, chatBody(`batched-${name}`)));
  return { one, made: await one.begin(CHAT, lines) };
}

/** Runs a batch at each provider, at the same time. Resolves to its counts and charges, and to what the provider has seen. */
async function outcomes(task: (typeof TASKS)[number], count: number) {
  const all = await Promise.all(
    PROVIDERS.map(async (name) => {
      const { one, made } = await begin(task, name, count);
      const { request_counts: counts } = await one.ended(made.id);
      return [name, { counts, ...(await seenAt(name, `${task}-${name}`)) }] as const;
    }),
  );
  return Object.fromEntries(all);
}

async function seenAt(name: Name, account: string) {
  const { batches, direct, files } = upstreams[name];
  const charges = (await books.charges(account)).map(({ amount_nano: amount }) => -amount);
  charges.sort((one, other) => Number(one - other));
  return { charges, batches: batches.length, direct: direct.length, files: files.size };
}

const forAll = <Each>(each: Each): Record<string, Each> => ({ mistral: each, together: each, 'azure-openai': each });

async function expectSettled(): Promise<void> {
  expect(await books.openHolds()).toBe(0);
  await books.verify();
}

test('lines are answered by one batch at the batch price; what failed for a passing reason is run by the gateway', async () => {
  const broken = { error: { message: 'Broken.', type: 'x', code: null, param: null } };
  plan({
    answers: (line) => {
      const status = [200, 400, 500][numberOf(line) - 1];
      if (status === undefined) return [];
      return status === 200 ? [answered(line)] : [{ customId: line.custom_id, status, body: broken }];
    },
  });
  const exact = { counts: { total: 4, completed: 3, failed: 1 }, charges: [RELAYED, OWN, OWN] };
  const without = { counts: { total: 4, completed: 4, failed: 0 }, charges: [RELAYED, OWN, OWN, OWN] };
  expect(await outcomes('mixed', 4)).toEqual({
    mistral: { ...exact, batches: 1, direct: 2, files: 0 },
    'azure-openai': { ...exact, batches: 1, direct: 2, files: 0 },
    // Its errors have no response, so the gateway asks for one.
    together: { ...without, batches: 1, direct: 3, files: 0 },
  });
  expect(upstreams.mistral.batches[0]?.asked).toMatchObject({ endpoint: CHAT, model: 'up-model' });
  expect(upstreams['azure-openai'].batches[0]?.lines[0]?.body.model).toBe(`up-model${BATCH_SUFFIX}`);
  await expectSettled();
});

test.each(['failed', 'expired'] as const)(
  'the gateway runs the lines that a batch has left when it has %s',
  async (status) => {
    plan({ status, answers: onlyFirst });
    const charges = status === 'failed' ? [OWN, OWN] : [RELAYED, OWN];
    const counts = { total: 2, completed: 2, failed: 0 };
    const each = { counts, charges, batches: 1, direct: status === 'failed' ? 2 : 1, files: 0 };
    expect(await outcomes(status, 2)).toEqual(forAll(each));
    await expectSettled();
  },
);

test('a cancelled batch cancels that of the provider, and settles what has finished', async () => {
  plan({ isSlow: true, answers: onlyFirst });
  const ends = PROVIDERS.map(async (name) => {
    const { one, made } = await begin('cancelled', name, 3);
    await until('the provider has the batch', () => upstreams[name].batches.length === 1);
    await one.openai.batches.cancel(made.id);
    const { status, request_counts: counts } = await one.ended(made.id);
    return [name, { status: String(status), counts, ...(await seenAt(name, `cancelled-${name}`)) }] as const;
  });
  const counts = { total: 3, completed: 1, failed: 2 };
  const each = { status: 'cancelled', counts, charges: [RELAYED], batches: 1, direct: 0, files: 0 };
  expect(Object.fromEntries(await Promise.all(ends))).toEqual(forAll(each));
  await expectSettled();
});

test('a batch whose answer was lost is found by its input file', async () => {
  plan({ losesAnswer: true });
  const each = {
    counts: { total: 2, completed: 2, failed: 0 },
    charges: [RELAYED, RELAYED],
    batches: 1,
    direct: 0,
    files: 0,
  };
  expect(await outcomes('lost', 2)).toEqual(forAll(each));
  await expectSettled();
});

test("Anthropic's SDK gets the results of each provider", async () => {
  const baseURL = `http://127.0.0.1:${bed.port()}`;
  const all = PROVIDERS.map(async (name) => {
    const { batches } = new Anthropic({ apiKey: keyOf(`messages-${name}`), baseURL, maxRetries: 0 }).messages;
    const params = {
      model: `batched-${name}`,
      max_tokens: 20,
      messages: [{ role: 'user' as const, content: 'Hello' }],
    };
    const made = await batches.create({ requests: [1, 2].map((at) => ({ custom_id: `ask-${at}`, params })) });
    let batch: MessageBatch = made;
    await until('the batch has ended', async () => {
      batch = await batches.retrieve(made.id);
      return batch.processing_status === 'ended';
    });
    const texts: unknown[] = [];
    for await (const { result } of await batches.results(made.id)) {
      texts.push(result.type === 'succeeded' && result.message.content[0]);
    }
    return [name, { texts, ...(await seenAt(name, `messages-${name}`)) }] as const;
  });
  const texts = [expect.objectContaining({ text: 'Relayed.' }), expect.objectContaining({ text: 'Relayed.' })];
  const each = { texts, charges: [RELAYED, RELAYED], batches: 1, direct: 0, files: 0 };
  expect(Object.fromEntries(await Promise.all(all))).toEqual(forAll(each));
  await expectSettled();
});
