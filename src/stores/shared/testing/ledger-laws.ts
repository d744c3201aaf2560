import { expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  type Charge,
  type Ledger,
  LedgerConflict,
  type NewEntry,
  type SpendingPool,
} from '../../../engine/ports/ledger.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { sampleAccount, sampleCharge, sampleEntry } from '../../../engine/ports/testing/samples.ts';

const KEY_LIMIT = 60n;
const EVERYTHING = 1n << 62n;
const STRANDS = 8;
const amount = (least: number, most: number) => fc.integer({ min: least, max: most }).map(BigInt);
/** One of the two spending pools of a history: the balance or the key's limit. */
const pool = fc.constantFrom('balance' as const, 'limit' as const);

const step = fc.oneof(
  fc.record({ do: fc.constant('append' as const), kind: fc.constantFrom('grant', 'refund'), amount: amount(0, 50) }),
  fc.record({ do: fc.constant('append' as const), kind: fc.constant('adjustment'), amount: amount(-50, 50) }),
  fc.record({ do: fc.constant('lease' as const), pool, wanted: amount(-2, 60), least: amount(0, 40) }),
  fc.record({ do: fc.constant('give-back' as const), pool, percent: fc.integer({ min: 0, max: 120 }) }),
  fc.record({ do: fc.constant('lose' as const), pool, wanted: amount(1, 60) }),
  fc.record({ do: fc.constant('charge' as const), keyed: fc.boolean(), percent: fc.integer({ min: 0, max: 100 }) }),
  fc.record({ do: fc.constant('repeat' as const), which: fc.nat() }),
  fc.record({ do: fc.constant('contradict' as const), which: fc.nat() }),
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/**
 * Compares random histories, each on its own account, with plain arithmetic over the accepted operations: the balance is the sum of the
 * entries, duplicates count once, spending from leases never exceeds the balance or the limit, and no lease is left without a holder.
 */
export function ledgerLawTests(store: () => Store, histories: number): void {
  let made = 0;

  test(`the laws hold after every step of ${histories} histories`, async () => {
    const history = fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      made += 1;
      const account = new ExpectedAccount(store().ledger, `step-${made}`);
      for (const next of steps) {
        await account.take(next);
        await account.check();
      }
      await account.checkEntries();
    });
    // Runs several in parallel on separate accounts, since over a network most of the time is waiting.
    const parts = Array.from({ length: STRANDS }, (_, seed) =>
      fc.assert(history, { numRuns: Math.ceil(histories / STRANDS), seed }),
    );
    await Promise.all(parts);
    expect((await store().ledger.verify()).problems).toEqual([]);
  }, 300_000);

  const request = fc.record({
    wanted: amount(1, 20),
    costPercent: fc.integer({ min: 0, max: 100 }),
    keyed: fc.boolean(),
    isSentTwice: fc.boolean(),
  });
  const shared = fc.record({
    opening: amount(0, 200),
    requests: fc.array(request, { minLength: 1, maxLength: 30 }),
    adjustments: fc.array(amount(-30, 30), { maxLength: 4 }),
  });

  const crowds = Math.ceil(histories / 5);
  test(`the laws hold after ${crowds} rounds of concurrent requests`, async () => {
    const crowd = fc.asyncProperty(shared, async (given) => {
      made += 1;
      await runCrowd(store().ledger, `crowd-${made}`, given);
    });
    await fc.assert(crowd, { numRuns: crowds, seed: 1 });
    for (const { accountId } of await store().ledger.balances())
      await store().directory.write('all', (writer) => writer.putAccount(sampleAccount({ id: accountId })));
    expect((await store().ledger.verify()).problems).toEqual([]);
  }, 300_000);
}

/** The expected state of the account, computed independently of the ledger. */
class ExpectedAccount {
  readonly #ledger: Ledger;
  readonly #accountId: string;
  readonly #pools: Record<'balance' | 'limit', SpendingPool>;
  readonly #leased = { balance: 0n, limit: 0n };
  readonly #entries: NewEntry[] = [];
  readonly #charges: Charge[] = [];
  #spent = 0n;
  #steps = 0;

  constructor(ledger: Ledger, accountId: string) {
    this.#ledger = ledger;
    this.#accountId = accountId;
    this.#pools = { balance: { accountId, keyId: null }, limit: { accountId, keyId: 'key' } };
  }

  async take(next: Step): Promise<void> {
    this.#steps += 1;
    if (next.do === 'append') await this.#append(next.kind as NewEntry['kind'], next.amount);
    if (next.do === 'lease') await this.#lease(next.pool, next.wanted, next.least);
    if (next.do === 'give-back') await this.#giveBack(next.pool, next.percent);
    if (next.do === 'lose') await this.#lose(next.pool, next.wanted);
    if (next.do === 'charge') await this.#charge(next.keyed, next.percent);
    if (next.do === 'repeat') await this.#again(next.which, 0n);
    if (next.do === 'contradict') await this.#again(next.which, 1n);
  }

  async check(): Promise<void> {
    const balance = await this.#ledger.balance(this.#accountId);
    expect(balance).toEqual({
      accountId: this.#accountId,
      balanceNanoUsd: this.#balance(),
      leasedNanoUsd: this.#leased.balance,
    });
    expect(balance.leasedNanoUsd).toBeGreaterThanOrEqual(0n);
    expect(balance.balanceNanoUsd).toBeGreaterThanOrEqual(balance.leasedNanoUsd);
    expect(this.#spent + this.#leased.limit).toBeLessThanOrEqual(KEY_LIMIT);
  }

  async checkEntries(): Promise<void> {
    const entries = await this.#ledger.entries(this.#accountId, 1_000);
    const written = entries.map(({ idempotencyKey, amountNanoUsd }) => [idempotencyKey, amountNanoUsd]);
    const expected = this.#entries.map(({ idempotencyKey, amountNanoUsd }) => [idempotencyKey, amountNanoUsd]);
    expect(written).toEqual(expected.toReversed());
    const credits = this.#entries.filter(({ kind }) => kind !== 'charge');
    expect(await this.#ledger.credits(this.#accountId)).toEqual({
      balanceNanoUsd: this.#balance(),
      creditedNanoUsd: credits.reduce((sum, { amountNanoUsd }) => sum + amountNanoUsd, 0n),
    });
    const spending = (await this.#ledger.spending()).find(({ accountId }) => accountId === this.#accountId);
    expect(spending?.spentNanoUsd ?? 0n).toBe(this.#spent);
    // The rest of the limit can be leased to the last unit, and no more.
    const left = KEY_LIMIT - this.#spent - this.#leased.limit;
    expect(await this.#ledger.lease(this.#pools.limit, KEY_LIMIT, 1n, KEY_LIMIT)).toBe(left);
  }

  async #append(kind: NewEntry['kind'], amountNanoUsd: bigint): Promise<void> {
    const idempotencyKey = `${this.#accountId}:${this.#steps}`;
    const entry = sampleEntry({ idempotencyKey, accountId: this.#accountId, kind, amountNanoUsd });
    const isCovered = amountNanoUsd >= 0n || this.#balance() - this.#leased.balance + amountNanoUsd >= 0n;
    expect(await this.#ledger.append(entry)).toBe(isCovered ? 'appended' : 'insufficient');
    if (isCovered) this.#entries.push(entry);
  }

  async #lease(of: 'balance' | 'limit', wanted: bigint, least: bigint): Promise<void> {
    const whole = of === 'balance' ? this.#balance() : KEY_LIMIT - this.#spent;
    const free = whole - this.#leased[of];
    const most = wanted < free ? wanted : free;
    const expected = most <= 0n || most < least ? 0n : most;
    expect(await this.#ledger.lease(this.#pools[of], wanted, least, KEY_LIMIT)).toBe(expected);
    this.#leased[of] += expected;
  }

  async #giveBack(of: 'balance' | 'limit', percent: number): Promise<void> {
    const given = (this.#leased[of] * BigInt(percent)) / 100n;
    await this.#ledger.giveBack(this.#pools[of], given);
    this.#leased[of] -= given < this.#leased[of] ? given : this.#leased[of];
  }

  /** Leases an amount, drops the response, and has it released. Other accounts belong to other histories. */
  async #lose(of: 'balance' | 'limit', wanted: bigint): Promise<void> {
    const lost = await this.#ledger.lease(this.#pools[of], wanted, 1n, KEY_LIMIT);
    const given = await this.#ledger.giveBackUnneeded(({ accountId, keyId }) => {
      if (accountId !== this.#accountId) return EVERYTHING;
      return keyId === null ? this.#leased.balance : this.#leased.limit;
    });
    const pool = this.#pools[of];
    expect(given).toEqual(lost === 0n ? [] : [{ pool, leasedNanoUsd: lost }]);
  }

  async #charge(keyed: boolean, percent: number): Promise<void> {
    const { balance, limit } = this.#leased;
    const most = keyed && limit < balance ? limit : balance;
    const costNanoUsd = (most * BigInt(percent)) / 100n;
    const charge = sampleCharge({
      requestId: `${this.#accountId}:${this.#steps}`,
      accountId: this.#accountId,
      keyId: keyed ? 'key' : null,
      costNanoUsd,
      fromAccountLease: costNanoUsd,
      fromKeyLease: keyed ? costNanoUsd : 0n,
    });
    expect(await this.#ledger.charge(charge)).toBe('charged');
    this.#leased.balance -= costNanoUsd;
    if (keyed) {
      this.#leased.limit -= costNanoUsd;
      this.#spent += costNanoUsd;
    }
    this.#charges.push(charge);
    this.#entries.push(
      sampleEntry({ idempotencyKey: `charge:${charge.requestId}`, kind: 'charge', amountNanoUsd: -costNanoUsd }),
    );
  }

  /** Resends an accepted entry, with `more` added to its amount. */
  async #again(which: number, more: bigint): Promise<void> {
    const entry = this.#entries[which % this.#entries.length];
    if (entry === undefined) return;
    const charge = this.#charges.find(({ requestId }) => entry.idempotencyKey === `charge:${requestId}`);
    const again =
      charge === undefined
        ? this.#ledger.append({ ...entry, amountNanoUsd: entry.amountNanoUsd + more })
        : this.#ledger.charge({ ...charge, costNanoUsd: charge.costNanoUsd + more });
    if (more === 0n) expect(await again).toBe('known');
    // `rejects` is not used, since it blocks everything else in this turn, including what the response may wait for.
    else expect(await again.catch((error: unknown) => error)).toBeInstanceOf(LedgerConflict);
  }

  #balance(): bigint {
    return this.#entries.reduce((sum, { amountNanoUsd }) => sum + amountNanoUsd, 0n);
  }
}

interface Crowd {
  readonly opening: bigint;
  readonly requests: readonly {
    readonly wanted: bigint;
    readonly costPercent: number;
    readonly keyed: boolean;
    readonly isSentTwice: boolean;
  }[];
  readonly adjustments: readonly bigint[];
}

/** Runs requests that lease, charge and release concurrently with other entries. */
async function runCrowd(ledger: Ledger, accountId: string, { opening, requests, adjustments }: Crowd): Promise<void> {
  const pools = { balance: { accountId, keyId: null }, limit: { accountId, keyId: 'key' } };
  await ledger.append(sampleEntry({ idempotencyKey: `${accountId}:opening`, accountId, amountNanoUsd: opening }));
  let accepted = opening;
  let spent = 0n;
  const send = async ({ wanted, costPercent, keyed, isSentTwice }: Crowd['requests'][number], index: number) => {
    if ((await ledger.lease(pools.balance, wanted, wanted)) === 0n) return;
    const isAllowed = !keyed || (await ledger.lease(pools.limit, wanted, wanted, KEY_LIMIT)) === wanted;
    const cost = isAllowed ? (wanted * BigInt(costPercent)) / 100n : 0n;
    if (isAllowed) {
      const charge = sampleCharge({
        requestId: `${accountId}:${index}`,
        accountId,
        keyId: keyed ? 'key' : null,
        costNanoUsd: cost,
        fromAccountLease: cost,
        fromKeyLease: keyed ? cost : 0n,
      });
      const outcomes = await Promise.all([ledger.charge(charge), ...(isSentTwice ? [ledger.charge(charge)] : [])]);
      expect(outcomes.filter((outcome) => outcome === 'charged')).toHaveLength(1);
      accepted -= cost;
      if (keyed) spent += cost;
      if (keyed) await ledger.giveBack(pools.limit, wanted - cost);
    }
    await ledger.giveBack(pools.balance, wanted - cost);
  };
  const adjust = async (amountNanoUsd: bigint, index: number) => {
    const idempotencyKey = `${accountId}:adjustment-${index}`;
    const entry = sampleEntry({ idempotencyKey, accountId, kind: 'adjustment', amountNanoUsd });
    if ((await ledger.append(entry)) === 'appended') accepted += amountNanoUsd;
  };
  await Promise.all([...requests.map(send), ...adjustments.map(adjust)]);
  expect(await ledger.balance(accountId)).toEqual({ accountId, balanceNanoUsd: accepted, leasedNanoUsd: 0n });
  expect(accepted).toBeGreaterThanOrEqual(0n);
  const spending = (await ledger.spending()).find((row) => row.accountId === accountId);
  expect(spending?.spentNanoUsd ?? 0n).toBe(spent);
  expect(spent).toBeLessThanOrEqual(KEY_LIMIT);
  expect(spending?.leasedNanoUsd ?? 0n).toBe(0n);
}
