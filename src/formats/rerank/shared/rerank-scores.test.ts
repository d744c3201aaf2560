import { expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { failureOfNoResults, scoresIn, scoresOfCosines, unitScores } from './rerank-scores.ts';

const wanted = (documents: number) => ({ documents: new Array<string>(documents).fill('d') });
const item = (index: unknown, score: unknown) => ({ index, score });

test('scores are in the order of the documents', () => {
  expect(scoresIn([item(2, 0.5), item(0, -3), item(1, 0)], wanted(3), 'score')).toEqual([-3, 0, 0.5]);
});

test.each([
  ['no results', []],
  ['too many results', [item(0, 1), item(1, 1), item(1, 1)]],
  ['a repeated index', [item(0, 1), item(0, 1)]],
  ['an index beyond the documents', [item(0, 1), item(2, 1)]],
  ['a negative index', [item(0, 1), item(-1, 1)]],
  ['a fractional index', [item(0, 1), item(0.5, 1)]],
  ['a string as index', [item(0, 1), item('1', 1)]],
  ['no score', [item(0, 1), { index: 1 }]],
  ['an invalid score', [item(0, 1), item(1, null)]],
  ['NaN', [item(0, 1), item(1, Number.NaN)]],
  ['an infinite score', [item(0, 1), item(1, Number.POSITIVE_INFINITY)]],
  ['a result that is not an object', [item(0, 1), 7]],
])('%s: no scores', (_, items) => {
  expect(scoresIn(items, wanted(2), 'score')).toMatchObject({ code: 'upstream_error', kind: 'garbage' });
});

test('a document may be missing', () => {
  expect(scoresIn([item(2, 0.5)], wanted(3), 'score')).toEqual([null, null, 0.5]);
  expect(unitScores([null, 0.25, 3])).toEqual([null, expect.any(Number), expect.any(Number)]);
  expect(scoresOfCosines([null, 0])).toEqual([null, 0.5]);
});

test('scores from 0 to 1 stay, except for rounding errors; logits become sigmoids', () => {
  expect(unitScores([0, 0.25, 1])).toEqual([0, 0.25, 1]);
  expect(unitScores([1.0000001, -1e-9])).toEqual([1, 0]);
  const [high, middle, low] = unitScores([8, 0, -8]);
  expect([high! > 0.999, middle, low! < 0.001]).toEqual([true, 0.5, true]);
});

test('cosines are scaled to 0 to 1', () => {
  expect(scoresOfCosines([-1, 0, 0.5, 1])).toEqual([0, 0.5, 0.75, 1]);
});

test('a body without results is reported as the error it holds', () => {
  const said = (value: unknown) => failureOfNoResults(value).message;
  expect(said({ error: { message: 'overloaded' } })).toBe('overloaded');
  expect(said({ detail: 'no such model' })).toContain('no such model');
  expect(said([])).toBe(said('x'));
  expect(failureOfNoResults({})).toBeInstanceOf(Failure);
});
