import type { Recency } from '../../../domain/search/search.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { resultsIn } from '../shared/results.ts';
import type { SearchWire } from '../wire.ts';

const utf8 = new TextEncoder();
const DAY_MS = 86_400_000;
const DAYS: Readonly<Record<Recency, number>> = { day: 1, week: 7, month: 31, year: 366 };
const LONGEST_TEXT = 1_500;
/** The price of a search includes ten results; more are billed apart. */
const MOST_RESULTS = 10;

/** Exa's search (exa.ai/docs, "Search"), with the beginning of each page, which is part of the price for ten results. */
export const exaSearch: SearchWire = {
  name: 'exa-search',
  operations: ['search'],
  method: 'POST',
  encodeRequest: ({ query, maxResults, allowedDomains, blockedDomains, country, recency }, nowMs) => {
    const body = {
      query,
      numResults: Math.min(maxResults, MOST_RESULTS),
      contents: { text: { maxCharacters: LONGEST_TEXT } },
      ...(allowedDomains.length > 0 && { includeDomains: allowedDomains }),
      ...(blockedDomains.length > 0 && { excludeDomains: blockedDomains }),
      ...(country !== null && { userLocation: country }),
      ...(recency !== null && { startPublishedDate: new Date(nowMs - DAYS[recency] * DAY_MS).toISOString() }),
    };
    return { body: utf8.encode(JSON.stringify(body)), losses: [] };
  },
  decodeAnswer: (bytes, request) =>
    resultsIn(bytes, request, {
      listIn: ({ results }) => results,
      pageOf: ({ url, title, text: snippet, publishedDate: date }) => ({ url, title, snippet, date }),
    }),
  decodeFailure,
};
