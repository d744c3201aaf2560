import { expect, test } from 'bun:test';
import { decodeTokenLogprobs } from './token-logprobs.ts';

test('tokens have their alternatives; missing values stay missing', () => {
  const top = [{ token: 'hi', logprob: -0.1, bytes: [104, 105] }, { token: 'ho' }];
  expect(decodeTokenLogprobs([{ token: 'hi', logprob: -0.1, bytes: [104, 105], top_logprobs: top }, 'odd'])).toEqual([
    {
      token: 'hi',
      logprob: -0.1,
      bytes: [104, 105],
      top: [
        { token: 'hi', logprob: -0.1, bytes: [104, 105] },
        { token: 'ho', logprob: 0, bytes: null },
      ],
    },
  ]);
});

test.each([null, {}, 'text', undefined])('%p is not a list of tokens', (value) => {
  expect(decodeTokenLogprobs(value)).toEqual([]);
});
