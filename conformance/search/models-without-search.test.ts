import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { BatchClient, inputLine } from '../batches/client.ts';
import { type Gateway, startGatewayWith } from '../shared/gateway.ts';
import { until } from '../shared/until.ts';

setDefaultTimeout(120_000);

const KEY = 'sk-acme-of-searching-00000000000001';
const POOR = 'sk-poor-of-searching-00000000000001';
const OWNER = 'mt-acme-of-searching-00000000000001';
const OPERATOR = 'mt-house-of-searching-0000000000001';
const PRICE = { input_per_1m: '1', output_per_1m: '1' };
/** 220 tokens at 1 USD for a million. */
const TOKENS_USD = 0.00022;

interface Answer {
  readonly id: string;
  readonly output: readonly {
    readonly type: string;
    readonly content: readonly { readonly text: string; readonly annotations: readonly object[] }[];
  }[];
  readonly _routing: { readonly cost: { readonly total_usd: string } };
}

interface Asked {
  readonly path: string;
  readonly authorization: string | null;
  readonly body: { readonly [name: string]: any };
}

let upstream: ReturnType<typeof Bun.serve>;
let gateway: Gateway;
let received: Asked[] = [];

beforeAll(async () => {
  upstream = Bun.serve({
    port: 0,
    fetch: async (request) => {
      if (request.method !== 'POST') return new Response(null, { status: 404 });
      const { pathname: path } = new URL(request.url);
      const body = (await request.json()) as Asked['body'];
      received.push({ path, authorization: request.headers.get('authorization'), body });
      if (path === '/tavily/search') {
        const page = { url: 'https://example.com/foxes', title: 'Foxes', content: 'Foxes hunt.' };
        return Response.json({ query: body.query, results: [page] });
      }
      return completion(body);
    },
  });
  const address = `http://127.0.0.1:${upstream.port}`;
  const plain = {
    ...{ id: 'plain', name: 'Plain', provider: 'openai-compatible', api_key: 'sk-upstream' },
    models: { plain: 'plain', other: 'other', closed: 'closed', backup: 'backup' },
    base_url: `${address}/v1`,
  };
  const broken = {
    ...plain,
    id: 'broken',
    name: 'Broken',
    base_url: `${address}/broken`,
    models: { broken: 'broken' },
  };
  const own = { ...plain, id: 'own', name: 'Own', owner: 'acme', models: { mine: 'mine' } };
  // The sandbox has no address and no key; Tavily has several.
  const sandbox: object = { id: 'made-up', name: 'Made up', provider: 'sandbox', models: { finder: 'sandbox-search' } };
  const tavily: object = {
    ...{ id: 'tavily', name: 'Tavily', provider: 'tavily', base_url: `${address}/tavily` },
    ...{ models: { 'tavily-search': 'tavily-search' } },
    api_keys: [
      { name: 'first', key: 'tvly-first', weight: 1_000, spend_cap: { usd: '0.016', per: 'total' } },
      { name: 'second', key: 'tvly-second', weight: 1 },
    ],
  };
  const channels = [plain, broken, own, sandbox as typeof plain, tavily as typeof plain];
  gateway = await startGatewayWith(channels, {
    search: { model: 'finder' },
    routing: { cost_in_answers: true },
    batches: { price_percent: 50 },
    models: [
      { id: 'plain', pricing: PRICE },
      { id: 'other', pricing: PRICE, search: 'tavily-search' },
      { id: 'closed', pricing: PRICE, search: 'none' },
      { id: 'broken', pricing: PRICE, fallbacks: ['backup'] },
      { id: 'backup', pricing: PRICE },
      { id: 'mine', pricing: PRICE },
      { id: 'finder', category: 'rerank', operations: ['search'], pricing: { per_request: '0.005' } },
      { id: 'tavily-search', category: 'rerank', operations: ['search'], pricing: { per_request: '0.008' } },
    ],
    accounts: [
      { id: 'house', admin: true, management_tokens: [{ id: 'ops', secret: OPERATOR }] },
      {
        ...{ id: 'acme', billing: 'unlimited', keys: [{ id: 'ci', secret: KEY }] },
        management_tokens: [{ id: 'own', secret: OWNER }],
      },
      {
        ...{ id: 'poor', billing: 'unlimited' },
        keys: [{ id: 'ci', secret: POOR, budget: { usd: '0.01', per: 'day' } }],
      },
    ],
  });
});

afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop(true);
});

beforeEach(() => {
  received = [];
});

function completion({ model, messages, tool_choice: choice }: Asked['body']): Response {
  if (model === 'broken') return Response.json({ error: { message: 'down' } }, { status: 503 });
  const isSecond = messages.some(({ role }: { role: string }) => role === 'tool') || choice === 'none';
  const call = { id: 'call_1', type: 'function', function: { name: 'web_search', arguments: '{"query":"foxes"}' } };
  const message = isSecond
    ? { role: 'assistant', content: 'Foxes hunt in the snow [[cite:1]].' }
    : { role: 'assistant', content: null, tool_calls: [call] };
  const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
  return Response.json({
    ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model, usage },
    choices: [{ index: 0, message, finish_reason: isSecond ? 'stop' : 'tool_calls' }],
  });
}

const post = (path: string, body: object, key = KEY) =>
  fetch(`${gateway.origin}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const SEARCH = { tools: [{ type: 'web_search' }] };

async function responded(model: string, members: object = {}, key = KEY) {
  const asked = { model, input: 'What do foxes do?', ...SEARCH, ...members };
  const response = await post('/v1/responses', asked, key);
  return { status: response.status, answer: (await response.json()) as Answer };
}

const costOf = ({ _routing: { cost } }: Pick<Answer, '_routing'>) => Number(cost.total_usd);
const searchesAt = (path: string) => received.filter((asked) => asked.path === path);
const chats = () => searchesAt('/v1/chat/completions').map(({ body }) => body);

test('a model without search answers with sources, and the searches are charged with both rounds', async () => {
  const { status, answer } = await responded('plain');
  expect([status, answer.output.map(({ type }) => type)]).toEqual([...[200, ['web_search_call', 'message']]]);
  const [text] = answer.output[1]?.content ?? [];
  expect(text?.text).toBe('Foxes hunt in the snow.');
  expect(text?.annotations[0]).toMatchObject({ start_index: 0, end_index: 22 });
  expect(costOf(answer)).toBeCloseTo(TOKENS_USD + 0.005, 9);
});

test('a model searches with its own search model, whose keys stop at their spend caps, or not at all', async () => {
  for (let count = 0; count < 3; count++) {
    const { answer } = await responded('other');
    expect(costOf(answer)).toBeCloseTo(TOKENS_USD + 0.008, 9);
  }
  const keys = searchesAt('/tavily/search').map(({ authorization }) => authorization);
  expect(keys).toEqual(['Bearer tvly-first', 'Bearer tvly-first', 'Bearer tvly-second']);
  expect((await responded('closed')).status).toBe(400);
});

test('fallback models and channels of accounts search as well, and both cost the searches', async () => {
  const fallback = await responded('broken');
  expect(fallback.status).toBe(200);
  expect(costOf(fallback.answer)).toBeCloseTo(TOKENS_USD + 0.005, 9);
  const own = await responded('mine');
  expect(own.status).toBe(200);
  expect(costOf(own.answer)).toBeCloseTo(0.005, 9);
});

test('a budget of a key covers the searches before they run', async () => {
  const refused = await responded('plain', {}, POOR);
  expect([refused.status, received]).toEqual([402, []]);
  expect((await responded('plain', { tools: [] }, POOR)).status).toBe(200);
});

test('a conversation goes on with `previous_response_id`, without the searches of earlier answers', async () => {
  const first = await responded('plain');
  received = [];
  const next = await responded('plain', { previous_response_id: first.answer.id, input: 'Sure?' });
  expect(next.status).toBe(200);
  const [asked] = chats();
  const said = asked?.messages.map(({ role, content }: { role: string; content: unknown }) => [role, content]);
  expect(said.slice(1)).toEqual([
    ['user', 'What do foxes do?'],
    ['assistant', 'Foxes hunt in the snow.'],
    ['user', 'Sure?'],
  ]);
});

const WEATHER = { type: 'function', name: 'weather', parameters: { type: 'object', properties: {} } };

test.each([
  ['auto', 'auto', undefined],
  ['none', 'none', undefined],
  ['required', 'required', undefined],
  [{ type: 'web_search' }, { type: 'function', function: { name: 'web_search' } }, undefined],
  [{ type: 'function', name: 'weather' }, { type: 'function', function: { name: 'weather' } }, 'weather'],
])('the choice of tools %j is kept for the first round, and not forced again', async (choice, first, forced) => {
  const tools = [...SEARCH.tools, WEATHER];
  const { status } = await responded('plain', { tools, tool_choice: choice, parallel_tool_calls: false });
  expect(status).toBe(200);
  const [one, ...others] = chats();
  expect(one?.tool_choice).toEqual(first as never);
  expect(one?.parallel_tool_calls).toBe(false);
  expect(one?.tools.map((tool: { function: { name: string } }) => tool.function.name).sort()).toEqual([
    ...(['weather', 'web_search'] as const),
  ]);
  if (forced === undefined && choice !== 'none') expect(others[0]?.tool_choice ?? 'auto').toBe('auto');
});

test('a choice among allowed tools allows the search only if it names it', async () => {
  const tools = [...SEARCH.tools, WEATHER];
  const only = (...named: object[]) => ({ tools, tool_choice: { type: 'allowed_tools', mode: 'auto', tools: named } });
  const allowed = (name: string, mode: string) => ({
    type: 'allowed_tools',
    allowed_tools: { mode, tools: [{ type: 'function', function: { name } }] },
  });
  await responded('plain', only({ type: 'function', name: 'weather' }));
  expect(chats()[0]?.tool_choice).toEqual(allowed('weather', 'auto'));
  received = [];
  const required = only({ type: 'web_search' });
  await responded('plain', { ...required, tool_choice: { ...required.tool_choice, mode: 'required' } });
  const choices = chats().map(({ tool_choice: choice }) => choice);
  expect(choices).toEqual([allowed('web_search', 'required'), allowed('web_search', 'auto')]);
});

test('a line of a batch searches, at the batch price', async () => {
  const client = new BatchClient(KEY, () => Number(new URL(gateway.origin).port));
  const body = { model: 'other', input: 'What do foxes do?', ...SEARCH };
  const batch = await client.begin('/v1/responses', [inputLine('one', '/v1/responses', body)]);
  const [line] = await client.lines((await client.ended(batch.id)).output_file_id);
  const answer = line?.response?.body as unknown as Answer;
  expect(answer.output.map(({ type }) => type)).toEqual(['web_search_call', 'message']);
  expect(costOf(answer)).toBeCloseTo((TOKENS_USD + 0.008) / 2, 9);
});

test('a test of a channel that only searches says that it works', async () => {
  const headers = { authorization: `Bearer ${OPERATOR}`, 'content-type': 'application/json' };
  let shown = '';
  await until('the channel is tested', async () => {
    const address = `${gateway.origin}/v1/management/channels/tavily/test`;
    const answer = await fetch(address, { method: 'POST', headers, body: '{}' });
    shown = await answer.text();
    return answer.status !== 429;
  });
  expect(shown).toContain('"ok":true');
  expect(searchesAt('/tavily/search').length).toBeGreaterThan(0);
});
