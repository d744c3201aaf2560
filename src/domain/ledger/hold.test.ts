import { expect, test } from 'bun:test';
import { chargeableOf, isSameHold, type NewHold } from './hold.ts';

const HOLD: NewHold = {
  holdId: 'req-1',
  accountId: 'acme',
  keyId: 'ci',
  fromBalanceNanoUsd: 50n,
  fromLimitNanoUsd: 50n,
  keyLimitNanoUsd: 100n,
  budgets: [],
  terms: '{}',
  atMs: 1,
  expiresAtMs: 2,
};
const FREE = { balanceNanoUsd: 30n, limitNanoUsd: 10n, budgetsNanoUsd: [] };
const BUDGET = { keyId: null, window: { startsAtMs: 0, endsAtMs: 9 }, heldNanoUsd: 50n, budgetNanoUsd: 60n };

test.each([
  ['a cost below its amount, in full', 20n, HOLD, 20n],
  ['a cost beyond it, up to the limit', 100n, HOLD, 60n],
  ['a cost beyond it, up to the balance', 100n, { ...HOLD, fromLimitNanoUsd: null }, 80n],
  ['any cost if nothing limits it', 100n, { ...HOLD, fromBalanceNanoUsd: null, fromLimitNanoUsd: null }, 100n],
  ['nothing for a zero cost', 0n, HOLD, 0n],
] as const)('a hold is charged %s', (_name, cost, hold, expected) => {
  expect(chargeableOf(hold, cost, FREE)).toBe(expected);
});

test('an overdrawn spending pool takes nothing from the reserved amount', () => {
  expect(chargeableOf(HOLD, 100n, { ...FREE, balanceNanoUsd: -20n, limitNanoUsd: -1n })).toBe(50n);
});

test('a budget limits the charge as the other spending pools do', () => {
  const hold = { ...HOLD, fromLimitNanoUsd: null, budgets: [{ ...BUDGET, heldNanoUsd: 70n }, BUDGET] };
  expect(chargeableOf(hold, 100n, { ...FREE, budgetsNanoUsd: [9n, 5n] })).toBe(55n);
  expect(chargeableOf(hold, 100n, { ...FREE, budgetsNanoUsd: [9n, -5n] })).toBe(50n);
});

test('two holds are the same if spending pools and amounts match, whatever their times and terms', () => {
  expect(isSameHold(HOLD, { ...HOLD, terms: '{"a":1}', atMs: 5, expiresAtMs: 6 })).toBe(true);
  for (const change of [{ accountId: 'b' }, { keyId: null }, { fromBalanceNanoUsd: null }, { fromLimitNanoUsd: 1n }])
    expect(isSameHold(HOLD, { ...HOLD, ...change })).toBe(false);
});
