import { afterEach, expect, test } from 'bun:test';
import { BatchClient, chatBody, inputLine } from '../../conformance/batches/client.ts';
import { ProviderBatches } from '../../conformance/batches/provider-batches.ts';
import { keyOf, modelOver } from '../../conformance/money/bed.ts';
import { Books, nano, postgresQuery, sqliteQuery } from '../../conformance/money/books.ts';
import { until } from '../../conformance/shared/until.ts';
import { sharedTestPostgres } from '../../src/stores/shared/testing/postgres.ts';
import { type ProcessBed, type ProcessBedOptions, startProcessBed } from '../money/bed.ts';

/* A batch whose gateway is killed again and again: each line has one result, which is charged once. */

const TIMEOUT_MS = 600_000;
const LINES = 1_000;
/** The amounts of answered lines at which a gateway is killed. */
const KILLED_AT = [120, 400, 750];
const RELAYED_LINES = 200;
const CHAT = '/v1/chat/completions';
const ACCOUNT = 'buyer';
const LINES_AT_ONCE = 16;
/** 50 × 2 + 8 × 10 for a million, at half the price. */
const COST = nano('0.00009');
const MODEL = modelOver('anthropic-messages', 'sound');
const WRONG_MODEL = modelOver('openai-chat', 'wrong');
const isWrong = (index: number) => index % 50 === 7;

let bed: ProcessBed | null = null;
let provider: ProviderBatches | null = null;
afterEach(async () => {
  await provider?.stop();
  provider = null;
  await bed?.stop();
  bed = null;
}, TIMEOUT_MS);

async function startSite(options: Partial<ProcessBedOptions>): Promise<ProcessBed> {
  const answer = { words: 8, usage: { input: 50, output: 8 }, pricing: { input_per_1m: '2', output_per_1m: '10' } };
  bed = await startProcessBed({
    models: { sound: answer, wrong: { ...answer, refuses: 400 } },
    accounts: [{ id: ACCOUNT, balance_usd: '10' }],
    breaker: { minimum_requests: 1_000_000 },
    settings: { batches: { price_percent: 50, lines_at_once: LINES_AT_ONCE } },
    ...options,
  });
  return bed;
}

async function begin(client: BatchClient): Promise<string> {
  const lines = Array.from({ length: LINES }, (_, index) =>
    inputLine(`line-${index}`, CHAT, chatBody(isWrong(index) ? WRONG_MODEL : MODEL)),
  );
  return (await client.begin(CHAT, lines)).id;
}

/** Checks that every line has one result, that each answer is charged once, and that nothing else is. */
async function expectExact(client: BatchClient, id: string, books: Books): Promise<void> {
  const batch = await client.ended(id);
  const wrong = Array.from({ length: LINES }, (_, index) => index).filter(isWrong);
  expect(batch).toMatchObject({
    status: 'completed',
    request_counts: { total: LINES, completed: LINES - wrong.length, failed: wrong.length },
    usage: { input_tokens: 50 * (LINES - wrong.length), output_tokens: 8 * (LINES - wrong.length) },
  });
  const output = await client.lines(batch.output_file_id);
  const errors = await client.lines(batch.error_file_id);
  const numbers = Array.from({ length: LINES }, (_, index) => index);
  expect(output.map(({ custom_id }) => custom_id)).toEqual(
    numbers.filter((index) => !isWrong(index)).map((index) => `line-${index}`),
  );
  expect(errors.map(({ custom_id }) => custom_id)).toEqual(wrong.map((index) => `line-${index}`));
  const charges = await books.chargesByRequest();
  const answered = output.map(({ response }) => response?.request_id ?? '');
  expect(charges).toEqual(new Map(answered.map((requestId) => [requestId, COST])));
  await books.untilEachChargeHasItsLine();
  await books.untilNothingIsLeased();
  await books.verify();
  expect(await books.balance(ACCOUNT)).toBe(nano('10') - COST * BigInt(answered.length));
}

async function untilAnswered(client: BatchClient, id: string, lines: number): Promise<void> {
  await until(`${lines} lines are answered`, async () => {
    const { request_counts: counts } = await client.batch(id);
    return (counts?.completed ?? 0) + (counts?.failed ?? 0) >= lines;
  });
}

test(
  `${LINES} lines on SQLite survive kills of a gateway that restarts with more and with fewer workers`,
  async () => {
    let starts = 0;
    const site = await startSite({ envOf: () => ({ SWITCHYARD_WORKERS: starts++ % 2 === 0 ? '1' : '3' }) });
    const client = new BatchClient(keyOf(ACCOUNT), site.port);
    const id = await begin(client);
    for (const lines of KILLED_AT) {
      await untilAnswered(client, id, lines);
      await site.kill();
      await site.start();
    }
    await expectExact(client, id, new Books(site));
    // Few lines are sent again: those that ran when the gateway was killed.
    expect(site.upstream.served.length).toBeLessThanOrEqual(LINES + KILLED_AT.length * LINES_AT_ONCE);
  },
  TIMEOUT_MS,
);

test(
  `${LINES} lines on PostgreSQL are taken over from a dead gateway, and from living ones`,
  async () => {
    const postgres = await sharedTestPostgres();
    const DATABASE_URL = await postgres.createDatabase();
    const env = { DATABASE_URL, SWITCHYARD_SECRET: 'shared-0123456789abcdef' };
    const site = await startSite({ nodes: 3, env });
    const query = postgresQuery(DATABASE_URL);
    let node = 0;
    const client = new BatchClient(keyOf(ACCOUNT), () => site.port(node));
    const id = await begin(client);
    for (const lines of KILLED_AT) {
      await untilAnswered(client, id, lines);
      if (lines === KILLED_AT[0]) {
        // It has the batch, because it was created there.
        await site.kill(0);
        node = 1;
      }
      // Expires all nodes, so that the batch is taken from the dead one, and then from living ones.
      await query('UPDATE task_owners SET alive_until_ms = 0');
    }
    await expectExact(client, id, new Books(site, query));
  },
  TIMEOUT_MS,
);

test(
  'lines in a batch of their provider survive kills before it is created, while it runs and while its results are read',
  async () => {
    const batched = new ProviderBatches();
    provider = batched;
    batched.plan = { ...batched.plan, isSlow: true };
    const site = await startSite({
      channels: () => [
        {
          ...{ id: 'relaying', name: 'relaying', provider: 'openai', api_key: 'upstream-key', batches: 'relay' },
          ...{ base_url: batched.baseUrl, formats: ['openai-chat'], models: { batched: 'up-model' } },
        },
      ],
      pricedModels: [{ id: 'batched', pricing: { input_per_1m: '2', output_per_1m: '10' } }],
    });
    const client = new BatchClient(keyOf(ACCOUNT), site.port);
    const numbers = Array.from({ length: RELAYED_LINES }, (_, index) => index);
    const made = await client.begin(
      CHAT,
      numbers.map((index) => inputLine(`line-${index}`, CHAT, chatBody('batched'))),
    );
    const restart = async () => {
      await site.kill();
      await site.start();
    };
    const books = new Books(site);
    const rows = (sql: string) => sqliteQuery(site.space.database)<{ count: bigint }>(sql);
    const collected = async () => Number((await rows('SELECT count(*) AS count FROM relayed_lines'))[0]?.count);
    await until('lines are collected', async () => (await collected()) > RELAYED_LINES / 4);
    await restart();
    await until('the provider has the batch', () => batched.batches.length > 0);
    await restart();
    batched.plan = { ...batched.plan, isSlow: false };
    await untilAnswered(client, made.id, RELAYED_LINES / 4);
    await restart();
    const batch = await client.ended(made.id);
    expect(batch.request_counts).toEqual({ total: RELAYED_LINES, completed: RELAYED_LINES, failed: 0 });
    expect(batched.batches.map(({ lines }) => lines.length)).toEqual([RELAYED_LINES]);
    expect(batched.direct).toEqual([]);
    const output = await client.lines(batch.output_file_id);
    expect(await books.chargesByRequest()).toEqual(
      new Map(output.map(({ response }) => [response?.request_id ?? '', COST])),
    );
    expect(await rows(`SELECT count(*) AS count FROM holds WHERE state = 'open'`)).toEqual([{ count: 0n }]);
    await books.untilEachChargeHasItsLine();
    await books.verify();
  },
  TIMEOUT_MS,
);
