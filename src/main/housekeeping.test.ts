import { afterEach, expect, test } from 'bun:test';
import { until } from '../../conformance/shared/until.ts';
import { DEFAULT_RETENTION } from '../engine/settings/settings.ts';
import { closeTestStores, openTestStore } from '../stores/sqlite/testing/test-store.ts';
import { deleteOldData } from './housekeeping.ts';

const logger = { debug() {}, info() {}, warn() {}, error() {} };

afterEach(closeTestStores);

test('old data is deleted repeatedly until the gateway stops, which releases the claim', async () => {
  const calls: string[] = [];
  const store = await openTestStore();
  const retention = {
    claim: async () => true,
    release: async () => void calls.push('release'),
    removeOld: async (table: string) => {
      calls.push(table);
      return 0;
    },
    tendLog: async () => {},
    thinSums: async () => null,
    thinning: async () => ({ doneUntilMs: 0, minutesBeforeMs: 0, hoursBeforeMs: 0, ranksBeforeMs: 0 }),
    beginThinning: async () => {},
    endThinning: async () => {},
  };
  const stop = deleteOldData(
    {
      store: { ...store, retention },
      settings: DEFAULT_RETENTION,
      clock: { nowMs: () => 0 },
      logger,
      holder: 'a',
      resumeErasures: async () => undefined,
      logDeletableBefore: async (beforeMs: number) => beforeMs,
    },
    { firstAfterMs: 1, everyMs: 1 },
  );
  await until('two runs have ended', () => calls.filter((call) => call === 'release').length >= 2);
  await stop();
  const count = calls.length;
  expect(calls.at(-1)).toBe('release');
  expect(calls.filter((call) => call === 'audit_log').length).toBeGreaterThanOrEqual(2);
  await store.close();
  expect(calls).toHaveLength(count);
});
