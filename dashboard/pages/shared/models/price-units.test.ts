import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { shownPrice, shownUnit, storedPrice } from './price-units.ts';

test.each([
  ['per_character', undefined, 'per_1m_characters'],
  ['per_second', 'stt', 'per_minute'],
  ['per_second', 'video', 'per_second'],
  ['per_second', undefined, 'per_second'],
  ['input_per_1m', 'stt', 'input_per_1m'],
] as const)('%s of %s is shown %s', (key, category, unit) => {
  expect(shownUnit(key, category)).toBe(unit);
});

test.each([
  ['0.000015', 'per_1m_characters', '15'],
  ['0.0001', 'per_minute', '0.006'],
  ['0.000071666666666667', 'per_minute', '0.0043'],
  ['0.04', 'per_image', '0.04'],
  ['0.10', 'input_per_1m', '0.10'],
] as const)('%s is shown as %s %s', (stored, unit, shown) => {
  expect(shownPrice(stored, unit)).toBe(shown);
});

test('what is typed is shown again, and texts that are no price are left to the gateway', () => {
  const cents = fc.integer({ min: 0, max: 10_000_000 }).map((count) => String(count / 10_000));
  fc.assert(
    fc.property(cents, fc.constantFrom('per_1m_characters', 'per_minute', 'per_image'), (typed, unit) => {
      expect(shownPrice(storedPrice(typed, unit), unit)).toBe(typed);
    }),
  );
  expect(storedPrice('a lot', 'per_minute')).toBe('a lot');
});
