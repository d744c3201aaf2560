import { expect, test } from 'bun:test';
import { readCacheControl } from './cache-control.ts';

test('a body without cache_control has none', () => {
  expect(readCacheControl({})).toBeNull();
  expect(readCacheControl({ cache_control: null })).toBeNull();
});

test('every member of the contract is optional', () => {
  const of = (cache_control: object) => readCacheControl({ cache_control, input: 'a' });
  expect(of({ type: 'no_store', max_age: 86_400 })).toEqual({ type: 'no_store', maxAgeS: 86_400, coalesce: null });
  expect(of({ max_age: 0 })).toEqual({ type: 'default', maxAgeS: 0, coalesce: null });
  expect(of({ type: null, max_age: null })).toEqual({ type: 'default', maxAgeS: null, coalesce: null });
});

test.each<[unknown, string, string]>([
  ['no_store', 'invalid_type', 'cache_control'],
  [[], 'invalid_type', 'cache_control'],
  [{ type: 'ephemeral' }, 'invalid_value', 'cache_control.type'],
  [{ type: 7 }, 'invalid_type', 'cache_control.type'],
  [{ type: 'default', max_age: 86_401 }, 'invalid_value', 'cache_control.max_age'],
  [{ max_age: -1 }, 'invalid_value', 'cache_control.max_age'],
  [{ max_age: 1.5 }, 'invalid_type', 'cache_control.max_age'],
  [{ max_age: '60' }, 'invalid_type', 'cache_control.max_age'],
])('%j is refused', (cache_control, code, param) => {
  expect(readCacheControl({ cache_control })).toMatchObject({ code, details: { param } });
});
