import { expect, test } from 'bun:test';
import { cutJson, jsonExcess } from './json-extent.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const WIDE = { mostValues: 1_000, deepest: 10 };
const cut = (text: string, bounds = WIDE) => {
  const { bytes, isCut } = cutJson(bytesOf(text), bounds);
  return [new TextDecoder().decode(bytes), isCut];
};

test('values and depth are counted outside of strings only', () => {
  const brackets = JSON.stringify(['[[[[{{{{,,,,', 'a\\', '"[,', '\u0022[']);
  expect(jsonExcess(bytesOf(brackets), { mostValues: 5, deepest: 1 })).toBeNull();
  expect(jsonExcess(bytesOf(brackets), { mostValues: 4, deepest: 1 })).toBe('values');
  expect(jsonExcess(bytesOf('[[1]]'), { mostValues: 5, deepest: 1 })).toBe('depth');
  expect(jsonExcess(bytesOf('no JSON "'), WIDE)).toBeNull();
});

test('a text within the limits is unchanged', () => {
  for (const text of ['{"data":[{"id":"a"},{"id":"b"}]}', '[]', '1', 'no JSON'])
    expect(cut(text)).toEqual([text, false]);
});

test('a list is cut to its complete items', () => {
  const list = '{"object":"list","data":[{"id":"a","tags":["x","y"]},{"id":"b","tags":[]},{"id":"c"}]}';
  expect(cut(list, { mostValues: 10, deepest: 10 })).toEqual([
    '{"object":"list","data":[{"id":"a","tags":["x","y"]}]}',
    true,
  ]);
  expect(cut('[{"id":"a"},{"id":"b"},{"i')).toEqual(['[{"id":"a"},{"id":"b"}]', true]);
  expect(cut('{"data":[{"id":"a"},{"id":"b')).toEqual(['{"data":[{"id":"a"}]}', true]);
  expect(cut('{"data":[{"id":"a"},[[[[[[[[[[[')).toEqual(['{"data":[{"id":"a"}]}', true]);
});

test('a text without a complete list item becomes empty', () => {
  for (const text of ['[[[[[[[[[[[[', '{"a":{"b":{"c":', '{"data":[{"id":"a"}', '{"a":1,"b":2,'])
    expect(cut(text)).toEqual(['', true]);
});
