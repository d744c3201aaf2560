import { expect, test } from 'bun:test';
import { sumOfDecimals } from './decimal.ts';

test.each([
  ['0.1', '0.2', '0.3'],
  ['99999999999.999999999', '0.000000001', '100000000000'],
  ['1', '-1.000000001', '-0.000000001'],
  [' 5 ', '+2.50', '7.5'],
])('%p and %p are %p', (one, other, sum) => {
  expect(sumOfDecimals(one, other)).toBe(sum);
});

test.each(['', '1e3', '1,5', '.5', '0.0000000001', '--1', 'ten'])('%p is no amount', (text) => {
  expect(sumOfDecimals('1', text)).toBeUndefined();
});
