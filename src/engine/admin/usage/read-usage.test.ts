import { expect, test } from 'bun:test';
import type { UsageQuery } from '../../ports/usage-store.ts';
import { usageOverview } from './read-usage.ts';

const DAY_MS = 86_400_000;

test('accounts are ranked over a range for which daily costs are kept', async () => {
  const asked: (readonly UsageQuery[])[] = [];
  const usage = {
    sums: async (queries: readonly UsageQuery[]) => {
      asked.push(queries);
      return queries.map(() => []);
    },
  };
  const kept = { minutesFromMs: 0, quartersFromMs: 0, ranksFromMs: 100 * DAY_MS };
  const overview = (fromMs: number) =>
    usageOverview(usage, {
      ...{ accountId: null, fromMs, toMs: fromMs + DAY_MS, bucket: 'none', timeZone: 'UTC', top: 5, kept },
    });
  expect((await overview(100 * DAY_MS)).accounts).toEqual({ rows: [], others: null });
  expect((await overview(99 * DAY_MS)).accounts).toBeNull();
  expect(asked.map((queries) => queries.filter(({ accountIds }) => accountIds === 'every').length)).toEqual([1, 0]);
});
