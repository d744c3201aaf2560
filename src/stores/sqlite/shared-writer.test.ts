import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../../conformance/shared/until.ts';
import { Wallets } from '../../engine/billing/wallets.ts';
import type { LeasePlace, SpendingPool } from '../../engine/ports/ledger.ts';
import type { Store } from '../../engine/ports/store.ts';
import {
  sampleAccount,
  sampleCharge,
  sampleCredential,
  sampleEntry,
  sampleHold,
  sampleRecord,
} from '../../engine/ports/testing/samples.ts';
import { requestIdAt } from '../shared/testing/recovered-lines-contract.ts';
import type { SharedWriter, WriterClient } from './shared-writer.ts';
import { openSqliteOwner, openSqliteStore } from './sqlite-store.ts';
import { remote, type WriterLink } from './writer-link.ts';

const BALANCE: SpendingPool = { accountId: 'acme', keyId: null };
const LIMIT: SpendingPool = { accountId: 'acme', keyId: 'ci' };
const window = { startsAtMs: Date.UTC(2026, 10, 1), endsAtMs: Date.UTC(2026, 11, 1) };
const BUDGET: SpendingPool = { ...BALANCE, window };
const clock = { nowMs: () => Date.UTC(2026, 10, 24), monotonicMs: () => performance.now() };
const silent = () => {};
const logger = { debug: silent, info: silent, warn: silent, error: silent };
let folder: string;
let options: { recoverLinesAfterMs: number; path: string; secret: string; clock: typeof clock; logger: typeof logger };
let owner: Store;
let writer: SharedWriter;
const workers: { store: Store; way: WriterClient }[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-shared-'));
  options = { recoverLinesAfterMs: 0, path: join(folder, 'switchyard.sqlite'), secret: 's', clock, logger };
  ({ store: owner, writer } = await openSqliteOwner(options));
  await owner.directory.write('all', (writer) => {
    writer.putAccount(sampleAccount());
    writer.putCredential(sampleCredential({ limitNanoUsd: 1_000n }));
  });
  await owner.ledger.append(sampleEntry({ amountNanoUsd: 1_000n }));
});

afterEach(async () => {
  await Promise.all(workers.splice(0).map(({ store }) => store.close()));
  await owner.close();
  rmSync(folder, { recursive: true, force: true });
});

async function openWorker() {
  const pools = { recall: async (_place: LeasePlace) => false };
  const way = writer.connect((place) => pools.recall(place));
  const onRecall = (listener: typeof pools.recall) => {
    pools.recall = listener;
  };
  const link: WriterLink = {
    waiting: 0,
    charge: (batch) => way.charge(batch),
    call: (...args) => way.call(...args),
    onRecall,
  };
  const worker = { way, store: await openSqliteStore({ ...options, link }) };
  workers.push(worker);
  return worker;
}

test('several processes that lease from one spending pool never exceed it', async () => {
  const stores = [await openWorker(), await openWorker(), await openWorker()].map(({ store }) => store);
  const asked = Array.from({ length: 60 }, (_, index) => stores[index % 3]!.ledger.lease(BALANCE, 30n, 30n));
  const leased = (await Promise.all(asked)).filter((amount) => amount > 0n);
  expect(leased).toEqual(Array(33).fill(30n));
  expect((await owner.ledger.balance('acme')).leasedNanoUsd).toBe(990n);
});

test('an unneeded lease of one process is released when another needs it', async () => {
  const [rich, poor] = [await openWorker(), await openWorker()];
  let idle = await rich.store.ledger.lease(BALANCE, 1_000n, 1n);
  expect(idle).toBe(1_000n);
  const recalled: LeasePlace[] = [];
  rich.store.ledger.onRecall(async (place) => {
    recalled.push(place);
    const free = idle;
    idle = 0n;
    await rich.store.ledger.giveBack(BALANCE, free);
    return free > 0n;
  });
  expect(await poor.store.ledger.lease(BALANCE, 300n, 300n)).toBe(300n);
  expect(recalled).toMatchObject([{ accountId: 'acme', keyId: null }]);
  expect(await poor.store.holds.hold(sampleHold({ holdId: 'h', fromBalanceNanoUsd: 900n }))).not.toBe('held');
  // It has no leases left, so it is not asked again.
  expect(recalled).toHaveLength(1);
});

test('a balance can be reserved to its last unit, however processes lease ahead', async () => {
  const stores = [await openWorker(), await openWorker(), await openWorker()].map(({ store }) => store);
  for (let round = 0; round < 20; round++) {
    const wallets = stores.map(({ ledger }) => new Wallets({ ledger, clock, logger }));
    const reserving = Array.from({ length: 80 }, async (_, index) => {
      // Spreads the calls over event loop turns, so that a lease of one process falls between a recall and the next step in another.
      for (let turn = 0; turn < (index * 7 + round) % 11; turn++) await Bun.sleep(0);
      return wallets[index % 3]!.account('acme').reserve(20n, clock.monotonicMs());
    });
    const reserved = (await Promise.all(reserving)).filter(Boolean);
    expect([round, reserved.length]).toEqual([round, 50]);
    for (const one of wallets) one.account('acme').lose();
    for (const { ledger } of stores) await ledger.giveBackUnneeded(() => 0n);
  }
});

test('concurrent charges of several processes are each written once, and each gets its own outcome', async () => {
  const [one, other] = [await openWorker(), await openWorker()];
  await one.store.ledger.append(sampleEntry({ idempotencyKey: 'more', amountNanoUsd: 1_000_000n }));
  const charge = (requestId: string) => sampleCharge({ requestId, costNanoUsd: 1n });
  const charging = Array.from({ length: 200 }, (_, index) => {
    const { ledger } = index % 2 === 0 ? one.store : other.store;
    return ledger.charge(charge(`request ${index % 150}`));
  });
  const outcomes = await Promise.all(charging);
  expect(outcomes.filter((outcome) => outcome === 'charged')).toHaveLength(150);
  expect((await owner.ledger.balance('acme')).balanceNanoUsd).toBe(1_001_000n - 150n);
  expect((await owner.ledger.verify()).problems).toEqual([]);
});

test('an ended process leaves no lease and no open transaction, and others are not affected', async () => {
  const [mortal, other] = [await openWorker(), await openWorker()];
  for (const pool of [BALANCE, LIMIT, BUDGET]) {
    expect(await mortal.store.ledger.lease(pool, 100n, 100n, 1_000n)).toBe(100n);
    expect(await other.store.ledger.lease(pool, 70n, 70n, 1_000n)).toBe(70n);
  }
  await mortal.store.ledger.giveBack(BALANCE, 10n);
  const costs = { costNanoUsd: 40n, fromAccountLease: 40n, fromKeyLease: 40n };
  const budgets = { countedAtMs: clock.nowMs(), account: window, key: null };
  await mortal.store.ledger.charge(sampleCharge({ requestId: 'paid', ...costs, budgets }));
  const left = async () => {
    const [spending] = await owner.ledger.spending();
    const [budget] = await owner.ledger.budgetSpending([{ ...BUDGET, window }]);
    const { leasedNanoUsd } = await owner.ledger.balance('acme');
    return [leasedNanoUsd, spending?.leasedNanoUsd, budget?.leasedNanoUsd];
  };
  expect(await left()).toEqual([120n, 130n, 130n]);
  await remote(mortal.way, 'transactions').begin();
  // Sent before the end, executed after it.
  const underWay = other.store.ledger.lease(BALANCE, 5n, 5n);
  await mortal.way.ended();
  await underWay;
  expect(await left()).toEqual([75n, 70n, 70n]);
});

test('a process releases its own lost leases and no others', async () => {
  const [one, other] = [await openWorker(), await openWorker()];
  for (const pool of [BALANCE, LIMIT, BUDGET]) {
    await one.store.ledger.lease(pool, 100n, 100n, 1_000n);
    await other.store.ledger.lease(pool, 70n, 70n, 1_000n);
  }
  expect(await one.store.ledger.giveBackUnneeded(() => 100n)).toEqual([]);
  const given = await one.store.ledger.giveBackUnneeded(() => 30n);
  expect(given).toEqual([BALANCE, LIMIT, BUDGET].map((pool) => ({ pool, leasedNanoUsd: 70n })));
  expect((await owner.ledger.balance('acme')).leasedNanoUsd).toBe(100n);
});

test('writes of one process are visible to the others at once, and log lines of all are stored', async () => {
  const [one, other] = [await openWorker(), await openWorker()];
  await one.store.directory.write('all', (writer) => writer.putAccount(sampleAccount({ id: 'new' })));
  expect((await other.store.directory.read({ accounts: ['new'] })).accounts).toHaveLength(1);
  for (const [index, { store }] of [one, other].entries())
    store.requestLog.append(sampleRecord({ requestId: `r${index}` }));
  await Promise.all([one, other].map(({ store }) => store.requestLog.flush()));
  expect((await owner.requestLog.recent(5)).map(({ requestId }) => requestId).sort()).toEqual(['r0', 'r1']);
});

test('the line of a crashed worker is recovered, and a late original replaces it', async () => {
  const atMs = clock.nowMs() - 120_000;
  const requestId = requestIdAt(atMs);
  const { store } = await openWorker();
  await store.ledger.charge(sampleCharge({ requestId, atMs: atMs + 40 }));
  writer.workerCrashed();
  await until('the line is recovered', async () => (await owner.requestLog.find(requestId))?.recovered === true);
  const line = sampleRecord({ requestId, atMs: atMs + 3, latencyMs: 40, costNanoUsd: 1_250n });
  store.requestLog.append(line);
  await store.requestLog.flush();
  expect(await owner.requestLog.recent(10)).toEqual([line]);
  const spans = [{ fromMs: atMs - (atMs % 60_000), toMs: atMs - (atMs % 60_000) + 60_000 }];
  const sums = await owner.usage.sum({ accountIds: ['acme'], spans, groupBy: [], tags: null, limit: 10 });
  expect(sums).toMatchObject([{ requests: 1, latencyMsSum: 40, costNanoUsd: 1_250n }]);
});
