import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { LANES, type Lane } from '../../conformance/disconnect/bed.ts';
import { keyOf, type MoneyBed, modelOver, startMoneyBed } from '../../conformance/money/bed.ts';
import { Books, keptSqliteQuery, type LogRow, nano } from '../../conformance/money/books.ts';
import { buy, type Purchase, TERMINAL } from '../../conformance/money/client.ts';
import { count, metricsOf } from '../../conformance/money/metrics.ts';
import { WORD } from '../../conformance/money/wire-answers.ts';
import type { ClientFormat } from '../../conformance/readers/index.ts';
import { CLIENT_FORMATS } from '../../conformance/routing/client.ts';
import { until } from '../../conformance/shared/until.ts';

/** Per token, in nano-USD. */
const PRICE = { input: 2_000n, output: 10_000n };
const PRICING = { input_per_1m: '2', output_per_1m: '10' };
const OPENING = nano('1000');
const INPUT = 77;
const WORDS = 40;
const LEAVE_AFTER = 6;
/**
 * The gateway may hold back one word to see whether it is the last, and the client disconnects before the
 * upstream continues.
 */
const HELD_AFTER = 8;
const PROMPT = 'Which fruit do you like best?';
/** The most tokens that a format adds to a prompt: a few per message and before the response. */
const MOST_AROUND_PROMPT = 15;

const TRANSLATED: Readonly<Record<ClientFormat, ClientFormat>> = {
  'openai-chat': 'anthropic-messages',
  'openai-responses': 'openai-chat',
  'anthropic-messages': 'gemini',
  gemini: 'openai-responses',
};
const upstreamOf = (format: ClientFormat, lane: Lane) => (lane === 'relay' ? format : TRANSLATED[format]);

let bed: MoneyBed;
let books: Books;

beforeAll(async () => {
  const usage = { input: INPUT, output: WORDS };
  const never = () => new Promise<void>(() => undefined);
  bed = await startMoneyBed({
    models: {
      silent: { words: WORDS, usage, pricing: PRICING, opens: never },
      lingering: { words: WORDS, usage, lingers: true, pricing: PRICING },
      held: {
        words: WORDS,
        afterWord: (words) => (words === HELD_AFTER ? never() : undefined),
        usage,
        pricing: PRICING,
      },
      'reported-then-held': { words: WORDS, usage, holdsLastFrame: true, isReportedEarly: true, pricing: PRICING },
    },
    accounts: [{ id: 'leaver', balance_usd: '1000' }],
  });
  books = new Books(bed, keptSqliteQuery(bed.space.database));
}, 600_000);

afterAll(async () => {
  await bed?.stop();
});

interface Left {
  readonly row: LogRow;
  /** The amount in the ledger for this request. */
  readonly charged: bigint;
  /** The increase of the metrics. */
  readonly counted: { readonly input: number; readonly output: number; readonly chargedNanoUsd: number };
}

/** Runs one client that disconnects; resolves to the entries of the ledger, the log and the metrics. */
async function leave(purchase: Omit<Purchase, 'port' | 'key' | 'prompt'>, whenServed = 0): Promise<Left> {
  const labels = { model: purchase.model };
  const tokens = async () => {
    const samples = await metricsOf(bed.port());
    const of = (kind: string) => count(samples, 'switchyard_tokens_total', { ...labels, kind });
    const chargedNanoUsd = Math.round(count(samples, 'switchyard_charged_usd_total', labels) * 1e9);
    return { input: of('input'), output: of('output'), chargedNanoUsd };
  };
  const [before, seen, paid] = [await tokens(), (await rowsOf(purchase.model)).length, await books.sum('leaver')];
  const client = new AbortController();
  const bought = buy({ port: bed.port(), key: keyOf('leaver'), prompt: PROMPT, signal: client.signal, ...purchase });
  if (purchase.leaveWhen === undefined) {
    await until('the upstream has the request', () => bed.upstream.served.length > whenServed);
    client.abort();
  }
  await bought;
  await until('the request is logged', async () => (await rowsOf(purchase.model)).length > seen);
  const row = (await rowsOf(purchase.model)).at(-1)!;
  const after = await tokens();
  return {
    row,
    charged: paid - (await books.sum('leaver')),
    counted: {
      input: after.input - before.input,
      output: after.output - before.output,
      chargedNanoUsd: after.chargedNanoUsd - before.chargedNanoUsd,
    },
  };
}

async function rowsOf(model: string): Promise<readonly LogRow[]> {
  const rows = await books.log([]);
  return [...rows.values()].filter(({ model_id }) => model_id === model);
}

/** Checks that log, ledger and metrics agree with each other and with the upstream's prices. */
async function expectAgreement({ row, charged, counted }: Left): Promise<void> {
  const [input, output] = [row.input_tokens ?? 0n, row.output_tokens ?? 0n];
  expect(counted).toEqual({ input: Number(input), output: Number(output), chargedNanoUsd: Number(charged) });
  expect(charged).toBe(input * PRICE.input + output * PRICE.output);
  expect(row.cost_nano).toBe(charged);
  const entries = (await books.charges()).filter(({ request_id }) => request_id === row.request_id);
  expect(entries.reduce((sum, { amount_nano }) => sum - amount_nano, 0n)).toBe(charged);
  expect(entries.length).toBeLessThanOrEqual(1);
  if (charged > 0n) expect(entries.map(({ idempotency_key }) => idempotency_key)).toEqual([`charge:${row.request_id}`]);
}

describe('a client that disconnects is charged', () => {
  for (const format of CLIENT_FORMATS) {
    for (const lane of LANES) {
      const over = upstreamOf(format, lane);
      const model = (name: string) => modelOver(over, name);

      for (const stream of [false, true]) {
        test(`nothing before the first byte of a ${stream ? 'stream' : 'whole response'} (${format}, ${lane})`, async () => {
          const left = await leave({ model: model('silent'), format, stream }, bed.upstream.served.length);
          expect(left.row).toMatchObject({ client_gone: 1n, cost_nano: 0n });
          expect(left.charged).toBe(0n);
          await expectAgreement(left);
        });
      }

      test(`the text that it received before it disconnected (${format}, ${lane})`, async () => {
        const left = await leave({
          ...{ model: model('held'), format, stream: true },
          leaveWhen: (body) => body.split(WORD).length > LEAVE_AFTER,
        });
        const served = bed.upstream.served.findLast((one) => one.model === 'held')!;
        await until('the upstream connection is closed', () => served.wasCut === true);
        expect(left.row).toMatchObject({ client_gone: 1n, status: 200n, usage_source: 'estimated' });
        const output = Number(left.row.output_tokens);
        expect(output).toBeGreaterThanOrEqual(LEAVE_AFTER);
        expect(output).toBeLessThanOrEqual(served.words);
        // Anthropic reports the prompt at once.
        const input = Number(left.row.input_tokens);
        const prompt = countTokens(PROMPT);
        if (over === 'anthropic-messages') expect(input).toBe(INPUT);
        else expect([input >= prompt, input <= prompt + MOST_AROUND_PROMPT]).toEqual([true, true]);
        await expectAgreement(left);
      });
    }
  }

  for (const format of CLIENT_FORMATS) {
    for (const lane of LANES) {
      const over = upstreamOf(format, lane);
      // Gemini has no end mark: its last event is forwarded when the upstream's stream ends.
      if (over === 'gemini') continue;
      test(`the whole response, logged as a success, if it disconnects at the end mark (${format}, ${lane})`, async () => {
        const left = await leave({
          ...{ model: modelOver(over, 'lingering'), format, stream: true },
          leaveWhen: (body) => body.includes(TERMINAL[format]),
        });
        expect(left.row).toMatchObject({ client_gone: 0n, error_code: null, status: 200n, usage_source: 'reported' });
        expect(left.row).toMatchObject({ input_tokens: BigInt(INPUT), output_tokens: BigInt(WORDS) });
        await expectAgreement(left);
        const served = bed.upstream.served.findLast((one) => one.model === 'lingering')!;
        await until('the upstream connection is closed', () => served.wasCut === true);
      });
    }
  }

  for (const format of ['openai-chat', 'anthropic-messages', 'gemini'] as const) {
    test(`the usage that the upstream had reported by then (${format})`, async () => {
      const left = await leave({
        ...{ model: modelOver(format, 'reported-then-held'), format, stream: true },
        leaveWhen: (body) => body.split(WORD).length > WORDS,
      });
      expect(left.row).toMatchObject({ input_tokens: BigInt(INPUT), output_tokens: BigInt(WORDS) });
      await expectAgreement(left);
    });
  }
});

test('the reservations of disconnected clients are released, and the ledger verifies', async () => {
  const spent = (await books.charges('leaver')).reduce((sum, { amount_nano }) => sum - amount_nano, 0n);
  expect(await books.balance('leaver')).toBe(OPENING - spent);
  await books.untilNothingIsHeld('leaver');
  await books.verify();
}, 600_000);
