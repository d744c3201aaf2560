import { afterEach, beforeEach, expect, test } from 'bun:test';
import fc from 'fast-check';
import { billableOf, type Usage } from '../../../src/domain/exchange/usage.ts';
import { Failure } from '../../../src/domain/failure/failure.ts';
import { type Budget, type BudgetRaise, type BudgetReroute, budgetWindow } from '../../../src/domain/money/budget.ts';
import { PriceSheet } from '../../../src/domain/money/price-sheet.ts';
import { FakeClock } from '../../../src/engine/admin/testing/fake-clock.ts';
import { AccountBilling } from '../../../src/engine/billing/account-billing.ts';
import { HoldBilling } from '../../../src/engine/billing/durable-billing.ts';
import type { BillableRequest, Reservation } from '../../../src/engine/ports/billing.ts';
import type { Store } from '../../../src/engine/ports/store.ts';
import { sampleAccount, sampleCredential } from '../../../src/engine/ports/testing/samples.ts';
import { DEFAULT_BILLING } from '../../../src/engine/settings/settings.ts';
import { closeTestStores, openTestStore } from '../../../src/stores/sqlite/testing/test-store.ts';
import { GatewayLedger } from './gateway-ledger.ts';

/* Budgets that lead requests to a cheaper model, and budgets that are raised for a limited time. */

const PRICES = PriceSheet.parse({ input_per_1m: '1', output_per_1m: '1' });
/** The cost of a request that uses its whole reservation. */
const COST = 1_500_000n;
const USAGE: Usage = { input: 1_000, cachedInput: 0, cacheWrite: 0, output: 500, reasoning: 0, source: 'reported' };
const SHARED = { channelId: 'c', isPrivate: false, tierFactor: null };
const HOUR_MS = 3_600_000;
const SIZE = { inputTokens: 1_000, outputTokens: 500 };
const BOUNDS = { certain: () => SIZE, counted: async () => SIZE, isPlausible: () => true, plausible: () => SIZE };
const PLACE = { accountId: 'acme', keyId: null };

let store: Store;
let clock: FakeClock;
let ports: ConstructorParameters<typeof HoldBilling>[0];
let billing: AccountBilling;
let requests = 0;

beforeEach(async () => {
  clock = new FakeClock();
  clock.advance(Date.UTC(2026, 10, 23, 1) - clock.nowMs());
  store = await openTestStore({ clock });
  const logger = { debug() {}, info() {}, error() {}, warn() {} };
  const { ledger, heldCharges, holds } = store;
  const metrics = { chargeHeld() {} };
  ports = { store: { problem: null }, ledger, heldCharges, holds, metrics, clock, logger, settings: DEFAULT_BILLING };
  billing = new AccountBilling(ports);
});
afterEach(closeTestStores);

const TO_SMALL: BudgetReroute = { modelId: 'small', atPercent: 100, ceilingNanoUsd: null };

function budgetOf(costs: bigint, reroute: Partial<BudgetReroute> | null = {}): Budget {
  const budget = { amountNanoUsd: costs * COST, per: 'day', timeZone: 'UTC' } as const;
  return reroute === null ? budget : { ...budget, reroute: { ...TO_SMALL, ...reroute } };
}

function request(modelId: string, budget: Budget, budgetRaise: BudgetRaise | null = null): BillableRequest {
  return {
    requestId: `req_${++requests}`,
    principal: {
      account: sampleAccount({ billing: 'unlimited', budget, budgetRaise }),
      credential: sampleCredential({ accountId: 'acme' }),
    },
    ...{ modelId, prices: PRICES, mayUsePlatform: true, mayUseOwn: false, bounds: BOUNDS },
  };
}

/** Resolves to whether the request was admitted; it is charged its whole reservation then. */
async function spend(of: BillableRequest): Promise<boolean> {
  const reservation = await billing.reserve(of);
  if (reservation instanceof Failure) return false;
  await reservation.settle(billableOf(USAGE), SHARED);
  return true;
}

async function spentNow(budget: Budget): Promise<bigint> {
  const [spending] = await store.ledger.budgetSpending([{ ...PLACE, window: budgetWindow(budget, clock.nowMs()) }]);
  return (spending?.spentNanoUsd ?? 0n) / COST;
}

test('past its amount a budget admits its cheaper model only, and counts it', async () => {
  const budget = budgetOf(2n);
  for (const admitted of [true, true, false]) expect(await spend(request('large', budget))).toBe(admitted);
  for (let count = 0; count < 5; count++) expect(await spend(request('small', budget))).toBe(true);
  expect(await spentNow(budget)).toBe(7n);
  expect(await spend(request('large', budget))).toBe(false);
  clock.advance(24 * HOUR_MS);
  expect(await spend(request('large', budget))).toBe(true);
  expect((await store.ledger.verify()).problems).toEqual([]);
});

test('it is known to be spent after the first refusal, until its period ends or it is raised', async () => {
  const budget = budgetOf(2n);
  await spend(request('large', budget));
  expect(billing.wallets.hasReached(PLACE, budget)).toBe(false);
  await spend(request('large', budget));
  expect(await billing.reserve(request('large', budget))).toBeInstanceOf(Failure);
  expect(billing.wallets.hasReached(PLACE, budget)).toBe(true);
  expect(billing.wallets.hasReached(PLACE, budgetOf(3n))).toBe(false);
  clock.advance(24 * HOUR_MS);
  expect(billing.wallets.hasReached(PLACE, budget)).toBe(false);
});

test('a request that does not fit into the rest is refused, although the amount is not spent', async () => {
  const budget = { ...budgetOf(1n), amountNanoUsd: 2n * COST - 1n };
  await spend(request('large', budget));
  const refusal = await billing.reserve(request('large', budget));
  expect(refusal).toMatchObject({ code: 'quota_exceeded', kind: 'account_budget' });
  expect((refusal as Failure).details.hint).toContain('`small`, its cheaper model, cannot take this request');
  expect(billing.wallets.hasReached(PLACE, budget)).toBe(false);
});

test('a percentage begins earlier, and a ceiling ends it', async () => {
  const budget = budgetOf(4n, { atPercent: 50, ceilingNanoUsd: 5n * COST });
  for (const admitted of [true, true, false]) expect(await spend(request('large', budget))).toBe(admitted);
  for (const admitted of [true, true, true, false]) expect(await spend(request('small', budget))).toBe(admitted);
  expect(await spentNow(budget)).toBe(5n);
  const refusal = await billing.reserve(request('small', budget));
  expect((refusal as Failure).message).toContain('the ceiling of 0.0075 USD per day of the account');
});

test('idle leases for one of the models are no loss for the other', async () => {
  const budget = budgetOf(3n, { ceilingNanoUsd: 4n * COST });
  for (const model of ['small', 'large', 'large']) expect(await spend(request(model, budget))).toBe(true);
  expect(await spend(request('large', budget))).toBe(false);
  expect(await spend(request('small', budget))).toBe(true);
  expect(await spend(request('small', budget))).toBe(false);
  await billing.wallets.giveBackUnneeded();
  await billing.wallets.giveBackIdle(true);
  const [spending] = await store.ledger.budgetSpending([{ ...PLACE, window: budgetWindow(budget, clock.nowMs()) }]);
  expect(spending).toMatchObject({ spentNanoUsd: 4n * COST, leasedNanoUsd: 0n });
});

test('a hold for the cheaper model counts in the period that it was made in', async () => {
  const durable = new HoldBilling(ports, billing.wallets);
  const budget = budgetOf(1n);
  await spend(request('large', budget));
  expect(await durable.hold(request('large', budget), 0)).toMatchObject({ kind: 'account_budget' });
  expect(billing.wallets.hasReached(PLACE, budget)).toBe(true);
  const held = await durable.hold(request('small', budget), clock.nowMs() + HOUR_MS);
  if (held instanceof Failure) throw new Error(held.message);
  clock.advance(24 * HOUR_MS);
  expect(await held.settle(billableOf(USAGE), SHARED)).toBe(COST);
  expect(await spentNow(budget)).toBe(0n);
  clock.advance(-24 * HOUR_MS);
  expect(await spentNow(budget)).toBe(2n);
  expect((await store.ledger.verify()).problems).toEqual([]);
});

test('a raise applies from the next request on, and ends at its time', async () => {
  const budget = budgetOf(1n, null);
  const raise = { amountNanoUsd: 3n * COST, untilMs: clock.nowMs() + HOUR_MS };
  expect(await spend(request('large', budget))).toBe(true);
  expect(await spend(request('large', budget))).toBe(false);
  expect(await spend(request('large', budget, raise))).toBe(true);
  const last = (await billing.reserve(request('large', budget, raise))) as Reservation;
  clock.advance(HOUR_MS - 1);
  last.release();
  expect(await spend(request('large', budget, { ...raise, amountNanoUsd: 2n * COST }))).toBe(false);
  const running = (await billing.reserve(request('large', budget, raise))) as Reservation;
  clock.advance(1);
  expect(await billing.reserve(request('large', budget, raise))).toBeInstanceOf(Failure);
  // The request was admitted in time and is charged.
  expect(await running.settle(billableOf(USAGE), SHARED)).toBe(COST);
  expect(await spentNow(budget)).toBe(3n);
  expect((await store.ledger.verify()).problems).toEqual([]);
});

test('no budget is exceeded with its cheaper model or a raise, by any requests at any gateways', async () => {
  const crowd = fc.record({
    amount: fc.integer({ min: 0, max: 6 }),
    atPercent: fc.constantFrom(50, 100),
    ceiling: fc.option(fc.integer({ min: 6, max: 9 }), { nil: null }),
    raise: fc.option(fc.record({ to: fc.integer({ min: 1, max: 9 }), hours: fc.nat({ max: 20 }) }), { nil: null }),
    requests: fc.array(
      fc.record({
        gateway: fc.nat({ max: 2 }),
        model: fc.constantFrom('large', 'small'),
        afterMinutes: fc.nat({ max: 40 }),
        /** Percent of the reservation; 0 releases it. */
        cost: fc.nat({ max: 150 }),
        lasts: fc.nat({ max: 6 }),
      }),
      { minLength: 1, maxLength: 30 },
    ),
  });
  const holds = fc.asyncProperty(crowd, async (given) => {
    clock.advance(Date.UTC(2026, 10, 23) - clock.nowMs());
    store = await openTestStore({ clock });
    ports = { ...ports, heldCharges: store.heldCharges };
    const gateways = [0, 1, 2].map(
      () => new AccountBilling({ ...ports, ledger: new GatewayLedger(store.ledger, () => null) }),
    );
    const ceilingNanoUsd = given.ceiling === null ? null : BigInt(given.ceiling) * COST;
    const budget = budgetOf(BigInt(given.amount), { atPercent: given.atPercent, ceilingNanoUsd });
    const budgetRaise =
      given.raise === null
        ? null
        : { amountNanoUsd: BigInt(given.raise.to) * COST, untilMs: clock.nowMs() + given.raise.hours * HOUR_MS };
    const spent = { large: 0n, small: 0n };
    const running: { ends: number; model: 'large' | 'small'; reservation: Reservation; cost: number }[] = [];
    for (const [index, { gateway, model, afterMinutes, cost, lasts }] of given.requests.entries()) {
      clock.advance(afterMinutes * 60_000);
      const answer = await gateways[gateway]!.reserve(request(model, budget, budgetRaise));
      if (!(answer instanceof Failure)) running.push({ ends: index + lasts, model, reservation: answer, cost });
      for (const one of running.filter(({ ends }) => ends === index)) {
        const usage = { ...USAGE, input: 15 * one.cost, output: 0 };
        if (one.cost === 0) one.reservation.release();
        else spent[one.model] += (await one.reservation.settle(billableOf(usage), SHARED)) ?? 0n;
      }
      if (index % 5 === 4) for (const one of gateways) await one.wallets.giveBackIdle(true);
    }
    for (const { reservation } of running.filter(({ ends }) => ends >= given.requests.length)) reservation.release();
    for (const one of gateways) await one.wallets.giveBackIdle(true);
    const raised = BigInt(Math.max(0, (given.raise?.to ?? 0) - given.amount)) * COST;
    const threshold = ((budget.amountNanoUsd + raised) * BigInt(given.atPercent)) / 100n;
    expect(spent.large).toBeLessThanOrEqual(threshold);
    if (ceilingNanoUsd !== null) expect(spent.large + spent.small).toBeLessThanOrEqual(ceilingNanoUsd + raised);
    const pool = { ...PLACE, window: budgetWindow(budget, clock.nowMs()) };
    const [spending] = await store.ledger.budgetSpending([pool]);
    expect(spending).toMatchObject({ spentNanoUsd: spent.large + spent.small, leasedNanoUsd: 0n });
    expect((await store.ledger.verify()).problems).toEqual([]);
  });
  await fc.assert(holds, { numRuns: 40 });
});
