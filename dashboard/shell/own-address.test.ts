import { expect, test } from 'bun:test';
import { linkAt, ownAddress } from './own-address.ts';

test('the configured address comes first', () => {
  expect(ownAddress('https://ai.example.com/llm', 'http://10.0.0.5:8787/')).toBe('https://ai.example.com/llm');
});

test.each([
  ['http://127.0.0.1:8787/', 'http://127.0.0.1:8787'],
  ['https://example.com/ai/gateway/', 'https://example.com/ai/gateway'],
])('without one it is the base of the page: %s', (base, address) => {
  expect(ownAddress(null, base)).toBe(address);
});

test('a link leads to the page below the proxy’s path', () => {
  const token = 'a'.repeat(40);
  const link = linkAt('https://example.com/ai', `http://127.0.0.1:8787/welcome#${token}`);
  expect(link).toBe(`https://example.com/ai/welcome#${token}`);
});
