import { expect, test } from 'bun:test';
import { parseJson, parseJsonBytes, parseObject } from './json-text.ts';

test('what is no JSON is undefined, which null is not', () => {
  expect(parseJson('{"a":1}')).toEqual({ a: 1 });
  expect(parseJson('null')).toBeNull();
  expect(parseJson('{"a":')).toBeUndefined();
  expect(parseJsonBytes(new TextEncoder().encode('\ufeff["ä"]'))).toEqual(['ä']);
});

test.each(['[1]', 'null', '"text"', '1', '', '{"a"'])('%p is no object', (text) => {
  expect(parseObject(text)).toBeNull();
});
