import { expect, test } from 'bun:test';
import { bedrockRerank } from './index.ts';

const target = { upstreamModel: 'cohere.rerank-v3-5:0' };
const others = { max_tokens_per_doc: 9, unknown: 1 };
const request = {
  model: 'm',
  query: 'q',
  documents: ['a', 'b'],
  topN: 1,
  hasObjects: false,
  returnsDocuments: true,
  others,
};
const decoded = (value: unknown) =>
  bedrockRerank.decodeAnswer(new TextEncoder().encode(JSON.stringify(value)), request, target, new Headers());

test('the request has the API version, and no model', () => {
  const encoded = bedrockRerank.encodeRequest(request, target);
  if (!('body' in encoded)) throw new Error(encoded.message);
  expect(JSON.parse(new TextDecoder().decode(encoded.body))).toEqual({
    ...{ query: 'q', documents: ['a', 'b'], api_version: 2, max_tokens_per_doc: 9 },
  });
  expect(encoded.losses).toMatchObject([{ field: 'unknown', verdict: 'dropped' }]);
});

test('results are read without tokens', () => {
  const results = [
    { index: 1, relevance_score: 0.8742601 },
    { index: 0, relevance_score: 0.1728413 },
  ];
  expect(decoded({ results })).toEqual({
    scores: [0.1728413, 0.8742601],
    tokens: null,
    searchUnits: null,
    model: null,
  });
  expect(decoded({ message: 'Malformed input request' })).toMatchObject({ message: 'Malformed input request' });
  expect(decoded({ results: results.slice(2) })).toMatchObject({ kind: 'garbage' });
});
