import { expect, test } from 'bun:test';
import { bestOf, joinedAnswers, searchUnitsOf } from './rerank.ts';

test('the best come first, and equal scores keep their order', () => {
  const answer = { scores: [0.1, 0.9, 0.5, 0.9] };
  expect(bestOf(answer, 4)).toEqual([1, 3, 2, 0]);
  expect(bestOf(answer, 1)).toEqual([1]);
});

test('a search unit covers 100 documents', () => {
  expect([1, 100, 101, 1_000].map(searchUnitsOf)).toEqual([1, 1, 2, 10]);
});

test('responses for parts of the documents are joined', () => {
  const one = { scores: [0.1, 0.2], tokens: 3, searchUnits: null, model: 'm' };
  expect(joinedAnswers([one, { ...one, scores: [0.3], tokens: 4 }])).toEqual({
    ...{ scores: [0.1, 0.2, 0.3], tokens: 7, searchUnits: null, model: 'm' },
  });
  expect(joinedAnswers([one, { ...one, tokens: null }]).tokens).toBeNull();
});
