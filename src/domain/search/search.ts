/** How recent results must be. */
export const RECENCIES = ['day', 'week', 'month', 'year'] as const;
export type Recency = (typeof RECENCIES)[number];

export const MOST_RESULTS = 20;
const LONGEST_TITLE = 500;
const LONGEST_SNIPPET = 8_000;
const LONGEST_URL = 2_000;

/** A web search. */
export interface SearchRequest {
  readonly model: string;
  readonly query: string;
  /** The most results, from 1 to `MOST_RESULTS`. */
  readonly maxResults: number;
  /** Only results of these domains and their subdomains; empty for all. */
  readonly allowedDomains: readonly string[];
  /** No results of these domains and their subdomains. */
  readonly blockedDomains: readonly string[];
  /** ISO 3166-1, two capital letters; `null` for any. */
  readonly country: string | null;
  readonly recency: Recency | null;
}

export interface SearchResult {
  readonly url: string;
  readonly title: string;
  /** Text of the page about the query; empty if the provider gives none. */
  readonly snippet: string;
  /** A day such as `2026-11-30`; `null` if unknown. */
  readonly date: string | null;
}

/** A result as a provider returns it. Nothing in it can be trusted. */
export interface FoundPage {
  readonly url: unknown;
  readonly title: unknown;
  readonly snippet: unknown;
  readonly date?: unknown;
}

/**
 * Returns the results that a client gets: at most as many as requested, each page once, only public web addresses of allowed domains, and
 * texts without control characters and of bounded length. A provider may ignore the request, and pages say what they like.
 */
export function soundResults(found: readonly FoundPage[], request: SearchRequest): readonly SearchResult[] {
  const results: SearchResult[] = [];
  const seen = new Set<string>();
  for (const { url, title, snippet, date } of found) {
    if (results.length >= request.maxResults) break;
    const page = typeof url === 'string' && url.length <= LONGEST_URL ? URL.parse(url) : null;
    if (page === null || !isWeb(page) || seen.has(page.href) || !isWanted(page.hostname, request)) continue;
    seen.add(page.href);
    results.push({
      url: page.href,
      title: plain(title, LONGEST_TITLE) || page.hostname,
      snippet: plain(snippet, LONGEST_SNIPPET),
      date: dayOf(date),
    });
  }
  return results;
}

/** Returns a domain in the form in which host names are compared; `null` if the text is not a domain. */
export function domainOf(text: string): string | null {
  const host = URL.parse(`https://${text.trim().replace(/^https?:\/\//i, '')}`)?.hostname ?? '';
  const name = host.replace(/^www\./, '').replace(/\.$/, '');
  return /^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*\.[a-z][a-z0-9-]{1,62}$/.test(name) && name.length <= 253 ? name : null;
}

/** Addresses with a user name can pose as another site. */
function isWeb({ protocol, username, password, hostname }: URL): boolean {
  return (
    (protocol === 'https:' || protocol === 'http:') && username === '' && password === '' && hostname.includes('.')
  );
}

function isWanted(host: string, { allowedDomains, blockedDomains }: SearchRequest): boolean {
  if (blockedDomains.some((domain) => isWithin(host, domain))) return false;
  return allowedDomains.length === 0 || allowedDomains.some((domain) => isWithin(host, domain));
}

function isWithin(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`);
}

function plain(text: unknown, longest: number): string {
  if (typeof text !== 'string') return '';
  // Cut before the replacement, which reads the whole text.
  const cut = text.slice(0, 2 * longest).toWellFormed();
  return cut
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, longest)
    .toWellFormed();
}

function dayOf(date: unknown): string | null {
  const [day = null] = typeof date === 'string' ? (/^\d{4}-\d{2}-\d{2}/.exec(date) ?? []) : [];
  return day === null || Number.isNaN(Date.parse(day)) ? null : day;
}
