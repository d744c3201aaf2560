import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { NewHold } from '../../../domain/ledger/hold.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { SAMPLE_USAGE, sampleEntry, sampleHold } from '../../../engine/ports/testing/samples.ts';

const KEY_LIMIT = 60n;
const STRANDS = 8;
const amount = (least: number, most: number) => fc.integer({ min: least, max: most }).map(BigInt);

const step = fc.oneof(
  fc.record({ do: fc.constant('grant' as const), amount: amount(0, 50) }),
  fc.record({ do: fc.constant('lease' as const), amount: amount(1, 40) }),
  fc.record({ do: fc.constant('give-back' as const), percent: fc.integer({ min: 0, max: 100 }) }),
  fc.record({
    do: fc.constant('hold' as const),
    amount: amount(0, 40),
    isLimited: fc.boolean(),
    isKeyed: fc.boolean(),
  }),
  fc.record({ do: fc.constant('settle' as const), which: fc.nat(), cost: amount(0, 80) }),
  fc.record({ do: fc.constant('release' as const), which: fc.nat() }),
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/**
 * Compares random histories of holds, leases and grants, each on its own account, with plain arithmetic: held money cannot be leased, each
 * hold ends once and keeps its first outcome, and no limited spending pool is overdrawn.
 */
export function holdLawTests(store: () => Store, histories: number): void {
  let made = 0;

  test(`the laws of holds are true after every step of ${histories} histories`, async () => {
    const history = fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      made += 1;
      const expected = new ExpectedHolds(store(), `held-${made}`);
      for (const next of steps) {
        await expected.take(next);
        await expected.check();
      }
    });
    const strands = Array.from({ length: STRANDS }, (_, seed) =>
      fc.assert(history, { numRuns: Math.ceil(histories / STRANDS), seed }),
    );
    await Promise.all(strands);
    expect((await store().ledger.verify()).problems).toEqual([]);
  }, 300_000);

  const crowds = Math.ceil(histories / 5);
  test(`each hold ends once in ${crowds} rounds of concurrent holds, settlements and releases`, async () => {
    const crowd = fc.record({
      opening: amount(0, 200),
      holds: fc.array(fc.record({ wanted: amount(1, 40), ends: fc.array(amount(-1, 60), { maxLength: 4 }) }), {
        minLength: 1,
        maxLength: 12,
      }),
    });
    const property = fc.asyncProperty(crowd, async ({ opening, holds }) => {
      made += 1;
      await runCrowd(store(), `crowd-of-holds-${made}`, opening, holds);
    });
    await fc.assert(property, { numRuns: crowds, seed: 1 });
    expect((await store().ledger.verify()).problems).toEqual([]);
  }, 300_000);
}

class ExpectedHolds {
  readonly #store: Store;
  readonly #accountId: string;
  readonly #holds: (NewHold & { ended: { state: string; chargedNanoUsd: bigint } | null })[] = [];
  #balance = 0n;
  #leased = 0n;
  #spent = 0n;
  #steps = 0;

  constructor(store: Store, accountId: string) {
    this.#store = store;
    this.#accountId = accountId;
  }

  async take(next: Step): Promise<void> {
    this.#steps += 1;
    if (next.do === 'grant') await this.#grant(next.amount);
    if (next.do === 'lease') await this.#lease(next.amount);
    if (next.do === 'give-back') await this.#giveBack(next.percent);
    if (next.do === 'hold') await this.#hold(next.amount, next.isLimited, next.isKeyed);
    if (next.do === 'settle') await this.#settle(next.which, next.cost);
    if (next.do === 'release') await this.#release(next.which);
  }

  async check(): Promise<void> {
    const { balanceNanoUsd, leasedNanoUsd } = await this.#store.ledger.balance(this.#accountId);
    expect([balanceNanoUsd, leasedNanoUsd]).toEqual([this.#balance, this.#leased + this.#held('fromBalanceNanoUsd')]);
    expect(this.#held('fromLimitNanoUsd')).toBeLessThanOrEqual(KEY_LIMIT);
  }

  #held(of: 'fromBalanceNanoUsd' | 'fromLimitNanoUsd'): bigint {
    return this.#holds.reduce((sum, hold) => sum + (hold.ended === null ? (hold[of] ?? 0n) : 0n), 0n);
  }

  #freeBalance(): bigint {
    return this.#balance - this.#leased - this.#held('fromBalanceNanoUsd');
  }

  #freeLimit(): bigint {
    return KEY_LIMIT - this.#spent - this.#held('fromLimitNanoUsd');
  }

  async #grant(amountNanoUsd: bigint): Promise<void> {
    const idempotencyKey = `${this.#accountId}:${this.#steps}`;
    await this.#store.ledger.append(sampleEntry({ idempotencyKey, accountId: this.#accountId, amountNanoUsd }));
    this.#balance += amountNanoUsd;
  }

  async #lease(wanted: bigint): Promise<void> {
    const pool = { accountId: this.#accountId, keyId: null };
    const expected = this.#freeBalance() >= wanted ? wanted : 0n;
    expect(await this.#store.ledger.lease(pool, wanted, wanted)).toBe(expected);
    this.#leased += expected;
  }

  async #giveBack(percent: number): Promise<void> {
    const given = (this.#leased * BigInt(percent)) / 100n;
    await this.#store.ledger.giveBack({ accountId: this.#accountId, keyId: null }, given);
    this.#leased -= given;
  }

  async #hold(wanted: bigint, isLimited: boolean, isKeyed: boolean): Promise<void> {
    const hold = sampleHold({
      holdId: `${this.#accountId}:${this.#steps}`,
      accountId: this.#accountId,
      keyId: isKeyed ? 'key' : null,
      fromBalanceNanoUsd: isLimited ? wanted : null,
      fromLimitNanoUsd: isKeyed ? wanted : null,
      keyLimitNanoUsd: isKeyed ? KEY_LIMIT : null,
    });
    // In production an account is either limited or not. Here it may switch, so it can be below zero when it is limited.
    const isShort = isLimited && this.#freeBalance() < wanted;
    const expected = isShort ? 'balance' : isKeyed && this.#freeLimit() < wanted ? 'limit' : 'held';
    expect(await this.#store.holds.hold(hold)).toBe(expected);
    if (expected === 'held') this.#holds.push({ ...hold, ended: null });
  }

  async #settle(which: number, cost: bigint): Promise<void> {
    const hold = this.#holds[which % this.#holds.length];
    if (hold === undefined) return;
    if (hold.ended === null) {
      const most = (held: bigint | null, free: bigint) => (held === null ? cost : held + (free > 0n ? free : 0n));
      const all = [
        cost,
        most(hold.fromBalanceNanoUsd, this.#freeBalance()),
        most(hold.fromLimitNanoUsd, this.#freeLimit()),
      ];
      const chargedNanoUsd = all.reduce((least, one) => (one < least ? one : least));
      hold.ended = { state: 'settled', chargedNanoUsd };
      this.#balance -= chargedNanoUsd;
      if (hold.keyId !== null) this.#spent += chargedNanoUsd;
    }
    expect<unknown>(await this.#store.holds.settle(hold.holdId, cost, this.#steps, SAMPLE_USAGE)).toEqual(hold.ended);
  }

  async #release(which: number): Promise<void> {
    const hold = this.#holds[which % this.#holds.length];
    if (hold === undefined) return;
    hold.ended ??= { state: 'released', chargedNanoUsd: 0n };
    expect<unknown>(await this.#store.holds.release(hold.holdId, this.#steps)).toEqual(hold.ended);
  }
}

/** Makes every hold twice and ends it as often as stated: with a cost, or by a release if the cost is negative. */
async function runCrowd(
  { ledger, holds }: Store,
  accountId: string,
  opening: bigint,
  crowd: readonly { readonly wanted: bigint; readonly ends: readonly bigint[] }[],
): Promise<void> {
  await ledger.append(sampleEntry({ idempotencyKey: `${accountId}:opening`, accountId, amountNanoUsd: opening }));
  let left = opening;
  let held = 0n;
  await Promise.all(
    crowd.map(async ({ wanted, ends }, index) => {
      const holdId = `${accountId}:${index}`;
      const hold = sampleHold({ holdId, accountId, fromBalanceNanoUsd: wanted, keyId: null, ...WITHOUT_LIMIT });
      const outcomes = await Promise.all([holds.hold(hold), holds.hold(hold)]);
      if (outcomes.every((outcome) => outcome === 'balance')) return;
      const ended = await Promise.all(
        ends.map((cost) => (cost < 0n ? holds.release(holdId, 1) : holds.settle(holdId, cost, 1, SAMPLE_USAGE))),
      );
      expect(new Set(ended.map((one) => `${one?.state} ${one?.chargedNanoUsd}`)).size).toBeLessThanOrEqual(1);
      if (ends.length === 0) held += wanted;
      else left -= ended[0]?.chargedNanoUsd ?? 0n;
    }),
  );
  expect(await ledger.balance(accountId)).toEqual({ accountId, balanceNanoUsd: left, leasedNanoUsd: held });
  expect(left).toBeGreaterThanOrEqual(held);
}

const WITHOUT_LIMIT = { fromLimitNanoUsd: null, keyLimitNanoUsd: null };
