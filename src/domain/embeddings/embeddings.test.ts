import { expect, test } from 'bun:test';
import { splitInputs } from './embeddings.ts';

test('inputs are split in their order, the last list with what is left', () => {
  const texts = ['a', 'b', 'c', 'd', 'e'];
  expect(splitInputs({ kind: 'texts', texts }, 2)).toEqual([
    { kind: 'texts', texts: ['a', 'b'] },
    { kind: 'texts', texts: ['c', 'd'] },
    { kind: 'texts', texts: ['e'] },
  ]);
  expect(splitInputs({ kind: 'tokens', lists: [[1], [2, 3]] }, 1)).toEqual([
    { kind: 'tokens', lists: [[1]] },
    { kind: 'tokens', lists: [[2, 3]] },
  ]);
  expect(splitInputs({ kind: 'texts', texts }, 5)).toHaveLength(1);
});
