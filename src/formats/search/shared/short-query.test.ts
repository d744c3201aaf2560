import { expect, test } from 'bun:test';
import { tavilyCountry } from './countries.ts';
import { shortQuery } from './short-query.ts';

const LIMITS = { characters: 40, words: 6 };

test('a short query stays', () => {
  expect(shortQuery('red foxes', '', LIMITS)).toEqual({ text: 'red foxes', losses: [] });
  expect(shortQuery('red foxes', 'site:a.example', LIMITS)).toEqual({ text: 'red foxes site:a.example', losses: [] });
});

test('a long query loses its end, and never the domains', () => {
  const { text, losses } = shortQuery('word '.repeat(20), 'site:a.example', LIMITS);
  expect(text).toBe('word word word word word site:a.example');
  expect(losses.map(({ field }) => field)).toEqual(['query']);
  const long = shortQuery('x'.repeat(100), 'site:a.example', LIMITS);
  expect(long.text).toBe(`${'x'.repeat(25)} site:a.example`);
});

test('too many domains are left to the gateway', () => {
  const { text, losses } = shortQuery('foxes', '(site:aaaaaaa.example OR site:b.example)', LIMITS);
  expect(text).toBe('foxes');
  expect(losses.map(({ field }) => field)).toEqual(['search_domain_filter']);
});

test('no character is cut into halves', () => {
  expect(shortQuery('🦊'.repeat(9), '', { characters: 3, words: 9 }).text).toBe('🦊');
});

test('countries have the names of Tavily', () => {
  expect(['DE', 'TR', 'US', 'CZ', 'VA'].map(tavilyCountry)).toEqual([
    'germany',
    'turkey',
    'united states',
    'czech republic',
    null,
  ]);
});
