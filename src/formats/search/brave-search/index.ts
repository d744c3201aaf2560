import type { Recency } from '../../../domain/search/search.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { objectOf } from '../../shared/json/record.ts';
import { BRAVE_COUNTRIES, NO_COUNTRY } from '../shared/countries.ts';
import { resultsIn, sitesOf } from '../shared/results.ts';
import { shortQuery } from '../shared/short-query.ts';
import type { SearchWire } from '../wire.ts';

const FRESHNESS: Readonly<Record<Recency, string>> = { day: 'pd', week: 'pw', month: 'pm', year: 'py' };
/** The longest `q`; Brave refuses longer ones. */
const LONGEST = { characters: 400, words: 50 };

/** Brave's web search (api-dashboard.search.brave.com, "Web Search"). Its texts have HTML marks, which `text_decorations` leaves out. */
export const braveSearch: SearchWire = {
  name: 'brave-search',
  operations: ['search'],
  method: 'GET',
  encodeRequest: (request) => {
    const { maxResults, country, recency } = request;
    const { text, losses } = shortQuery(request.query, sitesOf(request), LONGEST);
    const isKnown = country === null || BRAVE_COUNTRIES.has(country);
    const query = new URLSearchParams({
      q: text,
      count: String(maxResults),
      result_filter: 'web',
      text_decorations: 'false',
      extra_snippets: 'true',
    });
    if (country !== null && isKnown) query.set('country', country);
    if (recency !== null) query.set('freshness', FRESHNESS[recency]);
    return { body: null, suffix: `?${query}`, losses: isKnown ? losses : [...losses, NO_COUNTRY] };
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
