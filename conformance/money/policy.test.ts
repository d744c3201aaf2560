import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { CLIENT_FORMATS, inParallel } from '../routing/client.ts';
import { asArray, asObject, parseJson } from '../shared/json.ts';
import { until } from '../shared/until.ts';
import { channelTo, keyOf, type MoneyBed, modelOver, startMoneyBed } from './bed.ts';
import { Books, keptSqliteQuery, type LogRow, nano } from './books.ts';
import { buy, type Purchase, type Receipt } from './client.ts';
import { Gate } from './gate.ts';
import { expectToldCost } from './told-cost.ts';
import { WORD } from './wire-answers.ts';

const PRICING = { input_per_1m: '2', output_per_1m: '10' };
const USAGE = { input: 50, output: 8 };
const COST = nano('0.00018');
const FEE = nano('0.00002');
const WORDS = 8;
const BROKEN_AFTER = 5;
const PROMPT = 'Which fruit do you like best?';
const LONG_AGO = '2020-01-01T00:00:00Z';

/** The number of words before an upstream breaks off. */
const gate = new Gate();
let bed: MoneyBed;
let books: Books;

beforeAll(async () => {
  const sound = { words: WORDS, usage: USAGE, pricing: PRICING };
  bed = await startMoneyBed({
    models: {
      sound,
      failing: { ...sound, refuses: 500 },
      broken: {
        ...{ ...sound, cutAfter: BROKEN_AFTER },
        afterWord: (words) => (words === BROKEN_AFTER ? gate.pass() : undefined),
      },
      unreported: { ...sound, usage: null },
      free: { ...sound, pricing: 'free' },
      unpriced: { words: WORDS, usage: USAGE },
      excessive: { ...sound, usage: { input: 50, output: 5_000 } },
      zero: { ...sound, usage: { input: 0, output: 0 } },
    },
    accounts: [
      { id: 'prepaid', balance_usd: '10' },
      { id: 'unlimited', billing: 'unlimited' },
      { id: 'owner', balance_usd: '1' },
      { id: 'penniless' },
      { id: 'last-cent', balance_usd: '0.001' },
      {
        ...{ id: 'keys', billing: 'unlimited' },
        keys: [
          { id: 'expired', name: 'expired', secret: keyOf('expired'), expires_at: LONG_AGO },
          { id: 'lasting', name: 'lasting', secret: keyOf('lasting'), expires_at: '2999-12-31' },
          { id: 'small', name: 'small', secret: keyOf('small'), limit_usd: '0.0004' },
          { id: 'beside', name: 'beside', secret: keyOf('beside') },
          { id: 'some', name: 'some', secret: keyOf('some'), models: ['free-*', modelOver('gemini', 'sound')] },
          { id: 'brief', name: 'brief', secret: keyOf('brief') },
        ],
      },
    ],
    channels: (origin) => [
      {
        ...channelTo(origin, 'openai-chat', 'own'),
        owner: 'owner',
        models: { own: 'sound', 'own-silent': 'unreported', 'own-failing': 'failing' },
      },
      {
        ...channelTo(origin, 'openai-chat', 'first'),
        priority: 0,
        models: { twice: 'failing', 'own-failing': 'failing', falling: 'failing' },
      },
      { ...channelTo(origin, 'anthropic-messages', 'second'), priority: 1, models: { twice: 'sound' } },
    ],
    pricedModels: [
      { id: 'twice', pricing: PRICING },
      { id: 'falling', pricing: { input_per_1m: '200' }, fallbacks: [modelOver('anthropic-messages', 'sound')] },
      { id: 'own', pricing: PRICING },
      { id: 'own-failing', pricing: PRICING },
    ],
    settings: {
      routing: { max_attempts: 2 },
      billing: { private_channel_fee_usd: '0.00002', assumed_output_tokens: 1_000 },
    },
    breaker: { minimum_requests: 1_000_000 },
  });
  books = new Books(bed, keptSqliteQuery(bed.space.database));
}, 600_000);

afterAll(async () => {
  await bed?.stop();
});

interface Paid {
  readonly receipt: Receipt;
  readonly row: LogRow;
  readonly charged: bigint;
  /** The number of its ledger entries. */
  readonly entries: number;
}

/** Sends one request, and checks that ledger and log agree on it, and that a complete answer tells its cost. */
async function pay(account: string, purchase: Omit<Purchase, 'port' | 'key'>): Promise<Paid> {
  const receipt = await buy({ port: bed.port(), key: keyOf(account), prompt: PROMPT, maxTokens: 100, ...purchase });
  expect(receipt.requestId).not.toBe('');
  const row = (await books.log([receipt])).get(receipt.requestId)!;
  const entries = (await books.charges()).filter(({ request_id }) => request_id === receipt.requestId);
  const charged = entries.reduce((sum, { amount_nano }) => sum - amount_nano, 0n);
  expect(entries.length).toBeLessThanOrEqual(1);
  expect(row.cost_nano ?? 0n).toBe(charged);
  if (receipt.isComplete) expectToldCost(receipt, row.cost_nano);
  else expect(receipt.headers.get('x-switchyard-cost')).toBeNull();
  return { receipt, row, charged, entries: entries.length };
}

const promptTokens = () => countTokens(PROMPT);
/** The most tokens that a format adds to a prompt. */
const MOST_AROUND_PROMPT = 15;

describe('an upstream that fails', () => {
  for (const stream of [false, true]) {
    test(`before the first byte costs nothing${stream ? ' (a stream)' : ''}`, async () => {
      const before = await books.sum('prepaid');
      for (const format of CLIENT_FORMATS) {
        const { receipt, charged } = await pay('prepaid', { model: modelOver(format, 'failing'), format, stream });
        expect([receipt.status, charged]).toEqual([502, 0n]);
      }
      expect(await books.sum('prepaid')).toBe(before);
    });
  }

  for (const format of CLIENT_FORMATS) {
    test(`after the first byte costs what was produced (${format})`, async () => {
      gate.close();
      // A Gemini event is forwarded when the next one arrives, or the end.
      const lastSeen = format === 'gemini' ? BROKEN_AFTER - 1 : BROKEN_AFTER;
      const { receipt, row, charged } = await pay('prepaid', {
        ...{ model: modelOver(format, 'broken'), format, stream: true },
        leaveWhen: (body) => {
          if (body.split(WORD).length > lastSeen) gate.release();
          return false;
        },
      });
      expect([receipt.status, receipt.isComplete]).toEqual([200, false]);
      expect(row).toMatchObject({ output_tokens: BigInt(BROKEN_AFTER), usage_source: 'estimated' });
      expect(row.error_code).not.toBeNull();
      expect(charged).toBe((row.input_tokens ?? 0n) * 2_000n + BigInt(BROKEN_AFTER) * 10_000n);
    });
  }

  test("that falls back to another one is charged once, by the other's usage", async () => {
    for (const stream of [false, true]) {
      const { receipt, row, charged, entries } = await pay('prepaid', { model: 'twice', stream });
      expect([receipt.isComplete, row.retry_count, row.channel_id]).toEqual([true, 1n, 'second']);
      expect([charged, entries]).toEqual([COST, 1]);
    }
  });
});

test('a fallback model is charged, and told, at its own price', async () => {
  for (const format of CLIENT_FORMATS) {
    for (const stream of [false, true]) {
      const { receipt, row, charged, entries } = await pay('prepaid', { model: 'falling', format, stream });
      expect([receipt.isComplete, row.model_id]).toEqual([true, modelOver('anthropic-messages', 'sound')]);
      expect([charged, entries]).toEqual([COST, 1]);
    }
  }
});

describe('the charge', () => {
  for (const format of CLIENT_FORMATS) {
    test(`is for the reported usage, the same for a whole response and a stream (${format})`, async () => {
      for (const stream of [false, true]) {
        const { row, charged } = await pay('prepaid', { model: modelOver(format, 'sound'), format, stream });
        expect([charged, row.usage_source]).toEqual([COST, 'reported']);
      }
    });

    test(`is estimated if no usage is reported, and the log says so (${format})`, async () => {
      for (const stream of [false, true]) {
        const { row, charged } = await pay('prepaid', { model: modelOver(format, 'unreported'), format, stream });
        expect([row.usage_source, row.output_tokens]).toEqual(['estimated', BigInt(WORDS)]);
        const input = Number(row.input_tokens);
        expect(input).toBeGreaterThanOrEqual(promptTokens());
        expect(input).toBeLessThanOrEqual(promptTokens() + MOST_AROUND_PROMPT);
        expect(charged).toBe(BigInt(input) * 2_000n + BigInt(WORDS) * 10_000n);
      }
    });
  }

  test('is zero if zero tokens are reported', async () => {
    const { row, charged } = await pay('prepaid', { model: modelOver('openai-chat', 'zero') });
    expect([charged, row.input_tokens, row.output_tokens, row.usage_source]).toEqual([0n, 0n, 0n, 'reported']);
  });

  test('is zero for a free model', async () => {
    const { receipt, row, charged } = await pay('penniless', { model: modelOver('openai-chat', 'free') });
    expect([receipt.status, charged, row.cost_nano]).toEqual([200, 0n, 0n]);
  });
});

describe('a PRIVATE channel', () => {
  for (const model of ['own', 'own-silent']) {
    test(`costs the fee only (${model})`, async () => {
      for (const stream of [false, true]) {
        const { receipt, charged } = await pay('owner', { model, stream });
        expect([receipt.isComplete, charged]).toEqual([true, FEE]);
      }
    });
  }

  test('that fails costs nothing', async () => {
    const { receipt, charged } = await pay('owner', { model: 'own-failing' });
    expect([receipt.status >= 500, charged]).toEqual([true, 0n]);
  });
});

describe('an unlimited account', () => {
  test('is never refused, and its costs are recorded', async () => {
    const before = await books.sum('unlimited');
    const receipts = await inParallel(50, 50, () =>
      buy({ port: bed.port(), key: keyOf('unlimited'), model: modelOver('openai-chat', 'sound') }),
    );
    expect(receipts.filter(({ isComplete }) => !isComplete)).toEqual([]);
    const after = await books.sum('unlimited');
    expect(after).toBe(before - 50n * COST);
    expect(after).toBeLessThan(0n);
    expect(await books.balance('unlimited')).toBe(after);
  });

  test('may use a model without a price; its cost is unknown', async () => {
    for (const stream of [false, true]) {
      const { receipt, row, charged } = await pay('unlimited', { model: modelOver('openai-chat', 'unpriced'), stream });
      expect([receipt.isComplete, row.cost_nano, charged]).toEqual([true, null, 0n]);
    }
  });
});

describe('a prepaid account', () => {
  test('cannot use a model without a price; the error says why', async () => {
    bed.upstream.forget();
    const { receipt, charged } = await pay('prepaid', { model: modelOver('openai-chat', 'unpriced') });
    expect(receipt.status).toBeGreaterThanOrEqual(400);
    expect(receipt.status).toBeLessThan(500);
    expect(String(receipt.error.message)).toMatch(/price/i);
    expect(charged).toBe(0n);
    expect(bed.upstream.served).toHaveLength(0);
  });

  test('with no balance can still use the free endpoints', async () => {
    const headers = { authorization: `Bearer ${keyOf('penniless')}` };
    const refused = await buy({ port: bed.port(), key: keyOf('penniless'), model: modelOver('openai-chat', 'sound') });
    expect([refused.status, refused.error.code]).toEqual([402, 'insufficient_balance']);
    const missing = await fetch(`http://127.0.0.1:${bed.port()}/v1/responses/resp_none`, { headers });
    expect([await missing.text(), missing.status]).toEqual([expect.any(String), 404]);
    const models = await fetch(`http://127.0.0.1:${bed.port()}/v1/models`, { headers });
    const list = asObject(parseJson(await models.text()));
    // A missing list of models is tolerated; an existing one must not be empty.
    if (models.status !== 404) expect([models.status, asArray(list.data).length > 0]).toEqual([200, true]);
  });

  test('with no balance can count tokens', async () => {
    const body = JSON.stringify({
      ...{ model: modelOver('anthropic-messages', 'sound'), messages: [{ role: 'user', content: PROMPT }] },
    });
    const headers = { authorization: `Bearer ${keyOf('penniless')}`, 'content-type': 'application/json' };
    const url = `http://127.0.0.1:${bed.port()}/v1/messages/count_tokens`;
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(200);
  });

  test('pays at most its balance if an upstream exceeds the output limit', async () => {
    const { receipt, charged } = await pay('last-cent', {
      model: modelOver('openai-chat', 'excessive'),
      maxTokens: 10,
    });
    expect(receipt.status).toBe(200);
    expect(charged).toBe(nano('0.001'));
    expect(await books.balance('last-cent')).toBe(0n);
    const next = await buy({ port: bed.port(), key: keyOf('last-cent'), model: modelOver('openai-chat', 'sound') });
    expect([next.status, next.error.code]).toEqual([402, 'insufficient_balance']);
  });

  test('can continue at once after a grant', async () => {
    const granted = await bed.run('accounts', 'grant', 'penniless', '0.01');
    expect(granted).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await books.balance('penniless')).toBe(nano('0.01'));
    const asked = () => pay('penniless', { model: modelOver('openai-chat', 'sound') });
    await until('the grant takes effect', async () => (await asked()).receipt.status === 200);
  });
});

describe('a key', () => {
  const ask = (key: string, model = modelOver('openai-chat', 'sound')) =>
    buy({ port: bed.port(), key: keyOf(key), model, maxTokens: 10 });

  test('that has expired is refused like a revoked one', async () => {
    const { status, error } = await ask('expired');
    expect([status, error.type, error.code]).toEqual([401, 'expired_api_key', 'expired_api_key']);
    expect((await ask('lasting')).status).toBe(200);
  });

  test('that has spent its limit is refused, and other keys of the account are not', async () => {
    expect([(await ask('small')).status, (await ask('small')).status]).toEqual([200, 200]);
    const { status, error } = await ask('small');
    expect([status, error.type, error.code]).toEqual([402, 'quota_exceeded', 'quota_exceeded']);
    expect((await ask('beside')).status).toBe(200);
    const spent = (await books.charges('keys')).filter(({ key_id }) => key_id === 'small');
    expect(spent.map(({ amount_nano }) => -amount_nano)).toEqual([COST, COST]);
  });

  test('with an allow-list is refused for other models, without a charge', async () => {
    expect((await ask('some')).error).toMatchObject({ code: 'model_not_allowed' });
    expect((await ask('some', modelOver('openai-responses', 'free'))).status).toBe(200);
    expect((await ask('some', modelOver('gemini', 'sound'))).status).toBe(200);
    const refused = await ask('some', modelOver('anthropic-messages', 'sound'));
    expect(refused.status).toBe(403);
    expect((await books.chargesByRequest()).get(refused.requestId) ?? 0n).toBe(0n);
  });

  test('that was revoked is refused', async () => {
    expect((await ask('brief')).status).toBe(200);
    expect(await bed.run('keys', 'revoke', 'keys/brief')).toMatchObject({ exitCode: 0 });
    await until('the gateway has applied the change', async () => (await ask('brief')).status === 401);
    expect((await ask('brief')).error.code).toBe('expired_api_key');
  });

  test('that does not exist is refused', async () => {
    expect(await ask('nobody')).toMatchObject({ status: 401, error: { code: 'invalid_api_key' } });
  });
});

describe('the text of a stream that is read slowly', () => {
  test('is charged before the stream has ended', async () => {
    const receipt = await buy({
      ...{ port: bed.port(), key: keyOf('prepaid'), model: modelOver('openai-chat', 'sound'), stream: true },
      leaveWhen: (body) => body.includes('data: [DONE]'),
    });
    expect(receipt.body.split(WORD).length - 1).toBe(WORDS);
    // The charge is durable before the client sees the end.
    expect((await books.chargesByRequest()).get(receipt.requestId)).toBe(COST);
  });
});

test('nothing is reserved afterwards, and the ledger verifies', async () => {
  for (const account of ['prepaid', 'owner', 'penniless', 'last-cent']) await books.untilNothingIsHeld(account);
  await books.verify();
}, 600_000);
