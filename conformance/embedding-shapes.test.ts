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
import { answerOf } from './shared/answer.ts';
import { asArray, asObject, parseJson } from './shared/json.ts';
import type { Serving } from './shared/serving.ts';
import { Workspace } from './shared/workspace.ts';

/* POST /v1/embeddings over providers whose embeddings API differs from OpenAI's. */

setDefaultTimeout(600_000);

const ACME = clientKey('acme');
const SECOND = 'second-choice';

/** A provider, the limits of one request to it, and its response. */
interface Shape {
  readonly provider: string;
  readonly path: string;
  readonly most: number;
  /** Returns the input texts of an upstream request. */
  textsIn(body: Readonly<Record<string, unknown>>): readonly unknown[];
  /** Returns a response with the vectors and three tokens for each, or without tokens if the provider reports none. */
  answer(vectors: readonly (readonly number[])[]): unknown;
  readonly isReported: boolean;
  /** The field and value that mark the inputs as a query. */
  readonly query: Readonly<Record<string, unknown>>;
  /** Whether its numbers are signed bytes. */
  readonly isBytes?: boolean;
}

const TOKENS = 3;

const listOf = (embeddings: readonly unknown[], usage: object) => ({
  ...{ object: 'list', model: 'theirs', usage },
  data: embeddings.map((embedding, index) => ({ object: 'embedding', index, embedding })),
});
const inBase64 = (vector: readonly number[]) => Buffer.from(Float32Array.from(vector).buffer).toString('base64');

const SHAPES: Readonly<Record<string, Shape>> = {
  'embed-v4.0': {
    ...{ provider: 'cohere', path: '/v2/embed', most: 96, isReported: true },
    textsIn: ({ texts }) => asArray(texts),
    answer: (vectors) => ({
      ...{ id: 'x', texts: [], embeddings: { float: vectors }, response_type: 'embeddings_by_type' },
      meta: { api_version: { version: '2' }, billed_units: { input_tokens: TOKENS * vectors.length } },
    }),
    query: { input_type: 'search_query' },
  },
  'voyage-4': {
    ...{ provider: 'voyage', path: '/v1/embeddings', most: 1_000, isReported: true },
    textsIn: ({ input }) => asArray(input),
    answer: (vectors) => listOf(vectors.map(inBase64), { total_tokens: TOKENS * vectors.length }),
    query: { input_type: 'query' },
  },
  'jina-embeddings-v3': {
    ...{ provider: 'jina', path: '/v1/embeddings', most: 512, isReported: true },
    textsIn: ({ input }) => asArray(input),
    answer: (vectors) =>
      listOf(vectors, { total_tokens: TOKENS * vectors.length, prompt_tokens: TOKENS * vectors.length }),
    query: { task: 'retrieval.query' },
  },
  'gemini-embedding-001': {
    ...{ provider: 'google', path: '/models/gemini-embedding-001:batchEmbedContents', most: 100, isReported: false },
    textsIn: ({ requests }) =>
      asArray(requests).map((one) => asObject(asArray(asObject(asObject(one).content).parts)[0]).text),
    answer: (vectors) => ({ embeddings: vectors.map((values) => ({ values })) }),
    query: { taskType: 'RETRIEVAL_QUERY' },
  },
  'text-embedding-005': {
    ...{
      provider: 'vertex',
      path: '/publishers/google/models/text-embedding-005:predict',
      most: 250,
      isReported: true,
    },
    textsIn: ({ instances }) => asArray(instances).map((one) => asObject(one).content),
    answer: (vectors) => ({
      predictions: vectors.map((values) => ({
        embeddings: { values, statistics: { token_count: TOKENS, truncated: false } },
      })),
    }),
    query: { task_type: 'RETRIEVAL_QUERY' },
  },
  'amazon.titan-embed-text-v2:0': {
    ...{ provider: 'bedrock', path: '/model/amazon.titan-embed-text-v2%3A0/invoke', most: 1, isReported: true },
    textsIn: ({ inputText }) => [inputText],
    answer: ([embedding]) => ({ embedding, inputTextTokenCount: TOKENS }),
    query: {},
  },
  'cohere.embed-english-v3': {
    ...{ provider: 'bedrock', path: '/model/cohere.embed-english-v3/invoke', most: 96, isReported: false },
    textsIn: ({ texts }) => asArray(texts),
    answer: (embeddings) => ({ id: 'x', texts: [], embeddings: { float: embeddings }, response_type: 'by_type' }),
    query: { input_type: 'search_query' },
  },
  'pplx-embed-v1-4b': {
    ...{ provider: 'perplexity', path: '/v1/embeddings', most: 512, isReported: true, isBytes: true },
    textsIn: ({ input }) => asArray(input),
    answer: (vectors) =>
      listOf(
        vectors.map((vector) => Buffer.from(Int8Array.from(vector).buffer).toString('base64')),
        { prompt_tokens: TOKENS * vectors.length, total_tokens: TOKENS * vectors.length },
      ),
    query: {},
  },
};

let first: FakeUpstream;
let second: FakeUpstream;
let space: Workspace;
let serving: Serving;
let answer: Answering;
/** The number of requests that were received before those that a test checks. */
let seen = 0;

/** Returns a vector that encodes the text, which is a number; bytes encode it modulo 100. */
const vectorOf = ({ isBytes }: Shape, text: unknown): readonly number[] =>
  isBytes ? [Number(text) % 100, -1] : [Number(text), 0.5];

const answering =
  (shape: Shape): Answering =>
  ({ text }) =>
    Response.json(shape.answer(shape.textsIn(asObject(parseJson(text))).map((one) => vectorOf(shape, one))));

beforeAll(async () => {
  first = startUpstream((request) => answer(request));
  second = startUpstream(({ text }) => {
    const { input } = asObject(parseJson(text));
    const data = asArray(input).map((_, index) => ({ object: 'embedding', index, embedding: [9, 9] }));
    return Response.json({ object: 'list', data, model: 'x', usage: { prompt_tokens: 1, total_tokens: 1 } });
  });
  space = await Workspace.create();
  const models = Object.keys(SHAPES);
  const fallback = { [SECOND]: SECOND };
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    // Equal requests must reach the upstream each time.
    cache: { strategy: 'off' },
    channels: [
      ...Object.entries(SHAPES).map(([id, { provider }]) =>
        channelTo(first, {
          ...{
            id: `${provider}-${models.indexOf(id)}`,
            provider,
            models: { [id]: id, [`safe-${id}`]: id },
            priority: 0,
          },
          breaker: { minimum_requests: 1_000_000 },
        }),
      ),
      channelTo(second, {
        ...{ id: 'second', provider: 'together', priority: 1 },
        models: { ...fallback, ...Object.fromEntries(models.map((id) => [`safe-${id}`, SECOND])) },
      }),
    ],
    models: [SECOND, ...models, ...models.map((id) => `safe-${id}`)].map((id) => ({
      ...{ id, category: 'embedding', pricing: { input_per_1m: '1' } },
    })),
    accounts: [accountWith('acme', [keyNamed('acme')])],
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG }, sleep: () => Promise.resolve() });
});
afterAll(async () => {
  await space?.remove();
  await first?.stop();
  await second?.stop();
});
beforeEach(() => {
  seen = first.requests.length;
});

async function post(body: object) {
  return answerOf(
    await fetch(`${serving.baseUrl}/embeddings`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ACME}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  );
}
const vectorsIn = (answered: Awaited<ReturnType<typeof post>>) =>
  asArray(answered.json.data).map((one) => asObject(one).embedding);
const numbered = (count: number) => Array.from({ length: count }, (_, index) => String(index));
const fresh = () => first.requests.slice(seen);
const sent = () => fresh().map(({ text }) => asObject(parseJson(text)));

for (const [model, shape] of Object.entries(SHAPES)) {
  describe(`${shape.provider}, ${model}`, () => {
    beforeEach(() => {
      answer = answering(shape);
    });

    test('a text is embedded at the provider’s URL, in either encoding', async () => {
      const answered = await post({ model, input: '7' });
      expect([answered.status, answered.error]).toEqual([200, {}]);
      expect(answered.json).toMatchObject({ object: 'list', model });
      expect(asArray(answered.json.data)).toEqual([{ object: 'embedding', index: 0, embedding: vectorOf(shape, '7') }]);
      if (shape.isReported) expect(answered.json.usage).toEqual({ prompt_tokens: TOKENS, total_tokens: TOKENS });
      else expect(Number(asObject(answered.json.usage).prompt_tokens)).toBeGreaterThan(0);
      expect(fresh()[0]?.path).toEndWith(shape.path);
      const encoded = await post({ model, input: '7', encoding_format: 'base64' });
      expect(vectorsIn(encoded)).toEqual([inBase64(vectorOf(shape, '7'))]);
    });

    test('the input type is translated, and a field that the provider lacks is reported as a loss', async () => {
      const answered = await post({ model, input: '7', input_type: 'query', user: 'u' });
      expect(answered.status).toBe(200);
      const query = JSON.stringify(shape.query).slice(1, -1);
      expect(JSON.stringify(sent()[0])).toContain(query);
      expect(answered.headers.get('x-switchyard-losses')?.includes('input_type')).toBe(query === '');
      expect(answered.headers.get('x-switchyard-losses')).toContain('"field":"user"');
      const { status, error } = await post({ model, input: '7', input_type: 'nonsense' });
      expect([status, error.code, error.param]).toEqual([400, 'invalid_value', 'input_type']);
    });

    test('inputs up to the provider’s limit are one request; more are split and joined in order', async () => {
      const { most } = shape;
      const at = await post({ model, input: numbered(most) });
      expect([at.status, fresh().length]).toEqual([200, 1]);
      seen = first.requests.length;
      const count = Math.min(2 * most + 1, 2_048);
      const answered = await post({ model, input: numbered(count) });
      expect(answered.status).toBe(200);
      expect(vectorsIn(answered)).toEqual(numbered(count).map((text) => vectorOf(shape, text)));
      expect(asArray(answered.json.data).map((one) => asObject(one).index)).toEqual(numbered(count).map(Number));
      const sizes = sent().map((body) => shape.textsIn(body).length);
      expect([sizes[0], sizes.length, sizes.reduce((sum, size) => sum + size, 0)]).toEqual([
        ...[most, Math.ceil(count / most), count],
      ]);
      if (shape.isReported) expect(asObject(answered.json.usage).total_tokens).toBe(TOKENS * count);
    });

    test('if a later request fails, another channel embeds all texts', async () => {
      let asked = 0;
      answer = (request) => (++asked === 2 ? refusal(500, 'broken') : answering(shape)(request));
      const answered = await post({ model: `safe-${model}`, input: numbered(shape.most + 1) });
      expect(answered.json).toMatchObject({ _routing: { channel: { id: 'second' }, retryCount: 1 } });
      expect(vectorsIn(answered)).toEqual(numbered(shape.most + 1).map(() => [9, 9]));
    });

    test('a response with too few vectors, or none, is an upstream failure', async () => {
      for (const lie of [shape.answer([[1, 2]]), {}, []]) {
        answer = () => Response.json(lie);
        const few = await post({ model: `safe-${model}`, input: numbered(Math.min(2, shape.most)) });
        // A provider with one text per request cannot return too few vectors.
        if (shape.most > 1) expect(few.json).toMatchObject({ _routing: { channel: { id: 'second' } } });
      }
      answer = () => Response.json({});
      expect((await post({ model, input: 'a' })).status).toBe(502);
    });

    test('token ids are refused if the provider only takes texts', async () => {
      const { status, error } = await post({ model, input: [1, 2] });
      expect([status, error.code, error.param, fresh().length]).toEqual([400, 'unsupported_parameter', 'input', 0]);
    });
  });
}
