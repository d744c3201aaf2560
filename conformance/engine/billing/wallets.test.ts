import { afterEach, expect, test } from 'bun:test';
import { Wallet } from '../../../src/engine/billing/wallet.ts';
import { Wallets } from '../../../src/engine/billing/wallets.ts';
import type { Ledger } from '../../../src/engine/ports/ledger.ts';
import { sampleAccount, sampleCredential } from '../../../src/engine/ports/testing/samples.ts';
import { closeTestStores, openTestStore } from '../../../src/stores/sqlite/testing/test-store.ts';

const silent = () => {};
const logger = { debug: silent, info: silent, warn: silent, error: silent };
let nowMs = 0;
const clock = { nowMs: () => 1_790_000_000_000, monotonicMs: () => nowMs };
const PLACE = { accountId: 'acme', keyId: 'ci' };

afterEach(closeTestStores);

async function opened() {
  const { ledger } = await openTestStore();
  const grant = {
    idempotencyKey: 'grant',
    accountId: 'acme',
    keyId: null,
    kind: 'grant',
    amountNanoUsd: 1_000n,
  } as const;
  await ledger.append({ ...grant, requestId: null, atMs: 1, note: null });
  const wallets = new Wallets({ ledger, clock, logger });
  const principal = {
    account: sampleAccount({ id: 'acme', billing: 'prepaid' }),
    credential: sampleCredential({ accountId: 'acme', id: 'ci', limitNanoUsd: 700n }),
  };
  /** Returns the leased amounts of the account and of the key, whose limit is 700. */
  const leased = async () => {
    const free = await ledger.lease(PLACE, 700n, 1n, 700n);
    await ledger.giveBack(PLACE, free);
    return [(await ledger.balance('acme')).leasedNanoUsd, 700n - free];
  };
  const limiting = () => wallets.limiting(principal, 'm').wallets;
  return { wallets, limiting, leased };
}

test('a wallet is not evicted right after it was handed to a request', async () => {
  const { wallets, limiting } = await opened();
  const waiting = limiting();
  nowMs += 1_000;
  await wallets.giveBackIdle();
  expect(limiting()).toEqual(waiting);
  expect(limiting()[1] === waiting[1]).toBe(true);
});

test('leases of a request whose idle wallets were evicted are released, too', async () => {
  const { wallets, limiting, leased } = await opened();
  // The request waits long for one spending pool while another is asked.
  const waiting = limiting();
  nowMs += 3_000;
  await wallets.giveBackIdle();
  const others = limiting();
  expect(others[0]).not.toBe(waiting[0]);
  for (const wallet of [...waiting, ...others]) expect(await wallet.reserve(1n, 0)).toBe(true);
  expect(await leased()).toEqual([128n, 128n]);
  await wallets.giveBackFree(PLACE);
  expect(await leased()).toEqual([2n, 2n]);
  for (const wallet of [...waiting, ...others]) await wallet.settle(1n, 0n, 0, 0);
  await wallets.giveBackIdle(true);
  expect(await leased()).toEqual([0n, 0n]);
});

test('an evicted wallet that is used again is tracked each time', async () => {
  const { wallets, limiting, leased } = await opened();
  const [, key] = limiting();
  for (let round = 0; round < 3; round++) {
    await wallets.giveBackIdle(true);
    expect(await key?.reserve(5n, 0)).toBe(true);
    await key?.settle(5n, 0n, 0, 0);
    expect((await leased())[1]).toBe(320n);
  }
  await wallets.giveBackFree(PLACE);
  expect(await leased()).toEqual([0n, 0n]);
});

test('an account does not release the leases of another', async () => {
  const { wallets, limiting, leased } = await opened();
  const waiting = limiting();
  nowMs += 3_000;
  await wallets.giveBackIdle();
  for (const wallet of waiting) await wallet.reserve(1n, 0);
  await wallets.giveBackFree({ accountId: 'initech', keyId: 'ci' });
  await wallets.giveBackFree({ accountId: 'acme', keyId: 'other' });
  expect(await leased()).toEqual([1n, 64n]);
});

test('a gateway leases more at a time from a shared spending pool that it uses up soon', async () => {
  const asked: bigint[] = [];
  // The other methods are not called.
  const ledger = {
    isShared: true,
    async lease(_pool: unknown, wanted: bigint) {
      asked.push(wanted);
      return wanted;
    },
    async giveBack() {},
  } as unknown as Ledger;
  const wallet = new Wallet(ledger, { accountId: 'acme', keyId: null }, undefined);
  const reserve = async (count: number) => {
    for (let index = 0; index < count; index++) expect(await wallet.reserve(1n, nowMs)).toBe(true);
  };
  await reserve(8 + 16 + 32);
  expect(asked).toEqual([8n, 16n, 32n]);
  // From now on, the next lease begins before this one is used up.
  await reserve(64 - 15);
  expect(asked).toEqual([8n, 16n, 32n, 64n, 64n]);
  while (wallet.parts.free < 64n) await Promise.resolve();
  await wallet.giveBackIdle(Number.POSITIVE_INFINITY);
  await reserve(1);
  expect(asked.at(-1)).toBe(8n);
  nowMs += 1_000;
  await reserve(8);
  expect(asked.at(-1)).toBe(8n);
});
