import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import {
  type Answering,
  accountWith,
  channelTo,
  clientKey,
  type FakeUpstream,
  keyNamed,
  refusal,
  startUpstream,
} from './first-light/upstream.ts';
import { answerOf, chatBody } from './shared/answer.ts';
import { asArray, asObject, parseJson } from './shared/json.ts';
import type { Serving } from './shared/serving.ts';
import { until } from './shared/until.ts';
import { Workspace } from './shared/workspace.ts';

/* POST /v1/rerank: the contract's format over every wire that ranks documents, and over the sandbox. */

setDefaultTimeout(600_000);

const ACME = clientKey('acme');
const MODEL = 'rerank-one';
const TOKENS = 7;
const USAGE = { prompt_tokens: TOKENS, total_tokens: TOKENS };
/** 20.1 nano-USD per token. */
const PRICING = { input_per_1m: '0.0201' };
const DOCUMENTS = ['a', 'b', 'c'];
/** Every invalid response must reach a client, so the breaker must never open. */
const NEVER_OPEN = { minimum_requests: 1_000_000 };

const result = (index: unknown, relevance_score: unknown) => ({ index, relevance_score });
const answering =
  (results: readonly object[], more: object = { usage: USAGE }): Answering =>
  () =>
    Response.json({ object: 'list', model: 'their-model', results, ...more });
const RANKED = [result(2, 0.9), result(0, 0.5), result(1, 0.25)];
const ranked = answering(RANKED);
/** Returns one result per requested document. */
const all =
  (more?: object): Answering =>
  (request) => {
    const documents = asArray(asObject(parseJson(request.text)).documents);
    return answering(
      documents.map((_, index) => result(index, 0.5)),
      more,
    )(request);
  };

let first: FakeUpstream;
let second: FakeUpstream;
let space: Workspace;
let serving: Serving;
let answer: Answering = ranked;

/** Providers that each have a channel and a model `by-<name>`. */
const OTHERS = ['cohere', 'llamacpp', 'together', 'openrouter', 'fireworks', 'tei', 'voyage', 'jina', 'bedrock'];
const UPSTREAM_IDS: Readonly<Record<string, string>> = { bedrock: 'cohere.rerank-v3-5:0', jina: 'jina-reranker-v3' };

beforeAll(async () => {
  first = startUpstream((request) => answer(request));
  second = startUpstream(ranked);
  space = await Workspace.create();
  const models = { [MODEL]: 'their-model', 'gpt-4.1-mini': 'gpt-4.1-mini' };
  const lone = (id: string) => ({ [id]: id });
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    // Equal requests must reach the upstream each time.
    cache: { strategy: 'off' },
    channels: [
      channelTo(first, { id: 'first', models, priority: 0, breaker: NEVER_OPEN }),
      channelTo(second, { id: 'second', provider: 'vllm', models, priority: 1 }),
      channelTo(first, {
        id: 'alone',
        models: { ...lone('alone'), ...lone('dear'), ...lone('searched'), ...lone('unseen') },
        breaker: NEVER_OPEN,
      }),
      channelTo(first, { id: 'lacking', provider: 'groq', models: lone('no-wire') }),
      channelTo(first, { id: 'private', owner: 'owner', provider: 'openrouter', models: lone('owned') }),
      ...OTHERS.map((provider) =>
        channelTo(first, {
          id: provider,
          provider,
          models: { [`by-${provider}`]: UPSTREAM_IDS[provider] ?? provider },
        }),
      ),
      { id: 'sandbox', provider: 'sandbox', models: ['sandbox-rerank', 'sandbox-chat'] },
    ],
    models: [
      { id: MODEL, category: 'rerank', pricing: PRICING },
      { id: 'dear', category: 'rerank', pricing: { input_per_1m: '10000' } },
      { id: 'searched', category: 'rerank', pricing: { per_request: '0.5' } },
      { id: 'unseen', category: 'rerank', status: 'hidden' },
      ...['alone', 'no-wire', 'owned', ...OTHERS.map((provider) => `by-${provider}`)].map((id) => ({
        ...{ id, category: 'rerank', pricing: 'free' },
      })),
    ],
    accounts: [
      accountWith('acme', [keyNamed('acme'), keyNamed('narrow', { models: ['gpt-4.1-mini', 'alone'] })]),
      accountWith('owner', [keyNamed('owner')]),
      ...[
        ['payer', '5'],
        ['short', '0.49'],
        ['rush', '2.5'],
      ].map(([id = '', balance_usd]) => accountWith(id, [keyNamed(id)], { billing: 'prepaid', balance_usd })),
    ],
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG }, sleep: () => Promise.resolve() });
});
afterAll(async () => {
  await space?.remove();
  await first?.stop();
  await second?.stop();
});
beforeEach(() => {
  answer = ranked;
});

async function post(body: object | string, key = ACME) {
  return answerOf(
    await fetch(`${serving.baseUrl}/rerank`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
  );
}
const ask = (more: object = {}, key = ACME) => post({ model: MODEL, query: 'q', documents: DOCUMENTS, ...more }, key);
const sentUp = () => asObject(parseJson(first.requests.at(-1)?.text ?? ''));

interface Row {
  readonly status: number;
  readonly format: string;
  readonly channel_id: string | null;
  readonly model_id: string | null;
  readonly input_tokens: number | null;
  readonly usage_source: string | null;
  readonly cost_nano: number | null;
}

async function rowOf({ headers }: Awaited<ReturnType<typeof post>>): Promise<Row> {
  let row: Row | null = null;
  await until('the request is logged', () => {
    const database = new Database(space.database, { readonly: true });
    try {
      row = database
        .query<Row, [string | null]>('SELECT * FROM request_log WHERE request_id = ?')
        .get(headers.get('x-request-id'));
    } finally {
      database.close();
    }
    return row !== null;
  });
  if (row === null) throw new Error('there is no such row');
  return row;
}

describe('a client of Cohere’s API', () => {
  const askCohere = async (more: object = {}) =>
    answerOf(
      await fetch(`${serving.origin}/v2/rerank`, {
        method: 'POST',
        headers: { authorization: `Bearer ${ACME}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: MODEL, query: 'q', documents: DOCUMENTS, ...more }),
      }),
    );

  test('gets a response of the v2 API, with the routing', async () => {
    const { status, json } = await askCohere({ top_n: 2 });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      results: RANKED.slice(0, 2),
      meta: { api_version: { version: '2' }, billed_units: { search_units: 1 }, tokens: { input_tokens: TOKENS } },
      _routing: { channel: { id: 'first' } },
    });
  });

  test('may request more results than there are documents', async () => {
    expect((await askCohere({ top_n: 10 })).json.results).toEqual(RANKED);
    expect((await ask({ top_n: 10 })).status).toBe(400);
    expect((await askCohere({ top_n: 0 })).status).toBe(400);
  });

  test('gets documents back as objects', async () => {
    const { json } = await askCohere({ top_n: 1, return_documents: true });
    expect(json.results).toEqual([{ index: 2, relevance_score: 0.9, document: { text: 'c' } }]);
  });

  test('is logged with its format', async () => {
    expect(await rowOf(await askCohere())).toMatchObject({ status: 200, format: 'cohere-rerank' });
  });

  test('of v1 may send documents as objects, and gets them as objects', async () => {
    const documents = DOCUMENTS.map((text) => ({ text }));
    const answered = await ask({ documents, top_n: 1, return_documents: true });
    expect(answered.json.results).toEqual([{ index: 2, relevance_score: 0.9, document: { text: 'c' } }]);
    expect(sentUp()).toMatchObject({ documents: DOCUMENTS });
    for (const document of [{}, { text: 7 }, { title: 'a' }]) {
      expect((await ask({ documents: ['a', document] })).error).toMatchObject({ param: 'documents[1]' });
    }
  });
});

describe('the response', () => {
  test('has the most relevant result first, with indexes, usage and routing', async () => {
    answer = answering([result(0, 0.5), result(1, 0.25), result(2, 0.9)]);
    const answered = await ask();
    expect([answered.status, answered.error]).toEqual([200, {}]);
    expect(answered.json).toMatchObject({ object: 'list', model: MODEL, results: RANKED, usage: USAGE });
    expect(answered.json).toMatchObject({ _routing: { channel: { id: 'first' }, cached: false, retryCount: 0 } });
    expect(Object.keys(asObject(asArray(answered.json.results)[0]))).toEqual(['index', 'relevance_score']);
  });

  test('applies `top_n` and `return_documents` in the gateway, not upstream', async () => {
    const answered = await ask({ top_n: 2, return_documents: true });
    expect(answered.json.results).toEqual([
      { index: 2, relevance_score: 0.9, document: 'c' },
      { index: 0, relevance_score: 0.5, document: 'a' },
    ]);
    expect(sentUp()).toEqual({ model: 'their-model', query: 'q', documents: DOCUMENTS, return_documents: false });
    expect(asArray((await ask({ top_n: 3 })).json.results).length).toBe(3);
  });

  test('has logits as scores from 0 to 1', async () => {
    answer = answering([result(0, -8), result(1, 0), result(2, 2)]);
    const scores = asArray((await ask()).json.results).map((one) => Number(asObject(one).relevance_score));
    expect(scores.map((score) => Math.round(score * 1_000))).toEqual([881, 500, 0]);
  });
});

describe('the request', () => {
  const many = (count: number, length = 1) => Array.from({ length: count }, () => 'a'.repeat(length));
  const good = { model: MODEL, query: 'q', documents: ['a', 'b'] };
  test.each<[string, string | object, number, string, string | null]>([
    ['no body', '', 400, 'empty_body', null],
    ['no JSON', '{', 400, 'invalid_json', null],
    ['no object', '[]', 400, 'invalid_type', null],
    ['no model', { ...good, model: undefined }, 400, 'missing_required_parameter', 'model'],
    ['a model that is not a string', { ...good, model: 7 }, 400, 'invalid_type', 'model'],
    ['two models', `{"model":"${MODEL}","model":"alone","query":"q","documents":["a"]}`, 400, 'invalid_value', 'model'],
    ['no query', { ...good, query: null }, 400, 'missing_required_parameter', 'query'],
    ['a query that is not a string', { ...good, query: ['q'] }, 400, 'invalid_type', 'query'],
    ['an empty query', { ...good, query: '' }, 400, 'invalid_value', 'query'],
    ['32,001 characters', { ...good, query: 'a'.repeat(32_001) }, 413, 'payload_too_large', 'query'],
    ['no documents', { ...good, documents: undefined }, 400, 'missing_required_parameter', 'documents'],
    ['a string as documents', { ...good, documents: 'a' }, 400, 'invalid_type', 'documents'],
    ['an empty list', { ...good, documents: [] }, 400, 'invalid_value', 'documents'],
    [
      'an object without a text as document',
      { ...good, documents: ['a', { title: 'b' }] },
      400,
      'invalid_type',
      'documents[1]',
    ],
    ['1,001 documents', { ...good, documents: many(1_001) }, 400, 'invalid_value', 'documents'],
    [
      '100,001 characters',
      { ...good, documents: ['a', ...many(1, 100_001)] },
      413,
      'payload_too_large',
      'documents[1]',
    ],
    ['2,000,001 in total', { ...good, documents: [...many(20, 100_000), 'a'] }, 413, 'payload_too_large', 'documents'],
    ['a `top_n` of zero', { ...good, top_n: 0 }, 400, 'invalid_value', 'top_n'],
    ['a `top_n` above the number of documents', { ...good, top_n: 3 }, 400, 'invalid_value', 'top_n'],
    ['a fractional `top_n`', { ...good, top_n: 1.5 }, 400, 'invalid_type', 'top_n'],
    ['a string as `top_n`', { ...good, top_n: '1' }, 400, 'invalid_type', 'top_n'],
    ['a string as a boolean', { ...good, return_documents: 'yes' }, 400, 'invalid_type', 'return_documents'],
    ['an unknown model', { ...good, model: 'rerank-on' }, 404, 'model_not_found', 'model'],
    ['a hidden model', { ...good, model: 'unseen' }, 404, 'model_not_found', 'model'],
    ['a chat model', { ...good, model: 'gpt-4.1-mini' }, 400, 'model_not_found', 'model'],
    ['a model whose provider cannot rerank', { ...good, model: 'no-wire' }, 400, 'model_not_found', 'model'],
    ["another account's model", { ...good, model: 'owned' }, 404, 'model_not_found', 'model'],
  ])('%s is refused', async (_, body, status, code, param) => {
    const asked = first.requests.length;
    const { status: got, error } = await post(body);
    expect([got, error.code, error.param ?? null]).toEqual([status, code, param]);
    expect(error.type).toBe('invalid_request_error');
    expect(first.requests.length).toBe(asked);
  });

  test.each<[string, object]>([
    ['32,000 characters of a query', { query: 'a'.repeat(32_000) }],
    ['1,000 documents', { documents: many(1_000), top_n: 1_000 }],
    ['100,000 characters of a document', { documents: many(1, 100_000) }],
    ['2,000,000 characters in total', { documents: many(1_000, 2_000) }],
    ['an empty document among others', { documents: ['a', ''] }],
  ])('%s are accepted', async (_, more) => {
    answer = all();
    const { status, json } = await ask({ ...more, model: 'alone' });
    const { documents = DOCUMENTS } = more as { documents?: readonly string[] };
    expect([status, asArray(json.results).length]).toEqual([200, documents.length]);
    expect(sentUp()).toMatchObject({ documents });
  });

  test('a key can only use the models of its allow-list', async () => {
    const { status, error } = await ask({}, clientKey('narrow'));
    expect([status, error.code]).toEqual([403, 'model_not_allowed']);
    expect((await ask({ model: 'alone' }, clientKey('narrow'))).status).toBe(200);
    expect((await ask({}, 'sk-nobody')).status).toBe(401);
  });

  test('each endpoint names the right endpoint for a model of the other kind', async () => {
    expect((await ask({ model: 'gpt-4.1-mini' })).error.hint).toContain('POST /v1/chat/completions');
    const chat = await serving.chat(ACME, chatBody(MODEL));
    expect([chat.status, chat.error.hint]).toEqual([400, expect.stringContaining('POST /v1/rerank')]);
  });

  test('the endpoint answers at the path variants that clients build, to POST only', async () => {
    const headers = { authorization: `Bearer ${ACME}` };
    const init = { method: 'POST', headers, body: JSON.stringify({ model: MODEL, query: 'q', documents: DOCUMENTS }) };
    for (const path of ['/rerank', '/v1/v1/rerank/']) {
      expect([path, (await fetch(serving.origin + path, init)).status]).toEqual([path, 200]);
    }
    const got = await fetch(`${serving.baseUrl}/rerank`, { headers });
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST']);
  });

  test('fields that choose a host or a more expensive model are only sent over a private channel', async () => {
    const provider = { order: ['dear'] };
    const { status, error } = await ask({ model: 'alone', provider });
    expect([status, error.code, error.param]).toEqual([400, 'unsupported_parameter', 'provider.order[0]']);
    const owned = await ask({ model: 'owned', provider }, clientKey('owner'));
    expect(owned.json).toMatchObject({ _routing: { channel: { channelType: 'PRIVATE' } } });
    expect(sentUp()).toEqual({ model: 'owned', query: 'q', documents: DOCUMENTS, provider });
  });
});

describe('an upstream that fails or returns an invalid response', () => {
  const raw = (text: string) => () => new Response(text, { headers: { 'content-type': 'application/json' } });
  const lies: readonly (readonly [string, Answering])[] = [
    ['a status of 500', () => new Response('broken', { status: 500 })],
    ['a page', () => new Response('<html>Sign in</html>', { headers: { 'content-type': 'text/html' } })],
    ['half a response', raw('{"results":[{"index":0,"relevance_score":1}')],
    ['an error under a 200', () => Response.json({ error: { message: 'overloaded', code: 503 } })],
    ['four results', answering([...RANKED, result(3, 0.1)])],
    ['a duplicate index', answering([result(0, 0.1), result(0, 0.2), result(1, 0.3)])],
    ['an index beyond the documents', answering([result(0, 0.1), result(1, 0.2), result(3, 0.3)])],
    ['no indexes', answering([1, 2, 3].map((score) => ({ relevance_score: score })))],
    ['NaN', raw('{"results":[{"index":0,"relevance_score":NaN}]}')],
    ['a number that is too large', raw(JSON.stringify({ results: RANKED }).replace('0.9', '1e999'))],
    ['null as a score', answering([result(0, null), result(1, 0.2), result(2, 0.3)])],
    ['no results', answering([])],
    ['nothing', raw('')],
  ];
  for (const [name, lie] of lies) {
    test(`${name}: another channel answers`, async () => {
      answer = lie;
      const answered = await ask();
      expect(answered.json).toMatchObject({ _routing: { channel: { id: 'second' }, retryCount: 1 } });
      expect(answered.json.results).toEqual(RANKED);
    });
  }

  test('a document that the upstream leaves out stays out', async () => {
    answer = answering(RANKED.slice(1));
    const answered = await ask();
    expect(answered.json.results).toEqual(RANKED.slice(1));
    expect(answered.json).toMatchObject({ _routing: { channel: { id: 'first' } } });
  });

  test('without another channel, the error says whose fault it is', async () => {
    answer = answering([]);
    const answered = await ask({ model: 'alone' });
    expect([answered.status, answered.error.type]).toEqual([502, 'upstream_error']);
    expect(await rowOf(answered)).toMatchObject({ status: 502, channel_id: 'alone', input_tokens: null });
  });

  test('a client error is returned at once, with the upstream’s message', async () => {
    const asked = second.requests.length;
    answer = () => refusal(400, 'The query is too long for this model.');
    const { status, error } = await ask();
    expect([status, error.message]).toEqual([400, 'The query is too long for this model.']);
    expect(second.requests.length).toBe(asked);
  });
});

describe('billing', () => {
  const balanceOf = async (id: string) => {
    const { stdout } = await space.run(['accounts', 'balance', id, '--json']);
    return asObject(parseJson(stdout)).balance_usd;
  };

  test('each input token is charged, to the nano-dollar, in the log', async () => {
    // 7 tokens at 20.1 nano-USD are 140.7.
    expect(await rowOf(await ask())).toMatchObject({
      ...{ status: 200, format: 'jina-rerank', channel_id: 'first', model_id: MODEL },
      ...{ input_tokens: TOKENS, usage_source: 'reported', cost_nano: 141 },
    });
  });

  test.each([
    ['no usage', {}],
    ['zeros', { usage: { prompt_tokens: 0, total_tokens: 0 } }],
  ])('an upstream that reports %s: tokens are counted and marked as an estimate', async (_, more) => {
    answer = answering(RANKED, more);
    const answered = await ask({ query: 'Hello, world!', documents: ['Hello, world!', 'a', 'b'] });
    const row = await rowOf(answered);
    // The four tokens of the query count once per document, plus the tokens of the documents.
    expect(row).toMatchObject({ input_tokens: 3 * 4 + 4 + 1 + 1, usage_source: 'estimated' });
    const tokens = row.input_tokens;
    expect(answered.json.usage).toEqual({ prompt_tokens: tokens, total_tokens: tokens, estimated: true });
  });

  test('a price per request is charged per search unit that the upstream reports', async () => {
    const usage = { total_tokens: TOKENS, search_units: 2 };
    answer = all({ usage });
    const documents = Array.from({ length: 101 }, () => 'a');
    const answered = await ask({ model: 'searched', documents }, clientKey('payer'));
    expect(answered.json.usage).toEqual({ ...USAGE, search_units: 2 });
    expect(await rowOf(answered)).toMatchObject({ cost_nano: 1_000_000_000, input_tokens: TOKENS });
    expect(await balanceOf('payer')).toBe('4');
    // Without a report it is one unit per hundred documents.
    answer = all();
    await ask({ model: 'searched', documents }, clientKey('payer'));
    expect(await balanceOf('payer')).toBe('3');
  });

  test('the most that the request can cost is reserved', async () => {
    const asked = first.requests.length;
    const { status, error } = await ask({ model: 'searched' }, clientKey('short'));
    expect([status, error]).toMatchObject([402, { code: 'insufficient_balance', estimated_cost_usd: 0.5 }]);
    expect(first.requests.length).toBe(asked);
  });

  test('of 30 concurrent requests with balance for 5, 5 are answered and nothing is overdrawn', async () => {
    const gate = Promise.withResolvers<void>();
    answer = async (request) => {
      await gate.promise;
      return await ranked(request);
    };
    let refused = 0;
    const statuses = await Promise.all(
      Array.from({ length: 30 }, async () => {
        const { status } = await ask({ model: 'searched' }, clientKey('rush'));
        if (status === 402 && ++refused === 25) gate.resolve();
        return status;
      }),
    );
    expect(statuses.filter((status) => status === 200).length).toBe(5);
    expect(Number(await balanceOf('rush'))).toBe(0);
  });
});

describe('the sandbox', () => {
  test('a document is more relevant the more it shares with the query', async () => {
    const documents = ['quarterly revenue grew by 4%', 'the cat sat on the mat', 'a cat on a mat'];
    const { status, json } = await ask({ model: 'sandbox-rerank', query: 'the cat sat on the mat', documents });
    const results = asArray(json.results).map(asObject);
    expect([status, results.map(({ index }) => index)]).toEqual([200, [1, 2, 0]]);
    expect(results[0]?.relevance_score).toBe(1);
    expect(asObject(json.usage).prompt_tokens).toBeGreaterThan(20);
  });
});

describe('other formats', () => {
  test('Text Embeddings Inference gets at most 32 texts per request', async () => {
    answer = ({ text }) => {
      const texts = asArray(asObject(parseJson(text)).texts);
      const list = texts.map((one, index) => ({ index, score: Number(one) / 100 }));
      return Response.json(list.reverse(), { headers: { 'x-compute-tokens': '10' } });
    };
    const asked = first.requests.length;
    const documents = Array.from({ length: 70 }, (_, index) => String(index));
    const { json } = await ask({ model: 'by-tei', documents, top_n: 2, return_documents: true });
    expect(json.results).toEqual([
      { index: 69, relevance_score: 0.69, document: '69' },
      { index: 68, relevance_score: 0.68, document: '68' },
    ]);
    expect(json.usage).toEqual({ prompt_tokens: 30, total_tokens: 30 });
    const sizes = first.requests.slice(asked).map(({ text }) => asArray(asObject(parseJson(text)).texts).length);
    expect(sizes).toEqual([32, 32, 6]);
  });

  test('results in `data` are read, and fields outside the contract are sent', async () => {
    answer = () => Response.json({ data: RANKED, usage: { total_tokens: TOKENS } });
    const answered = await ask({ model: 'by-fireworks', task: 'find answers' });
    expect(answered.json).toMatchObject({ results: RANKED, usage: USAGE, _routing: { channel: { id: 'fireworks' } } });
    expect(sentUp()).toMatchObject({ task: 'find answers' });
  });
});

describe('providers that only offer search', () => {
  const told = ({ headers }: Awaited<ReturnType<typeof post>>) => headers.get('x-switchyard-losses') ?? '';

  test('results of Voyage in `data` are read, and fields that it would refuse are reported as lost', async () => {
    answer = () => Response.json({ data: RANKED, usage: { total_tokens: TOKENS } });
    const answered = await ask({ model: 'by-voyage', truncation: false, priority: 1 });
    expect(answered.json).toMatchObject({ results: RANKED, usage: USAGE });
    expect([sentUp(), told(answered)]).toEqual([
      { model: 'voyage', query: 'q', documents: DOCUMENTS, truncation: false },
      expect.stringContaining('priority'),
    ]);
  });

  test('the cosines of jina-reranker-v3 are mapped to 0 to 1', async () => {
    answer = answering([result(0, 0.5), result(1, -0.5), result(2, 0)]);
    expect((await ask({ model: 'by-jina' })).json.results).toEqual([result(0, 0.75), result(2, 0.5), result(1, 0.25)]);
  });

  test('Bedrock has the model in the path and reports no usage', async () => {
    answer = () => Response.json({ results: RANKED });
    const answered = await ask({ model: 'by-bedrock' });
    expect(answered.json).toMatchObject({ results: RANKED, _routing: { channel: { id: 'bedrock' } } });
    expect(sentUp()).toEqual({ query: 'q', documents: DOCUMENTS, api_version: 2 });
    expect(await rowOf(answered)).toMatchObject({ usage_source: 'estimated' });
  });
});
