import { expect, test } from 'bun:test';
import { firstMembers } from './first-members.ts';

const sized = (count: number, value: (index: number) => unknown = (index) => `upstream-${index}`) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`model-${index}`, value(index)]));

test('an object within the limit is unchanged', () => {
  for (const count of [0, 1, 5])
    expect(firstMembers(JSON.stringify(sized(count)), 5)).toBe(JSON.stringify(sized(count)));
});

test('a larger object keeps its first members', () => {
  expect(JSON.parse(firstMembers(JSON.stringify(sized(9)), 5))).toEqual(sized(5));
});

test.each([
  ['nested objects and lists', () => ({ a: 1, b: [1, 2, { c: 3 }], d: {} })],
  ['quotes, braces and commas in texts', () => '"a",{"b":\\"}],'],
  ['escapes at the end of a text', () => 'a\\'],
])('%s are not taken for members', (_name, value) => {
  expect(JSON.parse(firstMembers(JSON.stringify(sized(9, value)), 5))).toEqual(sized(5, value));
});

test('omitted members are not read', () => {
  const json = `${JSON.stringify(sized(5)).slice(0, -1)},${'x'.repeat(1_000)}`;
  expect(JSON.parse(firstMembers(json, 5))).toEqual(sized(5));
});
