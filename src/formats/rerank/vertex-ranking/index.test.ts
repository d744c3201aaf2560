import { expect, test } from 'bun:test';
import { vertexRanking } from './index.ts';

const target = { upstreamModel: 'semantic-ranker-default@latest' };
const request = {
  ...{ model: 'm', query: 'q', documents: ['a', 'b'], hasObjects: false, topN: 2, returnsDocuments: true },
  others: { max_tokens_per_doc: 9 },
};
const decoded = (value: unknown) =>
  vertexRanking.decodeAnswer(new TextEncoder().encode(JSON.stringify(value)), request, target, new Headers());

test('the request uses indexes as record ids, and requests no texts', () => {
  const encoded = vertexRanking.encodeRequest(request, target);
  if (!('body' in encoded)) throw new Error(encoded.message);
  expect(JSON.parse(new TextDecoder().decode(encoded.body))).toEqual({
    ...{ model: 'semantic-ranker-default@latest', query: 'q', ignoreRecordDetailsInResponse: true },
    records: [
      { id: '0', content: 'a' },
      { id: '1', content: 'b' },
    ],
  });
  expect(encoded.losses).toMatchObject([{ field: 'max_tokens_per_doc', verdict: 'dropped' }]);
});

test('records are read in order of relevance', () => {
  const records = [
    { id: '1', score: 0.97 },
    { id: '0', score: 0.0001 },
  ];
  expect(decoded({ records })).toEqual({ scores: [0.0001, 0.97], tokens: null, searchUnits: null, model: null });
});

test.each([
  [
    'an unknown id',
    {
      records: [
        { id: '0', score: 1 },
        { id: '2', score: 1 },
      ],
    },
  ],
  [
    'a repeated id',
    {
      records: [
        { id: '0', score: 1 },
        { id: '0', score: 1 },
      ],
    },
  ],
  [
    'a number as id',
    {
      records: [
        { id: 0, score: 1 },
        { id: '1', score: 1 },
      ],
    },
  ],
  [
    'an id that is not an index',
    {
      records: [
        { id: '0', score: 1 },
        { id: '1e0', score: 1 },
      ],
    },
  ],
  ['no score', { records: [{ id: '0' }, { id: '1', score: 1 }] }],
  ['no records', { records: [] }],
  ['an invalid record', { records: [null, { id: '1', score: 1 }] }],
])('%s is not a response', (_, value) => {
  expect(decoded(value)).toMatchObject({ kind: 'garbage' });
});

test('an error in place of records is reported', () => {
  expect(decoded({ error: { code: 400, message: 'Invalid model.', status: 'INVALID_ARGUMENT' } })).toMatchObject({
    message: 'Invalid model.',
  });
});
