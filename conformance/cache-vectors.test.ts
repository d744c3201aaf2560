import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import OpenAI from 'openai';
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
import { type Answer, answerOf } from './shared/answer.ts';
import { asArray, asObject, parseJson } from './shared/json.ts';
import type { Serving } from './shared/serving.ts';
import { until } from './shared/until.ts';
import { Workspace } from './shared/workspace.ts';

/* Cached responses of POST /v1/embeddings, /v1/rerank and /v2/rerank. */

setDefaultTimeout(600_000);

const ACME = clientKey('acme');
const MODEL = 'embed-one';
const RANKER = 'rank-one';
const TOKENS = 7;
const USAGE = { prompt_tokens: TOKENS, total_tokens: TOKENS };
const PRICING = { input_per_1m: '2' };
/** The cost of an upstream response in nano-USD; a hit costs half of it. */
const COST_NANO = 14_000;

/** Returns a vector that float32 cannot represent exactly, different for each response. */
const vectorOf = (answers: number) => [0.1, -1 / 3, answers];
let answers = 0;
const embedded: Answering = ({ text }) => {
  const { input, encoding_format } = asObject(parseJson(text));
  answers++;
  const vector = vectorOf(answers);
  const embedding =
    encoding_format === 'base64' ? Buffer.from(Float32Array.from(vector).buffer).toString('base64') : vector;
  const count = Array.isArray(input) && typeof input[0] !== 'number' ? input.length : 1;
  const data = Array.from({ length: count }, (_, index) => ({ object: 'embedding', index, embedding }));
  return Response.json({ object: 'list', data, model: 'theirs', usage: USAGE });
};
const ranked: Answering = ({ text }) => {
  const { documents } = asObject(parseJson(text));
  const results = asArray(documents).map((_, index) => ({ index, relevance_score: 1 / (index + 3) }));
  return Response.json({ object: 'list', model: 'theirs', results, usage: USAGE });
};
const usually: Answering = (request) => (request.text.includes('"documents"') ? ranked(request) : embedded(request));

let upstream: FakeUpstream;
let space: Workspace;
let serving: Serving;
let answer: Answering = usually;
/** Returns a new text, so that no two tests send the same request. */
let texts = 0;
const newText = () => `text ${++texts}`;

beforeAll(async () => {
  upstream = startUpstream((request) => answer(request));
  space = await Workspace.create();
  const models = { [MODEL]: 'theirs', [RANKER]: 'theirs' };
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    cache: { hit_price_percent: 50 },
    channels: [channelTo(upstream, { models, breaker: { minimum_requests: 1_000_000 } })],
    models: [
      { id: MODEL, category: 'embedding', pricing: PRICING },
      { id: RANKER, category: 'rerank', pricing: PRICING },
    ],
    accounts: [
      accountWith('acme', [keyNamed('acme'), keyNamed('second')]),
      accountWith('other', [keyNamed('other')]),
      accountWith('careful', [keyNamed('careful')], { cache: { strategy: 'asked' } }),
    ],
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG } });
});
afterAll(async () => {
  await space?.remove();
  await upstream?.stop();
});
beforeEach(() => {
  answer = usually;
});

interface How {
  readonly key?: string;
  readonly cache?: string;
}
async function post(path: string, body: object | string, { key = ACME, cache }: How = {}) {
  const headers = {
    ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(cache !== undefined && { 'x-switchyard-cache': cache }),
  };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return answerOf(await fetch(`${serving.baseUrl}${path}`, { method: 'POST', headers, body: text }));
}
const embed = (body: object | string, how?: How) =>
  post('/embeddings', typeof body === 'string' ? body : { model: MODEL, ...body }, how);
const rank = (body: object, how?: How) => post('/rerank', { model: RANKER, ...body }, how);

const isHit = ({ json, headers }: Answer) => {
  const { cached, cacheEntryId = null } = asObject(json._routing);
  expect(headers.get('x-cache-entry-id')).toBe(cacheEntryId as string | null);
  expect(headers.get('age') !== null).toBe(cached === true);
  return cached === true;
};
const vectorsIn = ({ json }: Answer) => asArray(json.data).map((one) => asObject(one).embedding);

function logged({ headers }: Answer): Promise<Readonly<Record<string, unknown>>> {
  return new Promise((resolve, reject) => {
    until('the request is logged', () => {
      const database = new Database(space.database, { readonly: true });
      const row = database
        .query('SELECT * FROM request_log WHERE request_id = ?')
        .get(headers.get('x-request-id') ?? '');
      database.close();
      if (row !== null) resolve(asObject(row));
      return row !== null;
    }).catch(reject);
  });
}

describe('embeddings', () => {
  test('an equal request is served from the cache, with the same numbers, usage and routing', async () => {
    const input = newText();
    const first = await embed({ input });
    const asked = upstream.requests.length;
    const second = await embed({ input });
    expect([isHit(first), isHit(second), upstream.requests.length]).toEqual([false, true, asked]);
    expect(vectorsIn(second)).toEqual(vectorsIn(first));
    expect(second.json).toMatchObject({
      object: 'list',
      model: MODEL,
      usage: USAGE,
      data: [{ object: 'embedding', index: 0 }],
    });
    expect(asObject(second.json._routing)).toMatchObject({ channel: { id: 'main' }, cached: true, retryCount: 0 });
    expect(second.headers.get('x-cache-entry-id')).toMatch(/^ce_[A-Za-z0-9]{32}$/);
    expect(await logged(first)).toMatchObject({ cost_nano: COST_NANO, input_tokens: TOKENS });
    expect(await logged(second)).toMatchObject({ cost_nano: COST_NANO / 2, status: 200 });
  });

  test('the JSON spelling of a request does not matter', async () => {
    const text = newText();
    await embed(`{"model":"${MODEL}","input":"${text}","dimensions":3}`);
    const list = `{ "dimensions": 3, "user":"u", "encoding_format":"float", "input": ["${text}"],"model":"${MODEL}" }`;
    expect(isHit(await embed(list, { key: clientKey('second') }))).toBe(true);
  });

  test.each<[string, object]>([
    ['another text', { input: ['known', 'other'] }],
    ['another order', { input: ['there', 'known'] }],
    ['only some of the texts', { input: ['known'] }],
    ['other dimensions', { dimensions: 3 }],
    ['another input type', { input_type: 'query' }],
    ['an unknown field', { future: [1] }],
    ['tokens in place of texts', { input: [[1], [2]] }],
  ])('%s makes it a different request', async (_, other) => {
    await embed({ input: ['known', 'there'] });
    expect(isHit(await embed({ input: ['known', 'there'] }))).toBe(true);
    expect(isHit(await embed({ input: ['known', 'there'], ...other }))).toBe(false);
  });

  test('token inputs are cached, too', async () => {
    await embed({ input: [1212, 318] });
    expect(isHit(await embed({ input: [[1212, 318]] }))).toBe(true);
    expect(isHit(await embed({ input: [[1212], [318]] }))).toBe(false);
  });

  test.each([
    ['float', 'base64'],
    ['base64', 'float'],
  ] as const)('an entry stored as %s is served as %s', async (before, after) => {
    const input = newText();
    await embed({ input, encoding_format: before });
    const hit = await embed({ input, encoding_format: after });
    const numbers = vectorOf(answers);
    expect(isHit(hit)).toBe(true);
    // An upstream that may not know base64 is asked for numbers, and they are stored as received.
    expect(vectorsIn(hit)).toEqual([
      after === 'float' ? [...numbers] : Buffer.from(Float32Array.from(numbers).buffer).toString('base64'),
    ]);
  });

  test('the OpenAI SDK reads a cached response in both encodings', async () => {
    const client = new OpenAI({ baseURL: serving.baseUrl, apiKey: ACME, maxRetries: 0 });
    const input = [newText(), newText()];
    const numbers = async (more: object = {}) =>
      (await client.embeddings.create({ model: MODEL, input, ...more })).data.map(({ embedding }) => embedding);
    const first = await numbers();
    const asked = upstream.requests.length;
    expect(await numbers()).toEqual(first);
    const exact = await numbers({ encoding_format: 'float' });
    expect(exact.map((vector) => vector.map(Math.fround))).toEqual(first);
    expect(upstream.requests.length).toBe(asked);
  });

  test('accounts share no entries, and an opt-in account gets hits only on request', async () => {
    const input = newText();
    await embed({ input });
    expect(isHit(await embed({ input }, { key: clientKey('other') }))).toBe(false);
    const careful = { key: clientKey('careful') };
    await embed({ input }, careful);
    expect(isHit(await embed({ input }, { ...careful, cache: 'default' }))).toBe(false);
    expect(isHit(await embed({ input }, careful))).toBe(false);
    expect(isHit(await embed({ input }, { ...careful, cache: 'default' }))).toBe(true);
  });

  test('errors and invalid responses are not cached', async () => {
    for (const wrong of [() => refusal(400, 'No.'), () => refusal(500, 'No.'), () => new Response('{')]) {
      const input = newText();
      answer = wrong;
      expect((await embed({ input })).status).toBeGreaterThanOrEqual(400);
      answer = usually;
      expect(isHit(await embed({ input }))).toBe(false);
      expect(isHit(await embed({ input }))).toBe(true);
    }
  });

  test.each([
    ['a number beyond double precision', '"seed":12345678901234567890'],
    ['a duplicate field', '"future":{"a":1,"a":2}'],
  ])('%s bypasses the cache', async (_, member) => {
    const body = `{"model":"${MODEL}","input":"${newText()}",${member}}`;
    await embed(body);
    expect(isHit(await embed(body))).toBe(false);
  });

  test('vectors with extra fields are not cached', async () => {
    answer = () =>
      Response.json({ data: [{ index: 0, embedding: [1], sparse: { 7: 0.5 } }], model: 'theirs', usage: USAGE });
    const input = newText();
    await embed({ input });
    const again = await embed({ input });
    expect([isHit(again), asArray(again.json.data)]).toMatchObject([false, [{ sparse: { 7: 0.5 } }]]);
  });
});

describe('cache control', () => {
  /** Expected: whether the request is served from the cache, and whether its response is stored. */
  const effects = [
    ['default', true, true],
    ['no_cache', false, true],
    ['no_store', true, false],
    ['response_only', true, true],
    ['semantic_only', false, false],
  ] as const;
  const places: readonly (readonly [string, (type: string) => readonly [object, How]])[] = [
    ['header', (type) => [{}, { cache: type }]],
    ['body', (type) => [{ cache_control: { type } }, {}]],
  ];
  for (const [place, saying] of places) {
    test.each(effects)(`%s in the ${place}`, async (type, finds, keeps) => {
      const [more, how] = saying(type);
      const [input, other] = [newText(), newText()];
      await embed({ input });
      expect(isHit(await embed({ input, ...more }, how))).toBe(finds);
      await embed({ input: other, ...more }, how);
      expect(upstream.requests.at(-1)?.text).not.toContain('cache_control');
      expect(isHit(await embed({ input: other }))).toBe(keeps);
    });
  }

  test('a fresh response replaces the older entry, and the body overrides the header', async () => {
    const input = newText();
    await embed({ input });
    const fresh = await embed({ input, cache_control: { type: 'no_cache' } }, { cache: 'default' });
    expect(isHit(fresh)).toBe(false);
    expect(vectorsIn(await embed({ input }))).toEqual(vectorsIn(fresh));
  });

  test('an entry older than max_age is not served', async () => {
    const input = newText();
    await embed({ input });
    expect(isHit(await embed({ input, cache_control: { max_age: 0 } }))).toBe(false);
    expect(isHit(await embed({ input, cache_control: { max_age: 86_400 } }))).toBe(true);
  });

  test.each<[string, object, string | undefined, string]>([
    ['an unknown type', { cache_control: { type: 'never' } }, undefined, 'cache_control.type'],
    ['a max_age above the limit', { cache_control: { max_age: 86_401 } }, undefined, 'cache_control.max_age'],
    ['a text', { cache_control: 'no_store' }, undefined, 'cache_control'],
    ['an unknown word', {}, 'never', 'x-switchyard-cache'],
  ])('%s is refused', async (_, more, cache, param) => {
    const how = cache === undefined ? {} : { cache };
    const asked = upstream.requests.length;
    const refused = [
      await embed({ input: 'a', ...more }, how),
      await rank({ query: 'a', documents: ['a'], ...more }, how),
      await post('/../v2/rerank', { model: RANKER, query: 'a', documents: ['a'], ...more }, how),
    ];
    expect(refused.map(({ status, error }) => [status, error.param])).toEqual(refused.map(() => [400, param]));
    expect(upstream.requests.length).toBe(asked);
  });
});

describe('rerank', () => {
  const documents = ['a', 'b', 'c'];

  test('one entry serves requests for any number of results, with or without documents, in either shape', async () => {
    const query = newText();
    const first = await rank({ query, documents, top_n: 1 });
    expect([isHit(first), asArray(first.json.results)]).toEqual([false, [{ index: 0, relevance_score: 1 / 3 }]]);
    const asked = upstream.requests.length;
    const objects = documents.map((text) => ({ text }));
    const second = await rank({ query, documents: objects, top_n: 2, return_documents: true });
    expect(second.json).toMatchObject({
      model: RANKER,
      results: [
        { index: 0, relevance_score: 1 / 3, document: { text: 'a' } },
        { index: 1, relevance_score: 1 / 4, document: { text: 'b' } },
      ],
      usage: USAGE,
    });
    const third = await post('/../v2/rerank', { model: RANKER, query, documents, top_n: 99 });
    expect(third.json).toMatchObject({ meta: { tokens: { input_tokens: TOKENS } } });
    expect(asArray(third.json.results)).toHaveLength(3);
    expect([isHit(second), isHit(third), upstream.requests.length]).toEqual([true, true, asked]);
    expect(await logged(second)).toMatchObject({ cost_nano: COST_NANO / 2 });
  });

  test.each<[string, object]>([
    ['another query', { query: 'other' }],
    ['another order', { documents: ['b', 'a', 'c'] }],
    ['fewer documents', { documents: ['a', 'b'] }],
    ['documents that are split elsewhere', { documents: ['ab', '', 'c'] }],
    ['an unknown field', { max_chunks_per_doc: 3 }],
  ])('%s makes it a different request', async (_, other) => {
    const request = { query: 'known', documents };
    await rank(request);
    expect(isHit(await rank(request))).toBe(true);
    expect(isHit(await rank({ ...request, ...other }))).toBe(false);
  });

  test("the body's cache control is not sent upstream", async () => {
    const request = { query: newText(), documents };
    await rank({ ...request, cache_control: { type: 'no_store' } });
    expect(upstream.requests.at(-1)?.text).not.toContain('cache_control');
    expect(isHit(await rank(request))).toBe(false);
    expect(isHit(await rank({ ...request, cache_control: { type: 'no_cache' } }))).toBe(false);
    expect(isHit(await rank(request, { key: clientKey('other') }))).toBe(false);
  });
});

test('cached responses are served while no channel is available', async () => {
  const input = newText();
  const request = { query: newText(), documents: ['a'] };
  await embed({ input });
  await rank(request);
  answer = () => refusal(503, 'Away.');
  expect((await embed({ input: newText() })).status).toBeGreaterThanOrEqual(500);
  expect([isHit(await embed({ input })), isHit(await rank(request))]).toEqual([true, true]);
});
