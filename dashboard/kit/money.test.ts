import { expect, test } from 'bun:test';
import { costOf, rounded } from './money.ts';

test.each([
  ['0', undefined, '0', 2, ''],
  ['0', 2, '0', 2, ''],
  ['0', 6, '0', 0, ''],
  ['0.000', 6, '0', 0, ''],
  ['1.5', undefined, '1.5', 2, ''],
  ['0.25', undefined, '0.25', 2, ''],
  ['0.0251', undefined, '0.0251', 4, ''],
  ['0.000012', undefined, '0.000012', 6, ''],
  ['0.0000004', undefined, '0.000001', 6, '<'],
  ['0.0000005', undefined, '0.0000005', 6, ''],
  ['-0.0000004', 6, '-0.000001', 6, '>'],
  ['0.001', 2, '0.01', 2, '<'],
  ['0.4', 0, '1', 0, '<'],
] as const)('%p in a column of %p decimals', (usd, column, shown, decimals, sign) => {
  expect(rounded(usd, column)).toEqual({ usd: shown, decimals, sign });
});

test('the cost of traffic without a price is unknown, not zero', () => {
  expect(costOf({ cost_usd: '0', unpriced_requests: 3 })).toBeNull();
  expect(costOf({ cost_usd: '0.1', unpriced_requests: 3 })).toBe('0.1');
  expect(costOf({ cost_usd: '0', unpriced_requests: 0 })).toBe('0');
  expect(costOf({ cost_usd: '0' })).toBe('0');
});
