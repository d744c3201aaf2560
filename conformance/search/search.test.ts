import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { accountWith, clientKey, keyNamed } from '../first-light/upstream.ts';
import type { Serving } from '../shared/serving.ts';
import { Workspace } from '../shared/workspace.ts';

/* `POST /v1/search` over simulators of the search providers, which refuse what the providers' documents do not have. */

setDefaultTimeout(600_000);

type Body = Readonly<Record<string, unknown>>;

interface Simulator {
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly key: readonly [name: string, value: string] | null;
  /** The members of a request, in its body or its query. */
  readonly members: readonly string[];
  answer(pages: readonly Page[]): unknown;
}

interface Page {
  readonly url: string;
  readonly title: string;
  readonly text: string;
  readonly date: string;
}

const SIMULATORS: Readonly<Record<string, Simulator>> = {
  brave: {
    path: '/web/search',
    method: 'GET',
    key: ['x-subscription-token', 'brave-key'],
    members: ['q', 'count', 'result_filter', 'text_decorations', 'extra_snippets', 'country', 'freshness'],
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
    members: ['query', 'max_results', 'search_depth', 'include_domains', 'exclude_domains', 'country', 'time_range'],
    answer: (pages) => ({
      results: pages.map(({ url, title, text, date }) => ({ url, title, content: text, published_date: date })),
    }),
  },
  exa: {
    path: '/search',
    method: 'POST',
    key: ['x-api-key', 'exa-key'],
    members: [
      'query',
      'numResults',
      'contents',
      'includeDomains',
      'excludeDomains',
      'userLocation',
      'startPublishedDate',
    ],
    answer: (pages) => ({
      results: pages.map(({ url, title, text, date }) => ({ url, title, text, publishedDate: date })),
    }),
  },
  searxng: {
    path: '/search',
    method: 'GET',
    key: null,
    members: ['q', 'format', 'time_range'],
    answer: (pages) => ({
      results: pages.map(({ url, title, text, date }) => ({ url, title, content: text, publishedDate: date })),
    }),
  },
};

const PAGES: readonly Page[] = [
  { url: 'https://example.com/a', title: 'A', text: 'About a', date: '2026-11-01T00:00:00' },
  { url: 'https://docs.example.com/b', title: 'B', text: 'About b', date: '2026-11-02' },
  { url: 'https://other.example/c', title: 'C', text: 'About c', date: '2026-11-03' },
];

let space: Workspace;
let serving: Serving;
let server: ReturnType<typeof Bun.serve>;
let seen: Body[] = [];
let pages: readonly Page[] = PAGES;
/** Replaces the next answers. */
let instead: ((request: Request) => Response | Promise<Response>) | null = null;

async function simulated(request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  const [, provider = '', ...rest] = pathname.split('/');
  const simulator = SIMULATORS[provider];
  if (simulator === undefined || `/${rest.join('/')}` !== simulator.path || request.method !== simulator.method) {
    return new Response('not found', { status: 404 });
  }
  if (simulator.key !== null && request.headers.get(simulator.key[0]) !== simulator.key[1]) {
    return Response.json({ error: 'wrong key' }, { status: 401 });
  }
  const asked = (simulator.method === 'GET' ? Object.fromEntries(searchParams) : await request.json()) as Body;
  const unknown = Object.keys(asked).find((name) => !simulator.members.includes(name));
  if (unknown !== undefined) return Response.json({ error: { message: `unknown ${unknown}` } }, { status: 422 });
  seen.push(asked);
  return instead === null ? Response.json(simulator.answer(pages)) : instead(request);
}

beforeAll(async () => {
  space = await Workspace.create();
  server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: simulated });
  const channels = Object.entries(SIMULATORS).map(([provider, { key }]) => ({
    ...{ id: provider, provider, base_url: `http://127.0.0.1:${server.port}/${provider}` },
    ...(key !== null && { api_key: `${provider}-key` }),
    models: { [`${provider}-search`]: `${provider}-search` },
  }));
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    channels: [...channels, { id: 'sandbox', provider: 'sandbox', models: { 'sandbox-search': 'sandbox-search' } }],
    models: [{ id: 'searxng-search', category: 'rerank', operations: ['search'], pricing: { per_request: '0.001' } }],
    accounts: [
      accountWith('one', [keyNamed('one')], { billing: 'prepaid', balance_usd: '1', requests_per_minute: 100_000 }),
    ],
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG }, sleep: () => Promise.resolve() });
});

afterAll(async () => {
  await space?.remove();
  await server?.stop(true);
});

beforeEach(() => {
  seen = [];
  pages = PAGES;
  instead = null;
});

async function search(body: unknown) {
  const headers = { authorization: `Bearer ${clientKey('one')}`, 'content-type': 'application/json' };
  const answer = await fetch(`${serving.baseUrl}/search`, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: answer.status, json: (await answer.json()) as any };
}

test('the gateway chooses a model if the client names none', async () => {
  expect(await search({ query: 'foxes' })).toMatchObject({ status: 200, json: { model: 'brave-search' } });
});

describe.each(Object.keys(SIMULATORS))('%s', (provider) => {
  const model = `${provider}-search`;

  test('finds pages, and is charged by the search', async () => {
    const { status, json } = await search({ model, query: 'foxes', max_results: 2 });
    expect({ status, object: json.object, model: json.model }).toEqual({ status: 200, object: 'search', model });
    expect(json.results).toEqual([
      { title: 'A', url: 'https://example.com/a', snippet: 'About a', date: '2026-11-01' },
      { title: 'B', url: 'https://docs.example.com/b', snippet: 'About b', date: '2026-11-02' },
    ]);
    expect(json._routing.channel.id).toBe(provider);
    const prices: Record<string, string> = { brave: '0.005', tavily: '0.008', exa: '0.007', searxng: '0.001' };
    expect(json._routing.cost.total_usd ?? json._routing.cost.usd ?? json._routing.cost).toEqual(prices[provider]);
  });

  test('takes every member', async () => {
    const filters = {
      search_domain_filter: ['example.com', '-docs.example.com'],
      search_recency_filter: 'week',
      country: 'de',
    };
    const { status, json } = await search({ model, query: 'foxes', ...filters });
    expect(status).toBe(200);
    expect(json.results.map(({ title }: { title: string }) => title)).toEqual(['A']);
    expect(seen).toHaveLength(1);
  });

  test('may find nothing', async () => {
    pages = [];
    expect(await search({ model, query: 'nothing' })).toMatchObject({ status: 200, json: { results: [] } });
  });

  test.each([
    ['HTML', () => new Response('<html>hi</html>', { headers: { 'content-type': 'text/html' } })],
    ['no list', () => Response.json({ web: { results: 'x' }, results: { a: 1 } })],
    ['no JSON', () => new Response('{"results": [')],
    ['an error', () => Response.json({ error: `${provider}-key is out of credit` }, { status: 500 })],
  ])('fails without its key if the answer is %s', async (_, answer) => {
    instead = answer;
    const { status, json } = await search({ model, query: 'foxes' });
    expect(status).toBeGreaterThanOrEqual(500);
    expect(JSON.stringify(json)).not.toContain(`${provider}-key`);
  });
});

test('the sandbox searches without a key', async () => {
  const { json } = await search({ model: 'sandbox-search', query: 'foxes', max_results: 3 });
  expect(json.results.map(({ url }: { url: string }) => url)).toEqual([
    'https://example.com/1?q=foxes',
    'https://example.org/2?q=foxes',
    'https://example.net/3?q=foxes',
  ]);
});

test.each([
  [{}, 'query'],
  [{ query: ' ' }, 'query'],
  [{ query: 'x'.repeat(2_001) }, 'query'],
  [{ query: 'x', max_results: 21 }, 'max_results'],
  [{ query: 'x', max_results: '5' }, 'max_results'],
  [{ query: 'x', country: 'Germany' }, 'country'],
  [{ query: 'x', search_domain_filter: ['a b'] }, 'search_domain_filter[0]'],
  [{ query: 'x', search_domain_filter: Array(21).fill('a.example') }, 'search_domain_filter'],
  [{ query: 'x', search_recency_filter: 'hour' }, 'search_recency_filter'],
  [{ query: 'x', model: 7 }, 'model'],
])('%j names the wrong field', async (body, param) => {
  expect(await search(body)).toMatchObject({ status: 400, json: { error: { param } } });
});

test('the books agree', async () => {
  expect(await space.run(['ledger', 'verify'])).toMatchObject({ exitCode: 0 });
});
