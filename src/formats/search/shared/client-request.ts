import { Failure } from '../../../domain/failure/failure.ts';
import { domainOf, MOST_RESULTS, RECENCIES, type SearchRequest } from '../../../domain/search/search.ts';
import { parseBody } from '../../shared/request/body.ts';
import type { BodySource } from '../../shared/request/body-scan.ts';
import { charactersIn } from '../../shared/request/characters.ts';
import { GovernedNames } from '../../shared/request/governed-names.ts';
import { LONGEST_MODEL, missingField, wrongField } from '../../shared/request/request-fields.ts';

const LONGEST_QUERY = 2_000;
const MOST_DOMAINS = 20;
const USUAL_RESULTS = 10;

/** Members that the gateway reads. Each may occur only once, and only in its exact spelling. */
export const NAMES = new GovernedNames({
  model: true,
  query: true,
  max_results: true,
  country: true,
  search_domain_filter: true,
  search_recency_filter: true,
});

/** A search whose model may be left to the gateway. */
export type AskedSearch = Omit<SearchRequest, 'model'> & { readonly model: string | null };

/** Reads and checks a client's request: Perplexity's members (its published document, "Search API"), and `model`. */
export function parseRequest(source: BodySource): AskedSearch | Failure {
  const parsed = parseBody(source, '`query`', NAMES);
  if (parsed instanceof Failure) return parsed;
  const { model = null, query, max_results: most = null, country = null } = parsed.body;
  const { search_domain_filter: domains = null, search_recency_filter: recent = null } = parsed.body;
  if (model !== null && (typeof model !== 'string' || model === '' || model.length > LONGEST_MODEL)) {
    return wrongField('invalid_type', 'model', 'must be a model id');
  }
  const text = queryOf(query);
  if (text instanceof Failure) return text;
  const maxResults = most ?? USUAL_RESULTS;
  if (typeof maxResults !== 'number' || !Number.isInteger(maxResults) || maxResults < 1 || maxResults > MOST_RESULTS) {
    return wrongField('invalid_value', 'max_results', `must be a whole number from 1 to ${MOST_RESULTS}`);
  }
  if (country !== null && (typeof country !== 'string' || !/^[A-Za-z]{2}$/.test(country))) {
    return wrongField('invalid_value', 'country', 'must be a country code of two letters, such as `US`');
  }
  const recency = recent === null ? null : RECENCIES.find((known) => known === recent);
  if (recency === undefined) {
    return wrongField('invalid_value', 'search_recency_filter', `must be one of ${RECENCIES.join(', ')}`);
  }
  const filter = domainsOf(domains);
  if (filter instanceof Failure) return filter;
  return { model, query: text, maxResults, country: country?.toUpperCase() ?? null, recency, ...filter };
}

function queryOf(query: unknown): string | Failure {
  if (query === undefined || query === null) return missingField('query', 'the text to search for');
  if (typeof query !== 'string') return wrongField('invalid_type', 'query', 'must be a string');
  if (query.trim() === '') return wrongField('invalid_value', 'query', 'is empty; send the text to search for');
  const length = charactersIn(query, LONGEST_QUERY);
  if (length <= LONGEST_QUERY) return query.trim();
  return wrongField('invalid_value', 'query', `has ${length} characters; the limit is ${LONGEST_QUERY}`);
}

/** Reads domains; one that begins with a minus is excluded. */
function domainsOf(domains: unknown): Pick<SearchRequest, 'allowedDomains' | 'blockedDomains'> | Failure {
  const allowedDomains: string[] = [];
  const blockedDomains: string[] = [];
  if (domains === null) return { allowedDomains, blockedDomains };
  const name = 'search_domain_filter';
  if (!Array.isArray(domains)) return wrongField('invalid_type', name, 'must be a list of domains');
  if (domains.length > MOST_DOMAINS) return wrongField('invalid_value', name, `has more than ${MOST_DOMAINS} domains`);
  for (const [index, one] of domains.entries()) {
    const isBlocked = typeof one === 'string' && one.startsWith('-');
    const domain = typeof one === 'string' ? domainOf(isBlocked ? one.slice(1) : one) : null;
    if (domain === null)
      return wrongField('invalid_value', `${name}[${index}]`, 'must be a domain, such as `example.com`');
    (isBlocked ? blockedDomains : allowedDomains).push(domain);
  }
  return { allowedDomains, blockedDomains };
}
