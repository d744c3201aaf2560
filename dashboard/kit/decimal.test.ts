import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { dividedBy, sumOfDecimals, timesWhole } from './decimal.ts';

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

test.each([
  ['0.000015', 1_000_000n, '15'],
  ['0.1', 60n, '6'],
  [' 12.50 ', 2n, '25'],
  ['-1.5', 1_000n, '-1500'],
  ['0', 60n, '0'],
])('%p times %p is %p', (text, by, product) => {
  expect(timesWhole(text, by)).toBe(product);
});

test.each([
  ['15', 1_000_000n, 18, '0.000015'],
  ['1', 60n, 3, '0.017'],
  ['0.5', 1n, 0, '1'],
  ['-1', 3n, 2, '-0.33'],
  ['0', 60n, 18, '0'],
])('%p divided by %p with %p decimals is %p', (text, by, decimals, quotient) => {
  expect(dividedBy(text, by, decimals)).toBe(quotient);
});

test.each(['', 'a lot', '1e3', '1,5', '.5', '5.'])('%p is left to the gateway', (text) => {
  expect([timesWhole(text, 60n), dividedBy(text, 60n, 18)]).toEqual([undefined, undefined]);
});

test('a price per minute survives as a price per second', () => {
  const price = fc.tuple(fc.bigInt(0n, 10n ** 9n), fc.bigInt(0n, 10n ** 12n - 1n));
  fc.assert(
    fc.property(price, ([whole, fraction]) => {
      const perMinute = timesWhole(`${whole}.${fraction.toString().padStart(12, '0')}`, 1n) ?? '';
      const perSecond = dividedBy(perMinute, 60n, 18) ?? '';
      expect(dividedBy(timesWhole(perSecond, 60n) ?? '', 1n, 15)).toBe(perMinute);
    }),
  );
});
