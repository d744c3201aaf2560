import type { Loss } from '../../../domain/exchange/loss.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { resultsIn, withSites } from '../shared/results.ts';
import type { SearchWire } from '../wire.ts';

const NO_COUNTRY: Loss = { field: 'country', verdict: 'dropped', why: 'the provider does not support this field' };

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
    const query = new URLSearchParams({ q: withSites(request), format: 'json' });
    if (recency !== null) query.set('time_range', recency === 'week' ? 'month' : recency);
    return { body: null, suffix: `?${query}`, losses: country === null ? [] : [NO_COUNTRY] };
  },
  decodeAnswer: (bytes, request) =>
    resultsIn(bytes, request, {
      listIn: ({ results }) => results,
      pageOf: ({ url, title, content: snippet, publishedDate: date }) => ({ url, title, snippet, date }),
    }),
  decodeFailure,
};
