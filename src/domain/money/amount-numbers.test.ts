import { expect, test } from 'bun:test';
import { centsNumber, usdNumber } from './amount-numbers.ts';

const textOf = (value: unknown) => JSON.stringify({ value });

test('amounts keep digits that a float does not have', () => {
  expect(textOf(usdNumber(9_007_199_254_740_993_123n))).toBe('{"value":9007199254.740993123}');
  expect(textOf(centsNumber(9_007_199_254_740_993_123n))).toBe('{"value":900719925474.0993123}');
});

test('cents are a hundredth of a dollar, down to a nano-dollar', () => {
  expect([0n, 1n, 10_000_000n, 1_500_000_000n, -12_345_678n].map((amount) => textOf(centsNumber(amount)))).toEqual([
    '{"value":0}',
    '{"value":0.0000001}',
    '{"value":1}',
    '{"value":150}',
    '{"value":-1.2345678}',
  ]);
});
