import { expect, test } from 'bun:test';
import { COLORED, cut, fit, PLAIN, paintFor, shortDollars, shortDuration, shortNumber } from './words.ts';

test.each([
  [0, '0ms'],
  [999.4, '999ms'],
  [1_240, '1.24s'],
  [59_940, '59.9s'],
  [125_000, '2m05s'],
  [7_200_000, '2h'],
])('a duration of %d ms is short', (ms, text) => {
  expect(shortDuration(ms)).toBe(text);
});

test.each([
  [0, '0'],
  [0.25, '0.3'],
  [950, '950'],
  [1_234, '1.2k'],
  [34_567, '35k'],
  [5_600_000, '5.6M'],
  [7e9, '7G'],
])('the number %d is short', (value, text) => {
  expect(shortNumber(value)).toBe(text);
});

test.each([
  [0n, '$0'],
  [1_234_567n, '$0.0012'],
  [10n, '$0.00000001'],
  [500_000_000n, '$0.50'],
  [1_259_000_000n, '$1.25'],
  [1_250_000_000_000n, '$1250'],
])('the amount %d nano-USD is short', (nanoUsd, text) => {
  expect(shortDollars(nanoUsd)).toBe(text);
});

test('texts are cut and padded by their width on a terminal', () => {
  expect(fit('abc', 5)).toBe('abc  ');
  expect(fit('abc', 5, 'right')).toBe('  abc');
  expect(fit('abcdef', 4)).toBe('abc…');
  expect(fit('模型名称', 6)).toBe('模型… ');
  expect(Bun.stringWidth(fit('👩‍👩‍👧‍👦 family', 4))).toBe(4);
  expect(cut('abc', 0)).toBe('');
  expect(cut('a\u001b[31mb', 20)).toBe('a�[31mb');
});

test('colours are used on a terminal only, and never against its owner', () => {
  expect(paintFor(true, {})).toBe(COLORED);
  for (const [isTerminal, environment] of [
    [false, {}],
    [true, { NO_COLOR: '1' }],
    [true, { TERM: 'dumb' }],
  ] as const) {
    expect(paintFor(isTerminal, environment)).toBe(PLAIN);
  }
});
