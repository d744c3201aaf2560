import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { keyOf, type MoneyBed, modelOver, startMoneyBed } from '../money/bed.ts';
import { Books, keptSqliteQuery, nano } from '../money/books.ts';
import { CLIENT_FORMATS } from '../routing/client.ts';
import { RunningClock } from '../shared/test-clock.ts';
import { until } from '../shared/until.ts';
import { BatchClient, chatBody, type Endpoint, inputLine } from './client.ts';

/* Batches over every kind of provider, with failures among their lines, cancelled, expired, without their key, and within limits. */

setDefaultTimeout(120_000);

const PRICING = { input_per_1m: '2', output_per_1m: '10' };
/** 50 × 2 + 8 × 10 for a million, at half the price. */
const COST = nano('0.00009');
const ANSWER = { words: 8, usage: { input: 50, output: 8 }, pricing: PRICING };
/** 30 × 1 for a million, at a fifth of the price, which is the model's own. */
const EMBEDDING_COST = nano('0.000006');
const EMBEDDING = { input_per_1m: '1' };
const DAY_MS = 86_400_000;
const LINES_AT_ONCE = 4;
const CHAT = '/v1/chat/completions';

let bed: MoneyBed;
let books: Books;
const clock = new RunningClock();

/** Requests of the model `held` wait for it. */
let release = Promise.withResolvers<void>();
/** How often `busy` still fails. */
let failures = 0;
let running = 0;
let mostRunning = 0;

async function held(): Promise<void> {
  mostRunning = Math.max(mostRunning, ++running);
  await release.promise;
  running--;
}

const embeddings = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: async (request) => {
    if (request.method !== 'POST') return new Response(null, { status: 404 });
    const { input } = (await request.json()) as { input: string | string[] };
    if (String(input).includes('unsafe')) {
      return Response.json(
        { error: { message: 'The input is too long.', type: 'invalid_request_error' } },
        { status: 400 },
      );
    }
    const data = [input].flat().map((_, index) => ({ object: 'embedding', index, embedding: [0.5, -0.25] }));
    return Response.json({ object: 'list', model: 'v', data, usage: { prompt_tokens: 30, total_tokens: 30 } });
  },
});

beforeAll(async () => {
  bed = await startMoneyBed({
    clock,
    models: {
      sound: ANSWER,
      wrong: { ...ANSWER, refuses: 400 },
      busy: {
        ...ANSWER,
        get refuses() {
          return failures-- > 0 ? 503 : undefined;
        },
      } as typeof ANSWER,
      down: { ...ANSWER, refuses: 503 },
      held: { ...ANSWER, opens: held },
    },
    channels: () => [
      {
        ...{ id: 'vectors', name: 'Vectors', provider: 'openai-compatible', api_key: 'upstream-key' },
        ...{ base_url: `http://127.0.0.1:${embeddings.port}/v1`, models: { vectors: 'v' } },
      },
      { id: 'pictures', name: 'Pictures', provider: 'sandbox', models: { pictures: 'sandbox-image' } },
    ],
    pricedModels: [
      { id: 'pictures', category: 'image', operations: ['images.generations'], pricing: { per_image: '0.01' } },
      { id: 'vectors', category: 'embedding', pricing: EMBEDDING, batch_price_percent: 20 },
    ],
    breaker: { minimum_requests: 1_000_000 },
    accounts: [
      ...['mixed', 'vectors', 'pictures', 'cancelled', 'expired', 'revoked'].map((id) => ({ id, balance_usd: '10' })),
      { id: 'limited', balance_usd: '10', max_concurrent: 4 } as { id: string },
    ],
    // An account whose lines wait could otherwise take all places.
    settings: { batches: { price_percent: 50, lines_at_once: LINES_AT_ONCE, all_lines_at_once: LINES_AT_ONCE } },
  });
  books = new Books(bed, keptSqliteQuery(bed.space.database));
});

afterAll(async () => {
  release.resolve();
  await bed?.stop();
  await embeddings.stop(true);
});

const clientOf = (account: string) => new BatchClient(keyOf(account), bed.port);

/** Runs a batch to its end, and returns its lines by their custom ids. */
async function run(account: string, endpoint: Endpoint, lines: readonly string[]) {
  const client = clientOf(account);
  return results(client, (await client.begin(endpoint, lines)).id);
}

async function results(client: BatchClient, id: string) {
  const batch = await client.ended(id);
  const [output, errors] = [await client.lines(batch.output_file_id), await client.lines(batch.error_file_id)];
  const ids = [...output, ...errors].map(({ custom_id }) => custom_id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(batch.request_counts).toMatchObject({ total: ids.length, completed: output.length });
  return { batch, output, errors };
}

/** Checks that exactly these requests of the account are charged, each once and with this cost. */
async function expectCharged(
  account: string,
  requestIds: readonly (string | undefined)[],
  cost: bigint,
): Promise<void> {
  await books.chargesByRequest();
  const charges = (await books.charges(account)).map(({ request_id, amount_nano }) => [request_id, -amount_nano]);
  expect(new Map(charges as [string, bigint][])).toEqual(new Map(requestIds.map((id) => [id ?? '', cost])));
  await books.untilNothingIsHeld(account);
  await books.verify();
}

test('a line whose result would be a task is refused, and not charged', async () => {
  const url = '/v1/images/generations';
  const picture = { model: 'pictures', prompt: 'A fox' };
  const lines = [inputLine('now', url, picture), inputLine('later', url, { ...picture, async: true })];
  const { output, errors } = await run('pictures', url, lines);
  const found = [...output, ...errors].map(({ custom_id, response }) => [custom_id, response?.status_code]);
  expect(found).toEqual([
    ['now', 200],
    ['later', 400],
  ]);
  await expectCharged('pictures', [output[0]?.response?.request_id], nano('0.005'));
});

test('lines reach every kind of provider; wrong ones fail alone and passing failures are tried again', async () => {
  failures = 5;
  const lines = CLIENT_FORMATS.flatMap((format) => [
    ...Array.from({ length: 4 }, (_, index) =>
      inputLine(`${format}-${index}`, CHAT, chatBody(modelOver(format, 'sound'))),
    ),
    inputLine(`${format}-busy`, CHAT, chatBody(modelOver(format, 'busy'))),
    inputLine(`${format}-wrong`, CHAT, chatBody(modelOver(format, 'wrong'))),
    inputLine(`${format}-hostile`, CHAT, { model: modelOver(format, 'sound'), messages: 'none' }),
    inputLine(`${format}-of-another`, CHAT, chatBody('__proto__')),
  ]);
  const { batch, output, errors } = await run('mixed', CHAT, lines);
  const answered = CLIENT_FORMATS.flatMap((format) => [
    ...['0', '1', '2', '3', 'busy'].map((name) => `${format}-${name}`),
  ]);
  expect(batch).toMatchObject({ status: 'completed', request_counts: { completed: 20, failed: 12 } });
  expect(batch.usage).toMatchObject({ input_tokens: 1_000, output_tokens: 160 });
  expect(output.map(({ custom_id }) => custom_id)).toEqual(answered);
  for (const { response, error } of output) {
    expect(response).toMatchObject({
      status_code: 200,
      body: { object: 'chat.completion', usage: { total_tokens: 58 } },
    });
    expect(error).toBe(null);
  }
  for (const { custom_id, response } of errors) {
    expect(response?.status_code).toBe(custom_id.endsWith('-of-another') ? 404 : 400);
    expect(response?.body).toMatchObject({ error: { message: expect.any(String) } });
  }
  expect(failures).toBeLessThan(0);
  await expectCharged(
    'mixed',
    output.map(({ response }) => response?.request_id),
    COST,
  );
});

test('embeddings cost the batch price of their model', async () => {
  const endpoint = '/v1/embeddings';
  const line = (id: string, input: unknown) => inputLine(id, endpoint, { model: 'vectors', input });
  const { output, errors } = await run('vectors', endpoint, [
    line('a', 'one'),
    line('b', 'unsafe'),
    line('c', ['one', 'two']),
  ]);
  expect(output.map(({ custom_id }) => custom_id)).toEqual(['a', 'c']);
  expect(output[1]?.response?.body).toMatchObject({ object: 'list', data: [{ index: 0 }, { index: 1 }] });
  expect(errors.map(({ custom_id, response }) => [custom_id, response?.status_code])).toEqual([['b', 400]]);
  await expectCharged(
    'vectors',
    output.map(({ response }) => response?.request_id),
    EMBEDDING_COST,
  );
});

test('a cancelled batch answers and charges the lines that run, and no other', async () => {
  release = Promise.withResolvers();
  const client = clientOf('cancelled');
  const lines = Array.from({ length: 20 }, (_, index) =>
    inputLine(`${index}`, CHAT, chatBody(modelOver('gemini', 'held'))),
  );
  const { id } = await client.begin(CHAT, lines);
  await until('as many lines run as may', () => running === LINES_AT_ONCE);
  expect(await client.openai.batches.cancel(id)).toMatchObject({ status: 'cancelling' });
  await client.openai.batches.cancel(id);
  release.resolve();
  const { batch, output, errors } = await results(client, id);
  expect(batch).toMatchObject({ status: 'cancelled', request_counts: { total: 20, completed: LINES_AT_ONCE } });
  expect(errors.map(({ response, error }) => [response, error?.code])).toEqual(
    Array.from({ length: 20 - LINES_AT_ONCE }, () => [null, 'batch_cancelled']),
  );
  await expectCharged(
    'cancelled',
    output.map(({ response }) => response?.request_id),
    COST,
  );
});

test('lines of a key that is revoked fail, and those that were answered stay charged', async () => {
  release = Promise.withResolvers();
  const made = await bed.run('keys', 'create', '--account', 'revoked', '--name', 'brief', '--json');
  expect(made).toMatchObject({ exitCode: 0 });
  const { secret, id: keyId } = JSON.parse(made.stdout) as { secret: string; id: string };
  const brief = new BatchClient(secret, bed.port);
  await until('the gateway knows the key', async () => {
    return await brief.openai.models.list().then(
      () => true,
      () => false,
    );
  });
  const lines = Array.from({ length: 12 }, (_, index) =>
    inputLine(`${index}`, CHAT, chatBody(modelOver('gemini', 'held'))),
  );
  const { id } = await brief.begin(CHAT, lines);
  await until('as many lines run as may', () => running === LINES_AT_ONCE);
  expect(await bed.run('keys', 'revoke', `revoked/${keyId}`)).toMatchObject({ exitCode: 0 });
  await until('the gateway refuses the key', async () => {
    return await brief.openai.models.list().then(
      () => false,
      () => true,
    );
  });
  release.resolve();
  const { batch, output, errors } = await results(clientOf('revoked'), id);
  expect(batch).toMatchObject({ status: 'completed', request_counts: { completed: LINES_AT_ONCE } });
  expect(errors.map(({ response }) => response?.status_code)).toEqual(Array.from({ length: 8 }, () => 401));
  await expectCharged(
    'revoked',
    output.map(({ response }) => response?.request_id),
    COST,
  );
});

test('lines take half of a limit, other requests the rest, and waiting lines stop nobody else', async () => {
  release = Promise.withResolvers();
  mostRunning = 0;
  const client = clientOf('limited');
  const lines = Array.from({ length: 12 }, (_, index) =>
    inputLine(`${index}`, CHAT, chatBody(modelOver('gemini', 'held'))),
  );
  const { id, input_file_id: inputId } = await client.begin(CHAT, lines);
  await until('two lines run', () => running === 2);
  // The lines are read from the file nevertheless.
  await client.openai.files.delete(inputId);
  const other = await run('mixed', CHAT, [inputLine('one', CHAT, chatBody(modelOver('gemini', 'sound')))]);
  expect(other.batch).toMatchObject({ status: 'completed', request_counts: { completed: 1 } });
  expect(running).toBe(2);
  const asked = () =>
    client.openai.chat.completions.create({
      model: modelOver('gemini', 'sound'),
      messages: [{ role: 'user', content: 'Hi' }],
    });
  const chats = await Promise.all([asked(), asked()]);
  expect(chats.map(({ object }) => object)).toEqual(['chat.completion', 'chat.completion']);
  release.resolve();
  const { batch, output } = await results(client, id);
  expect(batch).toMatchObject({ status: 'completed', request_counts: { completed: 12 } });
  expect(mostRunning).toBe(2);
  expect(output.map(({ custom_id }) => custom_id)).toEqual(lines.map((_, index) => String(index)));
  expect((await client.openai.files.list()).data.map((file) => file.id)).toEqual([batch.output_file_id ?? '']);
  expect(await books.charges('limited')).toHaveLength(14);
  const charges = await books.chargesByRequest();
  for (const { response } of output) expect(charges.get(response?.request_id ?? '')).toBe(COST);
  await books.verify();
});

test('a batch that expires keeps its answers, and charges nothing for the rest', async () => {
  const client = clientOf('expired');
  const lines = ['sound', 'down', 'sound', 'down'].map((name, index) =>
    inputLine(`${index}`, CHAT, chatBody(modelOver('openai-chat', name))),
  );
  const { id } = await client.begin(CHAT, lines);
  await until('the sound lines are answered', async () => (await client.batch(id)).request_counts?.completed === 2);
  clock.advance(DAY_MS + 60_000);
  const { batch, output, errors } = await results(client, id);
  expect(batch.status).toBe('expired');
  expect(output.map(({ custom_id }) => custom_id)).toEqual(['0', '2']);
  expect(errors.map(({ custom_id, error }) => [custom_id, error?.code])).toEqual([
    ['1', 'batch_expired'],
    ['3', 'batch_expired'],
  ]);
  await expectCharged(
    'expired',
    output.map(({ response }) => response?.request_id),
    COST,
  );
});
