import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { samplePattern, testPattern } from './pattern.ts';

const tested = (pattern: string, text: string) => testPattern(pattern, text, { steps: 1_000_000 });

test.each([
  ['^[a-z]+$', ['abc', 'a'], ['', 'aB', 'a1']],
  ['^\\d{4}-\\d{2}$', ['2025-01'], ['25-01', '2025-011', 'x2025-01']],
  ['middle', ['in the middle of'], ['mid dle']],
  ['^(foo|bar)+$', ['foobarfoo'], ['foob', '']],
  ['^a{2,3}?b*$', ['aa', 'aaab'], ['a', 'aaaa']],
  ['^(?<year>\\d+)(?:-x)?$', ['1', '12-x'], ['-x']],
  ['^[^@\\s]+@[^@\\s]+$', ['a@b'], ['a b@c', '@b']],
  ['^\\p{Lu}.*$', ['Ärger', 'A😀'], ['ärger', 'A\nb']],
  ['', ['', 'a'], []],
  ['^$', [''], ['a']],
])('%j', (pattern, matching, others) => {
  for (const text of matching) expect([text, tested(pattern, text)]).toEqual([text, true]);
  for (const text of others) expect([text, tested(pattern, text)]).toEqual([text, false]);
});

test.each(['(a)\\1', '(', '[a', '*', 'a**'])('the unsupported %j matches anything', (pattern) => {
  expect(tested(pattern, 'anything')).toBe(true);
});

test('a lookahead always matches', () => {
  expect(tested('^(?!b)(?=.*\\d)[ab]\\b$', 'b')).toBe(true);
  expect(tested('^(?!b)[ab]$', 'c')).toBe(false);
});

describe('laws', () => {
  const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\d', '\\w');
  const quantifier = fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,2}', '{0,}');
  const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
    pattern: fc.oneof(
      { depthSize: 'small' },
      fc.tuple(atom, quantifier).map((parts) => parts.join('')),
      fc.tuple(tie('pattern'), tie('pattern')).map((parts) => parts.join('')),
      fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => `(?:${left}|${right})`),
      fc.tuple(tie('pattern'), quantifier).map(([inner, times]) => `(${inner})${times}`),
      tie('pattern').map((inner) => `^${inner}$`),
    ),
  }));

  test('the result equals that of the JavaScript engine', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '1', ' '), maxLength: 6 });
    fc.assert(
      fc.property(pattern, text, (expression, candidate) => {
        expect(tested(expression, candidate)).toBe(new RegExp(expression, 'u').test(candidate));
      }),
      { numRuns: 2_000 },
    );
  });
});

test.each([
  '^(a*)*$',
  '^(a|a)*$',
  '^(a|aa)+$',
  '^(\\w+\\s?)+$',
  '^(((a+)+)+)+$',
  '^a*a*a*a*a*a*a*a*a*a*a*a*$',
  '^(a?){500}a{500}$',
  '(.*){1,1000}x',
])('%j takes linear steps for a near match', (pattern) => {
  const stepsFor = (length: number) => {
    const work = { steps: 100_000_000 };
    expect(testPattern(pattern, `${'a'.repeat(length)}!`, work)).toBe(false);
    return 100_000_000 - work.steps;
  };
  // Each place is visited once per part, or once per place from which it can be reached, but never exponentially often.
  expect(stepsFor(400)).toBeLessThan(stepsFor(100) * 17 + 10_000);
});

test('a pattern that exceeds its steps matches anything', () => {
  const work = { steps: 5_000 };
  expect(testPattern('^((a{0,1000}){0,1000}){0,1000}$', `${'a'.repeat(500)}!`, work)).toBe(true);
  expect(work.steps).toBeLessThanOrEqual(0);
});

describe('samples', () => {
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
