import { expect, test } from 'bun:test';
import { listJson, PriceListError } from './download-list.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);

test.each([
  ['a million values', `[${'1,'.repeat(1_000_000)}1]`],
  ['a hundred levels', '['.repeat(101)],
])('a list with more than %s is not parsed', (_what, text) => {
  expect(() => listJson('list.json', bytesOf(text))).toThrow(PriceListError);
  expect(() => listJson('list.json', bytesOf(text))).toThrow(/^list\.json has more than 1000000 values, or is nested/);
});

test('invalid JSON is reported, and a web page by name', () => {
  expect(() => listJson('list.json', bytesOf('{"a":'))).toThrow('list.json is not JSON');
  expect(() => listJson('list.json', bytesOf(' <html>'))).toThrow('it is a web page');
  expect(listJson('list.json', bytesOf('{"a":1}'))).toEqual({ a: 1 });
});
