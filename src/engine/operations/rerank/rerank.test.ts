import { expect, test } from 'bun:test';
import { atOnce } from '../../../formats/shared/request/steps.ts';
import { RERANK_ENTRY } from './rerank.ts';

test('a response is restored completely', () => {
  const answer = { scores: [0, 0.1, 1 / 3, 5e-324, null, 1], tokens: null, searchUnits: 2, model: 'modèl' };
  const counted = { answer, tokens: 9 };
  expect(atOnce(RERANK_ENTRY.decode(atOnce(RERANK_ENTRY.encode(counted))))).toEqual(counted);
});
