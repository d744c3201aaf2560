import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { samplePattern } from './pattern-sample.ts';

test.each([
  '^[a-z]+$',
  '^[^a-zA-Z]$',
  '^(?:foo|bar)-\\d{3,5}$',
  '^(?<year>\\d{4})-(0[1-9]|1[0-2])$',
  '^[\\w.+-]+@[\\w-]+\\.\\w{2,}$',
  '^\\p{Lu}\\p{Ll}*$',
  '^\\u0041\\x42\\u{43}$',
  '^[A-F\\d]{2}(:[A-F\\d]{2}){5}$',
  '^a{2}b{1,}c{0,3}d*?e+?f??$',
  '^[]$|^x$'.slice(5),
  '^[-+]?\\d+(\\.\\d+)?$',
  '^\\$\\{[^}]+\\}$',
  'middle',
  '',
])('%j: the sample matches', (pattern) => {
  for (const extra of [0, 1, 5]) {
    const sample = samplePattern(pattern, extra);
    expect(sample).not.toBeNull();
    expect(sample!).toMatch(new RegExp(pattern, 'u'));
  }
});

test.each(['(a)\\1', '(', 'a)', '[a', 'a{2000}', '\\', '\\p{Nonsense}', '\\x-a', '\\u{ 41}'])(
  '%j: no sample',
  (pattern) => {
    expect(samplePattern(pattern, 0)).toBeNull();
  },
);

describe('laws', () => {
  test('any text is parsed without an exception', () => {
    const characters = fc.constantFrom(...'ab09()[]{}|?*+^$\\.-,:<>=!dwspux');
    fc.assert(
      fc.property(fc.string({ unit: characters }), fc.nat(3), (pattern, extra) => {
        expect(samplePattern(pattern, extra) ?? '').toBeString();
      }),
      { numRuns: 2_000 },
    );
  });
});
