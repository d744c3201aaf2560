import { expect, test } from 'bun:test';
import { spaced } from './spaced.ts';

test.each([
  ['850ms', '850\u00a0ms'],
  ['1.20s', '1.20\u00a0s'],
  ['1.20秒', '1.20秒'],
])('%p reads %p', (text, expected) => {
  expect(spaced(text)).toBe(expected);
});
