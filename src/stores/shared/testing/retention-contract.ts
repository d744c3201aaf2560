import { describe, expect, test } from 'bun:test';
import type { LogFields } from '../../../domain/logs/fields.ts';
import type { NewAuditEntry } from '../../../engine/ports/audit-log.ts';
import type { Logger } from '../../../engine/ports/logger.ts';
import type { RetentionStore } from '../../../engine/ports/retention-store.ts';
import type { Store } from '../../../engine/ports/store.ts';
import {
  SAMPLE_USAGE,
  sampleCharge,
  sampleEntry,
  sampleHold,
  sampleRecord,
} from '../../../engine/ports/testing/samples.ts';
import { type DeleteOldOptions, deleteOld } from '../../../engine/retention/delete-old.ts';
import { DEFAULT_RETENTION } from '../../../engine/settings/settings.ts';

const DAY_MS = 86_400_000;
const NOW = 1_790_000_000_000;
const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };

const ENTRY: NewAuditEntry = {
  atMs: NOW,
  actor: { kind: 'gateway', id: null, name: 'gateway' },
  address: null,
  requestId: null,
  action: 'key.change',
  accountId: 'acme',
  objectId: 'ci',
  before: null,
  after: null,
};

/** Tests for every persistent store. `edit` runs a raw statement. */
export function retentionTests(store: () => Store, edit: (sql: string) => Promise<unknown>): void {
  const run = (of: Pick<DeleteOldOptions, 'store' | 'logger'> = { store: store(), logger: SILENT }) =>
    deleteOld({
      ...of,
      settings: DEFAULT_RETENTION,
      clock: { nowMs: () => NOW },
      holder: 'a',
      resumeErasures: async () => undefined,
      logDeletableBefore: async (beforeMs: number) => beforeMs,
      between: async () => undefined,
    });

  describe('retention', () => {
    test('old lines of the request log are deleted in batches, newer ones are not', async () => {
      const { requestLog } = store();
      for (let index = 0; index < 1_200; index++) requestLog.append(sampleRecord({ atMs: NOW - 31 * DAY_MS }));
      requestLog.append(sampleRecord({ atMs: NOW - 29 * DAY_MS, requestId: 'kept' }));
      await requestLog.flush();
      expect(await run()).toBe(true);
      expect((await requestLog.recent(10)).map(({ requestId }) => requestId)).toEqual(['kept']);
    });

    test('only retention can delete old entries of the audit log', async () => {
      const { audit } = store();
      const years = (count: number) => NOW - count * 365 * DAY_MS - DAY_MS;
      await audit.append([
        { ...ENTRY, atMs: years(10), objectId: 'old' },
        { ...ENTRY, atMs: years(9), objectId: 'kept' },
      ]);
      await run();
      const page = await audit.page({ order: 'oldest', after: null, limit: 10 });
      expect(page.map(({ objectId }) => objectId)).toEqual(['kept']);
      await expect(edit('delete from audit_log')).rejects.toThrow(/append-only|never changed or deleted/);
    });

    test('ended holds and decided held charges are deleted, open ones are not', async () => {
      const { holds, heldCharges, ledger } = store();
      await ledger.append(sampleEntry({ amountNanoUsd: 100n }));
      for (const holdId of ['open', 'settled', 'late']) {
        await holds.hold(sampleHold({ holdId, fromBalanceNanoUsd: 5n, fromLimitNanoUsd: null, keyLimitNanoUsd: null }));
      }
      await holds.settle('settled', 3n, NOW - 401 * DAY_MS, SAMPLE_USAGE);
      await holds.settle('late', 3n, NOW - 399 * DAY_MS, SAMPLE_USAGE);
      const charge = { accountId: 'acme', keyId: null, modelId: 'm', channelId: null, plausibleNanoUsd: 1n };
      const counts = { amountNanoUsd: 1n, promptTokens: 1, completionTokens: 1, atMs: NOW - 401 * DAY_MS };
      for (const requestId of ['open', 'decided']) await heldCharges.hold({ ...charge, ...counts, requestId });
      await heldCharges.decide('decided', 'dismissed');
      await run();
      expect((await holds.list({}, 10)).map(({ holdId }) => holdId).toSorted()).toEqual(['late', 'open']);
      expect((await heldCharges.list({}, 10)).map(({ requestId }) => requestId)).toEqual(['open']);
      expect((await ledger.verify()).problems).toEqual([]);
    });

    test('thinned periods stay recorded, also after longer periods are configured', async () => {
      const { retention } = store();
      expect(await retention.thinning()).toMatchObject({ doneUntilMs: 0, minutesBeforeMs: 0, hoursBeforeMs: 0 });
      await retention.beginThinning({ minutesBeforeMs: 200, hoursBeforeMs: 100 });
      await retention.endThinning(200);
      await retention.beginThinning({ minutesBeforeMs: 150, hoursBeforeMs: 120 });
      expect(await retention.thinning()).toMatchObject({ doneUntilMs: 200, minutesBeforeMs: 200, hoursBeforeMs: 120 });
    });

    test('daily costs of accounts are deleted, and the start of the ranking is recorded', async () => {
      const { ledger, usage, retention } = store();
      const day = (age: number) => Math.floor(NOW / DAY_MS) * DAY_MS - age * DAY_MS;
      for (const age of [402, 399, 1])
        await ledger.charge(sampleCharge({ requestId: `req-${age}`, atMs: day(age), keyId: null }));
      await usage.roll(1_000);
      await run();
      expect((await retention.thinning()).ranksBeforeMs).toBe(day(400));
      const spans = (age: number) => [{ fromMs: day(age), toMs: day(age) + DAY_MS }];
      const ranked = (age: number) =>
        usage.sum({ accountIds: 'every', spans: spans(age), groupBy: ['accountId'], tags: null, limit: 5 });
      expect((await ranked(402)).length + (await ranked(399)).length + (await ranked(1)).length).toBe(2);
    });

    test('a failure to delete one kind of data does not affect the others', async () => {
      const { audit, retention } = store();
      await audit.append([{ ...ENTRY, atMs: 0 }]);
      const warnings: unknown[] = [];
      const broken: RetentionStore = {
        claim: (...of) => retention.claim(...of),
        release: (holder) => retention.release(holder),
        tendLog: (...of) => retention.tendLog(...of),
        thinSums: (task) => retention.thinSums(task),
        thinning: () => retention.thinning(),
        beginThinning: (of) => retention.beginThinning(of),
        endThinning: (atMs) => retention.endThinning(atMs),
        removeOld: async (table, ...of) => {
          if (table === 'request_log') throw new Error('the disk is full');
          return retention.removeOld(table, ...of);
        },
      };
      const logger = { ...SILENT, warn: ({ what }: LogFields) => void warnings.push(what) };
      await run({ store: { ...store(), retention: broken }, logger });
      expect(warnings).toEqual(['request log lines']);
      expect(await audit.page({ order: 'oldest', after: null, limit: 10 })).toEqual([]);
    });
  });
}
