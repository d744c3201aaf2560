import { afterEach, expect, mock, spyOn, test } from 'bun:test';
import { runAtOnce, SQLITE, type Statement } from '../program.ts';
import { logPage } from './log-page.ts';

const DAY_MS = 1_789_948_800_000;
const HOUR_MS = DAY_MS + 5 * 3_600_000;
const MINUTES_MS = [HOUR_MS + 120_000, HOUR_MS + 60_000];

afterEach(() => {
  mock.restore();
});

/** An empty log with usage in two minutes of one hour. */
function answer({ sql }: Statement) {
  const level = /level = '(day|hour|minute)'/.exec(sql)?.[1];
  if (level === 'day') return [{ bucket_ms: DAY_MS, longest: 0 }];
  if (level === 'hour') return [{ bucket_ms: HOUR_MS, longest: 0 }];
  if (level === 'minute') return MINUTES_MS.map((bucket_ms) => ({ bucket_ms, longest: 0 }));
  return sql.includes('min(at_ms) AS at_ms') ? [{ at_ms: DAY_MS }] : [];
}

test('a page that ends between two minutes continues at the earlier one', () => {
  // The time is over just after the first minute was searched, with a second for rounded latencies.
  const times = [0, 0];
  spyOn(performance, 'now').mockImplementation(() => times.shift() ?? 100);
  const task = { query: { accountId: 'acme' }, after: null, limit: 10, budgetMs: 25 };
  const page = runAtOnce(logPage(SQLITE, task), answer);
  expect(page).toEqual({ records: [], next: { atMs: HOUR_MS + 119_000, id: 0 } });
});
