import { expect, test } from 'bun:test';
import type { NewHold } from '../../../domain/ledger/hold.ts';
import { LedgerConflict } from '../../../engine/ports/ledger.ts';
import type { Store } from '../../../engine/ports/store.ts';
import {
  SAMPLE_USAGE,
  sampleAccount,
  sampleCharge,
  sampleEntry,
  sampleHold,
} from '../../../engine/ports/testing/samples.ts';

const ACCOUNT = { accountId: 'acme', keyId: null };
const KEY = { accountId: 'acme', keyId: 'ci' };
const LIMIT = 100n;

/** Tests for every store's `Holds` together with its `Ledger`. */
export function holdTests(store: () => Store): void {
  const grant = (amountNanoUsd: bigint) => store().ledger.append(sampleEntry({ amountNanoUsd }));
  const hold = (fields: Partial<NewHold> = {}) => store().holds.hold(sampleHold(fields));
  const stateOf = async () => {
    const { balanceNanoUsd, leasedNanoUsd } = await store().ledger.balance('acme');
    return [balanceNanoUsd, leasedNanoUsd];
  };
  const spentOfKey = async () => (await store().ledger.spending()).find(({ keyId }) => keyId === 'ci')?.spentNanoUsd;
  const problems = async () => (await store().ledger.verify()).problems;

  makingTests(store, grant);

  test('held amounts of the balance and the limit are unavailable to leases and entries', async () => {
    await grant(100n);
    await hold({ fromBalanceNanoUsd: 60n, fromLimitNanoUsd: 60n });
    expect(await stateOf()).toEqual([100n, 60n]);
    const { ledger } = store();
    expect(await ledger.lease(ACCOUNT, 41n, 41n)).toBe(0n);
    expect(await ledger.lease(ACCOUNT, 40n, 40n)).toBe(40n);
    expect(await ledger.lease(KEY, 100n, 1n, LIMIT)).toBe(40n);
    await ledger.giveBack(ACCOUNT, 40n);
    await ledger.giveBack(KEY, 40n);
    const adjustment = sampleEntry({ idempotencyKey: 'take', kind: 'adjustment', amountNanoUsd: -41n });
    expect(await ledger.append(adjustment)).toBe('insufficient');
    expect(await problems()).toEqual([]);
  });

  test('leased amounts cannot be held', async () => {
    await grant(100n);
    await store().ledger.lease(ACCOUNT, 70n, 70n);
    expect(await hold({ fromBalanceNanoUsd: 31n })).toBe('balance');
    expect(await hold({ fromBalanceNanoUsd: 30n })).toBe('held');
  });

  test('a hold does not count as a lost lease', async () => {
    await grant(100n);
    await hold({ fromBalanceNanoUsd: 60n, fromLimitNanoUsd: 60n });
    await store().ledger.lease(ACCOUNT, 40n, 40n);
    await store().ledger.lease(KEY, 40n, 40n, LIMIT);
    const given = await store().ledger.giveBackUnneeded(() => 10n);
    expect(given.map(({ leasedNanoUsd }) => leasedNanoUsd)).toEqual([30n, 30n]);
    expect(await stateOf()).toEqual([100n, 70n]);
    expect(await problems()).toEqual([]);
  });

  test('settling charges the account and the key, and releases the rest', async () => {
    await grant(100n);
    await hold({ fromBalanceNanoUsd: 60n, fromLimitNanoUsd: 60n });
    expect(await store().holds.settle('req-hold', 25n, 9, SAMPLE_USAGE)).toEqual({
      state: 'settled',
      chargedNanoUsd: 25n,
    });
    expect(await stateOf()).toEqual([75n, 0n]);
    expect(await spentOfKey()).toBe(25n);
    expect(await store().ledger.lease(KEY, 100n, 1n, LIMIT)).toBe(75n);
    const entry = await store().ledger.find('charge:req-hold');
    expect(entry).toMatchObject({ kind: 'charge', requestId: 'req-hold', keyId: 'ci', amountNanoUsd: -25n, atMs: 9 });
    expect(entry?.idempotencyKey).toBe('charge:req-hold');
    expect(await store().holds.find('req-hold')).toMatchObject({
      ...{ state: 'settled', chargedNanoUsd: 25n, closedAtMs: 9 },
    });
    expect(await problems()).toEqual([]);
  });

  test('settling again charges once, even with another cost', async () => {
    await grant(100n);
    await hold();
    const all = await Promise.all(
      [20n, 20n, 30n].map((cost) => store().holds.settle('req-hold', cost, 9, SAMPLE_USAGE)),
    );
    expect(new Set(all.map((one) => one?.chargedNanoUsd)).size).toBe(1);
    expect(await store().holds.settle('req-hold', 1n, 10, SAMPLE_USAGE)).toEqual(all[0] ?? null);
    expect(await stateOf()).toEqual([100n - (all[0]?.chargedNanoUsd ?? 0n), 0n]);
    expect(await store().ledger.entries('acme', 10)).toHaveLength(2);
  });

  test('a cost above the hold is charged up to the balance and the limit', async () => {
    await grant(100n);
    await hold({ fromBalanceNanoUsd: 30n, fromLimitNanoUsd: 30n });
    await store().ledger.lease(ACCOUNT, 20n, 20n);
    expect(await store().holds.settle('req-hold', 1_000n, 9, SAMPLE_USAGE)).toEqual({
      state: 'settled',
      chargedNanoUsd: 80n,
    });
    expect(await stateOf()).toEqual([20n, 20n]);
    await grant2(store(), 500n);
    await hold({ holdId: 'second', fromBalanceNanoUsd: 10n, fromLimitNanoUsd: 10n });
    expect(await store().holds.settle('second', 1_000n, 9, SAMPLE_USAGE)).toEqual({
      state: 'settled',
      chargedNanoUsd: 20n,
    });
    expect(await spentOfKey()).toBe(LIMIT);
    expect(await problems()).toEqual([]);
  });

  test('an unlimited account is charged in full, even below zero', async () => {
    await hold({ fromBalanceNanoUsd: null, fromLimitNanoUsd: null, keyLimitNanoUsd: null });
    expect(await stateOf()).toEqual([0n, 0n]);
    expect(await store().holds.settle('req-hold', 40n, 9, SAMPLE_USAGE)).toEqual({
      state: 'settled',
      chargedNanoUsd: 40n,
    });
    expect(await stateOf()).toEqual([-40n, 0n]);
    expect(await spentOfKey()).toBe(40n);
    expect(await problems()).toEqual([]);
  });

  test('a zero cost is settled without an entry', async () => {
    await grant(100n);
    await hold();
    expect(await store().holds.settle('req-hold', 0n, 9, SAMPLE_USAGE)).toEqual({
      state: 'settled',
      chargedNanoUsd: 0n,
    });
    expect(await stateOf()).toEqual([100n, 0n]);
    expect(await store().ledger.entries('acme', 10)).toHaveLength(1);
    expect(await problems()).toEqual([]);
  });

  test('releasing frees the whole hold once, and an ended hold does not change', async () => {
    await grant(100n);
    await hold();
    await hold({ holdId: 'other' });
    const released = { state: 'released', chargedNanoUsd: 0n } as const;
    expect(await store().holds.release('req-hold', 9)).toEqual(released);
    expect(await store().holds.release('req-hold', 10)).toEqual(released);
    expect(await store().holds.settle('req-hold', 20n, 11, SAMPLE_USAGE)).toEqual(released);
    await store().holds.settle('other', 20n, 12, SAMPLE_USAGE);
    expect(await store().holds.release('other', 13)).toEqual({ state: 'settled', chargedNanoUsd: 20n });
    expect(await stateOf()).toEqual([80n, 0n]);
    expect((await store().holds.find('req-hold'))?.closedAtMs).toBe(9);
    expect(await problems()).toEqual([]);
  });

  test('a request with another charge cannot be settled, and its hold stays open', async () => {
    await grant(100n);
    await hold();
    await store().ledger.charge(sampleCharge({ requestId: 'req-hold', costNanoUsd: 5n, keyId: 'ci' }));
    await expect(store().holds.settle('req-hold', 20n, 9, SAMPLE_USAGE)).rejects.toBeInstanceOf(LedgerConflict);
    expect((await store().holds.find('req-hold'))?.state).toBe('open');
    expect((await problems()).join()).toContain('"req-hold" of the account "acme" is open with 0 USD');
  });
}

async function grant2({ ledger }: Store, amountNanoUsd: bigint): Promise<void> {
  await ledger.append(sampleEntry({ idempotencyKey: 'second', amountNanoUsd }));
}

function makingTests(store: () => Store, grant: (amountNanoUsd: bigint) => Promise<unknown>): void {
  const hold = (fields: Partial<NewHold> = {}) => store().holds.hold(sampleHold(fields));

  test('every field of a hold is returned as written', async () => {
    const large = 4_611_686_018_427_387_905n;
    await grant(large);
    const full = sampleHold({ fromBalanceNanoUsd: large, keyLimitNanoUsd: large, fromLimitNanoUsd: 1n });
    const none = { fromBalanceNanoUsd: null, fromLimitNanoUsd: null, keyLimitNanoUsd: null, keyId: null };
    const empty = sampleHold({ holdId: 'empty', expiresAtMs: full.expiresAtMs + 1, ...none });
    for (const one of [full, empty]) expect(await store().holds.hold(one)).toBe('held');
    const open = { state: 'open', chargedNanoUsd: 0n, closedAtMs: null } as const;
    expect(await store().holds.find('req-hold')).toEqual({ ...full, ...open });
    expect(await store().holds.list({}, 10)).toEqual([full, empty].map((one) => ({ ...one, ...open })));
    expect(await store().holds.find('nobody')).toBeNull();
  });

  test('a hold can take exactly the available amount; one above it writes nothing', async () => {
    await grant(100n);
    expect(await hold({ fromBalanceNanoUsd: 101n })).toBe('balance');
    expect(await hold({ fromBalanceNanoUsd: 50n, fromLimitNanoUsd: 101n })).toBe('limit');
    expect(await store().holds.find('req-hold')).toBeNull();
    expect((await store().ledger.balance('acme')).leasedNanoUsd).toBe(0n);
    expect(await hold({ fromBalanceNanoUsd: 100n, fromLimitNanoUsd: 100n })).toBe('held');
    expect(await hold({ holdId: 'other', fromBalanceNanoUsd: 1n })).toBe('balance');
    expect(await hold({ holdId: 'other', accountId: 'poor', fromBalanceNanoUsd: 1n })).toBe('balance');
  });

  test('a repeated hold counts once; a different one with its id is a conflict', async () => {
    await grant(100n);
    const outcomes = await Promise.all([hold(), hold(), hold()]);
    expect(outcomes.toSorted()).toEqual(['held', 'known', 'known']);
    expect((await store().ledger.balance('acme')).leasedNanoUsd).toBe(50n);
    await expect(hold({ fromBalanceNanoUsd: 51n })).rejects.toBeInstanceOf(LedgerConflict);
    await expect(hold({ accountId: 'other', fromBalanceNanoUsd: 0n })).rejects.toBeInstanceOf(LedgerConflict);
    await store().holds.release('req-hold', 9);
    expect(await hold()).toBe('known');
    expect((await store().ledger.balance('acme')).leasedNanoUsd).toBe(0n);
  });

  test('overdue holds are found, and stay open until they are ended', async () => {
    await grant(100n);
    await store().directory.write('all', (writer) => writer.putAccount(sampleAccount()));
    for (const [index, expiresAtMs] of [30, 10, 20, 40].entries())
      await hold({ holdId: `hold-${index}`, expiresAtMs, fromBalanceNanoUsd: 10n, fromLimitNanoUsd: 10n });
    const overdue = async (limit = 10) =>
      (await store().holds.list({ state: 'open', expiresBeforeMs: 40 }, limit)).map(({ holdId }) => holdId);
    expect(await overdue()).toEqual(['hold-1', 'hold-2', 'hold-0']);
    expect(await overdue(1)).toEqual(['hold-1']);
    await store().holds.release('hold-1', 50);
    expect(await overdue()).toEqual(['hold-2', 'hold-0']);
    expect(await store().holds.list({ accountId: 'nobody' }, 10)).toEqual([]);
    expect((await store().ledger.balance('acme')).leasedNanoUsd).toBe(30n);
  });

  test('an unknown hold cannot be ended', async () => {
    expect(await store().holds.settle('nobody', 1n, 9, SAMPLE_USAGE)).toBeNull();
    expect(await store().holds.release('nobody', 9)).toBeNull();
  });
}
