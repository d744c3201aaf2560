import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { ClientFormat } from '../readers/index.ts';
import { CLIENT_FORMATS, inParallel } from '../routing/client.ts';
import { asObject, parseJson } from '../shared/json.ts';
import { type BedOptions, keyOf, type MoneyBed, modelOver } from './bed.ts';
import { Books, nano } from './books.ts';
import { buy, type Receipt, tally } from './client.ts';
import { Gate } from './gate.ts';

const UNIT = nano('0.001');
const USAGE = { input: 5, output: 1 };
/** More requests than the largest reservations leave room for. */
const ROUND = 60;
const TIMEOUT_MS = 600_000;

export interface OverdraftOptions {
  readonly start: (options: BedOptions) => Promise<MoneyBed>;
  /** The number of concurrent requests. */
  readonly atOnce: number;
  /** The number of requests that the money covers. */
  readonly paid: number;
}

/** The invariants of balances and limits under many concurrent requests, for the gateways that `start` starts. */
export function describeOverdraft({ start, atOnce, paid }: OverdraftOptions): void {
  const gate = new Gate();
  const allUsd = usd(paid);
  const limitedKey = (id: string, limit_usd = allUsd) => [{ id, name: id, secret: keyOf(id), limit_usd }];
  let bed: MoneyBed;
  let books: Books;

  beforeAll(async () => {
    bed = await start({
      models: {
        'by-request': { words: 1, usage: USAGE, pricing: { per_request: '0.001' }, opens: gate.pass },
        // The prompt is free, so the output limit alone determines the reservation.
        'by-token': { words: 1, usage: USAGE, pricing: { input_per_1m: '0', output_per_1m: '1000' }, opens: gate.pass },
        dear: { words: 1, usage: USAGE, pricing: { per_request: '5' } },
      },
      accounts: [
        ...['by-request', 'by-token', 'all-formats', 'released'].map((id) => ({ id, balance_usd: allUsd })),
        { id: 'few', balance_usd: '0.7' },
        { id: 'limited', balance_usd: '10', keys: limitedKey('limited') },
        { id: 'limited-unlimited', billing: 'unlimited', keys: limitedKey('limited-unlimited') },
        { id: 'limited-released', balance_usd: '10', keys: limitedKey('limited-released') },
        { id: 'poor', balance_usd: '0.25' },
        { id: 'rich', balance_usd: '10', keys: limitedKey('rich', '0.25') },
        { id: 'empty' },
      ],
    });
    books = new Books(bed);
  }, TIMEOUT_MS);

  afterAll(async () => {
    await bed?.stop();
  });

  interface Rush {
    readonly account: string;
    readonly model: string;
    readonly maxTokens?: number;
    readonly format?: (index: number) => ClientFormat;
    readonly stream?: (index: number) => boolean;
  }

  /**
   * Sends all requests at once. No admitted request is answered before all others have been refused, so none can be
   * refused because another one has already paid.
   */
  async function rush({ account, model, maxTokens, format, stream }: Rush): Promise<readonly Receipt[]> {
    bed.upstream.forget();
    gate.close();
    let refused = 0;
    const receipts = await inParallel(atOnce, atOnce, async (index) => {
      const one = format?.(index) ?? 'openai-chat';
      const receipt = await buy({
        ...{ port: bed.port(), key: keyOf(account), model: modelOver(one, model), format: one },
        ...{ stream: stream?.(index) ?? false, ...(maxTokens === undefined ? {} : { maxTokens }) },
      });
      if (receipt.status !== 200) refused++;
      if (refused === atOnce - paid) gate.release();
      return receipt;
    });
    gate.release();
    return receipts;
  }

  /** Checks that each response is charged exactly once, and that nothing else is charged. */
  async function expectChargedOnce(receipts: readonly Receipt[], account: string): Promise<void> {
    const answered = receipts.filter(({ status }) => status === 200);
    const charged = (await books.charges(account)).filter(({ amount_nano }) => amount_nano !== 0n);
    expect(charged.map(({ request_id }) => request_id).sort()).toEqual(
      answered.map(({ requestId }) => requestId).sort(),
    );
    expect(charged.filter(({ amount_nano }) => amount_nano !== -UNIT)).toEqual([]);
  }

  const inAllFormats = (index: number) => CLIENT_FORMATS[index % 4]!;

  describe(`${atOnce} concurrent requests with money for ${paid}`, () => {
    const onBalance: readonly (Rush & { readonly name: string })[] = [
      { name: 'a price per request', account: 'by-request', model: 'by-request' },
      { name: 'a price per token', account: 'by-token', model: 'by-token', maxTokens: 1 },
      {
        ...{ name: 'all formats, streams and whole answers', account: 'all-formats', model: 'by-request' },
        ...{ format: inAllFormats, stream: (index) => index % 8 < 4 },
      },
    ];
    for (const { name, ...one } of onBalance) {
      test(
        `are limited by the account's balance: ${name}`,
        async () => {
          const receipts = await rush(one);
          expect(tally(receipts)).toEqual({ '200': paid, '402 insufficient_balance': atOnce - paid });
          expect(bed.upstream.served).toHaveLength(paid);
          await expectChargedOnce(receipts, one.account);
          expect([await books.sum(one.account), await books.balance(one.account)]).toEqual([0n, 0n]);
        },
        TIMEOUT_MS,
      );
    }

    const onLimit = [
      { name: 'of a prepaid account', account: 'limited', left: nano('10') - BigInt(paid) * UNIT },
      { name: 'of an unlimited account', account: 'limited-unlimited', left: -BigInt(paid) * UNIT },
    ];
    for (const { name, account, left } of onLimit) {
      test(
        `are limited by the limit of a key ${name}`,
        async () => {
          const receipts = await rush({ account, model: 'by-request' });
          expect(tally(receipts)).toEqual({ '200': paid, '402 quota_exceeded': atOnce - paid });
          expect(bed.upstream.served).toHaveLength(paid);
          await expectChargedOnce(receipts, account);
          expect([await books.sum(account), await books.balance(account)]).toEqual([left, left]);
        },
        TIMEOUT_MS,
      );
    }
  });

  describe('reservations that exceed the cost', () => {
    /** Sends batches of requests until none is admitted any more; returns the number of answered ones. */
    async function spendAll(account: string, maxTokens: number, refusal: string): Promise<number> {
      let answered = 0;
      for (;;) {
        const receipts = await inParallel(ROUND, ROUND, () =>
          buy({ port: bed.port(), key: keyOf(account), model: modelOver('openai-chat', 'by-token'), maxTokens }),
        );
        const { '200': more = 0, [refusal]: refused = 0 } = tally(receipts);
        expect(more + refused).toBe(receipts.length);
        answered += more;
        if (more === 0) return answered;
      }
    }

    for (const [account, refusal, opening] of [
      ['released', '402 insufficient_balance', allUsd],
      ['limited-released', '402 quota_exceeded', '10'],
    ] as const) {
      test(
        `can be spent after their release without an overdraft (${refusal})`,
        async () => {
          // The remaining nine units are too few for a reservation of ten.
          expect(await spendAll(account, 10, refusal)).toBe(paid - 9);
          expect(await spendAll(account, 3, refusal)).toBe(7);
          expect(await spendAll(account, 1, refusal)).toBe(2);
          expect(await books.sum(account)).toBe(nano(opening) - nano(allUsd));
          expect(await books.balance(account)).toBe(nano(opening) - nano(allUsd));
        },
        TIMEOUT_MS,
      );
    }

    test(
      'limit the requests in flight',
      async () => {
        gate.close();
        bed.upstream.forget();
        let refused = 0;
        const asked = inParallel(100, 100, async () => {
          const receipt = await buy({
            ...{ port: bed.port(), key: keyOf('few'), model: modelOver('openai-chat', 'by-token'), maxTokens: 100 },
          });
          if (receipt.status === 402 && ++refused === 93) gate.release();
          return receipt;
        });
        expect(tally(await asked)).toEqual({ '200': 7, '402 insufficient_balance': 93 });
        expect(bed.upstream.served).toHaveLength(7);
        expect(await books.balance('few')).toBe(nano('0.693'));
      },
      TIMEOUT_MS,
    );
  });

  describe('a refusal states the balance and the estimated cost', () => {
    const ask = (account: string, format: ClientFormat, stream: boolean) =>
      buy({ port: bed.port(), key: keyOf(account), model: modelOver(format, 'dear'), format, stream });

    for (const format of CLIENT_FORMATS) {
      for (const stream of [false, true]) {
        test(`in the envelope of ${format}${stream ? ', for a stream' : ''}`, async () => {
          const poor = await ask('poor', format, stream);
          expect(poor.status).toBe(402);
          expect(poor.error).toMatchObject({ ...AMOUNTS[format], ...TYPES[format].balance });
          expect(poor.error.code).toBe('insufficient_balance');
          if (format === 'anthropic-messages') expect(asObject(parseJson(poor.body)).type).toBe('error');
          const rich = await ask('rich', format, stream);
          expect(rich.status).toBe(402);
          expect(rich.error).toMatchObject({ code: 'quota_exceeded', ...TYPES[format].quota });
        });
      }
    }

    test('if the account has no balance at all', async () => {
      const { status, error } = await ask('empty', 'openai-chat', false);
      expect([status, error.code, error.balance_usd]).toEqual([402, 'insufficient_balance', 0]);
    });
  });

  const OPENAI = { balance: { type: 'insufficient_balance' }, quota: { type: 'quota_exceeded' } };
  /** The contract's table of error types, and the names of the two other vendors. */
  const TYPES: Readonly<Record<ClientFormat, { readonly balance: object; readonly quota: object }>> = {
    'openai-chat': OPENAI,
    'openai-responses': OPENAI,
    'anthropic-messages': { balance: { type: 'insufficient_balance_error' }, quota: { type: 'billing_error' } },
    gemini: { balance: { status: 'FAILED_PRECONDITION' }, quota: { status: 'FAILED_PRECONDITION' } },
  };
  const NUMBERS = { balance_usd: 0.25, estimated_cost_usd: 5 };
  /** The details of Gemini's envelope contain only strings (google.rpc.ErrorInfo). */
  const AMOUNTS: Readonly<Record<ClientFormat, object>> = {
    'openai-chat': NUMBERS,
    'openai-responses': NUMBERS,
    'anthropic-messages': NUMBERS,
    gemini: { balance_usd: '0.25', estimated_cost_usd: '5' },
  };

  test(
    'the ledger verifies afterwards',
    async () => {
      await books.verify();
    },
    TIMEOUT_MS,
  );
}

/** Formats units as the configuration writes amounts. */
const usd = (units: number) => (units / 1_000).toFixed(3);
