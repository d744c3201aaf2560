import { expect, test } from 'bun:test';
import { differencesOf } from './differences.ts';

test('only differences are listed, down to the fields of maps; lists are compared as values', () => {
  const before = { name: 'a', budget: { usd: '5', per: 'day' }, models: ['x'], limit: null };
  const after = { name: 'a', budget: { usd: '6', per: 'day' }, models: ['x', 'y'], limit: '1', open: false };
  expect(differencesOf(before, after)).toEqual([
    { path: 'budget.usd', before: '5', after: '6' },
    { path: 'limit', before: undefined, after: '1' },
    { path: 'models', before: '["x"]', after: '["x","y"]' },
    { path: 'open', before: undefined, after: 'false' },
  ]);
  expect(differencesOf(null, { id: 'a' })).toEqual([{ path: 'id', before: undefined, after: 'a' }]);
  expect(differencesOf({ budget: { usd: '5' } }, { budget: null })).toEqual([
    { path: 'budget.usd', before: '5', after: undefined },
  ]);
  expect(differencesOf(null, null)).toEqual([]);
});
