import { expect, test } from 'bun:test';
import { decimalPrice, isNearestPrice, isRoundedPrice, isSamePrice } from './decimal-price.ts';

test.each([
  [1.5e-7, '0.15'],
  [0.0000025, '2.5'],
  [1e-5, '10'],
  [6e-4, '600'],
  [3.75e-8, '0.0375'],
  [5.46875e-7, '0.546875'],
  ['1.5e-07', '0.15'],
  ['0.00000015', '0.15'],
])('a price of %p per token is %p per million', (perToken, perMillion) => {
  expect(decimalPrice(perToken, 6)).toBe(perMillion);
});

test.each([
  [0.6, '0.6'],
  [22.5, '22.5'],
  [3, '3'],
  [3.083e-5, '0.00003083'],
])('an unscaled price keeps its digits: %p', (price, text) => {
  expect(decimalPrice(price, 0)).toBe(text);
});

test.each([
  [0.1 + 0.2, '0.3'],
  [1.1 * 3, '3.3'],
  [0.7 * 0.1, '0.07'],
])('binary rounding errors in %p are removed', (price, text) => {
  expect(decimalPrice(price, 0)).toBe(text);
});

test('zero is zero in any notation', () => {
  expect([0, 0.0, '0.000', '0e5', 1e-30].map((price) => decimalPrice(price, 6))).toEqual(['0', '0', '0', '0', '0']);
});

test.each([-1, -1e-7, 1, 1e300, '1e999', Number.NaN, Number.POSITIVE_INFINITY, '', 'free', '1,5', null, true, [1], {}])(
  '%p is not a token price',
  (value) => {
    expect(decimalPrice(value, 6)).toBeNull();
  },
);

test('every token price in thousandths per million is scaled exactly', () => {
  const wrong: string[] = [];
  for (let thousandths = 1; thousandths <= 200_000; thousandths += 37) {
    const perMillion = `${Math.floor(thousandths / 1000)}.${String(thousandths % 1000).padStart(3, '0')}`;
    const price = decimalPrice(Number(`${perMillion}e-6`), 6);
    if (price === null || !isSamePrice(price, perMillion)) wrong.push(perMillion);
  }
  expect(wrong).toEqual([]);
});

test('leading and trailing zeros do not change a price', () => {
  expect(isSamePrice('0.60', '0.6')).toBe(true);
  expect(isSamePrice('2', '2.000')).toBe(true);
  expect(isSamePrice('02.5', '2.5')).toBe(true);
  expect(isSamePrice('10', '1')).toBe(false);
});

test.each([
  ['0.00003083', '0.000030833333', true],
  ['1.111', '1.11111', true],
  ['1.667', '1.66666', true],
  ['0.08', '0.075', false],
  ['0.15', '0.154', false],
  ['1.111', '1.1131', false],
  ['2.1875', '2.1875', false],
  ['2.1875', '2.18', false],
  ['1250', '1250.5', true],
])('%p is %p with fewer digits: %p', (listed, exact, isRounded) => {
  expect(isRoundedPrice(listed, exact)).toBe(isRounded);
});

test.each([
  ['0.08', '0.075', true],
  ['0.13', '0.125', true],
  ['0.01', '0.005', true],
  ['0.1', '0.099', true],
  ['0.037', '0.0375', true],
  ['0.2', '0.15', false],
  ['0.08', '0.08', false],
  ['0.08', '0.0749', false],
  ['0.13', '0.1', false],
  ['3', '2.9', false],
])('%p is %p rounded to two decimals or more: %p', (listed, exact, isNearest) => {
  expect(isNearestPrice(listed, exact, 2)).toBe(isNearest);
});
