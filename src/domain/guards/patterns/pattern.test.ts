import { describe, expect, test } from 'bun:test';
import { PatternError } from './parse-pattern.ts';
import { Pattern } from './pattern.ts';

function found(pattern: string, text: string, ignoreCase = false): string[] {
  return new Pattern(pattern, { ignoreCase }).matches(text, 100).map(({ start, end }) => text.slice(start, end));
}

describe('matches are those of the language', () => {
  const cases: [string, string][] = [
    ['abc', 'xabcabcx'],
    ['[a-c]+\\d{2,3}', 'abc12 b1 cc1234'],
    ['\\b\\d{3}-\\d{4}\\b', '555-1234 1555-1234 555-12345'],
    ['a|bc|d+', 'abcddd'],
    ['(?:ab)*c', 'ababc c abc'],
    ['^x.z$', 'xyz'],
    ['^x', 'xx'],
    ['PRJ-[A-Z]{2}[^\\s,]*', 'PRJ-ABc1, PRJ-A PRJ-ZZ'],
    ['\\w+@\\w+\\.com', 'a@b.com, x_y@z.com'],
    ['[^a]b', 'ab bb'],
    ['\\u0041\\x42\\.', 'AB. ABx'],
    ['\\Bb', 'ab b'],
    ['(?<year>\\d{4})-\\d\\d', 'in 2024-05 and 24-05'],
    ['[\\]\\-x]+', 'a]-xb'],
  ];
  test.each(cases)('%s in %s', (pattern, text) => {
    const native = [...text.matchAll(new RegExp(pattern, 'g'))].map(([match]) => match).filter((match) => match !== '');
    expect(found(pattern, text)).toEqual(native);
  });
});

test('a match is the longest from its place on', () => {
  expect(found('a|ab|abc', 'abcab')).toEqual(['abc', 'ab']);
  expect(found('a*', 'baab')).toEqual(['aa']);
});

test('case can be ignored', () => {
  expect(found('geheim[a-c]É', 'GEHEIMBé', true)).toEqual(['GEHEIMBé']);
  expect(found('geheim', 'GEHEIM')).toEqual([]);
});

test('random patterns find what the language finds first', () => {
  let seed = 7;
  const random = (most: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * most);
  };
  const part = (depth: number): string => {
    const kind = random(depth > 2 ? 3 : 6);
    if (kind < 2) return 'ab'[kind] as string;
    if (kind === 2) return '[ab]';
    if (kind === 3) return `(?:${part(depth + 1)}|${part(depth + 1)})`;
    if (kind === 4) return `(?:${part(depth + 1)})${['*', '+', '?', '{1,2}'][random(4)]}`;
    return part(depth + 1) + part(depth + 1);
  };
  for (let round = 0; round < 300; round++) {
    const pattern = part(0) + part(0);
    const text = Array.from({ length: 12 }, () => 'abc'[random(3)]).join('');
    const [first = null] = new Pattern(pattern, { ignoreCase: false }).matches(text, 1);
    const native = [...text.matchAll(new RegExp(pattern, 'g'))].find(([match]) => match !== '');
    // The language prefers the first option, this matcher the longest; both begin at the same place, unless the first option is empty.
    if (first === null) expect(native).toBeUndefined();
    else
      expect({
        pattern,
        text,
        isMatch: new RegExp(`^(?:${pattern})$`).test(text.slice(first.start, first.end)),
      }).toMatchObject({ isMatch: true });
    if (native !== undefined) expect(first?.start).toBeLessThanOrEqual(native.index);
  }
});

test('patterns that ruin a backtracking matcher cost one visit for each unit', () => {
  const text = `${'a'.repeat(200_000)}!`;
  expect(found('(a+)+b', text)).toEqual([]);
  expect(found('(a|aa)+$', text)).toEqual([]);
  expect(found('(.*)(.*)(.*)(.*)x', text)).toEqual([]);
});

test.each([
  ['(a)\\1', /\\1/],
  ['(?=a)', /lookarounds/],
  ['a{3,1}', /wrong order/],
  ['a+?', /lazy/],
  ['*a', /repeats nothing/],
  ['(a', /without/],
  ['a)', /without/],
  ['[a', /without/],
  ['a\\', /ends/],
  ['[z-a]', /wrong order/],
  ['(a{400}){400}', /too large/],
  ['a'.repeat(501), /500/],
  ['\\q', /not supported/],
])('refuses %s', (pattern, message) => {
  const make = () => new Pattern(pattern, { ignoreCase: false });
  expect(make).toThrow(PatternError);
  expect(make).toThrow(message);
});
