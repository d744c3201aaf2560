import { expect, test } from 'bun:test';

import { Failure } from '../../../domain/failure/failure.ts';
import type { RerankAnswer } from '../../../domain/rerank/rerank.ts';
import { decodeAnswer, encodeAnswer } from './response.ts';

const DOCUMENTS = ['a', 'b'];
const RESULTS = [
  { index: 1, relevance_score: 0.75 },
  { index: 0, relevance_score: 0.25 },
];
const decoded = (value: object, upstreamModel = 'up'): RerankAnswer => {
  const answer = decodeAnswer(
    new TextEncoder().encode(JSON.stringify(value)),
    { documents: DOCUMENTS },
    { upstreamModel },
  );
  if (answer instanceof Failure) throw new Error(answer.message);
  return answer;
};

test('results are read from `results` or `data`, with tokens and searches', () => {
  const usage = { prompt_tokens: 5, total_tokens: 9 };
  expect(decoded({ results: RESULTS, usage, model: 'theirs' })).toEqual({
    ...{ scores: [0.25, 0.75], tokens: 5, searchUnits: null, model: 'theirs' },
  });
  expect(decoded({ data: RESULTS, usage: { total_tokens: 9, search_units: 2 } })).toMatchObject({
    ...{ scores: [0.25, 0.75], tokens: 9, searchUnits: 2 },
  });
  for (const none of [undefined, null, 7, {}, { prompt_tokens: 0, total_tokens: 0 }, { total_tokens: -1 }]) {
    expect(decoded({ results: RESULTS, usage: none })).toMatchObject({ tokens: null, searchUnits: null });
  }
});

test.each([
  [
    'scores in `score`',
    {
      results: [
        { index: 1, score: 0.75 },
        { index: 0, score: 0.25 },
      ],
    },
  ],
  [
    'scores in `score` of `data`',
    {
      data: [
        { index: 1, score: 0.75 },
        { index: 0, score: 0.25 },
      ],
    },
  ],
  [
    'a bare list',
    [
      { index: 1, score: 0.75, text: 'b' },
      { index: 0, score: 0.25, text: 'a' },
    ],
  ],
  [
    'both names',
    {
      results: [
        { index: 1, relevance_score: 0.75, score: 9 },
        { index: 0, relevance_score: 0.25 },
      ],
    },
  ],
])('%s', (_, value) => {
  expect(decoded(value).scores).toEqual([0.25, 0.75]);
});

test('scores of the third Jina reranker are cosines', () => {
  const results = [
    { index: 0, relevance_score: 0.5 },
    { index: 1, relevance_score: -0.1 },
  ];
  expect(decoded({ results }, 'jina-reranker-v3').scores).toEqual([0.75, 0.45]);
});

test('the response has the best results, with their documents if requested', () => {
  const answer = decoded({ results: RESULTS });
  const patch = { publicModel: 'mine', routing: { json: '{"r":1}' }, tokens: 3 };
  const usage = { prompt_tokens: 3, total_tokens: 3, estimated: true };
  const request = { documents: DOCUMENTS, hasObjects: false, topN: 1, returnsDocuments: true };
  expect(JSON.parse(encodeAnswer(answer, request, patch))).toEqual({
    ...{ object: 'list', model: 'mine', usage, _routing: { r: 1 } },
    results: [{ index: 1, relevance_score: 0.75, document: 'b' }],
  });
  const searched = { ...answer, searchUnits: 2 };
  expect(JSON.parse(encodeAnswer(searched, { ...request, topN: 2, returnsDocuments: false }, patch))).toMatchObject({
    results: RESULTS,
    usage: { ...usage, search_units: 2 },
  });
});
