import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { billableOf, type Usage } from '../../../src/domain/exchange/usage.ts';
import { Failure } from '../../../src/domain/failure/failure.ts';
import { type Budget, budgetWindow } from '../../../src/domain/money/budget.ts';
import { PriceSheet } from '../../../src/domain/money/price-sheet.ts';
import { FakeClock } from '../../../src/engine/admin/testing/fake-clock.ts';
import { AccountBilling } from '../../../src/engine/billing/account-billing.ts';
import type { BillableRequest, Reservation } from '../../../src/engine/ports/billing.ts';
import type { Store } from '../../../src/engine/ports/store.ts';
import { sampleAccount, sampleCredential, sampleEntry } from '../../../src/engine/ports/testing/samples.ts';
import { DEFAULT_BILLING } from '../../../src/engine/settings/settings.ts';
import { closeTestStores, openTestStore } from '../../../src/stores/sqlite/testing/test-store.ts';
import { type Fault, GatewayLedger } from './gateway-ledger.ts';

/* No money stays leased without a request that holds it, whatever is lost on the way to the ledger. */

const PRICES = PriceSheet.parse({ input_per_1m: '1', output_per_1m: '1' });
const PER_TOKEN = 1_000n;
const COST = 1_500n * PER_TOKEN;
const USAGE: Usage = { input: 1_000, cachedInput: 0, cacheWrite: 0, output: 500, reasoning: 0, source: 'reported' };
const SHARED = { channelId: 'c', isPrivate: false, tierFactor: null };
const SIZE = { inputTokens: 1_000, outputTokens: 500 };
const BOUNDS = { certain: () => SIZE, counted: async () => SIZE, isPlausible: () => true, plausible: () => SIZE };
const LIMIT = 40n * COST;
const BUDGET: Budget = { amountNanoUsd: 35n * COST, per: 'day', timeZone: 'UTC' };
const OPENING = 45n * COST;

let store: Store;
let clock: FakeClock;
let faults: (Fault | null)[];
let requests = 0;

beforeEach(() => open());
afterEach(closeTestStores);

async function open(): Promise<void> {
  clock = new FakeClock();
  store = await openTestStore({ clock });
  faults = [];
  await store.ledger.append(sampleEntry({ amountNanoUsd: OPENING }));
}

interface Gateway {
  readonly ledger: GatewayLedger;
  readonly billing: AccountBilling;
}

function gateway(): Gateway {
  const silent = () => {};
  const logger = { debug: silent, info: silent, warn: silent, error: silent };
  const ledger = new GatewayLedger(store.ledger, () => faults.shift() ?? null);
  const ports = { store: { problem: null }, ledger, heldCharges: store.heldCharges, metrics: { chargeHeld: silent } };
  return { ledger, billing: new AccountBilling({ ...ports, clock, logger, settings: DEFAULT_BILLING }) };
}

function request(): BillableRequest {
  return {
    requestId: `req_${++requests}`,
    principal: {
      account: sampleAccount({ id: 'acme', billing: 'prepaid' }),
      credential: sampleCredential({ accountId: 'acme', id: 'ci', limitNanoUsd: LIMIT, budget: BUDGET }),
    },
    modelId: 'm',
    prices: PRICES,
    mayUsePlatform: true,
    mayUseOwn: false,
    bounds: BOUNDS,
  };
}

/** Resolves to the amounts leased from the balance, the key's limit and its budget. */
async function leased(): Promise<readonly bigint[]> {
  const limit = { accountId: 'acme', keyId: 'ci' };
  const [budget] = await store.ledger.budgetSpending([{ ...limit, window: budgetWindow(BUDGET, clock.nowMs()) }]);
  const spent = (await store.ledger.spending())[0]?.spentNanoUsd ?? 0n;
  const free = await store.ledger.lease(limit, LIMIT, 1n, LIMIT);
  await store.ledger.giveBack(limit, free);
  const { leasedNanoUsd } = await store.ledger.balance('acme');
  return [leasedNanoUsd, LIMIT - spent - free, budget?.leasedNanoUsd ?? 0n];
}

const NOTHING = [0n, 0n, 0n];

const isReservation = (answer: Reservation | Failure): answer is Reservation => !(answer instanceof Failure);

describe('leases that expire during a request', () => {
  test('leave the grant of the next attempt in the wallet', async () => {
    const { billing } = gateway();
    faults = ['leases-lost'];
    const reservation = await billing.reserve(request());
    expect(isReservation(reservation)).toBe(true);
    if (isReservation(reservation)) reservation.release();
    const { neededNanoUsd } = billing.wallets.account('acme');
    // The lease of the lost node has not expired.
    expect((await leased())[0]).toBe(2n * neededNanoUsd);
  });

  test('leave the cover correct for a charge beyond the reservation', async () => {
    const { billing, ledger } = gateway();
    const reservation = await billing.reserve(request());
    if (!isReservation(reservation)) throw reservation;
    faults = ['leases-lost'];
    const cost = 12n * COST;
    expect(await reservation.settle(billableOf({ ...USAGE, input: 17_500 }), SHARED)).toBe(cost);
    await ledger.expire();
    await billing.wallets.giveBackIdle(true);
    expect(await leased()).toEqual(NOTHING);
    expect((await store.ledger.balance('acme')).balanceNanoUsd).toBe(OPENING - cost);
  });
});

test.each(['refused', 'answer-lost', 'done-late'] as const)(
  'money that a %s charge, lease or return leaves leased is released',
  async (fault) => {
    for (const call of [0, 1, 2, 3, 4, 5, 6, 7, 8]) {
      await open();
      const { billing, ledger } = gateway();
      faults = [...Array.from({ length: call }, () => null), fault];
      const reservation = await billing.reserve(request());
      if (isReservation(reservation)) await settled(reservation, 100);
      clock.advance(2_500);
      await billing.wallets.giveBackIdle();
      await ledger.thaw();
      clock.advance(5_000);
      await billing.wallets.giveBackIdle();
      expect([call, ...(await leased())]).toEqual([call, ...NOTHING]);
    }
  },
);

test('money that a busy gateway lost is recovered while it stays busy', async () => {
  const { billing, ledger } = gateway();
  const running = await Promise.all([billing.reserve(request()), billing.reserve(request())]);
  faults = ['answer-lost'];
  await ledger.lease({ accountId: 'acme', keyId: null }, 5n * COST, 1n).catch(() => {});
  const before = (await leased())[0] ?? 0n;
  await billing.wallets.giveBackUnneeded();
  expect(before - ((await leased())[0] ?? 0n)).toBe(5n * COST);
  expect(running.filter(isReservation)).toHaveLength(2);
  expect(billing.wallets.account('acme').neededNanoUsd).toBe((await leased())[0]!);
});

/** Settles a reservation. Resolves to `null` if the charge cannot be written, which fails the request. */
async function settled(reservation: Reservation, percent: number): Promise<bigint | null> {
  const usage = { ...USAGE, input: 15 * percent, output: 0 };
  if (percent > 0) return await Promise.resolve(reservation.settle(billableOf(usage), SHARED)).catch(() => null);
  reservation.release();
  return 0n;
}

test('no money stays leased without a request, after any requests at two gateways and any faults', async () => {
  const fault = fc.option(fc.constantFrom<Fault>('refused', 'answer-lost', 'done-late', 'leases-lost'), {
    freq: 4,
    nil: null,
  });
  const crowd = fc.record({
    faults: fc.array(fault, { maxLength: 40 }),
    rounds: fc.array(
      fc.record({
        /** Percent of the reservation. */
        costs: fc.array(fc.nat({ max: 300 }), { minLength: 1, maxLength: 6 }),
        next: fc.constantFrom('wait', 'thaw', 'expire', 'idle', 'unneeded'),
      }),
      { minLength: 1, maxLength: 6 },
    ),
  });
  const law = fc.asyncProperty(crowd, async (given) => {
    await open();
    const gateways = [gateway(), gateway()];
    faults = [...given.faults];
    let charged = 0n;
    for (const { costs, next } of given.rounds) {
      const spending = costs.map(async (percent, index) => {
        const reservation = await gateways[index % 2]!.billing.reserve(request());
        if (isReservation(reservation)) await settled(reservation, percent);
      });
      if (next === 'idle') for (const { billing } of gateways) await billing.wallets.giveBackIdle(true);
      if (next === 'unneeded') for (const { billing } of gateways) await billing.wallets.giveBackUnneeded();
      await Promise.all(spending);
      if (next === 'thaw') for (const { ledger } of gateways) await ledger.thaw();
      if (next === 'expire') for (const { ledger } of gateways) await ledger.expire();
      clock.advance(1_000);
    }
    faults = [];
    for (const { ledger, billing } of gateways) {
      await ledger.thaw();
      await ledger.expire();
      await billing.wallets.giveBackIdle(true);
    }
    expect(await leased()).toEqual(NOTHING);
    for (const { amountNanoUsd, kind } of await store.ledger.entries('acme', 1_000)) {
      if (kind === 'charge') charged -= amountNanoUsd;
    }
    const { balanceNanoUsd } = await store.ledger.balance('acme');
    expect(balanceNanoUsd).toBe(OPENING - charged);
    expect(balanceNanoUsd).toBeGreaterThanOrEqual(0n);
    expect((await store.ledger.verify()).problems).toEqual([]);
  });
  await fc.assert(law, { numRuns: 40 });
}, 600_000);
