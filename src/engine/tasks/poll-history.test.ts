import { expect, test } from 'bun:test';
import { Failure } from '../../domain/failure/failure.ts';
import type { JobReport } from '../../domain/tasks/job.ts';
import { PollHistory } from './poll-history.ts';

const WORKING: JobReport = { state: 'working', status: 'pending', progress: null };
const MADE: JobReport = { state: 'done', result: { items: [] } as never };
const UNANSWERED = new Failure('upstream_error', { kind: 'http_503', message: 'no' });

function historyOf(...reports: readonly (JobReport | Failure)[]): PollHistory {
  const history = new PollHistory();
  for (const [index, report] of reports.entries()) history.note(report, index * 10, index * 10 + 1);
  return history;
}

const numbers = (history: PollHistory) => history.kept.map(({ number }) => number);

test('a history without polls has none', () => {
  expect(new PollHistory().kept).toEqual([]);
});

test('the first, the last and the failed polls are kept in their order, the others counted', () => {
  const history = historyOf(WORKING, WORKING, UNANSWERED, WORKING, WORKING, MADE);
  expect(numbers(history)).toEqual([1, 3, 6]);
  expect(history).toMatchObject({ count: 6, failedCount: 1 });
  expect(history.kept[1]).toEqual({
    ...{ number: 3, beganAtMs: 20, endedAtMs: 21, outcome: 'unanswered', failureKind: 'http_503' },
  });
});

test('a poll that is first, failed and last at once is kept once', () => {
  expect(numbers(historyOf(UNANSWERED))).toEqual([1]);
});

test('however often polls fail, ten are kept', () => {
  const history = historyOf(WORKING, ...Array.from({ length: 5_000 }, () => UNANSWERED), MADE);
  expect(numbers(history)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 5_002]);
  expect(history).toMatchObject({ count: 5_002, failedCount: 5_000 });
});

test('a job that failed has its kind, and is no failed poll', () => {
  const failure = new Failure('upstream_error', { kind: 'job_failed', message: 'no' });
  const history = historyOf({ state: 'failed', failure });
  expect(history.kept).toMatchObject([{ outcome: 'failed', failureKind: 'job_failed' }]);
  expect(history.failedCount).toBe(0);
});
