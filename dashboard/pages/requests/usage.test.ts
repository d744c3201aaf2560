import { expect, test } from 'bun:test';
import { isSameUsd, sumUsd, tokensOf } from './usage.ts';

test('amounts are added up to the nano-dollar, where floats would not', () => {
  expect(sumUsd(['0.1', '0.2'])).toBe('0.3');
  expect(sumUsd(['0.000000001', '9007199254740993'])).toBe('9007199254740993.000000001');
  expect(sumUsd(['0.0000015', '-0.000002', '0'])).toBe('-0.0000005');
  expect(sumUsd([])).toBe('0');
  expect([isSameUsd('0.10', '0.1'), isSameUsd('-0', '0'), isSameUsd('0.1', '0.100000001')]).toEqual([
    true,
    true,
    false,
  ]);
});

test('tokens of the prompt and of the answer are told apart; what is no token is left out', () => {
  const quantities = [
    { unit: 'input_token', amount: 10 },
    { unit: 'cached_input_token', amount: 5 },
    { unit: 'reasoning_token', amount: 7 },
    { unit: 'request', amount: 1 },
  ];
  expect(tokensOf({ source: 'reported', quantities })).toEqual({ input: 15, output: 7 });
  expect(tokensOf(null)).toEqual({ input: 0, output: 0 });
});
