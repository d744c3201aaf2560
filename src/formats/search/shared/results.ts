import { Failure } from '../../../domain/failure/failure.ts';
import { type FoundPage, type SearchRequest, type SearchResult, soundResults } from '../../../domain/search/search.ts';
import { parseJsonBytes } from '../../shared/json/json-text.ts';
import { isRecord, objectOf } from '../../shared/json/record.ts';

/** How many results of an answer are looked at: a provider may return more than were requested. */
const MOST_LOOKED_AT = 200;

/** Twenty results with texts have under 1 MiB. A larger answer is not parsed, which would hold up other requests. */
const LARGEST_ANSWER = 8 * 1024 * 1024;

type Members = Readonly<Record<string, unknown>>;

/** Returns the results in a list of an answer; a failure if there is no such list, or if the answer is too large. */
export function resultsIn(
  bytes: Uint8Array,
  request: SearchRequest,
  { listIn, pageOf }: { listIn(answer: Members): unknown; pageOf(result: Members): FoundPage },
): readonly SearchResult[] | Failure {
  if (bytes.length > LARGEST_ANSWER) {
    return new Failure('upstream_error', {
      kind: 'garbage',
      message: 'The answer of the search provider is too large.',
    });
  }
  const list = listIn(objectOf(parseJsonBytes(bytes)));
  if (!Array.isArray(list)) {
    return new Failure('upstream_error', {
      kind: 'garbage',
      message: 'The search provider did not return a list of results.',
    });
  }
  const found = list.slice(0, MOST_LOOKED_AT).filter(isRecord);
  return soundResults(found.map(pageOf), request);
}

/** Returns the operators `site:`, which search engines understand, for providers without lists of domains; empty without domains. */
export function sitesOf({ allowedDomains, blockedDomains }: SearchRequest): string {
  const sites = allowedDomains.map((domain) => `site:${domain}`).join(' OR ');
  const only = allowedDomains.length > 1 ? `(${sites})` : sites;
  return [only, ...blockedDomains.map((domain) => `-site:${domain}`)].filter((part) => part !== '').join(' ');
}
