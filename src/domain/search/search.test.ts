import { expect, test } from 'bun:test';
import { domainOf, type SearchRequest, soundResults } from './search.ts';

const request = (fields: Partial<SearchRequest> = {}): SearchRequest => ({
  model: 'm',
  query: 'q',
  maxResults: 20,
  allowedDomains: [],
  blockedDomains: [],
  country: null,
  recency: null,
  ...fields,
});
const page = (url: unknown, fields: object = {}) => ({ url, title: 'T', snippet: 's', ...fields });
const urls = (pages: readonly unknown[], fields: Partial<SearchRequest> = {}) =>
  soundResults(
    pages.map((url) => page(url)),
    request(fields),
  ).map(({ url }) => url);

test('only web addresses are results', () => {
  const hostile = [
    'javascript:alert(1)',
    'data:text/html,hi',
    'file:///etc/passwd',
    'https://example.com@evil.example',
    'https://user:secret@example.com/',
    'http://localhost/',
    '//example.com',
    `https://example.com/${'a'.repeat(3_000)}`,
    7,
    null,
  ];
  expect(urls([...hostile, 'https://example.com/a', 'HTTP://EXAMPLE.org'])).toEqual([
    'https://example.com/a',
    'http://example.org/',
  ]);
});

test('a page is a result once, and there are no more than requested', () => {
  const pages = ['https://a.example/1', 'https://a.example/1', 'https://a.example/2', 'https://a.example/3'];
  expect(urls(pages, { maxResults: 2 })).toEqual(['https://a.example/1', 'https://a.example/2']);
});

test('domains hold for subdomains, and for a provider that ignores them', () => {
  const pages = [
    'https://example.com/',
    'https://docs.example.com/',
    'https://badexample.com/',
    'https://other.example/',
  ];
  expect(urls(pages, { allowedDomains: ['example.com'] })).toEqual(pages.slice(0, 2));
  expect(urls(pages, { blockedDomains: ['example.com'] })).toEqual(pages.slice(2));
});

test('texts are plain and bounded', () => {
  const [result] = soundResults(
    [
      page('https://a.example/', {
        title: '\u202e\u0000 \n',
        snippet: `a\u200b\r\n b${'x'.repeat(9_000)}`,
        date: '2026-11-30T01:00:00Z',
      }),
    ],
    request(),
  );
  expect(result?.title).toBe('a.example');
  expect(result?.snippet).toStartWith('a b');
  expect(result?.snippet.length).toBe(8_000);
  expect(result?.date).toBe('2026-11-30');
  expect(soundResults([page('https://a.example/', { date: 'yesterday' })], request())[0]?.date).toBeNull();
});

test('a domain may be written as an address', () => {
  expect(domainOf('https://www.Example.com/path')).toBe('example.com');
  expect(domainOf('münchen.example')).toBe('xn--mnchen-3ya.example');
  for (const wrong of ['', 'localhost', '1', 'a b.example', '-', '.example']) expect(domainOf(wrong)).toBeNull();
});
