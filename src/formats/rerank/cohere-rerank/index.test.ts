import { expect, test } from 'bun:test';
import { cohereRerank } from './index.ts';

const target = { upstreamModel: 'up' };
const request = {
  model: 'm',
  query: 'q',
  documents: ['a', 'b'],
  topN: 1,
  hasObjects: false,
  returnsDocuments: true,
  others: { max_tokens_per_doc: 9 },
};
const RESULTS = [
  { index: 1, relevance_score: 0.75 },
  { index: 0, relevance_score: 0.25 },
];
const decoded = (value: unknown) =>
  cohereRerank.decodeAnswer(new TextEncoder().encode(JSON.stringify(value)), request, target, new Headers());

test("the request has the fields of API version 2, and Cohere's own", () => {
  const encoded = cohereRerank.encodeRequest(request, target);
  const text = 'body' in encoded ? new TextDecoder().decode(encoded.body) : '';
  expect(JSON.parse(text)).toEqual({ model: 'up', query: 'q', documents: ['a', 'b'], max_tokens_per_doc: 9 });
});

test('searches are counted, or tokens if these are billed', () => {
  const scores = [0.25, 0.75];
  const answered = (meta: unknown) => decoded({ id: 'x', results: RESULTS, meta });
  const searched = { api_version: { version: '2' }, billed_units: { search_units: 1 } };
  expect(answered(searched)).toEqual({ scores, tokens: null, searchUnits: 1, model: null });
  expect(answered({ billed_units: { input_tokens: 12 } })).toMatchObject({ tokens: 12, searchUnits: null });
  expect(answered({ tokens: { input_tokens: 13 } })).toMatchObject({ tokens: 13 });
  expect(answered(null)).toEqual({ scores, tokens: null, searchUnits: null, model: null });
});

test('an error or an incomplete response is a failure', () => {
  expect(decoded({ message: 'model not found' })).toMatchObject({ message: 'model not found' });
  expect(decoded({ results: RESULTS.slice(2) })).toMatchObject({ kind: 'garbage' });
});
