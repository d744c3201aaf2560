import { expect, test } from 'bun:test';
import { voyageRerank } from './index.ts';

const target = { upstreamModel: 'up' };
const others = { truncation: false, unknown: 1 };
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
  voyageRerank.decodeAnswer(new TextEncoder().encode(JSON.stringify(value)), request, target, new Headers());

test('the request has the fields of Voyage, and the rest is reported', () => {
  const encoded = voyageRerank.encodeRequest(request, target);
  if (!('body' in encoded)) throw new Error(encoded.message);
  expect(JSON.parse(new TextDecoder().decode(encoded.body))).toEqual({
    ...{ model: 'up', query: 'q', documents: ['a', 'b'], truncation: false },
  });
  expect(encoded.losses).toMatchObject([{ field: 'unknown', verdict: 'dropped' }]);
});

test('results are read from `data`, with the tokens', () => {
  const data = [
    { relevance_score: 0.75, index: 1 },
    { relevance_score: 0.25, index: 0 },
  ];
  const answer = { object: 'list', data, model: 'rerank-2-lite', usage: { total_tokens: 57 } };
  expect(decoded(answer)).toEqual({ scores: [0.25, 0.75], tokens: 57, searchUnits: null, model: 'rerank-2-lite' });
  expect(decoded({ data })).toMatchObject({ tokens: null, model: null });
  expect(decoded({ detail: 'too many tokens' })).toMatchObject({ message: 'too many tokens' });
  expect(decoded({ data: data.slice(2) })).toMatchObject({ kind: 'garbage' });
});
