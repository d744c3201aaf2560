import { expect, test } from 'bun:test';
import {
  type Charge,
  type Ledger,
  LedgerConflict,
  type NewEntry,
  type SpendingPool,
} from '../../../engine/ports/ledger.ts';
import type { Store } from '../../../engine/ports/store.ts';
import {
  sampleAccount,
  sampleCharge,
  sampleCredential,
  sampleEntry,
  sampleRecord,
} from '../../../engine/ports/testing/samples.ts';

const ACCOUNT: SpendingPool = { accountId: 'acme', keyId: null };
const KEY: SpendingPool = { accountId: 'acme', keyId: 'ci' };
/** Not representable as a double, so that a conversion to a JavaScript number is detected. */
const LARGE = 4_611_686_018_427_387_905n;

/** Tests for every `Ledger`. */
export function ledgerTests(store: () => Store): void {
  const ledger = () => store().ledger;
  appendTests(ledger);
  idempotencyTests(ledger);
  leaseTests(ledger);
  keyLeaseTests(ledger);
  unneededTests(ledger);
  chargeTests(ledger);
  concurrencyTests(ledger);
  readingTests(ledger);
  verifyTests(store);
}

function grant(ledger: Ledger, amountNanoUsd: bigint, fields: Partial<NewEntry> = {}) {
  return ledger.append(sampleEntry({ idempotencyKey: `grant:${crypto.randomUUID()}`, amountNanoUsd, ...fields }));
}

function adjust(ledger: Ledger, amountNanoUsd: bigint, idempotencyKey: string = crypto.randomUUID()) {
  return ledger.append(sampleEntry({ idempotencyKey, kind: 'adjustment', amountNanoUsd }));
}

/** Returns the balance and its leased part. */
async function stateOf(ledger: Ledger, accountId = 'acme'): Promise<[bigint, bigint]> {
  const { balanceNanoUsd, leasedNanoUsd } = await ledger.balance(accountId);
  return [balanceNanoUsd, leasedNanoUsd];
}

function appendTests(ledger: () => Ledger): void {
  test('an account without entries has a balance of zero', async () => {
    expect(await ledger().balance('acme')).toEqual({ accountId: 'acme', balanceNanoUsd: 0n, leasedNanoUsd: 0n });
    expect(await ledger().credits('acme')).toEqual({ balanceNanoUsd: 0n, creditedNanoUsd: 0n });
    expect(await ledger().balances()).toEqual([]);
    expect(await ledger().entries('acme', 10)).toEqual([]);
  });

  test('grants, refunds and adjustments change the balance of their account only', async () => {
    expect(await grant(ledger(), 100n)).toBe('appended');
    expect(await grant(ledger(), 20n, { kind: 'refund', keyId: 'ci', requestId: 'req-1' })).toBe('appended');
    expect(await adjust(ledger(), 5n)).toBe('appended');
    expect(await adjust(ledger(), -50n)).toBe('appended');
    expect(await grant(ledger(), 7n, { accountId: 'other' })).toBe('appended');
    expect(await stateOf(ledger())).toEqual([75n, 0n]);
    expect(await stateOf(ledger(), 'other')).toEqual([7n, 0n]);
  });

  test('an entry can take exactly the available amount; one above it writes nothing', async () => {
    await grant(ledger(), 100n);
    expect(await adjust(ledger(), -101n)).toBe('insufficient');
    expect(await adjust(ledger(), -100n)).toBe('appended');
    expect(await adjust(ledger(), -1n)).toBe('insufficient');
    expect(await stateOf(ledger())).toEqual([0n, 0n]);
    expect(await ledger().entries('acme', 10)).toHaveLength(2);
  });

  test('leased amounts are not available to entries', async () => {
    await grant(ledger(), 100n);
    expect(await ledger().lease(ACCOUNT, 60n, 60n)).toBe(60n);
    expect(await adjust(ledger(), -41n)).toBe('insufficient');
    expect(await adjust(ledger(), -40n)).toBe('appended');
    expect(await stateOf(ledger())).toEqual([60n, 60n]);
  });

  test('an entry that was insufficient can be appended under the same key later', async () => {
    expect(await adjust(ledger(), -10n, 'fix')).toBe('insufficient');
    await grant(ledger(), 10n);
    expect(await adjust(ledger(), -10n, 'fix')).toBe('appended');
    expect(await adjust(ledger(), -10n, 'fix')).toBe('known');
  });

  test('amounts above the exact integers of a double are exact', async () => {
    expect(await grant(ledger(), LARGE)).toBe('appended');
    expect(await grant(ledger(), 1n)).toBe('appended');
    expect(await ledger().lease(ACCOUNT, LARGE, LARGE)).toBe(LARGE);
    await ledger().charge(sampleCharge({ costNanoUsd: LARGE - 2n, fromAccountLease: LARGE - 2n }));
    expect(await stateOf(ledger())).toEqual([3n, 2n]);
    expect((await ledger().spending()).map(({ spentNanoUsd }) => spentNanoUsd)).toEqual([LARGE - 2n]);
    expect((await ledger().entries('acme', 10)).map(({ amountNanoUsd }) => amountNanoUsd)).toEqual([
      2n - LARGE,
      1n,
      LARGE,
    ]);
  });

  test('an amount that does not fit is refused as a whole', async () => {
    await grant(ledger(), LARGE);
    await expect(grant(ledger(), LARGE)).rejects.toThrow();
    await expect(grant(ledger(), 1n << 70n)).rejects.toThrow();
    expect(await stateOf(ledger())).toEqual([LARGE, 0n]);
    expect(await ledger().entries('acme', 10)).toHaveLength(1);
  });

  test('entries whose kind and sign do not match are refused', async () => {
    await grant(ledger(), 100n);
    await expect(grant(ledger(), -1n)).rejects.toThrow('grant');
    await expect(grant(ledger(), -1n, { kind: 'refund' })).rejects.toThrow('refund');
    await expect(grant(ledger(), -1n, { kind: 'charge' })).rejects.toThrow('charge');
    await expect(ledger().charge(sampleCharge({ costNanoUsd: -1n }))).rejects.toThrow('charge');
    expect(await stateOf(ledger())).toEqual([100n, 0n]);
  });
}

function idempotencyTests(ledger: () => Ledger): void {
  test('a repeated entry changes nothing, whatever its time and note', async () => {
    const entry = sampleEntry({ idempotencyKey: 'first', amountNanoUsd: 10n });
    expect(await ledger().append(entry)).toBe('appended');
    expect(await ledger().append(entry)).toBe('known');
    expect(await ledger().append({ ...entry, atMs: entry.atMs + 1, note: 'again' })).toBe('known');
    expect(await stateOf(ledger())).toEqual([10n, 0n]);
    expect(await ledger().entries('acme', 10)).toHaveLength(1);
  });

  const others: Record<string, Partial<NewEntry>> = {
    account: { accountId: 'other' },
    key: { keyId: 'other' },
    kind: { kind: 'refund' },
    amount: { amountNanoUsd: 11n },
    request: { requestId: 'other' },
  };
  for (const [what, change] of Object.entries(others)) {
    test(`the same key with another ${what} is a conflict that writes nothing`, async () => {
      const entry = sampleEntry({ idempotencyKey: 'first', amountNanoUsd: 10n });
      await ledger().append(entry);
      await expect(ledger().append({ ...entry, ...change })).rejects.toBeInstanceOf(LedgerConflict);
      expect(await stateOf(ledger())).toEqual([10n, 0n]);
      expect(await stateOf(ledger(), 'other')).toEqual([0n, 0n]);
    });
  }

  test('a repeated charge changes neither balance nor leases', async () => {
    await grant(ledger(), 100n);
    await ledger().lease(ACCOUNT, 50n, 50n);
    const charge = sampleCharge({ costNanoUsd: 10n, fromAccountLease: 10n });
    expect(await ledger().charge(charge)).toBe('charged');
    expect(await ledger().charge(charge)).toBe('known');
    expect(await stateOf(ledger())).toEqual([90n, 40n]);
    expect((await ledger().spending())[0]?.spentNanoUsd).toBe(10n);
  });

  const otherCharges: Record<string, Partial<Charge>> = {
    account: { accountId: 'other' },
    key: { keyId: null },
    cost: { costNanoUsd: 11n },
  };
  for (const [what, change] of Object.entries(otherCharges)) {
    test(`a second charge for a request with another ${what} is a conflict, and others in its batch are charged`, async () => {
      const charge = sampleCharge({ costNanoUsd: 10n });
      await ledger().charge(charge);
      const outcomes = await Promise.allSettled([
        ledger().charge(sampleCharge({ requestId: 'req-2', costNanoUsd: 1n })),
        ledger().charge({ ...charge, ...change }),
        ledger().charge(sampleCharge({ requestId: 'req-3', costNanoUsd: 2n })),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect(outcomes[1]).toMatchObject({ reason: expect.any(LedgerConflict) });
      expect(await stateOf(ledger())).toEqual([-13n, 0n]);
    });
  }
}

function leaseTests(ledger: () => Ledger): void {
  test('a lease gets the wanted amount, then the rest, then nothing', async () => {
    await grant(ledger(), 100n);
    expect(await ledger().lease(ACCOUNT, 70n, 1n)).toBe(70n);
    expect(await ledger().lease(ACCOUNT, 70n, 1n)).toBe(30n);
    expect(await ledger().lease(ACCOUNT, 70n, 1n)).toBe(0n);
    expect(await stateOf(ledger())).toEqual([100n, 100n]);
  });

  test('a lease below the minimum is refused', async () => {
    await grant(ledger(), 100n);
    expect(await ledger().lease(ACCOUNT, 200n, 101n)).toBe(0n);
    expect(await stateOf(ledger())).toEqual([100n, 0n]);
    expect(await ledger().lease(ACCOUNT, 200n, 100n)).toBe(100n);
  });

  test('nothing is leased from an account that is empty, negative or unknown, or for a zero amount', async () => {
    expect(await ledger().lease(ACCOUNT, 1n, 0n)).toBe(0n);
    await ledger().charge(sampleCharge({ costNanoUsd: 10n }));
    expect(await ledger().lease(ACCOUNT, 1n, 0n)).toBe(0n);
    expect(await stateOf(ledger())).toEqual([-10n, 0n]);
    await grant(ledger(), 10n);
    expect(await ledger().lease(ACCOUNT, 1n, 0n)).toBe(0n);
    await grant(ledger(), 10n);
    expect(await ledger().lease(ACCOUNT, 0n, 0n)).toBe(0n);
    expect(await ledger().lease(ACCOUNT, -5n, -5n)).toBe(0n);
    expect(await stateOf(ledger())).toEqual([10n, 0n]);
  });

  test('a released lease is available again', async () => {
    await grant(ledger(), 100n);
    await ledger().lease(ACCOUNT, 100n, 1n);
    await ledger().giveBack(ACCOUNT, 30n);
    expect(await stateOf(ledger())).toEqual([100n, 70n]);
    expect(await ledger().lease(ACCOUNT, 100n, 1n)).toBe(30n);
    await ledger().giveBack(ACCOUNT, 100n);
    expect(await stateOf(ledger())).toEqual([100n, 0n]);
  });

  test('releasing more than the lease releases the lease', async () => {
    await grant(ledger(), 100n);
    await ledger().lease(ACCOUNT, 10n, 1n);
    await ledger().giveBack(ACCOUNT, 50n);
    await ledger().giveBack(KEY, 50n);
    await ledger().giveBack({ accountId: 'ghost', keyId: null }, 50n);
    expect(await stateOf(ledger())).toEqual([100n, 0n]);
    expect(await ledger().lease(ACCOUNT, 200n, 1n)).toBe(100n);
    expect(await ledger().lease(KEY, 200n, 1n, 100n)).toBe(100n);
  });
}

function keyLeaseTests(ledger: () => Ledger): void {
  test("a key's limit is leased like a balance, independently of it", async () => {
    expect(await ledger().lease(KEY, 70n, 1n, 100n)).toBe(70n);
    expect(await ledger().lease(KEY, 70n, 31n, 100n)).toBe(0n);
    expect(await ledger().lease(KEY, 70n, 30n, 100n)).toBe(30n);
    expect(await ledger().lease(KEY, 1n, 1n, 100n)).toBe(0n);
    await ledger().giveBack(KEY, 10n);
    expect(await ledger().lease(KEY, 70n, 1n, 100n)).toBe(10n);
    expect(await stateOf(ledger())).toEqual([0n, 0n]);
  });

  test("a key's spending reduces its limit, even without a lease", async () => {
    await ledger().charge(sampleCharge({ costNanoUsd: 40n }));
    expect(await ledger().lease(KEY, 100n, 1n, 100n)).toBe(60n);
    expect(await ledger().spending()).toEqual([
      { accountId: 'acme', keyId: 'ci', spentNanoUsd: 40n, leasedNanoUsd: 60n },
    ]);
  });

  test('the call determines the limit: a higher one makes more available, a lower one nothing', async () => {
    expect(await ledger().lease(KEY, 100n, 1n, 50n)).toBe(50n);
    expect(await ledger().lease(KEY, 100n, 1n, 20n)).toBe(0n);
    expect(await ledger().lease(KEY, 100n, 1n, 120n)).toBe(70n);
  });

  test('keys with the same name in two accounts are two spending pools', async () => {
    expect(await ledger().lease(KEY, 100n, 1n, 100n)).toBe(100n);
    expect(await ledger().lease({ accountId: 'other', keyId: 'ci' }, 100n, 1n, 100n)).toBe(100n);
  });
}

function unneededTests(ledger: () => Ledger): void {
  const leased = async (pool: SpendingPool) => {
    const free = await ledger().lease(pool, 100n, 1n, 100n);
    await ledger().giveBack(pool, free);
    return 100n - free;
  };
  const window = { startsAtMs: 1_790_000_000_000, endsAtMs: 1_790_000_100_000 };
  const pools: readonly SpendingPool[] = [ACCOUNT, KEY, { ...ACCOUNT, window }, { ...KEY, window }];

  test('leases without a holder are released in every kind of spending pool, others are not', async () => {
    await grant(ledger(), 100n);
    for (const pool of pools) await ledger().lease(pool, 60n, 60n, 100n);
    const held = (pool: SpendingPool) => (pool.keyId === null ? 60n : 25n);
    const given = await ledger().giveBackUnneeded(held);
    expect(given.map(({ leasedNanoUsd }) => leasedNanoUsd)).toEqual([35n, 35n]);
    expect(given.map(({ pool }) => pool)).toEqual([KEY, { ...KEY, window }]);
    expect(await Promise.all(pools.map(leased))).toEqual([60n, 25n, 60n, 25n]);
    expect(await ledger().giveBackUnneeded(held)).toEqual([]);
    expect(await ledger().giveBackUnneeded(() => 0n)).toHaveLength(4);
    expect(await Promise.all(pools.map(leased))).toEqual([0n, 0n, 0n, 0n]);
  });

  test('no lease in use is released while leases and charges run', async () => {
    await grant(ledger(), 100n);
    let held = 0n;
    let isOver = false;
    const work = async (strand: number) => {
      for (let index = 0; index < 20; index++) {
        const granted = await ledger().lease(ACCOUNT, 4n, 4n);
        held += granted;
        const ids = { requestId: `${strand}-${index}`, keyId: null };
        if (granted > 0n) await ledger().charge(sampleCharge({ ...ids, costNanoUsd: 1n, fromAccountLease: 1n }));
        held -= granted > 0n ? 1n : 0n;
        if (granted > 0n) await ledger().giveBack(ACCOUNT, 3n);
        held -= granted > 0n ? 3n : 0n;
      }
    };
    const looking = (async () => {
      while (!isOver) {
        expect(await ledger().giveBackUnneeded(() => held)).toEqual([]);
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
    })();
    await Promise.all([0, 1, 2].map(work));
    isOver = true;
    await looking;
    expect(held).toBe(0n);
    expect((await ledger().balance('acme')).leasedNanoUsd).toBe(0n);
  });
}

function chargeTests(ledger: () => Ledger): void {
  test('a charge takes its cost from the balance and from the leases in one step', async () => {
    await grant(ledger(), 100n);
    await ledger().lease(ACCOUNT, 60n, 60n);
    await ledger().lease(KEY, 50n, 50n, 80n);
    const charge = sampleCharge({ costNanoUsd: 30n, fromAccountLease: 30n, fromKeyLease: 30n });
    expect(await ledger().charge(charge)).toBe('charged');
    expect(await stateOf(ledger())).toEqual([70n, 30n]);
    expect(await ledger().spending()).toEqual([
      { accountId: 'acme', keyId: 'ci', spentNanoUsd: 30n, leasedNanoUsd: 20n },
    ]);
    // 80 - 30 spent - 20 leased.
    expect(await ledger().lease(KEY, 100n, 1n, 80n)).toBe(30n);
  });

  test('the cost of a charge above its lease is taken from the current balance', async () => {
    await grant(ledger(), 100n);
    await ledger().lease(ACCOUNT, 10n, 10n);
    await ledger().charge(sampleCharge({ costNanoUsd: 25n, fromAccountLease: 10n }));
    expect(await stateOf(ledger())).toEqual([75n, 0n]);
  });

  test('a charge above the lease uses it up, and it does not become negative', async () => {
    await grant(ledger(), 100n);
    await ledger().charge(sampleCharge({ costNanoUsd: 25n, fromAccountLease: 25n, fromKeyLease: 25n }));
    expect(await stateOf(ledger())).toEqual([75n, 0n]);
    expect((await ledger().spending())[0]).toMatchObject({ spentNanoUsd: 25n, leasedNanoUsd: 0n });
  });

  test('without a lease, the balance of an unlimited account can become negative', async () => {
    expect(await ledger().charge(sampleCharge({ costNanoUsd: 25n }))).toBe('charged');
    expect(await stateOf(ledger())).toEqual([-25n, 0n]);
  });

  test('a charge that cannot be booked is refused alone', async () => {
    const largest = (1n << 63n) - 1n;
    await ledger().charge(sampleCharge({ requestId: 'first', accountId: 'full', costNanoUsd: largest }));
    const outcomes = await Promise.allSettled([
      ledger().charge(sampleCharge({ requestId: 'a', costNanoUsd: 1n })),
      ledger().charge(sampleCharge({ requestId: 'b', accountId: 'full', costNanoUsd: largest })),
      ledger().charge(sampleCharge({ requestId: 'c', costNanoUsd: 1n })),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await ledger().verify()).toMatchObject({ entries: 3, problems: [] });
  });

  test('only the new charges of a large batch are booked', async () => {
    await grant(ledger(), 1_000n);
    await ledger().charge(sampleCharge({ requestId: 'req-13', costNanoUsd: 3n }));
    const ids = Array.from({ length: 27 }, (_, index) => `req-${index}`);
    const outcomes = await Promise.all(
      [...ids, 'req-5'].map((requestId) => ledger().charge(sampleCharge({ requestId, costNanoUsd: 3n }))),
    );
    expect(outcomes.flatMap((outcome, index) => (outcome === 'known' ? [index] : []))).toEqual([13, 27]);
    expect((await ledger().balance('acme')).balanceNanoUsd).toBe(1_000n - 27n * 3n);
    expect(await ledger().verify()).toMatchObject({ charges: 27, problems: [] });
  });

  test('a zero charge makes one entry', async () => {
    expect(await ledger().charge(sampleCharge({ costNanoUsd: 0n }))).toBe('charged');
    expect(await ledger().charge(sampleCharge({ costNanoUsd: 0n }))).toBe('known');
    expect(await ledger().entries('acme', 10)).toMatchObject([{ kind: 'charge', amountNanoUsd: 0n }]);
    expect(await ledger().spending()).toEqual([]);
  });

  test('a charge without a key counts for no key', async () => {
    await ledger().charge(sampleCharge({ keyId: null, costNanoUsd: 5n }));
    expect(await ledger().spending()).toEqual([]);
    expect(await stateOf(ledger())).toEqual([-5n, 0n]);
  });

  test("a refund increases the balance and does not reduce the key's spending", async () => {
    await ledger().charge(sampleCharge({ costNanoUsd: 5n }));
    await grant(ledger(), 5n, { kind: 'refund', keyId: 'ci', requestId: 'req-1' });
    expect(await stateOf(ledger())).toEqual([0n, 0n]);
    expect((await ledger().spending())[0]?.spentNanoUsd).toBe(5n);
  });
}

function concurrencyTests(ledger: () => Ledger): void {
  test('concurrent leases are granted exactly up to the spending pool', async () => {
    await grant(ledger(), 70n);
    const wanted = Array.from({ length: 200 });
    const ofBalance = await Promise.all(wanted.map(async () => ledger().lease(ACCOUNT, 1n, 1n)));
    const ofLimit = await Promise.all(wanted.map(async () => ledger().lease(KEY, 1n, 1n, 30n)));
    expect(ofBalance.filter((leased) => leased === 1n)).toHaveLength(70);
    expect(ofLimit.filter((leased) => leased === 1n)).toHaveLength(30);
    expect(await stateOf(ledger())).toEqual([70n, 70n]);
  });

  test('concurrent debits are appended exactly up to the balance', async () => {
    await grant(ledger(), 70n);
    const outcomes = await Promise.all(Array.from({ length: 100 }, () => adjust(ledger(), -1n)));
    expect(outcomes.filter((outcome) => outcome === 'appended')).toHaveLength(70);
    expect(outcomes.filter((outcome) => outcome === 'insufficient')).toHaveLength(30);
    expect(await stateOf(ledger())).toEqual([0n, 0n]);
  });

  test('a charge that is sent many times concurrently is made once', async () => {
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => ledger().charge(sampleCharge())));
    expect(outcomes.filter((outcome) => outcome === 'charged')).toHaveLength(1);
    expect(await ledger().entries('acme', 100)).toHaveLength(1);
  });

  test('concurrent leases, charges and releases lose and duplicate nothing', async () => {
    await grant(ledger(), 1_000n);
    const spend = async (index: number) => {
      if ((await ledger().lease(ACCOUNT, 10n, 10n)) === 0n) return 0n;
      const cost = BigInt(index % 8);
      await ledger().charge(
        sampleCharge({ requestId: `req-${index}`, costNanoUsd: cost, fromAccountLease: cost, keyId: null }),
      );
      await ledger().giveBack(ACCOUNT, 10n - cost);
      return cost;
    };
    const costs = await Promise.all(Array.from({ length: 150 }, (_, index) => spend(index)));
    const spent = costs.reduce((sum, cost) => sum + cost, 0n);
    expect(await stateOf(ledger())).toEqual([1_000n - spent, 0n]);
  });
}

function readingTests(ledger: () => Ledger): void {
  test('every field of an entry is returned as appended', async () => {
    const full = sampleEntry({
      idempotencyKey: "Ünïcode 🚦 '; --",
      keyId: 'ci',
      kind: 'adjustment',
      requestId: 'req-1',
      note: 'größe',
    });
    const empty = sampleEntry({ idempotencyKey: 'empty', keyId: null, requestId: null, note: null, atMs: 1 });
    await ledger().append(full);
    await ledger().append(empty);
    const entries = await ledger().entries('acme', 10);
    expect(entries).toEqual([
      { ...full, sequence: expect.any(Number) },
      { ...empty, sequence: expect.any(Number) },
    ]);
  });

  test('a charge is an entry that names its request', async () => {
    await ledger().charge(sampleCharge({ requestId: 'req-7', costNanoUsd: 12n, atMs: 99 }));
    const entries = await ledger().entries('acme', 10);
    expect(entries).toEqual([
      {
        sequence: expect.any(Number),
        idempotencyKey: 'charge:req-7',
        accountId: 'acme',
        keyId: 'ci',
        kind: 'charge',
        amountNanoUsd: -12n,
        requestId: 'req-7',
        atMs: 99,
        note: null,
      },
    ]);
  });

  test('entries of an account are listed newest first, the last written first at equal times, up to the limit', async () => {
    for (const amount of [1n, 2n, 3n, 4n]) {
      await grant(ledger(), amount, { atMs: 100 + Math.floor(Number(amount) / 2) });
      await grant(ledger(), 99n, { accountId: 'other' });
    }
    const entries = await ledger().entries('acme', 3);
    expect(entries.map(({ amountNanoUsd }) => amountNanoUsd)).toEqual([4n, 3n, 2n]);
    const sequences = entries.map(({ sequence }) => sequence);
    expect(sequences).toEqual(sequences.toSorted((a, b) => b - a));
    expect(new Set(sequences).size).toBe(3);
    expect(await ledger().entries('acme', 0)).toEqual([]);
    expect(await ledger().entries('acme', -1)).toEqual([]);
  });

  test('balances and spending are listed by id', async () => {
    for (const accountId of ['c', 'a', 'b']) {
      await grant(ledger(), 10n, { accountId });
      for (const keyId of ['y', 'x'])
        await ledger().charge(sampleCharge({ requestId: accountId + keyId, accountId, keyId, costNanoUsd: 1n }));
    }
    expect(await ledger().balances()).toEqual(
      ['a', 'b', 'c'].map((accountId) => ({ accountId, balanceNanoUsd: 8n, leasedNanoUsd: 0n })),
    );
    const spending = await ledger().spending();
    expect(spending.map(({ accountId, keyId }) => accountId + keyId)).toEqual(['ax', 'ay', 'bx', 'by', 'cx', 'cy']);
    const some = await ledger().balances(['c', 'nobody', 'a']);
    expect(some.map(({ accountId }) => accountId)).toEqual(['a', 'c']);
    const keys = [
      { accountId: 'b', keyId: 'y' },
      { accountId: 'a', keyId: 'x' },
      { accountId: 'a', keyId: 'z' },
    ];
    expect((await ledger().spending(keys)).map(({ accountId, keyId }) => accountId + keyId)).toEqual(['ax', 'by']);
    expect([await ledger().balances([]), await ledger().spending([])]).toEqual([[], []]);
  });
}

function verifyTests(store: () => Store): void {
  test('a correct ledger has no problems, and its entries are counted', async () => {
    const { ledger, requestLog, directory } = store();
    await directory.write('all', (writer) => {
      writer.putAccount(sampleAccount());
      writer.putAccount(sampleAccount({ id: 'open', billing: 'unlimited' }));
      writer.putCredential(sampleCredential({ limitNanoUsd: 50n }));
    });
    await grant(ledger, 100n);
    await ledger.lease(ACCOUNT, 50n, 1n);
    await ledger.lease(KEY, 50n, 1n, 50n);
    for (const [requestId, costNanoUsd] of Object.entries({ 'req-1': 10n, 'req-2': 0n })) {
      await ledger.charge(
        sampleCharge({ requestId, costNanoUsd, fromAccountLease: costNanoUsd, fromKeyLease: costNanoUsd }),
      );
      requestLog.append(sampleRecord({ requestId, costNanoUsd }));
    }
    requestLog.append(sampleRecord({ requestId: 'req-unpriced', costNanoUsd: null }));
    // No line in the log, as after a crash.
    await ledger.charge(sampleCharge({ requestId: 'req-3', accountId: 'open', costNanoUsd: 5n }));
    await requestLog.flush();
    expect(await ledger.verify()).toEqual({ accounts: 2, entries: 4, charges: 3, archived: 0, problems: [] });
  });

  test('a logged request with a missing or different charge is reported', async () => {
    const { ledger, requestLog } = store();
    await ledger.charge(sampleCharge({ requestId: 'req-1', costNanoUsd: 10n }));
    await ledger.charge(sampleCharge({ requestId: 'req-2', costNanoUsd: 10n }));
    requestLog.append(sampleRecord({ requestId: 'req-1', costNanoUsd: 10n }));
    requestLog.append(sampleRecord({ requestId: 'req-2', costNanoUsd: 11n }));
    requestLog.append(sampleRecord({ requestId: 'req-3', costNanoUsd: 1n }));
    // A free request needs no entry.
    requestLog.append(sampleRecord({ requestId: 'req-4', costNanoUsd: 0n }));
    await requestLog.flush();
    const { problems } = await ledger.verify();
    expect(problems).toHaveLength(2);
    expect(problems.filter((problem) => problem.includes('req-2') && problem.includes('acme'))).toHaveLength(1);
    expect(problems.filter((problem) => problem.includes('req-3'))).toHaveLength(1);
  });

  test('a logged request that was charged to another account or key is reported', async () => {
    const { ledger, requestLog } = store();
    await ledger.charge(sampleCharge({ requestId: 'req-1', accountId: 'other' }));
    await ledger.charge(sampleCharge({ requestId: 'req-2', keyId: null }));
    for (const requestId of ['req-1', 'req-2']) requestLog.append(sampleRecord({ requestId }));
    await requestLog.flush();
    const { problems } = await ledger.verify();
    expect(problems).toHaveLength(2);
    expect(problems.filter((problem) => problem.includes('req-1') && problem.includes('other'))).toHaveLength(1);
    expect(problems.filter((problem) => problem.includes('req-2') && problem.includes('no key'))).toHaveLength(1);
  });

  test('a negative prepaid account is reported, an unlimited one is not', async () => {
    const { ledger, directory } = store();
    await directory.write('all', (writer) => {
      writer.putAccount(sampleAccount({ id: 'paid' }));
      writer.putAccount(sampleAccount({ id: 'open', billing: 'unlimited' }));
    });
    for (const accountId of ['paid', 'open']) await ledger.charge(sampleCharge({ requestId: accountId, accountId }));
    const { problems } = await ledger.verify();
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain('paid');
  });
}
