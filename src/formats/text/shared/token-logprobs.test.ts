import { expect, test } from 'bun:test';
import { decodeTokenLogprobs } from './token-logprobs.ts';

test('tokens with what else could have stood there; what is missing is not made up', () => {
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

test.each([null, {}, 'text', undefined])('%p is no list of tokens', (value) => {
  expect(decodeTokenLogprobs(value)).toEqual([]);
});
