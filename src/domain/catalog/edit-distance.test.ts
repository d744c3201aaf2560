import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { EditDistance } from './edit-distance.ts';

const distance = new EditDistance();

test.each([
  ['sonnet', 'sonnet', 0],
  ['sonet', 'sonnet', 1],
  ['sonnnet', 'sonnet', 1],
  ['sonmet', 'sonnet', 1],
  ['sonent', 'sonnet', 1],
  ['', 'ab', 2],
  ['ab', '', 2],
  ['v1', 'v', 1.5],
  ['v1', 'v2', 3],
  ['4o', 'o4', 2],
  ['40', '4o', 1],
  ['o1', '01', 1],
  ['ax', 'a4', 2],
])('the distance from %p to %p is %p', (wanted, name, expected) => {
  expect(distance.between(wanted, name, 8)).toBe(expected);
});

test('a distance beyond the bound is infinite', () => {
  expect(distance.between('abcd', 'wxyz', 3)).toBe(Number.POSITIVE_INFINITY);
  expect(distance.between('a', 'abcdef', 3)).toBe(Number.POSITIVE_INFINITY);
});

test('a distance does not depend on earlier comparisons', () => {
  const word = fc.stringMatching(/^[ab04o]{0,9}$/);
  fc.assert(
    fc.property(word, word, fc.nat(9), (wanted, name, bound) => {
      expect(distance.between(wanted, name, bound)).toBe(new EditDistance().between(wanted, name, bound));
    }),
  );
});

test('a distance is the same within any bound', () => {
  const word = fc.stringMatching(/^[ab04o]{0,9}$/);
  fc.assert(
    fc.property(word, word, fc.nat(9), (wanted, name, bound) => {
      const free = distance.between(wanted, name, 40);
      expect(distance.between(wanted, name, bound)).toBe(free <= bound ? free : Number.POSITIVE_INFINITY);
    }),
    { numRuns: 500, examples: [['b440', 'o404', 2]] },
  );
});
