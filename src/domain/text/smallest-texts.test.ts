import { expect, test } from 'bun:test';
import { SmallestTexts } from './compare-text.ts';

function smallest(texts: readonly string[], after: string | null, count: number): readonly string[] {
  const first = new SmallestTexts(after, count);
  for (const text of texts) first.add(text);
  return first.sorted();
}

test('the first texts come in order, without duplicates', () => {
  expect(smallest(['c', 'a', 'b', 'a', 'd'], null, 3)).toEqual(['a', 'b', 'c']);
  expect(smallest(['c', 'a'], null, 3)).toEqual(['a', 'c']);
});

test('texts up to the given one are skipped', () => {
  expect(smallest(['c', 'a', 'b', 'd'], 'b', 3)).toEqual(['c', 'd']);
});

test('the result equals that of a full sort, for any order and number of texts', () => {
  const texts = Array.from({ length: 500 }, (_, index) => String((index * 7_919) % 1_000));
  const expected = [...new Set(texts)].sort().filter((text) => text > '25');
  for (const count of [1, 2, 10, 499]) expect(smallest(texts, '25', count)).toEqual(expected.slice(0, count));
});
