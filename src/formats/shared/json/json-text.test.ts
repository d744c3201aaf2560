import { expect, test } from 'bun:test';
import { parseJson, parseJsonBytes, parseObject } from './json-text.ts';

test('invalid JSON is undefined, unlike null', () => {
  expect(parseJson('{"a":1}')).toEqual({ a: 1 });
  expect(parseJson('null')).toBeNull();
  expect(parseJson('{"a":')).toBeUndefined();
  expect(parseJsonBytes(new TextEncoder().encode('\ufeff["ä"]'))).toEqual(['ä']);
});

test('excessive nesting counts as invalid JSON', () => {
  const nested = (levels: number) => `${'{"a":['.repeat(levels / 2)}${']}'.repeat(levels / 2)}`;
  expect(parseObject(nested(500))).not.toBeNull();
  expect(parseJson(nested(502))).toBeUndefined();
  expect(parseJson(nested(100_000))).toBeUndefined();
  expect(parseJson(`[${'{"__proto__":{"a":1}},'.repeat(1_000)}1]`)).toBeArrayOfSize(1_001);
});

test.each(['[1]', 'null', '"text"', '1', '', '{"a"'])('%p is not an object', (text) => {
  expect(parseObject(text)).toBeNull();
});
