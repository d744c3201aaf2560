import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { countOfInputs, type EmbeddingInputs, splitInputs } from './embeddings.ts';

test('inputs are split in order, with the rest in the last list', () => {
  const texts = ['a', 'b', 'c', 'd', 'e'];
  expect(splitInputs({ kind: 'texts', texts }, { mostInputs: 2 })).toEqual([
    { kind: 'texts', texts: ['a', 'b'] },
    { kind: 'texts', texts: ['c', 'd'] },
    { kind: 'texts', texts: ['e'] },
  ]);
  expect(splitInputs({ kind: 'tokens', lists: [[1], [2, 3]] }, { mostInputs: 1 })).toEqual([
    { kind: 'tokens', lists: [[1]] },
    { kind: 'tokens', lists: [[2, 3]] },
  ]);
  expect(splitInputs({ kind: 'texts', texts }, { mostInputs: 5 })).toHaveLength(1);
});

describe('a bound on tokens', () => {
  const split = (texts: readonly string[], mostTokens: number) =>
    splitInputs({ kind: 'texts', texts }, { mostTokens }).map(countOfInputs);

  test('splits lists of token ids by their exact lengths', () => {
    const lists = [new Array<number>(6).fill(1), new Array<number>(6).fill(1), [1]];
    // Each list counts four extra tokens, which tokenizers add around an input.
    expect(splitInputs({ kind: 'tokens', lists }, { mostTokens: 20 }).map(countOfInputs)).toEqual([2, 1]);
    expect(splitInputs({ kind: 'tokens', lists }, { mostTokens: 19 }).map(countOfInputs)).toEqual([1, 2]);
  });

  test('counts two bytes of text, or one digit, as a token', () => {
    expect(split(['a'.repeat(200), 'a'.repeat(200)], 208)).toEqual([2]);
    expect(split(['a'.repeat(200), 'a'.repeat(200)], 207)).toEqual([1, 1]);
    expect(split(['1'.repeat(100), '1'.repeat(100)], 208)).toEqual([2]);
    expect(split(['1'.repeat(101), '1'.repeat(100)], 208)).toEqual([1, 1]);
    expect(split(['日'.repeat(66), '日'.repeat(66)], 206)).toEqual([2]);
    expect(split(['日'.repeat(66), '日'.repeat(67)], 206)).toEqual([1, 1]);
  });

  test('puts an overlong input in a list of its own', () => {
    expect(split(['a', 'a'.repeat(1_000), 'a'], 100)).toEqual([1, 1, 1]);
  });
});

test('no input is lost, moved or sent twice, whatever the bounds are', () => {
  const bounds = fc.record(
    { mostInputs: fc.integer({ min: 1, max: 9 }), mostTokens: fc.integer({ min: 1, max: 60 }) },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1 }), { minLength: 1 }), bounds, (texts, within) => {
      const parts = splitInputs({ kind: 'texts', texts }, within);
      const textsIn = (part: EmbeddingInputs) => (part.kind === 'texts' ? part.texts : []);
      expect(parts.flatMap(textsIn)).toEqual(texts);
      for (const part of parts) {
        expect(countOfInputs(part)).toBeGreaterThan(0);
        expect(countOfInputs(part)).toBeLessThanOrEqual(within.mostInputs ?? texts.length);
      }
    }),
  );
});
