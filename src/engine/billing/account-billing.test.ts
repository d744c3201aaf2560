import { beforeEach, describe, expect, test } from 'bun:test';
import type { Usage } from '../../domain/exchange/usage.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { PriceSheet } from '../../domain/money/price-sheet.ts';
import { openMemoryStore } from '../../stores/memory/memory-store.ts';
import { sampleAccount, sampleCredential } from '../../stores/shared/testing/samples.ts';
import type { BillableRequest, Reservation } from '../ports/billing.ts';
import type { Ledger } from '../ports/ledger.ts';
import { DEFAULT_BILLING } from '../shared/billing-settings.ts';
import { AccountBilling } from './account-billing.ts';

const USAGE: Usage = { input: 1_000, cachedInput: 0, cacheWrite: 0, output: 500, reasoning: 0, source: 'reported' };
/** A token costs a thousand nano-USD. */
const PRICES = PriceSheet.parse({ input_per_1m: '1', output_per_1m: '1' });
const PER_TOKEN = 1_000n;

let ledger: Ledger;
let billing: AccountBilling;
let warnings: string[];
let requests = 0;

beforeEach(() => {
  ({ ledger } = openMemoryStore());
  warnings = [];
  const logger = {
    debug() {},
    info() {},
    error() {},
    warn: (_: unknown, message: string) => void warnings.push(message),
  };
  const clock = { nowMs: () => 1_790_000_000_000, monotonicMs: () => performance.now() };
  billing = new AccountBilling({ ledger, clock, logger, settings: DEFAULT_BILLING });
});

const grant = (amountNanoUsd: bigint) =>
  ledger.append({
    idempotencyKey: `grant:${amountNanoUsd}`,
    accountId: 'acme',
    keyId: null,
    kind: 'grant',
    amountNanoUsd,
    requestId: null,
    atMs: 1,
    note: null,
  });

function request(
  fields: Partial<BillableRequest> = {},
  limitNanoUsd: bigint | null = null,
  isPrepaid = true,
): BillableRequest {
  const account = sampleAccount({ id: 'acme', billing: isPrepaid ? 'prepaid' : 'unlimited' });
  const credential = sampleCredential({ accountId: 'acme', id: 'ci', limitNanoUsd });
  return {
    requestId: `req_${++requests}`,
    principal: { account, credential },
    modelId: 'm',
    prices: PRICES,
    mayUsePlatform: true,
    mayUseOwn: false,
    promptTokens: () => 1_000,
    output: () => ({ tokens: 500, choices: 1 }),
    ...fields,
  };
}

async function reserved(of: BillableRequest): Promise<Reservation> {
  const reservation = await billing.reserve(of);
  if (reservation instanceof Failure) throw new Error(reservation.message);
  return reservation;
}

const balance = async () => (await ledger.balance('acme')).balanceNanoUsd;
const COST = 1_500n * PER_TOKEN;

describe('an account that pays in advance', () => {
  test('however many ask at once, no more are let through than the balance pays', async () => {
    await grant(7n * COST);
    const answers = await Promise.all(Array.from({ length: 20 }, () => billing.reserve(request())));
    const granted = answers.filter((answer): answer is Reservation => !(answer instanceof Failure));
    expect(granted).toHaveLength(7);
    await Promise.all(granted.map((reservation) => reservation.settle(USAGE, false)));
    expect(await balance()).toBe(0n);
  });

  test('is told what it has and what the request may cost', async () => {
    await grant(COST - 1n);
    const failure = await billing.reserve(request());
    expect(failure).toMatchObject({ code: 'insufficient_balance', status: 402 });
    expect(failure).toMatchObject({ details: { balanceNanoUsd: COST - 1n, estimatedCostNanoUsd: COST } });
  });

  test('pays what the request has come to, and what was put aside beyond that can be used again', async () => {
    await grant(COST);
    const first = await reserved(request());
    expect(await first.settle({ ...USAGE, output: 0 }, false)).toBe(1_000n * PER_TOKEN);
    const second = await reserved(request({ promptTokens: () => 500, output: () => ({ tokens: 0, choices: 1 }) }));
    second.release();
    expect(await balance()).toBe(500n * PER_TOKEN);
  });

  test('a request that comes to more than was put aside takes the rest of the balance, and no more', async () => {
    await grant(COST + 10n);
    const reservation = await reserved(request());
    expect(await reservation.settle({ ...USAGE, output: 5_000 }, false)).toBe(COST + 10n);
    expect(await balance()).toBe(0n);
    expect(warnings).toEqual(['a request came to more than there was to pay it']);
  });

  test('needs a price; its own channel needs none', async () => {
    await grant(COST);
    expect(await billing.reserve(request({ prices: null }))).toMatchObject({ code: 'model_not_allowed' });
    const own = await reserved(request({ prices: null, mayUsePlatform: false, mayUseOwn: true }));
    expect(await own.settle(USAGE, true)).toBe(0n);
    expect(await balance()).toBe(COST);
  });
});

describe('a key with a limit', () => {
  test('stops at the limit, and leaves the account alone', async () => {
    await grant(10n * COST);
    const limit = 2n * COST;
    const answers = await Promise.all(Array.from({ length: 5 }, () => billing.reserve(request({}, limit))));
    const refused = answers.filter((answer) => answer instanceof Failure);
    expect(refused.map(({ code }) => code)).toEqual(['quota_exceeded', 'quota_exceeded', 'quota_exceeded']);
    for (const answer of answers) if (!(answer instanceof Failure)) await answer.settle(USAGE, false);
    expect(await balance()).toBe(8n * COST);
    // What the refused ones had put aside of the account is free again.
    await Promise.all(Array.from({ length: 8 }, () => reserved(request())));
  });

  test('holds for accounts without a balance, too', async () => {
    await (await reserved(request({}, COST, false))).settle(USAGE, false);
    expect(await billing.reserve(request({}, COST, false))).toMatchObject({ code: 'quota_exceeded' });
    expect(await balance()).toBe(-COST);
  });
});

describe('an unlimited account', () => {
  test('is never refused; what is known of its cost is recorded', async () => {
    expect(await (await reserved(request({}, null, false))).settle(USAGE, false)).toBe(COST);
    expect(await (await reserved(request({ prices: null }, null, false))).settle(USAGE, false)).toBeNull();
    expect(await balance()).toBe(-COST);
  });
});

test('what is idle goes back', async () => {
  await grant(100n * COST);
  (await reserved(request())).release();
  expect((await ledger.balance('acme')).leasedNanoUsd).toBeGreaterThan(0n);
  await billing.wallets.giveBackIdle(true);
  expect((await ledger.balance('acme')).leasedNanoUsd).toBe(0n);
});
