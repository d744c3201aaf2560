import { expect, test } from 'bun:test';
import { tokensOf } from './usage.ts';

test('prompt and completion tokens are separate, and other quantities are left out', () => {
  const quantities = [
    { unit: 'input_token', amount: 10 },
    { unit: 'cached_input_token', amount: 5 },
    { unit: 'reasoning_token', amount: 7 },
    { unit: 'request', amount: 1 },
  ];
  expect(tokensOf({ source: 'reported', quantities })).toEqual({ input: 15, output: 7 });
  expect(tokensOf(null)).toEqual({ input: 0, output: 0 });
});
