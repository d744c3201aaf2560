import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { Failure } from '../../../src/domain/failure/failure.ts';
import { PriceSheet } from '../../../src/domain/money/price-sheet.ts';
import type { ModelPricing } from '../../../src/domain/money/pricing.ts';
import { type Billable, ONE_REQUEST } from '../../../src/domain/money/quantity.ts';
import { AccountBilling } from '../../../src/engine/billing/account-billing.ts';
import { HoldBilling } from '../../../src/engine/billing/durable-billing.ts';
import type { BillableRequest, DurableReservation } from '../../../src/engine/ports/billing.ts';
import type { Store } from '../../../src/engine/ports/store.ts';
import { sampleAccount, sampleCredential, sampleEntry } from '../../../src/engine/ports/testing/samples.ts';
import { DEFAULT_BILLING } from '../../../src/engine/settings/settings.ts';
import { closeTestStores, openTestStore } from '../../../src/stores/sqlite/testing/test-store.ts';

const PRICING = { per_second: '0.000001', per_second_variants: { '1080p': '0.000002' } };
/** Ten seconds of video in the most expensive resolution. Twice as long is plausible. */
const MOST = 20_000n;
const SHARED = { channelId: 'c', isPrivate: false };
const EXPIRES_AT_MS = 1_790_000_600_000;

const video = (seconds: number, variant = '1080p'): Billable => ({
  quantities: [{ unit: 'millisecond', amount: seconds * 1_000, variant }, ONE_REQUEST],
  source: 'reported',
});

let store: Store;
let writing: { problem: string | null };
let nowMs: number;
let lines: string[];

/** A process with its own leases and memory. All processes share the ledger. */
function startProcess() {
  const line = (_: unknown, message: string) => void lines.push(message);
  const logger = { debug: line, info: line, warn: line, error: line };
  const clock = { nowMs: () => nowMs, monotonicMs: () => performance.now() };
  const { ledger, heldCharges, holds } = store;
  const settings = { ...DEFAULT_BILLING, privateChannelFeeNanoUsd: 7n };
  const ports = { store: writing, ledger, heldCharges, holds, clock, logger, metrics: { chargeHeld() {} }, settings };
  const leasing = new AccountBilling(ports);
  return { leasing, durable: new HoldBilling(ports, leasing.wallets) };
}

beforeEach(async () => {
  store = await openTestStore();
  writing = { problem: null };
  nowMs = 1_790_000_000_000;
  lines = [];
});
afterEach(closeTestStores);

function request(fields: Partial<BillableRequest> = {}, limitNanoUsd: bigint | null = null, isPrepaid = true) {
  const account = sampleAccount({ id: 'acme', billing: isPrepaid ? 'prepaid' : 'unlimited' });
  const credential = sampleCredential({ accountId: 'acme', id: 'ci', limitNanoUsd });
  const ofSeconds = (seconds: number) => ({
    ...{ inputTokens: 0, outputTokens: 0 },
    pieces: [{ unit: 'millisecond' as const, amount: seconds * 1_000 }],
  });
  const bounds = {
    certain: () => ofSeconds(10),
    counted: async () => ofSeconds(10),
    isPlausible: () => true,
    plausible: () => ofSeconds(20),
  };
  const prices = PriceSheet.parse(PRICING);
  const usual = { modelId: 'm', prices, mayUsePlatform: true, mayUseOwn: false, bounds };
  return { requestId: `req_${crypto.randomUUID()}`, principal: { account, credential }, ...usual, ...fields };
}

const grant = (amountNanoUsd: bigint) => store.ledger.append(sampleEntry({ amountNanoUsd }));
const stateOf = async () => {
  const { balanceNanoUsd, leasedNanoUsd } = await store.ledger.balance('acme');
  return [balanceNanoUsd, leasedNanoUsd];
};

async function held(of: BillableRequest, { durable } = startProcess()): Promise<DurableReservation> {
  const reservation = await durable.hold(of, EXPIRES_AT_MS);
  if (reservation instanceof Failure) throw new Error(reservation.message);
  return reservation;
}

describe('a durable reservation', () => {
  test('holds the largest possible cost until another process settles it', async () => {
    await grant(100_000n);
    const { id } = await held(request());
    expect(await stateOf()).toEqual([100_000n, MOST]);
    nowMs += 3_600_000;
    const again = await startProcess().durable.resume(id);
    expect(await again?.settle(video(8, '720p'), SHARED)).toBe(8_000n);
    expect(await stateOf()).toEqual([92_000n, 0n]);
  });

  test('is charged once, by any process, however often it is settled', async () => {
    await grant(100_000n);
    const { id } = await held(request());
    const all = [startProcess(), startProcess()].map(async ({ durable }) => {
      const reservation = await durable.resume(id);
      return [await reservation?.settle(video(8), SHARED), await reservation?.settle(video(9), SHARED)];
    });
    expect(new Set((await Promise.all(all)).flat())).toEqual(new Set([16_000n]));
    expect(await stateOf()).toEqual([84_000n, 0n]);
  });

  test('is charged at the prices in force when it was made', async () => {
    await grant(100_000n);
    const risen: ModelPricing = [
      { effectiveFromMs: null, prices: PRICING, tiers: [] },
      { effectiveFromMs: nowMs + 1_000, prices: { per_second: '1' }, tiers: [] },
    ];
    const { id } = await held(request({ prices: PriceSheet.parse(risen) }));
    nowMs += 5_000;
    expect(await (await startProcess().durable.resume(id))?.settle(video(1), SHARED)).toBe(2_000n);
  });

  test('is released once, then costs nothing; a late settlement is logged', async () => {
    await grant(100_000n);
    const reservation = await held(request());
    await reservation.release();
    await (await startProcess().durable.resume(reservation.id))?.release();
    expect(await stateOf()).toEqual([100_000n, 0n]);
    expect(await reservation.settle(video(8), SHARED)).toBe(0n);
    expect(lines).toEqual(['a request with a cost was not charged: its hold had been released']);
  });

  test('is null under an unknown id', async () => {
    expect(await startProcess().durable.resume('req_none')).toBeNull();
  });

  test('stays open when it is overdue', async () => {
    await grant(100_000n);
    const { id } = await held(request());
    nowMs = EXPIRES_AT_MS + 1;
    expect(await store.holds.list({ state: 'open', expiresBeforeMs: nowMs }, 10)).toMatchObject([{ holdId: id }]);
    expect(await stateOf()).toEqual([100_000n, MOST]);
  });

  test('charges the plausible cost, and holds the rest for an operator, once', async () => {
    await grant(100_000n);
    const { id } = await held(request());
    for (const { durable } of [startProcess(), startProcess()]) {
      expect(await (await durable.resume(id))?.settle(video(10 ** 9), SHARED)).toBe(2n * MOST);
    }
    const beyond = { requestId: id, plausibleNanoUsd: 2n * MOST, amountNanoUsd: 2_000n * 10n ** 9n - 2n * MOST };
    expect(await store.heldCharges.list({}, 10)).toMatchObject([beyond]);
    expect(await stateOf()).toEqual([60_000n, 0n]);
    expect(lines).toHaveLength(1);
  });

  test('charges at most the balance, and reports what is written off', async () => {
    await grant(MOST + 5n);
    const reservation = await held(request());
    expect(await reservation.settle(video(15), SHARED)).toBe(MOST + 5n);
    expect(lines).toEqual(['cost exceeded the reserved balance']);
  });

  test('on an account’s own channel costs the fee', async () => {
    await grant(100n);
    const own = request({ mayUseOwn: true, mayUsePlatform: false });
    const reservation = await held(own);
    expect(await stateOf()).toEqual([100n, 7n]);
    expect(await reservation.settle(video(8), { channelId: 'own', isPrivate: true })).toBe(7n);
    expect(await stateOf()).toEqual([93n, 0n]);
  });

  test('of an unlimited account reserves nothing, and is charged once', async () => {
    const { id } = await held(request({}, null, false));
    expect(await stateOf()).toEqual([0n, 0n]);
    for (const { durable } of [startProcess(), startProcess()]) {
      expect(await (await durable.resume(id))?.settle(video(8), SHARED)).toBe(16_000n);
    }
    expect(await stateOf()).toEqual([-16_000n, 0n]);
  });

  test('of a model without a price has an unknown cost', async () => {
    const reservation = await held(request({ prices: null }, null, false));
    expect(await reservation.settle(video(8), SHARED)).toBeNull();
    expect(await store.holds.find(reservation.id)).toMatchObject({ state: 'released' });
  });
});

describe('is refused', () => {
  const refused = async (of: BillableRequest, { durable } = startProcess()) => {
    const failure = await durable.hold(of, EXPIRES_AT_MS);
    expect(await store.holds.find(of.requestId)).toBeNull();
    return failure;
  };

  test('if the balance or the limit of the key is too low', async () => {
    await grant(MOST - 1n);
    expect(await refused(request())).toMatchObject({
      code: 'insufficient_balance',
      details: { estimatedCostNanoUsd: MOST },
    });
    expect(await refused(request({}, MOST - 1n, false))).toMatchObject({ code: 'quota_exceeded' });
  });

  test('without a price, for a prepaid account', async () => {
    await grant(MOST);
    expect(await refused(request({ prices: null }))).toMatchObject({ code: 'model_not_allowed' });
  });

  test('while nothing can be written', async () => {
    await grant(MOST);
    writing.problem = 'the disk is full';
    expect(await refused(request())).toMatchObject({ code: 'storage_unavailable' });
    writing.problem = null;
    store.holds.hold = () => Promise.reject(new Error('the disk is full'));
    expect(await refused(request())).toMatchObject({ code: 'storage_unavailable' });
  });
});

test('an unused lease of this process is not a reason to refuse', async () => {
  await grant(3n * MOST);
  const process = startProcess();
  const reservation = await process.leasing.reserve(request());
  if (reservation instanceof Failure) throw new Error(reservation.message);
  reservation.release();
  expect((await stateOf())[1]).toBeGreaterThan(2n * MOST);
  await held(request(), process);
  expect(await stateOf()).toEqual([3n * MOST, MOST]);
});
