import { expect, test } from 'bun:test';
import { allPairs } from './all-pairs.ts';

test('a small and deterministic set of requests has every pair of values of two members', () => {
  const values = { a: [undefined, 1, 2], b: ['x', 'y'], c: [true, false], d: ['only'] };
  const rows = allPairs(values);
  const members = Object.entries(values);
  for (const [a, ofA] of members) {
    for (const [b, ofB] of members.filter(([name]) => name > a)) {
      for (const x of ofA) for (const y of ofB) expect(rows.some((row) => row[a] === x && row[b] === y)).toBe(true);
    }
  }
  expect(rows.length).toBeLessThan(9);
  expect(allPairs(values)).toEqual(rows);
});
