import { expect, test } from 'bun:test';
import { ByteBudget } from './byte-budget.ts';

test('an account takes no more than its share, and all together no more than there is', () => {
  const budget = new ByteBudget({ total: 100, perAccount: 60 });
  expect(budget.take('a', 60)).toBe(true);
  expect(budget.take('a', 1)).toBe(false);
  expect(budget.take('b', 41)).toBe(false);
  expect(budget.take('b', 40)).toBe(true);
  expect(budget.take('c', 1)).toBe(false);
  expect(budget.heldBytes()).toBe(100);
});

test('what is given back can be taken again, and nothing is kept of an account that holds nothing', () => {
  const budget = new ByteBudget({ total: 100, perAccount: 60 });
  for (let round = 0; round < 1_000; round++) {
    expect(budget.take(`account ${round}`, 60)).toBe(true);
    budget.give(`account ${round}`, 60);
  }
  expect(budget.heldBytes()).toBe(0);
  expect(Object.values(budget).filter((value) => value instanceof Map && value.size > 0)).toEqual([]);
});
