import { expect, test } from 'bun:test';
import { budgetBodyOf, budgetValuesOf } from './budget-values.ts';

const plain = { usd: '50', per: 'month', time_zone: 'UTC' } as const;
const withCheaper = (cheaper: object) => ({ ...plain, ...Object.fromEntries([['then', cheaper]]) });

test.each([
  plain,
  withCheaper({ model: 'small', at_percent: 80, ceiling_usd: '60' }),
  withCheaper({ model: 'small', at_percent: 100, ceiling_usd: null }),
])('a form that is not changed keeps the budget %j', (budget) => {
  expect<object | null>(budgetBodyOf(budgetValuesOf(budget, 'Europe/Berlin'))).toEqual(budget);
});

test('empty fields are no budget, no cheaper model, and the defaults of the gateway', () => {
  const empty = budgetValuesOf(null, 'UTC');
  expect(budgetBodyOf(empty)).toBeNull();
  expect<object | null>(budgetBodyOf({ ...empty, budget: '50', atPercent: '80', ceiling: '60' })).toEqual(plain);
  const cheaper = { model: 'small', at_percent: null, ceiling_usd: null };
  expect<object | null>(budgetBodyOf({ ...empty, budget: '50', cheaper: ' small ' })).toEqual(withCheaper(cheaper));
});

test('an invalid percentage is sent as it was written, so that the gateway names the field', () => {
  const body = budgetBodyOf({ ...budgetValuesOf(plain, 'UTC'), cheaper: 'small', atPercent: 'most' });
  expect<object | null>(body).toMatchObject(Object.fromEntries([['then', { at_percent: 'most' }]]));
});
