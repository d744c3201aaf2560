import { describe, expect, test } from 'bun:test';
import type { ExportSettings } from '../ports/export-destination.ts';
import type { ExportProgress } from '../ports/export-store.ts';
import type { WrittenLine } from '../ports/request-log.ts';
import { sampleRecord } from '../ports/testing/samples.ts';
import { deletableBefore, exportStatuses } from './export-status.ts';

const DAY_MS = 86_400_000;
const NOW = 1_790_000_000_000;
/** With a retention of 30 days. */
const BEFORE = NOW - 30 * DAY_MS;

function target(id: string): ExportSettings {
  const table = { url: 'http://localhost', database: 'default', table: 'requests', user: 'default', password: '' };
  const limits = { intervalMs: 0, maxRows: 1_000, maxBytes: 1_000 };
  return { id, to: { kind: 'clickhouse', table }, names: false, start: 'oldest', ...limits };
}

function progressUpTo(topId: number): ExportProgress {
  const counts = { exportedLines: topId, skippedLines: 0, exportedAtMs: NOW, failure: null };
  return { place: { topId, missing: [] }, sending: null, lastRequestId: null, ...counts };
}

/** A log with a line of each of the last 40 days; the line of the oldest day has the number 1. */
function ports(exported: Readonly<Record<string, number>>) {
  const lines = Array.from({ length: 40 }, (_, index): WrittenLine => {
    return { id: index + 1, record: sampleRecord({ atMs: NOW - (40 - index) * DAY_MS }) };
  });
  const known = Object.entries(exported).map(([exportId, topId]) => ({
    ...{ exportId, holder: null, progress: progressUpTo(topId) },
  }));
  return {
    store: { list: async () => known },
    log: {
      lastWritten: async () => [40],
      written: async ({ topId }: { readonly topId: number }) => lines.filter(({ id }) => id > topId).slice(0, 1),
    },
  };
}

const exportsTo = (...ids: readonly string[]) => ({ holdMs: 7 * DAY_MS, targets: ids.map(target) });

describe('the lines that retention may delete', () => {
  test('are all old ones without an export, and with exports that have sent them', async () => {
    expect(await deletableBefore(ports({}), exportsTo(), BEFORE)).toBe(BEFORE);
    expect(await deletableBefore(ports({ lake: 40 }), exportsTo('lake'), BEFORE)).toBe(BEFORE);
    expect(await deletableBefore(ports({ lake: 12 }), exportsTo('lake'), BEFORE)).toBe(BEFORE);
  });

  test('are only those that every export has sent, with a day for lines that were written late', async () => {
    const unsentAtMs = NOW - 34 * DAY_MS;
    const found = await deletableBefore(ports({ lake: 6, warehouse: 40 }), exportsTo('lake', 'warehouse'), BEFORE);
    expect(found).toBe(unsentAtMs - DAY_MS);
  });

  test('include lines that are not sent when they are older than the retention and hold_days', async () => {
    expect(await deletableBefore(ports({ lake: 0 }), exportsTo('lake'), BEFORE)).toBe(BEFORE - 7 * DAY_MS);
  });

  test('do not depend on an export that is no longer configured', async () => {
    expect(await deletableBefore(ports({ gone: 0, lake: 40 }), exportsTo('lake'), BEFORE)).toBe(BEFORE);
  });
});

test('the status has the lag in lines and the arrival of the oldest line', async () => {
  const [lake, warehouse] = await exportStatuses(ports({ lake: 38 }), exportsTo('lake', 'warehouse'));
  expect(lake).toMatchObject({ lagLines: 2, oldestAtMs: NOW - 2 * DAY_MS });
  expect(warehouse).toMatchObject({ lagLines: 40, progress: null });
});
