import { expect, test } from 'bun:test';
import { bestOf, joinedAnswers, searchUnitsOf } from './rerank.ts';

test('the best come first, of equal ones the earlier', () => {
  const answer = { scores: [0.1, 0.9, 0.5, 0.9] };
  expect(bestOf(answer, 4)).toEqual([1, 3, 2, 0]);
  expect(bestOf(answer, 1)).toEqual([1]);
});

test('a search unit holds a hundred documents', () => {
  expect([1, 100, 101, 1_000].map(searchUnitsOf)).toEqual([1, 1, 2, 10]);
});

test('answers to parts of the documents are one answer', () => {
  const one = { scores: [0.1, 0.2], tokens: 3, searchUnits: null, model: 'm' };
  expect(joinedAnswers([one, { ...one, scores: [0.3], tokens: 4 }])).toEqual({
    ...{ scores: [0.1, 0.2, 0.3], tokens: 7, searchUnits: null, model: 'm' },
  });
  expect(joinedAnswers([one, { ...one, tokens: null }]).tokens).toBeNull();
});
