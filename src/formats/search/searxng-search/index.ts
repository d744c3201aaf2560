import type { Loss } from '../../../domain/exchange/loss.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { resultsIn, sitesOf } from '../shared/results.ts';
import { shortQuery } from '../shared/short-query.ts';
import type { SearchWire } from '../wire.ts';

const NO_COUNTRY: Loss = { field: 'country', verdict: 'dropped', why: 'the provider does not support this field' };

/** The servers of SearXNG refuse long addresses: 400 characters need at most 3,600 bytes there. */
const LONGEST = { characters: 400, words: 400 };

/**
 * SearXNG's search (docs.searxng.org, "Search API"). Its settings must allow the format `json`. It has no number of results and no weeks, for
 * which a month is requested.
 */
export const searxngSearch: SearchWire = {
  name: 'searxng-search',
  operations: ['search'],
  method: 'GET',
  encodeRequest: (request) => {
    const { recency, country } = request;
    const { text, losses } = shortQuery(request.query, sitesOf(request), LONGEST);
    const query = new URLSearchParams({ q: text, format: 'json' });
    if (recency !== null) query.set('time_range', recency === 'week' ? 'month' : recency);
    return { body: null, suffix: `?${query}`, losses: country === null ? losses : [...losses, NO_COUNTRY] };
  },
  decodeAnswer: (bytes, request) =>
    resultsIn(bytes, request, {
      listIn: ({ results }) => results,
      pageOf: ({ url, title, content: snippet, publishedDate: date }) => ({ url, title, snippet, date }),
    }),
  decodeFailure,
};
