import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { HeldBudget } from '../../../domain/ledger/hold.ts';
import type { BudgetWindow } from '../../../domain/money/budget.ts';
import type { BudgetPool, Charge } from '../../../engine/ports/ledger.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { SAMPLE_USAGE, sampleCharge, sampleEntry, sampleHold } from '../../../engine/ports/testing/samples.ts';

const STRANDS = 4;
const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 10, 23);
const dayOf = (day: number): BudgetWindow => ({
  startsAtMs: START + day * DAY_MS,
  endsAtMs: START + (day + 1) * DAY_MS,
});
const WEEK: BudgetWindow = { startsAtMs: START, endsAtMs: START + 7 * DAY_MS };
const [MONDAY, TUESDAY] = [dayOf(0), dayOf(1)];
const LATE_MONDAY = TUESDAY.startsAtMs - 1;
const BUDGET = 100n;

const accountIn = (window: BudgetWindow, accountId = 'acme') => ({ accountId, keyId: null, window });
const keyIn = (window: BudgetWindow, accountId = 'acme') => ({ accountId, keyId: 'ci', window });

/** Budget tests for every store. */
export function budgetTests(store: () => Store): void {
  let charges = 0;
  const charge = (fields: Partial<Charge>) =>
    store().ledger.charge(sampleCharge({ requestId: `r${++charges}`, ...fields }));
  const lease = (pool: BudgetPool, amount: bigint, budget = BUDGET) =>
    store().ledger.lease(pool, amount, amount, budget);
  const spent = async (...pools: BudgetPool[]) =>
    (await store().ledger.budgetSpending(pools)).map(({ spentNanoUsd, leasedNanoUsd }) => [
      spentNanoUsd,
      leasedNanoUsd,
    ]);
  const problems = async () => (await store().ledger.verify()).problems;

  test('leases never exceed the budgets of the account and the key, in each period', async () => {
    expect(await lease(accountIn(MONDAY), 70n)).toBe(70n);
    expect(await lease(accountIn(MONDAY), 31n)).toBe(0n);
    expect(await lease(keyIn(MONDAY), 100n)).toBe(100n);
    expect(await lease(accountIn(TUESDAY), 100n)).toBe(100n);
    expect(await lease(accountIn(WEEK), 100n)).toBe(100n);
    await store().ledger.giveBack(accountIn(MONDAY), 20n);
    expect(await lease(accountIn(MONDAY), 50n)).toBe(50n);
    expect(await spent(accountIn(MONDAY), keyIn(MONDAY), keyIn(TUESDAY))).toEqual([
      [0n, 100n],
      [0n, 100n],
      [0n, 0n],
    ]);
    expect(await problems()).toEqual([]);
  });

  test('a charge counts in the periods of its reservation, however late it is made', async () => {
    await Promise.all([lease(accountIn(MONDAY), 60n), lease(keyIn(MONDAY), 60n)]);
    await Promise.all([lease(accountIn(TUESDAY), 10n), lease(keyIn(WEEK), 10n)]);
    const budgets = { countedAtMs: LATE_MONDAY, account: MONDAY, key: MONDAY };
    expect(await charge({ costNanoUsd: 40n, atMs: TUESDAY.startsAtMs + 5, budgets })).toBe('charged');
    const all = [accountIn(MONDAY), keyIn(MONDAY), accountIn(TUESDAY), keyIn(WEEK)];
    expect(await spent(...all)).toEqual([
      [40n, 20n],
      [40n, 20n],
      [0n, 10n],
      [40n, 10n],
    ]);
    expect(await problems()).toEqual([]);
  });

  test('a repeated charge counts once', async () => {
    await lease(accountIn(MONDAY), 60n);
    const budgets = { countedAtMs: START, account: MONDAY, key: null };
    const twice = [1, 2].map(() => charge({ requestId: 'same', costNanoUsd: 40n, atMs: START, budgets }));
    expect((await Promise.all(twice)).sort()).toEqual(['charged', 'known']);
    expect(await spent(accountIn(MONDAY))).toEqual([[40n, 20n]]);
  });

  test('spending before the budget existed and charges without a reservation count', async () => {
    await charge({ costNanoUsd: 7n, atMs: START - 10 * DAY_MS });
    await charge({ costNanoUsd: 9n, atMs: START - 1 });
    await charge({ costNanoUsd: 30n, atMs: START });
    await charge({ costNanoUsd: 20n, atMs: LATE_MONDAY, keyId: 'other' });
    await store().ledger.append(sampleEntry({ amountNanoUsd: 1_000n, atMs: START }));
    expect(await spent(accountIn(MONDAY), keyIn(MONDAY))).toEqual([
      [50n, 0n],
      [30n, 0n],
    ]);
    expect(await lease(accountIn(MONDAY), 51n)).toBe(0n);
    expect(await lease(accountIn(MONDAY), 50n)).toBe(50n);
    expect(await lease(keyIn(MONDAY), 70n)).toBe(70n);
    await charge({ costNanoUsd: 5n, atMs: LATE_MONDAY, keyId: null });
    expect(await spent(accountIn(MONDAY), keyIn(MONDAY))).toEqual([
      [55n, 50n],
      [30n, 70n],
    ]);
    expect(await problems()).toEqual([]);
  });

  test('a changed budget applies at once', async () => {
    await lease(accountIn(MONDAY), 60n);
    const budgets = { countedAtMs: START, account: MONDAY, key: null };
    await charge({ costNanoUsd: 60n, atMs: START, budgets });
    expect(await lease(accountIn(MONDAY), 1n, 60n)).toBe(0n);
    expect(await lease(accountIn(MONDAY), 1n, 20n)).toBe(0n);
    expect(await lease(accountIn(MONDAY), 61n, 120n)).toBe(0n);
    expect(await lease(accountIn(MONDAY), 60n, 120n)).toBe(60n);
  });

  test('long-ended periods without leases are forgotten, and can still be read', async () => {
    await lease(keyIn(MONDAY), 5n);
    for (let day = 0; day < 20; day++) {
      const window = dayOf(day);
      await lease(accountIn(window), 10n);
      const budgets = { countedAtMs: window.startsAtMs, account: window, key: null };
      await charge({ costNanoUsd: 10n, atMs: window.startsAtMs, budgets });
    }
    expect(await spent(...[0, 1, 19].map((day) => accountIn(dayOf(day))))).toEqual(
      [10n, 10n, 10n].map((one) => [one, 0n]),
    );
    expect(await spent(keyIn(MONDAY), accountIn(WEEK))).toEqual([
      [10n, 5n],
      [70n, 0n],
    ]);
    expect(await problems()).toEqual([]);
  });

  holdingTests(store);
}

function held(keyId: string | null, heldNanoUsd: bigint, window = MONDAY): HeldBudget {
  return { keyId, window, heldNanoUsd, budgetNanoUsd: BUDGET };
}

function holdingTests(store: () => Store): void {
  const unlimited = { fromBalanceNanoUsd: null, fromLimitNanoUsd: null, keyLimitNanoUsd: null, atMs: LATE_MONDAY };
  const hold = (holdId: string, ...budgets: HeldBudget[]) =>
    store().holds.hold(sampleHold({ ...unlimited, holdId, budgets }));
  const lease = (pool: BudgetPool, amount: bigint) => store().ledger.lease(pool, amount, amount, BUDGET);
  const spent = async () =>
    (await store().ledger.budgetSpending([accountIn(MONDAY), keyIn(MONDAY), accountIn(TUESDAY)])).map(
      ({ spentNanoUsd, leasedNanoUsd }) => [spentNanoUsd, leasedNanoUsd],
    );

  test('a hold reserves from its budgets, and is refused if one has too little', async () => {
    expect(await hold('one', held(null, 60n), held('ci', 30n))).toBe('held');
    expect(await hold('one', held(null, 60n), held('ci', 30n))).toBe('known');
    expect(await hold('two', held(null, 41n))).toBe('account_budget');
    expect(await hold('two', held(null, 40n), held('ci', 71n))).toBe('key_budget');
    expect(await lease(accountIn(MONDAY), 41n)).toBe(0n);
    expect(await lease(accountIn(MONDAY), 40n)).toBe(40n);
    expect(await spent()).toEqual([
      [0n, 100n],
      [0n, 30n],
      [0n, 0n],
    ]);
    expect((await store().holds.find('one'))?.budgets).toEqual([held(null, 60n), held('ci', 30n)]);
    await store().holds.release('one', LATE_MONDAY);
    await store().holds.release('one', LATE_MONDAY);
    expect(await spent()).toEqual([
      [0n, 40n],
      [0n, 0n],
      [0n, 0n],
    ]);
    expect((await store().ledger.verify()).problems).toEqual([]);
  });

  test('a hold is charged in the period of its creation, up to its budgets', async () => {
    await hold('one', held(null, 60n), held('ci', 30n));
    await lease(accountIn(MONDAY), 30n);
    await lease(accountIn(TUESDAY), 1n);
    const settled = { state: 'settled', chargedNanoUsd: 70n } as const;
    expect(await store().holds.settle('one', 80n, TUESDAY.startsAtMs + 9, SAMPLE_USAGE)).toEqual(settled);
    expect(await spent()).toEqual([
      [70n, 30n],
      [70n, 0n],
      [0n, 1n],
    ]);
    expect((await store().ledger.verify()).problems).toEqual([]);
  });
}

const amount = (least: number, most: number) => fc.integer({ min: least, max: most }).map(BigInt);
const day = fc.nat({ max: 2 });
const owner = fc.constantFrom<'account' | 'key'>('account', 'key');
const step = fc.oneof(
  fc.record({ do: fc.constant('lease' as const), of: owner, day, amount: amount(1, 80), budget: amount(60, 120) }),
  fc.record({ do: fc.constant('give-back' as const), of: owner, day, percent: amount(0, 100) }),
  fc.record({ do: fc.constant('charge' as const), day, percent: amount(0, 100), isKeyed: fc.boolean() }),
  fc.record({ do: fc.constant('stray' as const), day, amount: amount(0, 20), isKeyed: fc.boolean() }),
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Compares random histories with plain arithmetic: leases never exceed a budget, and every charge counts in its period. */
export function budgetLawTests(store: () => Store, histories: number): void {
  let made = 0;

  test(`the laws of budgets hold after every step of ${histories} histories`, async () => {
    const history = fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const expected = new ExpectedBudgets(store(), `budgets-${++made}`);
      for (const next of steps) await expected.take(next);
      await expected.check();
    });
    const strands = Array.from({ length: STRANDS }, (_, seed) =>
      fc.assert(history, { numRuns: Math.ceil(histories / STRANDS), seed }),
    );
    await Promise.all(strands);
    expect((await store().ledger.verify()).problems).toEqual([]);
  }, 600_000);
}

interface Period {
  spent: bigint;
  leased: bigint;
}

class ExpectedBudgets {
  readonly #periods = new Map<string, Period & { readonly pool: BudgetPool }>();
  #charges = 0;
  /** The latest day reached in the history. */
  #today = 0;

  constructor(
    private readonly store: Store,
    private readonly accountId: string,
  ) {}

  async take(next: Step): Promise<void> {
    const { ledger } = this.store;
    this.#today = Math.max(this.#today, next.day);
    if (next.do === 'lease') {
      const period = this.#period(next.of, next.day);
      const free = next.budget - period.spent - period.leased;
      const expected = free >= next.amount ? next.amount : 0n;
      expect(await ledger.lease(period.pool, next.amount, next.amount, next.budget)).toBe(expected);
      period.leased += expected;
    } else if (next.do === 'give-back') {
      const period = this.#period(next.of, next.day);
      const given = (period.leased * next.percent) / 100n;
      await ledger.giveBack(period.pool, given);
      period.leased -= given;
    } else if (next.do === 'charge') await this.#charge(next.day, next.percent, next.isKeyed);
    else await this.#count(this.#today, next.amount, next.isKeyed, null);
  }

  async check(): Promise<void> {
    const periods = [...this.#periods.values()];
    const found = await this.store.ledger.budgetSpending(periods.map(({ pool }) => pool));
    expect(found).toEqual(
      periods.map(({ pool, spent, leased }) => ({ ...pool, spentNanoUsd: spent, leasedNanoUsd: leased })),
    );
  }

  async #charge(of: number, percent: bigint, isKeyed: boolean): Promise<void> {
    const [account, key] = [this.#period('account', of), this.#period('key', of)];
    const most = isKeyed && key.leased < account.leased ? key.leased : account.leased;
    const cost = (most * percent) / 100n;
    await this.#count(of, cost, isKeyed, { account: account.pool.window, key: isKeyed ? key.pool.window : null });
    account.leased -= cost;
    if (isKeyed) key.leased -= cost;
  }

  /** A charge paid from leases may be written days after the day that it counts in. */
  async #count(
    of: number,
    costNanoUsd: bigint,
    isKeyed: boolean,
    leases: Pick<NonNullable<Charge['budgets']>, 'account' | 'key'> | null,
  ) {
    const { startsAtMs } = dayOf(of);
    const requestId = `${this.accountId}:${++this.#charges}`;
    const sample = sampleCharge({ requestId, accountId: this.accountId, keyId: isKeyed ? 'ci' : null, costNanoUsd });
    const charge =
      leases === null
        ? { ...sample, atMs: startsAtMs }
        : { ...sample, atMs: dayOf(this.#today).endsAtMs - 1, budgets: { countedAtMs: startsAtMs, ...leases } };
    expect(await this.store.ledger.charge(charge)).toBe('charged');
    this.#period('account', of).spent += costNanoUsd;
    if (isKeyed) this.#period('key', of).spent += costNanoUsd;
  }

  #period(of: 'account' | 'key', inDay: number) {
    const name = `${of} ${inDay}`;
    const pool = of === 'account' ? accountIn(dayOf(inDay), this.accountId) : keyIn(dayOf(inDay), this.accountId);
    const period = this.#periods.get(name) ?? { pool, spent: 0n, leased: 0n };
    this.#periods.set(name, period);
    return period;
  }
}
