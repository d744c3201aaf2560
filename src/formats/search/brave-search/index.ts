import type { Recency } from '../../../domain/search/search.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { objectOf } from '../../shared/json/record.ts';
import { resultsIn, withSites } from '../shared/results.ts';
import type { SearchWire } from '../wire.ts';

const FRESHNESS: Readonly<Record<Recency, string>> = { day: 'pd', week: 'pw', month: 'pm', year: 'py' };
/** The longest `q`, in characters and words. */
const LONGEST_QUERY = 400;
const MOST_WORDS = 50;

/** Brave's web search (api-dashboard.search.brave.com, "Web Search"). Its texts have HTML marks, which `text_decorations` leaves out. */
export const braveSearch: SearchWire = {
  name: 'brave-search',
  operations: ['search'],
  method: 'GET',
  encodeRequest: (request) => {
    const { maxResults, country, recency } = request;
    const query = new URLSearchParams({
      q: withSites(request).split(/\s+/).slice(0, MOST_WORDS).join(' ').slice(0, LONGEST_QUERY),
      count: String(maxResults),
      result_filter: 'web',
      text_decorations: 'false',
      extra_snippets: 'true',
    });
    if (country !== null) query.set('country', country);
    if (recency !== null) query.set('freshness', FRESHNESS[recency]);
    return { body: null, suffix: `?${query}`, losses: [] };
  },
  decodeAnswer: (bytes, request) =>
    resultsIn(bytes, request, {
      // Without any result the answer has no `web`.
      listIn: ({ web, type }) => (web === undefined && type === 'search' ? [] : objectOf(web).results),
      pageOf: ({ url, title, description, extra_snippets: more, page_age: date }) => ({
        ...{ url, title, date },
        snippet: [description, ...(Array.isArray(more) ? more : [])]
          .filter((one) => typeof one === 'string')
          .join(' … '),
      }),
    }),
  decodeFailure,
};
