import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { closest, didYouMean } from './shape-problems.ts';

test.each([
  ['opnai', 'openai'],
  ['OpenAI', 'openai'],
  ['antropic', 'anthropic'],
  ['xyzzy', null],
  ['', null],
])('among openai, anthropic and groq, %p means %p', (word, meant) => {
  expect(closest(word, ['openai', 'anthropic', 'groq'])).toBe(meant);
});

test('a candidate is closest to itself', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1 }), (words) =>
      words.every((word) => closest(word, words) === word),
    ),
  );
});

test('the clause is empty if nothing is near', () => {
  expect(didYouMean('xyzzy', ['openai'])).toBe('');
});
