import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { billableOf, type Usage } from '../../../src/domain/exchange/usage.ts';
import { Failure } from '../../../src/domain/failure/failure.ts';
import { asDrawn } from '../../../src/domain/money/drawn.ts';
import { PriceSheet } from '../../../src/domain/money/price-sheet.ts';
import { completionTokensOf, promptTokensOf } from '../../../src/domain/money/quantity.ts';
import { factorOf, NO_SURCHARGE, ONE_FACTOR } from '../../../src/domain/money/surcharge.ts';
import type { LargestRequest } from '../../../src/domain/money/tariff.ts';
import { AccountBilling } from '../../../src/engine/billing/account-billing.ts';
import type { BillableRequest, Extras, RequestBounds, Reservation } from '../../../src/engine/ports/billing.ts';
import type { HeldCharges } from '../../../src/engine/ports/held-charges.ts';
import type { Ledger } from '../../../src/engine/ports/ledger.ts';
import { sampleAccount, sampleCredential } from '../../../src/engine/ports/testing/samples.ts';
import { DEFAULT_BILLING } from '../../../src/engine/settings/settings.ts';
import { closeTestStores, openTestStore } from '../../../src/stores/sqlite/testing/test-store.ts';

const USAGE: Usage = { input: 1_000, cachedInput: 0, cacheWrite: 0, output: 500, reasoning: 0, source: 'reported' };
/** The price of a token: 1,000 nano-USD. */
const PRICES = PriceSheet.parse({ input_per_1m: '1', output_per_1m: '1' });
const PER_TOKEN = 1_000n;
const SHARED = { channelId: 'c', isPrivate: false, tierFactor: null };
const OWN = { channelId: 'own', isPrivate: true, tierFactor: null };

let ledger: Ledger;
let heldCharges: HeldCharges;
let alarms: string[];
let metered: object[];
let billing: AccountBilling;
let warnings: string[];
let requests = 0;
let store: { problem: string | null };

async function begin(): Promise<void> {
  ({ ledger, heldCharges } = await openTestStore());
  store = { problem: null };
  warnings = [];
  alarms = [];
  metered = [];
  const logger = {
    debug() {},
    info() {},
    error: (_: unknown, message: string) => void alarms.push(message),
    warn: (_: unknown, message: string) => void warnings.push(message),
  };
  const metrics = { chargeHeld: (of: object) => void metered.push(of) };
  const clock = { nowMs: () => 1_790_000_000_000, monotonicMs: () => performance.now() };
  billing = new AccountBilling({ store, ledger, heldCharges, metrics, clock, logger, settings: DEFAULT_BILLING });
}

beforeEach(begin);
afterEach(closeTestStores);

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

/** Makes the bounds of a request. The certain and the counted bound are the same by default; twice as much is plausible. */
function bounds(certain: LargestRequest, counted: LargestRequest | null = certain): RequestBounds {
  const { inputTokens, outputTokens } = certain;
  return {
    certain: () => certain,
    counted: async () => counted,
    isPlausible: (billable) =>
      promptTokensOf(billable) <= 2 * inputTokens && completionTokensOf(billable) <= 2 * outputTokens,
    plausible: () => ({ inputTokens: 2 * inputTokens, outputTokens: 2 * outputTokens }),
  };
}

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
    bounds: bounds({ inputTokens: 1_000, outputTokens: 500 }),
    ...fields,
  };
}

async function reserved(of: BillableRequest): Promise<Reservation> {
  const reservation = await billing.reserve(of);
  if (reservation instanceof Failure) throw new Error(reservation.message);
  return reservation;
}

const twice: Extras = {
  ...NO_SURCHARGE,
  tokenFactor: factorOf('2'),
  askedTierFactor: ONE_FACTOR,
  others: [],
  drawing: null,
  isUnknown: false,
};

const balance = async () => (await ledger.balance('acme')).balanceNanoUsd;
const COST = 1_500n * PER_TOKEN;

describe('a prepaid account', () => {
  test('is not refused while the balance covers the likely cost of all its requests', async () => {
    const sizes = fc.record({
      count: fc.integer({ min: 1, max: 40 }),
      likely: fc.integer({ min: 1, max: 40 }),
      factor: fc.integer({ min: 1, max: 40 }),
      spare: fc.integer({ min: 0, max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(sizes, async ({ count, likely, factor, spare }) => {
        await begin();
        const counted = { inputTokens: likely, outputTokens: 0 };
        const of = bounds({ inputTokens: likely * factor, outputTokens: 0 }, counted);
        await grant(BigInt(likely * count + spare) * PER_TOKEN);
        const asked = Array.from({ length: count }, () => billing.reserve(request({ bounds: of })));
        const answers = await Promise.all(asked);
        expect(answers.filter((answer) => answer instanceof Failure)).toEqual([]);
        const usage = billableOf({ ...USAGE, input: likely, output: 0 });
        for (const answer of answers) if (!(answer instanceof Failure)) await answer.settle(usage, SHARED);
        expect(await balance()).toBe(BigInt(spare) * PER_TOKEN);
      }),
      { numRuns: 50 },
    );
  });

  test('covers extras with a lowered reservation, and releases it whole', async () => {
    const of = bounds({ inputTokens: 1_000, outputTokens: 0 }, { inputTokens: 10, outputTokens: 0 });
    await grant(4_000n * PER_TOKEN);
    const first = await reserved(request({ bounds: of }));
    expect(await first.withExtras(twice)).toBeNull();
    const large = bounds({ inputTokens: 3_980, outputTokens: 0 });
    const second = await reserved(request({ bounds: large }));
    expect(await billing.reserve(request({ bounds: bounds({ inputTokens: 1, outputTokens: 0 }) }))).toBeInstanceOf(
      Failure,
    );
    first.release();
    second.release();
    await reserved(request({ bounds: bounds({ inputTokens: 4_000, outputTokens: 0 }) }));
  });

  test('gets no more concurrent requests than the balance pays', async () => {
    await grant(7n * COST);
    const answers = await Promise.all(Array.from({ length: 20 }, () => billing.reserve(request())));
    const granted = answers.filter((answer): answer is Reservation => !(answer instanceof Failure));
    expect(granted).toHaveLength(7);
    await Promise.all(granted.map((reservation) => reservation.settle(billableOf(USAGE), SHARED)));
    expect(await balance()).toBe(0n);
  });

  test('sees its balance and the possible cost in the refusal', async () => {
    await grant(COST - 1n);
    const failure = await billing.reserve(request());
    expect(failure).toMatchObject({ code: 'insufficient_balance', status: 402 });
    expect(failure).toMatchObject({ details: { balanceNanoUsd: COST - 1n, estimatedCostNanoUsd: COST } });
  });

  test('pays the actual cost, and the rest of the reservation is available again', async () => {
    await grant(COST);
    const first = await reserved(request());
    expect(await first.settle(billableOf({ ...USAGE, output: 0 }), SHARED)).toBe(1_000n * PER_TOKEN);
    const second = await reserved(request({ bounds: bounds({ inputTokens: 500, outputTokens: 0 }) }));
    second.release();
    expect(await balance()).toBe(500n * PER_TOKEN);
  });

  test('pays at most the balance when a cost exceeds the reservation', async () => {
    await grant(COST + 10n);
    const reservation = await reserved(request());
    expect(await reservation.settle(billableOf({ ...USAGE, output: 1_000 }), SHARED)).toBe(COST + 10n);
    expect(await balance()).toBe(0n);
    expect(warnings).toEqual(['cost exceeded the reserved balance']);
  });

  test('needs a price, but not for its own channel', async () => {
    await grant(COST);
    expect(await billing.reserve(request({ prices: null }))).toMatchObject({ code: 'model_not_allowed' });
    const own = await reserved(request({ prices: null, mayUsePlatform: false, mayUseOwn: true }));
    expect(await own.settle(billableOf(USAGE), OWN)).toBe(0n);
    expect(await balance()).toBe(COST);
  });
});

describe('a key with a limit', () => {
  test('stops at the limit, and leaves the account unaffected', async () => {
    await grant(10n * COST);
    const limit = 2n * COST;
    const answers = await Promise.all(Array.from({ length: 5 }, () => billing.reserve(request({}, limit))));
    const refused = answers.filter((answer) => answer instanceof Failure);
    expect(refused.map(({ code }) => code)).toEqual(['quota_exceeded', 'quota_exceeded', 'quota_exceeded']);
    for (const answer of answers) if (!(answer instanceof Failure)) await answer.settle(billableOf(USAGE), SHARED);
    expect(await balance()).toBe(8n * COST);
    // The amounts that the refused requests had reserved from the account are free again.
    await Promise.all(Array.from({ length: 8 }, () => reserved(request())));
  });

  test('also applies to accounts without a balance', async () => {
    await (await reserved(request({}, COST, false))).settle(billableOf(USAGE), SHARED);
    expect(await billing.reserve(request({}, COST, false))).toMatchObject({ code: 'quota_exceeded' });
    expect(await balance()).toBe(-COST);
  });
});

describe('an unlimited account', () => {
  test('is never refused, and its known costs are recorded', async () => {
    expect(await (await reserved(request({}, null, false))).settle(billableOf(USAGE), SHARED)).toBe(COST);
    expect(await (await reserved(request({ prices: null }, null, false))).settle(billableOf(USAGE), SHARED)).toBeNull();
    expect(await balance()).toBe(-COST);
  });
});

test('idle leases are released', async () => {
  await grant(100n * COST);
  (await reserved(request())).release();
  expect((await ledger.balance('acme')).leasedNanoUsd).toBeGreaterThan(0n);
  await billing.wallets.giveBackIdle(true);
  expect((await ledger.balance('acme')).leasedNanoUsd).toBe(0n);
});

describe('the largest possible cost', () => {
  /** The certain bound is 9,000 tokens, the counted one 1,500. */
  const wide = bounds({ inputTokens: 8_500, outputTokens: 500 }, { inputTokens: 1_000, outputTokens: 500 });
  const MOST = 9_000n * PER_TOKEN;

  test('is reserved if the balance is large, so the charge is covered', async () => {
    await grant(4n * MOST);
    const reservation = await reserved(request({ bounds: wide }));
    expect(await reservation.settle(billableOf({ ...USAGE, input: 8_500 }), SHARED)).toBe(MOST);
    expect(warnings).toEqual([]);
  });

  test('is not reserved if that would block other requests; the counted cost is', async () => {
    await grant(4n * MOST - 1n);
    const requests = Array.from({ length: 23 }, () => request({ bounds: wide }));
    await Promise.all(requests.map(reserved));
    expect((await ledger.balance('acme')).leasedNanoUsd).toBeGreaterThanOrEqual(23n * COST);
  });

  test('is required if nothing can be counted', async () => {
    await grant(MOST);
    const uncounted = bounds({ inputTokens: 8_500, outputTokens: 500 }, null);
    await reserved(request({ bounds: uncounted }));
    expect(await billing.reserve(request({ bounds: uncounted }))).toMatchObject({
      code: 'insufficient_balance',
      details: { estimatedCostNanoUsd: MOST },
    });
  });

  test('also applies to the limit of a key', async () => {
    const most = 4n * MOST;
    await (await reserved(request({ bounds: wide }, most, false))).settle(
      billableOf({ ...USAGE, input: 8_500 }),
      SHARED,
    );
    await reserved(request({ bounds: wide }, most, false));
    expect(await billing.reserve(request({ bounds: wide }, MOST + COST - 1n, false))).toMatchObject({
      code: 'quota_exceeded',
    });
  });
});

describe('an implausible usage report', () => {
  const usage: Usage = { ...USAGE, output: 10 ** 15 };
  const PLAUSIBLE = 2n * COST;

  test.each([
    ['a prepaid account', true, null],
    ['a key with a limit', false, 100n * COST],
    ['an unlimited account', false, null],
  ] as const)('is not charged: %s', async (_name, isPrepaid, limit) => {
    await grant(100n * COST);
    const of = request({}, limit, isPrepaid);
    const reservation = await reserved(of);
    expect(await reservation.settle(billableOf(usage), SHARED)).toBe(PLAUSIBLE);
    expect(await balance()).toBe(100n * COST - PLAUSIBLE);
    expect(await heldCharges.list({}, 10)).toEqual([
      {
        requestId: of.requestId,
        accountId: 'acme',
        keyId: 'ci',
        modelId: 'm',
        channelId: 'c',
        amountNanoUsd: (1_000n + 10n ** 15n) * PER_TOKEN - PLAUSIBLE,
        plausibleNanoUsd: PLAUSIBLE,
        promptTokens: 1_000,
        completionTokens: 10 ** 15,
        atMs: 1_790_000_000_000,
        state: 'open',
      },
    ]);
    expect(alarms).toHaveLength(1);
    expect(metered).toEqual([{ modelId: 'm', channelId: 'c' }]);
  });

  test('is charged if it costs no more than a plausible one', async () => {
    await grant(100n * COST);
    const odd = { ...USAGE, input: 0, output: 2_500 };
    expect(await (await reserved(request())).settle(billableOf(odd), SHARED)).toBe(2_500n * PER_TOKEN);
    expect(await heldCharges.list({}, 10)).toEqual([]);
  });

  test('does not matter if the model is free for the account', async () => {
    await grant(COST);
    expect(
      await (await reserved(request({ mayUseOwn: true, mayUsePlatform: false }))).settle(billableOf(usage), OWN),
    ).toBe(0n);
    expect(await heldCharges.list({}, 10)).toEqual([]);
  });
});

describe("a target's surcharge", () => {
  test('is reserved before the target is called, and charged', async () => {
    await grant(2n * COST);
    const reservation = await reserved(request());
    expect(await reservation.withExtras(twice)).toBeNull();
    expect(await billing.reserve(request())).toMatchObject({ code: 'insufficient_balance' });
    expect(await reservation.settle(billableOf(USAGE), SHARED)).toBe(2n * COST);
    expect(await balance()).toBe(0n);
  });

  test('skips a target that the balance does not cover, and another may be called', async () => {
    await grant(2n * COST - 1n);
    const reservation = await reserved(request());
    expect(await reservation.withExtras(twice)).toMatchObject({
      code: 'insufficient_balance',
      details: { estimatedCostNanoUsd: 2n * COST },
    });
    expect(await reservation.withExtras(null)).toBeNull();
    expect(await reservation.settle(billableOf(USAGE), SHARED)).toBe(COST);
  });

  test('counts toward the limit of a key', async () => {
    await grant(10n * COST);
    const reservation = await reserved(request({}, 2n * COST - 1n));
    expect(await reservation.withExtras(twice)).toMatchObject({ code: 'quota_exceeded' });
    reservation.release();
    await Promise.all(Array.from({ length: 10 }, () => reserved(request())));
  });

  describe('for a service tier', () => {
    const tier = (asked: string): Extras => ({
      ...{ ...NO_SURCHARGE, tokenFactor: factorOf(asked), askedTierFactor: factorOf(asked) },
      ...{ others: [], drawing: null, isUnknown: false },
    });

    test.each([
      ['priority served as standard costs the standard price', '2', '1', '1', '0'],
      ['priority served as flex costs the flex price', '2', '0.5', '0.5', '0'],
      ['flex served as standard costs the standard price, which was reserved', '0.5', '1', '1', '0'],
      ['flex served as priority costs the standard price, and the rest is held', '0.5', '2', '1', '1'],
      ['an unrequested dearer tier costs the standard price, and the rest is held', null, '2', '1', '1'],
      ['an unrequested cheaper tier is charged as such', null, '0.5', '0.5', '0'],
      ['an unreported tier stays as requested', '2', null, '2', '0'],
    ])('%s', async (_, asked, served, charged, held) => {
      await grant(10n * COST);
      const reservation = await reserved(request());
      expect(await reservation.withExtras(asked === null ? null : tier(asked))).toBeNull();
      const times = (factor: string) => (COST * factorOf(factor)) / ONE_FACTOR;
      const tierFactor = served === null ? null : factorOf(served);
      expect(await reservation.settle(billableOf(USAGE), { ...SHARED, tierFactor })).toBe(times(charged));
      const heldCost = (await heldCharges.list({}, 10)).reduce((sum, { amountNanoUsd }) => sum + amountNanoUsd, 0n);
      expect(heldCost).toBe(times(held));
    });
  });

  test('charges the dearest of several models that may answer', async () => {
    const dear = PriceSheet.parse({ input_per_1m: '3', output_per_1m: '3' });
    if (dear === null) throw new Error('no sheet');
    await grant(3n * COST);
    const reservation = await reserved(request());
    const extras = { ...twice, tokenFactor: factorOf('1'), others: [dear] };
    expect(await reservation.withExtras(extras)).toBeNull();
    expect(await reservation.settle(billableOf(USAGE), SHARED)).toBe(3n * COST);
  });

  test('of a tool call reserves the tokens it adds to the prompt', async () => {
    await grant(COST + 8_000n * PER_TOKEN);
    const reservation = await reserved(request());
    const extras = { ...twice, tokenFactor: factorOf('1'), toolCalls: 1 };
    expect(await reservation.withExtras(extras)).toBeNull();
    expect(await reservation.withExtras({ ...extras, toolCalls: 2 })).toBeInstanceOf(Failure);
  });

  test('without a price is not charged, and the cost is unknown', async () => {
    await grant(COST);
    const unlimited = await reserved(request({}, null, false));
    expect(await unlimited.withExtras({ ...twice, isUnknown: true })).toBeNull();
    expect(await unlimited.settle(billableOf(USAGE), SHARED)).toBeNull();
    expect(await balance()).toBe(COST);
  });

  describe('an image tool', () => {
    const sheets = ['32', '30'].flatMap((price) => PriceSheet.parse({ image_output_per_1m: price }) ?? []);
    const tokens = (outputTokens: number) => ({ inputTokens: 0, outputTokens });
    const draws: Extras = {
      ...{ ...twice, tokenFactor: ONE_FACTOR, askedTierFactor: ONE_FACTOR },
      drawing: { sheets, most: tokens(1_000), plausible: tokens(5_000) },
    };
    const A_TOKEN = 32_000n;
    const drawn = (amount: number) =>
      billableOf({
        ...USAGE,
        drawn: { quantities: [asDrawn({ unit: 'image_output_token', amount })], source: 'reported' },
      });

    test('has its largest possible cost reserved, at the dearest image model', async () => {
      await grant(COST + 1_000n * A_TOKEN - 1n);
      const poor = await reserved(request());
      expect(await poor.withExtras(draws)).toMatchObject({ status: 402 });
      poor.release();
      await grant(1n);
      const rich = await reserved(request());
      expect(await rich.withExtras(draws)).toBeNull();
      expect(await rich.settle(drawn(100), SHARED)).toBe(COST + 100n * A_TOKEN);
      expect(await balance()).toBe(900n * A_TOKEN);
    });

    test('is charged with a free model, too', async () => {
      await grant(1_000n * A_TOKEN);
      const reservation = await reserved(request({ prices: PriceSheet.parse('free') }));
      expect(await reservation.withExtras(draws)).toBeNull();
      expect(await reservation.settle(drawn(100), SHARED)).toBe(100n * A_TOKEN);
    });

    test('with an implausible report has the excess held', async () => {
      await grant(1_000_000n * A_TOKEN);
      const reservation = await reserved(request());
      await reservation.withExtras(draws);
      const charged = await reservation.settle(drawn(1_000_000), SHARED);
      expect(charged).toBeGreaterThanOrEqual(5_000n * A_TOKEN);
      expect(charged).toBeLessThan(10_000n * A_TOKEN + 10n * COST);
    });
  });

  test("does not apply to an account's own channel", async () => {
    await grant(2n * COST);
    const reservation = await reserved(request());
    await reservation.withExtras(twice);
    expect(await reservation.settle(billableOf(USAGE), OWN)).toBe(0n);
  });
});

describe('while charges cannot be written', () => {
  const FREE = PriceSheet.parse({ input_per_1m: '0', output_per_1m: '0' });
  const twice: Extras = {
    ...{ ...NO_SURCHARGE, tokenFactor: factorOf('2'), askedTierFactor: ONE_FACTOR },
    ...{ others: [], drawing: null, isUnknown: false },
  };

  test.each([true, false])('a request that would be charged is refused (prepaid: %p)', async (isPrepaid) => {
    await grant(10n * COST);
    store.problem = 'the disk is full';
    const refusal = await billing.reserve(request({}, null, isPrepaid));
    expect(refusal).toMatchObject({ code: 'storage_unavailable', status: 503, retryAfterSeconds: 5 });
    expect((refusal as Failure).message).not.toContain('disk');
    store.problem = null;
    expect(await (await reserved(request({}, null, isPrepaid))).settle(billableOf(USAGE), SHARED)).toBe(COST);
  });

  test('a free request goes on', async () => {
    store.problem = 'the disk is full';
    await reserved(request({ prices: FREE }));
    await reserved(request({ prices: null }, null, false));
    await reserved(request({ mayUsePlatform: false, mayUseOwn: true }));
  });

  test('a paid fallback of a free model is reserved before it is called', async () => {
    const other: Extras = { ...twice, tokenFactor: ONE_FACTOR, others: PRICES === null ? [] : [PRICES] };
    const poor = await reserved(request({ prices: FREE }));
    expect(await poor.withExtras(other)).toMatchObject({ status: 402, code: 'insufficient_balance' });
    poor.release();
    await grant(COST);
    const rich = await reserved(request({ prices: FREE }));
    expect(await rich.withExtras(other)).toBeNull();
    expect(await billing.reserve(request())).toMatchObject({ status: 402 });
    expect(await rich.settle(billableOf(USAGE), SHARED)).toBe(COST);
    expect([await balance(), warnings]).toEqual([0n, []]);
  });

  test('a surcharge of a free model is refused', async () => {
    store.problem = 'the disk is full';
    const reservation = await reserved(request({ prices: FREE }));
    expect(await reservation.withExtras(twice)).toMatchObject({ code: 'storage_unavailable' });
    expect(await reservation.withExtras(null)).toBeNull();
  });

  test.each(['at once', 'later'])('a ledger that fails %s is not reported as a bug of the gateway', async (when) => {
    await grant(10n * COST);
    const error = new Error('/secret/path is full');
    ledger.lease = () => {
      if (when === 'at once') throw error;
      return Promise.reject(error);
    };
    expect(await billing.reserve(request())).toMatchObject({ code: 'storage_unavailable' });
    expect(alarms).toEqual(['a reservation for a request failed']);
  });
});
