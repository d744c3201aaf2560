import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { NO_COUNTRY, tavilyCountry } from '../shared/countries.ts';
import { resultsIn } from '../shared/results.ts';
import { shortQuery } from '../shared/short-query.ts';
import type { SearchWire } from '../wire.ts';

const utf8 = new TextEncoder();
/** The longest query; Tavily refuses longer ones. */
const LONGEST = { characters: 400, words: 400 };

/** Tavily's search (docs.tavily.com, "Tavily Search") at its basic depth, which costs one credit. */
export const tavilySearch: SearchWire = {
  name: 'tavily-search',
  operations: ['search'],
  method: 'POST',
  encodeRequest: ({ query, maxResults, allowedDomains, blockedDomains, country, recency }) => {
    const { text, losses } = shortQuery(query, '', LONGEST);
    const name = country === null ? null : tavilyCountry(country);
    const body = {
      query: text,
      max_results: maxResults,
      search_depth: 'basic',
      ...(allowedDomains.length > 0 && { include_domains: allowedDomains }),
      ...(blockedDomains.length > 0 && { exclude_domains: blockedDomains }),
      ...(name !== null && { country: name }),
      ...(recency !== null && { time_range: recency }),
    };
    return {
      body: utf8.encode(JSON.stringify(body)),
      losses: country !== null && name === null ? [...losses, NO_COUNTRY] : losses,
    };
  },
  decodeAnswer: (bytes, request) =>
    resultsIn(bytes, request, {
      listIn: ({ results }) => results,
      pageOf: ({ url, title, content: snippet, published_date: date }) => ({ url, title, snippet, date }),
    }),
  decodeFailure,
};
