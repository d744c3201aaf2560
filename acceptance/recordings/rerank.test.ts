import { afterAll, beforeAll, expect, test } from 'bun:test';
import { asArray, asObject, parseJson } from '../../conformance/shared/json.ts';
import { readRecording, recordedExchanges } from '../../conformance/shared/recordings.ts';
import { type RecordedBed, startRecordedBed } from './recorded-bed.ts';

/* Clients get the documents of recorded rerank responses in the same order. */

const UPSTREAM_IDS: Readonly<Record<string, string>> = { bedrock: 'cohere.rerank-v3-5:0', jina: 'jina-reranker-v3' };
const PROVIDERS = ['cohere', 'llamacpp', 'together', 'openrouter', 'fireworks', 'tei', 'voyage', 'jina', 'bedrock'];

const recordings = recordedExchanges()
  .filter(({ api, status, provider }) => api === 'rerank' && status === 200 && PROVIDERS.includes(provider))
  .map(readRecording);

let bed: RecordedBed;
let answer = '';

beforeAll(async () => {
  const models = PROVIDERS.map((provider) => {
    return { id: `by-${provider}`, provider, upstreamModel: UPSTREAM_IDS[provider] ?? provider };
  });
  const headers = { 'content-type': 'application/json' };
  bed = await startRecordedBed('rerank', models, () => new Response(answer, { headers }));
});
afterAll(() => bed?.stop());

test.each(recordings.map((one) => [one.file, one] as const))('%s', async (_, { provider, responseBody }) => {
  answer = responseBody;
  const recorded = asObject(parseJson(responseBody));
  const results = asArray(recorded.results ?? recorded.data).map(asObject);
  const count = 1 + Math.max(...results.map(({ index }) => Number(index)));
  const documents = Array.from({ length: count }, (_, index) => `document ${index}`);
  const answered = await bed.post('/rerank', { model: `by-${provider}`, query: 'q', documents });
  expect([answered.status, answered.error]).toEqual([200, {}]);
  const ranks = asArray(answered.json.results).map(asObject);
  expect(ranks.map(({ index }) => index)).toEqual(results.map(({ index }) => index));
  const scored = results.map(({ index, relevance_score, relevanceScore }) => ({
    index,
    relevance_score: relevance_score ?? relevanceScore,
  }));
  const isLogits = scored.some(({ relevance_score: score }) => Number(score) < 0 || Number(score) > 1);
  if (!isLogits) expect(ranks).toEqual(scored);
});
