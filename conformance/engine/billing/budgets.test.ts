import { afterEach, beforeEach, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Account } from '../../../src/domain/access/account.ts';
import type { Credential } from '../../../src/domain/access/api-key.ts';
import { billableOf, type Usage } from '../../../src/domain/exchange/usage.ts';
import { Failure } from '../../../src/domain/failure/failure.ts';
import { type Budget, type BudgetPeriod, budgetWindow } from '../../../src/domain/money/budget.ts';
import { PriceSheet } from '../../../src/domain/money/price-sheet.ts';
import { FakeClock } from '../../../src/engine/admin/testing/fake-clock.ts';
import { AccountBilling } from '../../../src/engine/billing/account-billing.ts';
import { HoldBilling } from '../../../src/engine/billing/durable-billing.ts';
import type { BillableRequest, Reservation } from '../../../src/engine/ports/billing.ts';
import type { Store } from '../../../src/engine/ports/store.ts';
import { sampleAccount, sampleCredential, sampleEntry } from '../../../src/engine/ports/testing/samples.ts';
import { DEFAULT_BILLING } from '../../../src/engine/settings/settings.ts';
import { closeTestStores, openTestStore } from '../../../src/stores/sqlite/testing/test-store.ts';
import { GatewayLedger } from './gateway-ledger.ts';

const PRICES = PriceSheet.parse({ input_per_1m: '1', output_per_1m: '1' });
const PER_TOKEN = 1_000n;
/** The cost of a request that uses its whole reservation. */
const COST = 1_500n * PER_TOKEN;
const USAGE: Usage = { input: 1_000, cachedInput: 0, cacheWrite: 0, output: 500, reasoning: 0, source: 'reported' };
const SHARED = { channelId: 'c', isPrivate: false, tierFactor: null };
const MONDAY = Date.UTC(2026, 10, 23);
const HOUR_MS = 3_600_000;
const SIZE = { inputTokens: 1_000, outputTokens: 500 };
const BOUNDS = { certain: () => SIZE, counted: async () => SIZE, isPlausible: () => true, plausible: () => SIZE };

let store: Store;
let clock: FakeClock;
let ports: ConstructorParameters<typeof HoldBilling>[0];
let billing: AccountBilling;
let warnings: string[];
let requests = 0;

beforeEach(async () => {
  clock = new FakeClock();
  clock.advance(MONDAY + HOUR_MS - clock.nowMs());
  store = await openTestStore({ clock });
  warnings = [];
  const logger = {
    debug() {},
    info() {},
    error() {},
    warn: (_: unknown, message: string) => void warnings.push(message),
  };
  const { ledger, heldCharges, holds } = store;
  const metrics = { chargeHeld() {} };
  ports = { store: { problem: null }, ledger, heldCharges, holds, metrics, clock, logger, settings: DEFAULT_BILLING };
  billing = new AccountBilling(ports);
});
afterEach(closeTestStores);

const budgetOf = (amountNanoUsd: bigint, per: BudgetPeriod = 'day'): Budget => ({
  amountNanoUsd,
  per,
  timeZone: 'UTC',
});

function request(account: Partial<Account>, key: Partial<Credential> = {}): BillableRequest {
  return {
    requestId: `req_${++requests}`,
    principal: {
      account: sampleAccount({ billing: 'unlimited', ...account }),
      credential: sampleCredential({ accountId: 'acme', ...key }),
    },
    modelId: 'm',
    prices: PRICES,
    mayUsePlatform: true,
    mayUseOwn: false,
    bounds: BOUNDS,
  };
}

async function reserved(of: BillableRequest, from = billing): Promise<Reservation> {
  const reservation = await from.reserve(of);
  if (reservation instanceof Failure) throw new Error(reservation.message);
  return reservation;
}

async function spend(of: BillableRequest, usage = USAGE): Promise<bigint | null> {
  return (await reserved(of)).settle(billableOf(usage), SHARED);
}

async function spentNow(budget: Budget, keyId: string | null = null): Promise<bigint | undefined> {
  const pool = { accountId: 'acme', keyId, window: budgetWindow(budget, clock.nowMs()) };
  const [spending] = await store.ledger.budgetSpending([pool]);
  return spending?.spentNanoUsd;
}

test.each([
  ['an unlimited account', { billing: 'unlimited' }, {}, 'account'],
  ['a key with a limit', { billing: 'unlimited' }, { limitNanoUsd: 100n * COST }, 'account'],
  ['a prepaid account', { billing: 'prepaid' }, {}, 'account'],
  ['a key', { billing: 'unlimited' }, {}, 'key'],
  ['a key with a limit, of a prepaid account', { billing: 'prepaid' }, { limitNanoUsd: 100n * COST }, 'key'],
] as const)('concurrent requests do not exceed a budget of %s', async (_of, account, key, whose) => {
  await store.ledger.append(sampleEntry({ amountNanoUsd: 100n * COST }));
  const budget = budgetOf(7n * COST);
  const of = () => (whose === 'account' ? request({ ...account, budget }, key) : request(account, { ...key, budget }));
  const answers = await Promise.all(Array.from({ length: 20 }, () => billing.reserve(of())));
  const granted = answers.filter((answer): answer is Reservation => !(answer instanceof Failure));
  expect(granted).toHaveLength(7);
  await Promise.all(granted.map((reservation) => reservation.settle(billableOf(USAGE), SHARED)));
  expect(await spentNow(budget, whose === 'key' ? 'ci' : null)).toBe(7n * COST);
  expect(await billing.reserve(of())).toMatchObject({ code: 'quota_exceeded' });
  await billing.wallets.giveBackIdle(true);
  expect((await store.ledger.balance('acme')).leasedNanoUsd).toBe(0n);
  expect((await store.ledger.verify()).problems).toEqual([]);
});

test('the refusal names the owner of the budget, its amount and its end', async () => {
  const budget = budgetOf(2n * COST, 'week');
  await spend(request({ budget }));
  await spend(request({ budget }));
  expect(await billing.reserve(request({ budget }))).toMatchObject({
    code: 'quota_exceeded',
    status: 402,
    kind: 'account_budget',
    message: "This request may cost more than what is left of the account's budget of 0.003 USD per week.",
    resetsAt: '2026-11-30T00:00:00Z',
    retryAfterSeconds: 7 * 86_400 - 3_600,
    details: { estimatedCostNanoUsd: COST },
  });
  const small = { ...budgetOf(COST - 1n, 'month'), timeZone: 'Europe/Berlin' };
  const refusal = await billing.reserve(request({}, { budget: small }));
  expect(refusal).toMatchObject({ kind: 'key_budget', resetsAt: '2026-11-30T23:00:00Z' });
  expect((refusal as Failure).message).toContain("this API key's budget of 0.001499999 USD per month");
  // Waiting does not help if the whole budget is too small.
  expect((refusal as Failure).retryAfterSeconds).toBeUndefined();
});

test('a used-up budget still allows free requests and cached responses', async () => {
  const budget = budgetOf(0n);
  const free = await reserved({ ...request({ budget }), prices: PriceSheet.parse('free') });
  expect(await free.settle(billableOf(USAGE), SHARED)).toBe(0n);
  expect(await billing.reserve(request({ budget }))).toMatchObject({ code: 'quota_exceeded' });
});

test('all of a budget is available in a new period, whatever was leased in the last one', async () => {
  const budget = budgetOf(3n * COST);
  await spend(request({ budget }));
  await spend(request({ budget }));
  const last = await reserved(request({ budget }));
  expect(await billing.reserve(request({ budget }))).toMatchObject({ code: 'quota_exceeded' });
  clock.advance(23 * HOUR_MS);
  for (let count = 0; count < 3; count++) await spend(request({ budget }));
  expect(await billing.reserve(request({ budget }))).toMatchObject({ code: 'quota_exceeded' });
  // The request began before midnight and counts there.
  expect(await last.settle(billableOf(USAGE), SHARED)).toBe(COST);
  expect(await spentNow(budget)).toBe(3n * COST);
  clock.advance(-HOUR_MS);
  expect(await spentNow(budget)).toBe(3n * COST);
  expect((await store.ledger.verify()).problems).toEqual([]);
});

test('a cost beyond the reservation takes at most the rest of the budget', async () => {
  const budget = budgetOf(COST + 10n);
  expect(await spend(request({ budget }), { ...USAGE, output: 1_000 })).toBe(COST + 10n);
  expect(warnings).toEqual(['cost exceeded the reserved balance']);
});

test('a changed budget applies from the next request on', async () => {
  await spend(request({ budget: budgetOf(4n * COST) }));
  expect(await billing.reserve(request({ budget: budgetOf(2n * COST - 1n) }))).toMatchObject({
    code: 'quota_exceeded',
  });
  await spend(request({ budget: budgetOf(2n * COST) }));
  // Past spending also counts in other kinds of period, and spending without a budget counts later.
  expect(await billing.reserve(request({ budget: budgetOf(2n * COST, 'month') }))).toBeInstanceOf(Failure);
  await spend(request({}));
  expect(await billing.reserve(request({ budget: budgetOf(4n * COST - 1n, 'week') }))).toBeInstanceOf(Failure);
  await spend(request({ budget: budgetOf(4n * COST) }));
  expect((await store.ledger.verify()).problems).toEqual([]);
});

test('a refusal by one budget releases what the others reserved', async () => {
  await store.ledger.append(sampleEntry({ amountNanoUsd: 100n * COST }));
  const prepaid = { billing: 'prepaid', budget: budgetOf(10n * COST) } as const;
  await billing.reserve(request(prepaid, { budget: budgetOf(0n) }));
  await billing.wallets.giveBackIdle(true);
  expect((await store.ledger.balance('acme')).leasedNanoUsd).toBe(0n);
  await Promise.all(Array.from({ length: 10 }, () => reserved(request(prepaid))));
});

test('a hold counts in the period it was made in, and a refusal names the budget it exceeds', async () => {
  const durable = new HoldBilling(ports, billing.wallets);
  const budget = budgetOf(2n * COST);
  // Idle leases of this process are returned for the hold.
  await spend(request({ budget }));
  const held = await durable.hold(request({ budget }), clock.nowMs() + HOUR_MS);
  if (held instanceof Failure) throw new Error(held.message);
  const midnight = { resetsAt: '2026-11-24T00:00:00Z' };
  expect(await durable.hold(request({ budget }), 0)).toMatchObject({ kind: 'account_budget', ...midnight });
  expect(await durable.hold(request({}, { budget: budgetOf(1n) }), 0)).toMatchObject({
    kind: 'key_budget',
    ...midnight,
  });
  clock.advance(23 * HOUR_MS);
  expect(await held.settle(billableOf({ ...USAGE, output: 900 }), SHARED)).toBe(COST);
  expect(await spentNow(budget)).toBe(0n);
  clock.advance(-23 * HOUR_MS);
  expect(await spentNow(budget)).toBe(2n * COST);
  expect((await store.ledger.verify()).problems).toEqual([]);
});

test('no budget is exceeded in any period, by any requests at any gateways', async () => {
  const crowd = fc.record({
    account: fc.option(fc.integer({ min: 0, max: 9 }), { nil: null }),
    key: fc.option(fc.integer({ min: 0, max: 9 }), { nil: null }),
    requests: fc.array(
      fc.record({
        gateway: fc.nat({ max: 2 }),
        afterHours: fc.nat({ max: 9 }),
        /** Percent of the reservation; 0 releases it. */
        cost: fc.nat({ max: 150 }),
        lasts: fc.nat({ max: 6 }),
      }),
      { minLength: 1, maxLength: 40 },
    ),
  });
  const holds = fc.asyncProperty(crowd, async (given) => {
    store = await openTestStore({ clock });
    ports = { ...ports, heldCharges: store.heldCharges };
    const gateways = [0, 1, 2].map(
      () => new AccountBilling({ ...ports, ledger: new GatewayLedger(store.ledger, () => null) }),
    );
    const ofAccount = given.account === null ? null : budgetOf(BigInt(given.account) * COST);
    const ofKey = given.key === null ? null : budgetOf(BigInt(given.key) * COST, 'week');
    const running: { ends: number; reservation: Reservation; cost: number }[] = [];
    const windows = new Set<number>();
    for (const [index, { gateway, afterHours, cost, lasts }] of given.requests.entries()) {
      clock.advance(afterHours * HOUR_MS);
      windows.add(clock.nowMs());
      const answer = await gateways[gateway]!.reserve(request({ budget: ofAccount }, { budget: ofKey }));
      if (!(answer instanceof Failure)) running.push({ ends: index + lasts, reservation: answer, cost });
      for (const { reservation, cost: percent } of running.filter(({ ends }) => ends === index)) {
        const usage = { ...USAGE, input: 15 * percent, output: 0 };
        if (percent === 0) reservation.release();
        else await reservation.settle(billableOf(usage), SHARED);
      }
      if (index % 5 === 4) for (const one of gateways) await one.wallets.giveBackIdle(true);
    }
    for (const { reservation } of running.filter(({ ends }) => ends >= given.requests.length)) reservation.release();
    for (const one of gateways) await one.wallets.giveBackIdle(true);
    for (const [budget, keyId] of [
      [ofAccount, null],
      [ofKey, 'ci'],
    ] as const) {
      if (budget === null) continue;
      const pools = [...windows].map((atMs) => ({ accountId: 'acme', keyId, window: budgetWindow(budget, atMs) }));
      for (const { spentNanoUsd, leasedNanoUsd } of await store.ledger.budgetSpending(pools)) {
        expect(spentNanoUsd).toBeLessThanOrEqual(budget.amountNanoUsd);
        expect(leasedNanoUsd).toBe(0n);
      }
    }
    expect((await store.ledger.verify()).problems).toEqual([]);
  });
  await fc.assert(holds, { numRuns: 40 });
});
