import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { accountWith, clientKey, keyNamed } from '../first-light/upstream.ts';
import { answerOf } from '../shared/answer.ts';
import { asArray, asObject, parseJson } from '../shared/json.ts';
import type { Serving } from '../shared/serving.ts';
import { Workspace } from '../shared/workspace.ts';
import type { ReceivedRequest } from './rule.ts';
import { SEARCH_ANSWERS, vectorOf } from './search/answers.ts';
import { embeddingUpstreams, rerankUpstreams } from './search/index.ts';
import { type StrictServer, startStrictServer } from './server.ts';

/*
 * Members that SDKs send by default, and more texts than a provider accepts in one request, for each service
 * that embeds or ranks.
 */

setDefaultTimeout(600_000);

const ACME = clientKey('acme');
const SAFE = 'safe';
/** The model of the channel to which `SAFE` falls back. */
const FALLBACK = 'text-embedding-3-small';

const upstreams = [...embeddingUpstreams, ...rerankUpstreams];
const cases = (chosen: typeof upstreams) =>
  chosen.flatMap((upstream) => upstream.models.map((id) => [`${upstream.name}/${id}`, upstream] as const));

let server: StrictServer;
let space: Workspace;
let serving: Serving;

beforeAll(async () => {
  server = startStrictServer(upstreams);
  space = await Workspace.create();
  const channelOf = (name: string, provider: string, models: Readonly<Record<string, string>>, priority = 0) => ({
    ...{
      id: `${name}-${priority}`,
      name,
      provider,
      base_url: server.baseUrlOf(name),
      api_key: 'key',
      models,
      priority,
    },
    breaker: { minimum_requests: 1_000_000 },
  });
  const config = {
    cache: { strategy: 'off' },
    channels: [
      ...upstreams.map(({ name, provider, models }) =>
        channelOf(name, provider, Object.fromEntries(models.map((id) => [`${name}/${id}`, id]))),
      ),
      channelOf('dashscope-embeddings', 'alibaba', { [SAFE]: 'text-embedding-v4' }, 1),
      channelOf('openai-embeddings', 'openai', { [SAFE]: FALLBACK }, 2),
    ],
    models: [
      ...cases([...embeddingUpstreams]).map(([id]) => ({ id, category: 'embedding', pricing: { input_per_1m: '1' } })),
      ...cases([...rerankUpstreams]).map(([id]) => ({ id, category: 'rerank', pricing: { input_per_1m: '1' } })),
      { id: SAFE, category: 'embedding', pricing: { input_per_1m: '1' } },
    ],
    accounts: [accountWith('acme', [keyNamed('acme')], { billing: 'prepaid', balance_usd: '100' })],
  };
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', config);
  serving = await space.serve({ env: { SWITCHYARD_CONFIG }, sleep: () => Promise.resolve() });
});
afterAll(async () => {
  await space?.remove();
  await server?.stop();
});
beforeEach(() => server.clear());

async function post(path: string, body: object) {
  const headers = { authorization: `Bearer ${ACME}`, 'content-type': 'application/json' };
  return answerOf(await fetch(`${serving.baseUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) }));
}

async function balanceNanoUsd(): Promise<number> {
  const { stdout } = await space.run(['accounts', 'balance', 'acme', '--json']);
  return Math.round(Number(asObject(parseJson(stdout)).balance_usd) * 1e9);
}

/** Returns `count` texts, of 1 to `count` characters. */
const texts = (count: number) => Array.from({ length: count }, (_, index) => 'x'.repeat(index + 1));
const total = (inputs: readonly string[]) => inputs.reduce((sum, { length }) => sum + length, 0);
const inBase64 = (text: string) => Buffer.from(Float32Array.from(vectorOf(text)).buffer).toString('base64');
const vectorsIn = ({ json }: Awaited<ReturnType<typeof post>>) =>
  asArray(json.data).map((one) => asObject(one).embedding);

describe.each(cases([...embeddingUpstreams]))('%s', (model) => {
  test('embeds the requests of SDKs, in the requested encoding and in order', async () => {
    const input = texts(40);
    const answered = await post('/embeddings', { model, input, encoding_format: 'base64', user: 'somebody' });
    expect({ status: answered.status, refusals: server.refusals.map(({ message }) => message) }).toEqual({
      ...{ status: 200, refusals: [] },
    });
    expect(vectorsIn(answered)).toEqual(input.map(inBase64));
    expect(answered.json.usage).toEqual({ prompt_tokens: total(input), total_tokens: total(input) });
  });

  test('embeds more tokens than fit in one request', async () => {
    const input = new Array<string>(40).fill('word '.repeat(600));
    const answered = await post('/embeddings', { model, input });
    expect({ status: answered.status, refusals: server.refusals.map(({ message }) => message) }).toEqual({
      ...{ status: 200, refusals: [] },
    });
    expect(vectorsIn(answered)).toEqual(input.map(vectorOf));
  });

  test('gets no token ids if it does not accept them', async () => {
    const { status, error } = await post('/embeddings', { model, input: [[1, 2], [3]] });
    expect(server.refusals).toEqual([]);
    expect([status, error.param ?? null]).toEqual(server.journal.length > 0 ? [200, null] : [400, 'input']);
  });
});

describe.each(cases([...rerankUpstreams]))('%s', (model) => {
  test('ranks more documents than fit in one request', async () => {
    const documents = texts(40);
    const answered = await post('/rerank', { model, query: 'q', documents, top_n: 1, return_documents: true });
    expect({ status: answered.status, refusals: server.refusals.map(({ message }) => message) }).toEqual({
      ...{ status: 200, refusals: [] },
    });
    expect(asArray(answered.json.results)).toHaveLength(1);
  });
});

test.each([
  ['scores in `score` only', (scored: readonly object[]) => ({ results: scored })],
  ['a bare list with `score`', (scored: readonly object[]) => scored],
])('%s are ranked', async (_, answer) => {
  const scored = [0.25, 0.75].map((score, index) => ({ index, score }));
  server.script('jina-rerank', () => Response.json(answer(scored)));
  const answered = await post('/rerank', {
    ...{ model: 'jina-rerank/jina-reranker-v2-base-multilingual', query: 'q', documents: ['a', 'b'] },
  });
  expect(answered.json.results).toEqual([
    { index: 1, relevance_score: 0.75 },
    { index: 0, relevance_score: 0.25 },
  ]);
});

describe('a request that is relayed in parts', () => {
  const answerTo = (request: ReceivedRequest) =>
    SEARCH_ANSWERS['openai-embeddings']?.(request) ?? new Response(null, { status: 501 });

  test('is charged once, by the sum of the counts', async () => {
    const input = texts(25);
    const before = await balanceNanoUsd();
    const answered = await post('/embeddings', { model: SAFE, input });
    expect(vectorsIn(answered)).toEqual(input.map(vectorOf));
    expect(server.requestsTo('dashscope-embeddings').map(({ body }) => asArray(asObject(body).input).length)).toEqual([
      ...[10, 10, 5],
    ]);
    expect(before - (await balanceNanoUsd())).toBe(1_000 * total(input));
  });

  test("is retried as a whole at the next channel if a part fails, and costs that channel's count", async () => {
    const input = texts(25);
    const failing = (request: ReceivedRequest) =>
      asArray(asObject(request.body).input).includes(input[24] ?? '')
        ? new Response('overloaded', { status: 503 })
        : answerTo(request);
    server.script('dashscope-embeddings', failing, failing, failing);
    const before = await balanceNanoUsd();
    const answered = await post('/embeddings', { model: SAFE, input });
    expect(answered.json).toMatchObject({ _routing: { channel: { id: 'openai-embeddings-2' }, retryCount: 1 } });
    expect(vectorsIn(answered)).toEqual(input.map(vectorOf));
    expect(server.requestsTo('openai-embeddings')).toHaveLength(1);
    expect(before - (await balanceNanoUsd())).toBe(1_000 * total(input));
  });
});
