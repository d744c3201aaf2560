import { expect, test } from 'bun:test';
import { MARKS, markOf } from '../../dashboard/pages/shared/providers/marks.ts';
import { providers } from '../../src/providers/index.ts';

test('every provider has a mark unlike all others', () => {
  expect(Object.keys(MARKS).sort()).toEqual([...providers.keys()].sort());
  const marks = Object.values(MARKS);
  expect(new Set(marks.map(([letters]) => letters)).size).toBe(marks.length);
  expect(new Set(marks.map(([, hue]) => hue)).size).toBe(marks.length);
  for (const [letters, hue] of marks) {
    expect(letters).toMatch(/^[A-Z][A-Za-z\d]$/);
    expect(contrastWithWhite(hue)).toBeGreaterThan(4.5);
  }
});

test('an unknown provider has its first letters', () => {
  expect(markOf('new-one')[0]).toBe('Ne');
  expect(markOf('new-one')).toEqual(markOf('new-one'));
  expect(markOf('!')[0]).toBe('?');
  expect(markOf('constructor')[0]).toBe('Co');
});

/** Returns the contrast of white on `hsl(hue 45% 32%)`, as WCAG 2 defines it. */
function contrastWithWhite(hue: number): number {
  const [saturation, lightness] = [0.45, 0.32];
  const channel = (offset: number) => {
    const place = (offset + hue / 30) % 12;
    const value = lightness - saturation * lightness * Math.max(-1, Math.min(place - 3, 9 - place, 1));
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  const luminance = 0.2126 * channel(0) + 0.7152 * channel(8) + 0.0722 * channel(4);
  return 1.05 / (luminance + 0.05);
}
