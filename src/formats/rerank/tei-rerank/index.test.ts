import { expect, test } from 'bun:test';
import { teiRerank } from './index.ts';

const target = { upstreamModel: 'up' };
const others = { truncate: true, unknown: 1 };
const request = {
  model: 'm',
  query: 'q',
  documents: ['a', 'b'],
  topN: 1,
  hasObjects: false,
  returnsDocuments: true,
  others,
};
const decoded = (value: unknown, headers = {}) =>
  teiRerank.decodeAnswer(new TextEncoder().encode(JSON.stringify(value)), request, target, new Headers(headers));

test('the request has texts, and no model', () => {
  const encoded = teiRerank.encodeRequest(request, target);
  if (!('body' in encoded)) throw new Error(encoded.message);
  expect(JSON.parse(new TextDecoder().decode(encoded.body))).toEqual({
    ...{ query: 'q', texts: ['a', 'b'], raw_scores: false, truncate: true },
  });
  expect(encoded.losses).toMatchObject([{ field: 'unknown', verdict: 'dropped' }]);
});

test('a bare list of results is read, with the tokens from a header', () => {
  const list = [
    { index: 1, score: 0.75 },
    { index: 0, score: 0.25 },
  ];
  expect(decoded(list)).toEqual({ scores: [0.25, 0.75], tokens: null, searchUnits: null, model: null });
  expect(decoded(list, { 'x-compute-tokens': '57' })).toMatchObject({ tokens: 57 });
  expect(decoded(list, { 'x-compute-tokens': 'many' })).toMatchObject({ tokens: null });
  expect(decoded({ error: 'Model is overloaded', error_type: 'overloaded' })).toMatchObject({
    message: 'Model is overloaded',
  });
  expect(decoded(list.slice(2))).toMatchObject({ kind: 'garbage' });
});
