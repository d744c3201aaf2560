import { expect, test } from 'bun:test';
import { ByteBudget } from './byte-budget.ts';

test('one account is limited to its share, and all accounts to the total', () => {
  const budget = new ByteBudget({ total: 100, perAccount: 60 });
  expect(budget.take('a', 60)).toBe(true);
  expect(budget.take('a', 1)).toBe(false);
  expect(budget.take('b', 41)).toBe(false);
  expect(budget.take('b', 40)).toBe(true);
  expect(budget.take('c', 1)).toBe(false);
  expect(budget.heldBytes()).toBe(100);
});

test('released bytes can be taken again, and an account that holds none leaves no state', () => {
  const budget = new ByteBudget({ total: 100, perAccount: 60 });
  for (let round = 0; round < 1_000; round++) {
    expect(budget.take(`account ${round}`, 60)).toBe(true);
    budget.give(`account ${round}`, 60);
  }
  expect(budget.heldBytes()).toBe(0);
  expect(Object.values(budget).filter((value) => value instanceof Map && value.size > 0)).toEqual([]);
});
