import { expect, test } from 'bun:test';
import { RecentAnswers } from './recent-answers.ts';

const BOUNDS = { longestMs: 1_000, mostKept: 2, mostCharacters: 10 };

/** Returns answers, and a function that asks for one and counts how often it was made. */
function answers(bounds = BOUNDS) {
  const recent = new RecentAnswers(bounds);
  const made: string[] = [];
  const ask = (key: string, nowMs: number, text = key) =>
    recent.get(key, nowMs, bounds.longestMs, async () => {
      made.push(key);
      return text;
    });
  return { recent, made, ask };
}

test('an answer is shared while it is made and until it is too old', async () => {
  const { made, ask } = answers();
  expect(await Promise.all([ask('a', 0), ask('a', 5)])).toEqual(['a', 'a']);
  expect(await ask('a', 1_000)).toBe('a');
  expect(made).toEqual(['a']);
  await ask('a', 1_001);
  // The clock was set back.
  await ask('a', 900);
  expect(made).toEqual(['a', 'a', 'a']);
});

test('the oldest answers are evicted by number and by size', async () => {
  const { made, ask } = answers();
  for (const key of ['a', 'b', 'c', 'b', 'a']) await ask(key, 0);
  expect(made).toEqual(['a', 'b', 'c', 'a']);
  await ask('long', 0, 'x'.repeat(11));
  await ask('long', 0);
  expect(made.slice(-2)).toEqual(['long', 'long']);
});

test('neither a failure nor a refusal is kept', async () => {
  const { recent, ask } = answers();
  const failing = () => recent.get('a', 0, 1_000, () => Promise.reject(new Error('away')));
  await expect(failing()).rejects.toThrow('away');
  expect(await recent.get('b', 0, 1_000, () => null)).toBeNull();
  expect(await Promise.all([ask('a', 1, 'made'), ask('b', 1)])).toEqual(['made', 'b']);
});
