import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { resultsIn } from '../shared/results.ts';
import type { SearchWire } from '../wire.ts';

const utf8 = new TextEncoder();
const COUNTRIES = new Intl.DisplayNames(['en'], { type: 'region' });

/** Tavily's search (docs.tavily.com, "Tavily Search") at its basic depth, which costs one credit. */
export const tavilySearch: SearchWire = {
  name: 'tavily-search',
  operations: ['search'],
  method: 'POST',
  encodeRequest: ({ query, maxResults, allowedDomains, blockedDomains, country, recency }) => {
    const body = {
      query,
      max_results: maxResults,
      search_depth: 'basic',
      ...(allowedDomains.length > 0 && { include_domains: allowedDomains }),
      ...(blockedDomains.length > 0 && { exclude_domains: blockedDomains }),
      // Names of countries in English and lower case.
      ...(country !== null && { country: (COUNTRIES.of(country) ?? country).toLowerCase() }),
      ...(recency !== null && { time_range: recency }),
    };
    return { body: utf8.encode(JSON.stringify(body)), losses: [] };
  },
  decodeAnswer: (bytes, request) =>
    resultsIn(bytes, request, {
      listIn: ({ results }) => results,
      pageOf: ({ url, title, content: snippet, published_date: date }) => ({ url, title, snippet, date }),
    }),
  decodeFailure,
};
