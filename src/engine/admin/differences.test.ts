import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { sameValue } from './differences.ts';

test('JSON values are the same exactly if their canonical texts are', () => {
  const canonical = (value: unknown): string =>
    JSON.stringify(value, (_key, inner) =>
      typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    );
  const value = fc.jsonValue({ maxDepth: 3, noUnicodeString: true } as fc.JsonSharedConstraints);
  fc.assert(
    fc.property(value, value, (a, b) => {
      expect(sameValue(a, structuredClone(a))).toBe(true);
      const texts = [canonical(a), canonical(b)];
      if (!texts.join().includes('-0')) expect(sameValue(a, b)).toBe(texts[0] === texts[1]);
    }),
  );
});

test.each([
  [{ a: 1, b: undefined }, { a: 1 }, true],
  [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
  [[1, 2], [2, 1], false],
  [[], {}, false],
  [{}, null, false],
  [1n, 1n, true],
  [1n, 1, false],
  [{ constructor: 1 }, {}, false],
])('%p and %p', (a, b, same) => {
  expect(sameValue(a, b)).toBe(same);
});
