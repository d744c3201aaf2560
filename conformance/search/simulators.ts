/** Simulators of the search providers. They refuse what the providers' published documents do not have, as the providers do. */

export interface Page {
  readonly url: string;
  readonly title: string;
  readonly text: string;
  readonly date: string;
}

export interface Simulator {
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly key: readonly [name: string, value: string] | null;
  /** A check for each member of a request, in its body or its query. */
  readonly members: Readonly<Record<string, (value: unknown) => boolean>>;
  readonly required: readonly string[];
  answer(pages: readonly Page[]): unknown;
}

const isText = (value: unknown) => typeof value === 'string' && value !== '';
const isFrom = (least: number, most: number) => (value: unknown) =>
  typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
const isOneOf =
  (...values: readonly string[]) =>
  (value: unknown) =>
    values.some((known) => known === value);
const areDomains = (most: number) => (value: unknown) =>
  Array.isArray(value) && value.length <= most && value.every((one) => /^[a-z0-9.-]+$/.test(one));
/** A query of at most 400 characters. */
const isShort = (value: unknown) => isText(value) && String(value).length <= 400;

export const SIMULATORS: Readonly<Record<string, Simulator>> = {
  brave: {
    path: '/web/search',
    method: 'GET',
    key: ['x-subscription-token', 'brave-key'],
    members: {
      q: (value) => isShort(value) && String(value).split(/\s+/).length <= 50,
      count: (value) => /^\d+$/.test(String(value)) && isFrom(1, 20)(Number(value)),
      result_filter: isOneOf('web'),
      text_decorations: isOneOf('true', 'false'),
      extra_snippets: isOneOf('true', 'false'),
      country: isOneOf('DE', 'TR', 'US'),
      freshness: isOneOf('pd', 'pw', 'pm', 'py'),
    },
    required: ['q'],
    answer: (pages) => ({
      type: 'search',
      ...(pages.length > 0 && {
        web: {
          results: pages.map(({ url, title, text, date }) => ({ url, title, description: text, page_age: date })),
        },
      }),
    }),
  },
  tavily: {
    path: '/search',
    method: 'POST',
    key: ['authorization', 'Bearer tavily-key'],
    members: {
      query: isShort,
      max_results: isFrom(0, 20),
      search_depth: isOneOf('basic', 'advanced', 'fast', 'ultra-fast'),
      include_domains: areDomains(300),
      exclude_domains: areDomains(150),
      country: isOneOf('germany', 'united states', 'turkey', 'czech republic'),
      time_range: isOneOf('day', 'week', 'month', 'year', 'd', 'w', 'm', 'y'),
    },
    required: ['query'],
    answer: (pages) => ({
      query: 'foxes',
      results: pages.map(({ url, title, text, date }) => ({ url, title, content: text, published_date: date })),
    }),
  },
  exa: {
    path: '/search',
    method: 'POST',
    key: ['x-api-key', 'exa-key'],
    members: {
      query: isText,
      numResults: isFrom(1, 100),
      contents: (value) => isFrom(1, 100_000)((value as any)?.text?.maxCharacters),
      includeDomains: areDomains(1_200),
      excludeDomains: areDomains(1_200),
      userLocation: (value) => /^[A-Z]{2}$/.test(String(value)),
      startPublishedDate: (value) => typeof value === 'string' && new Date(value).toISOString() === value,
    },
    required: ['query'],
    answer: (pages) => ({
      requestId: 'r',
      results: pages.map(({ url, title, text, date }) => ({ id: url, url, title, text, publishedDate: date })),
    }),
  },
  searxng: {
    path: '/search',
    method: 'GET',
    key: null,
    members: { q: isText, format: isOneOf('json'), time_range: isOneOf('day', 'month', 'year') },
    required: ['q', 'format'],
    answer: (pages) => ({
      query: 'foxes',
      number_of_results: 0,
      results: pages.map(({ url, title, text, date }) => ({ url, title, content: text, publishedDate: date })),
    }),
  },
};

/** Returns the refusal of a request, or its members. */
export async function received(request: Request): Promise<Response | Readonly<Record<string, unknown>>> {
  const { pathname, searchParams } = new URL(request.url);
  const [, provider = '', ...rest] = pathname.split('/');
  const simulator = SIMULATORS[provider];
  if (simulator === undefined || `/${rest.join('/')}` !== simulator.path || request.method !== simulator.method) {
    return new Response('not found', { status: 404 });
  }
  if (simulator.key !== null && request.headers.get(simulator.key[0]) !== simulator.key[1]) {
    return Response.json({ error: 'wrong key' }, { status: 401 });
  }
  // The HTTP servers of SearXNG refuse long addresses.
  if (request.url.length > 4_096) return new Response(null, { status: 431 });
  const asked = (simulator.method === 'GET' ? Object.fromEntries(searchParams) : await request.json()) as Record<
    string,
    unknown
  >;
  const wrong =
    Object.entries(asked).find(([name, value]) => simulator.members[name]?.(value) !== true)?.[0] ??
    simulator.required.find((name) => asked[name] === undefined);
  if (wrong === undefined) return asked;
  return Response.json({ error: { message: `wrong ${wrong}` } }, { status: 422 });
}
