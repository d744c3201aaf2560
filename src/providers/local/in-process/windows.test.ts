import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { windowsOf } from './windows.ts';

test('a list is split into as few parts as possible, of similar length', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(), { minLength: 1, maxLength: 700 }),
      fc.integer({ min: 1, max: 128 }),
      (tokens, most) => {
        const parts = windowsOf(tokens, most);
        const lengths = parts.map(({ length }) => length);
        expect(parts.flat()).toEqual(tokens);
        expect(parts).toHaveLength(Math.ceil(tokens.length / most));
        expect(Math.max(...lengths)).toBeLessThanOrEqual(most);
        expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(1);
      },
    ),
  );
});
