import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { Numbered } from './numbered.ts';

test('a number finds its value once, and no two values share one', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat({ max: 30 }))), (steps) => {
      const numbered = new Numbered<string>();
      const known = new Map<number, string>();
      for (const [index, [comes, number]] of steps.entries()) {
        if (comes) {
          const given = numbered.add(`item ${index}`);
          expect([given > 0, known.has(given)]).toEqual([true, false]);
          known.set(given, `item ${index}`);
        } else {
          expect(numbered.take(number)).toBe(known.get(number));
          known.delete(number);
        }
        expect(numbered.size).toBe(known.size);
      }
      expect(new Map(numbered.all())).toEqual(known);
    }),
  );
});

test('no more numbers are used than are needed at once', () => {
  const numbered = new Numbered<object>();
  const given = Array.from({ length: 1_000 }, () => {
    const number = numbered.add({});
    numbered.take(number);
    return number;
  });
  expect(new Set(given)).toEqual(new Set([1]));
});
