import { expect, test } from 'bun:test';
import type { Budget } from '../../domain/money/budget.ts';
import type { BudgetPool } from '../ports/ledger.ts';
import { sampleAccount, sampleCredential } from '../ports/testing/samples.ts';
import { openRouterCreditsView, openRouterKeyView, subscriptionView } from './copied-views.ts';
import { keyView } from './own-views.ts';
import { spendingOf } from './spending.ts';

const NOW_MS = Date.parse('2026-11-01T00:30:00Z');
const budget = (amountNanoUsd: bigint, timeZone = 'UTC'): Budget => ({ amountNanoUsd, per: 'month', timeZone });
const textOf = (value: unknown) => JSON.parse(JSON.stringify(value));

/** The key has spent 40, 10 of it in this period; the account 100 of 250, 30 of it in this period. */
function ledger() {
  const asked: BudgetPool[] = [];
  return {
    asked,
    spending: async () => [{ accountId: 'acme', keyId: 'ci', spentNanoUsd: 40n, leasedNanoUsd: 9n }],
    budgetSpending: async (pools: readonly BudgetPool[]) => {
      asked.push(...pools);
      return pools.map((pool) => ({ ...pool, spentNanoUsd: pool.keyId === null ? 30n : 10n, leasedNanoUsd: 5n }));
    },
    credits: async () => ({ balanceNanoUsd: 150n, creditedNanoUsd: 250n }),
  };
}

const summary = async (scope: 'key' | 'account', account: object = {}, credential: object = {}) => {
  const principal = { account: sampleAccount(account), credential: sampleCredential(credential) };
  const { spentNanoUsd, limits } = await spendingOf(ledger(), principal, scope, NOW_MS);
  return [spentNanoUsd, limits.map(({ kind, remainingNanoUsd }) => [kind, remainingNanoUsd])];
};

test('the limit with the least left comes first, without what is reserved', async () => {
  const account = { budget: budget(1_000n) };
  expect(await summary('key', account, { limitNanoUsd: 100n, budget: budget(50n) })).toEqual([
    40n,
    [
      ['key_budget', 40n],
      ['key_limit', 60n],
    ],
  ]);
  expect(await summary('account', account, { limitNanoUsd: 1_000n })).toEqual([
    100n,
    [
      ['balance', 150n],
      ['key_limit', 960n],
      ['account_budget', 970n],
    ],
  ]);
  expect(await summary('key', account)).toEqual([40n, []]);
  expect(await summary('account', { billing: 'unlimited' })).toEqual([100n, []]);
});

test('a limit that was lowered below the spending leaves nothing', async () => {
  expect(await summary('key', {}, { limitNanoUsd: 39n })).toEqual([40n, [['key_limit', 0n]]]);
});

test('a budget that reroutes ends at its ceiling, and without one refuses nothing', async () => {
  const reroute = (ceilingNanoUsd: bigint | null) => ({
    ...budget(20n),
    reroute: { modelId: 'cheap', atPercent: 75, ceilingNanoUsd },
  });
  expect(await summary('key', {}, { budget: reroute(25n) })).toEqual([40n, [['key_budget', 15n]]]);
  expect(await summary('key', {}, { budget: reroute(null) })).toEqual([40n, []]);
  const principal = { account: sampleAccount(), credential: sampleCredential({ budget: reroute(null) }) };
  const { limits, remaining_usd } = keyView(principal, await spendingOf(ledger(), principal, 'key', NOW_MS));
  expect([remaining_usd, limits]).toMatchObject([
    null,
    [{ limit_usd: '0.00000002', remaining_usd: null, then_model: 'cheap', then_at_usd: '0.000000015', per: 'month' }],
  ]);
});

test('a raised budget has the raised amount until the raise ends', async () => {
  const raised = (untilMs: number) => ({ budget: budget(20n), budgetRaise: { amountNanoUsd: 30n, untilMs } });
  expect(await summary('key', {}, raised(NOW_MS + 1))).toEqual([40n, [['key_budget', 20n]]]);
  expect(await summary('key', {}, raised(NOW_MS))).toEqual([40n, [['key_budget', 10n]]]);
});

test('a budget is read in the period of its own time zone', async () => {
  const { asked, ...ports } = ledger();
  const credential = sampleCredential({ budget: budget(50n, 'America/Los_Angeles') });
  await spendingOf(ports, { account: sampleAccount(), credential }, 'key', NOW_MS);
  // It is still October there.
  expect(asked.map(({ window }) => new Date(window.startsAtMs).toISOString())).toEqual(['2026-10-01T07:00:00.000Z']);
});

test('what one-api’s clients compute is what is left, and no limit is a large number', async () => {
  const of = async (credential: object) => {
    const principal = { account: sampleAccount(), credential: sampleCredential(credential) };
    const spending = await spendingOf(ledger(), principal, 'key', NOW_MS);
    return textOf(subscriptionView(principal, spending, 10n));
  };
  // 60 nano-USD are left, and the month has cost 10.
  expect(await of({ limitNanoUsd: 100n, expiresAtMs: 1_999 })).toMatchObject({ hard_limit_usd: 7e-8, access_until: 1 });
  expect(await of({})).toMatchObject({ hard_limit_usd: 100_000_000, soft_limit_usd: 100_000_000, access_until: 0 });
});

test('OpenRouter’s key has the limit with the least left, and its credits those of the key or the account', async () => {
  const principal = {
    account: sampleAccount({ requestsPerMinute: 20 }),
    credential: sampleCredential({ limitNanoUsd: 100n, budget: budget(50n), requestsPerMinute: 10 }),
  };
  const costs = { dayNanoUsd: 1n, weekNanoUsd: 2n, monthNanoUsd: 3n };
  const ofKey = await spendingOf(ledger(), principal, 'key', NOW_MS);
  expect(textOf(openRouterKeyView(principal, ofKey, costs)).data).toMatchObject({
    ...{ limit: 5e-8, limit_remaining: 4e-8, limit_reset: 'monthly', usage: 4e-8, usage_daily: 1e-9 },
    rate_limit: { requests: 10 },
  });
  expect(textOf(openRouterCreditsView(principal, ofKey)).data).toEqual({ total_credits: 5e-8, total_usage: 1e-8 });
  const ofAccount = await spendingOf(ledger(), principal, 'account', NOW_MS);
  expect(textOf(openRouterCreditsView(principal, ofAccount)).data).toEqual({
    total_credits: 2.5e-7,
    total_usage: 1e-7,
  });
});
