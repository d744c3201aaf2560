import { describe, expect, test } from 'bun:test';
import type { ExportProgress } from '../../../engine/ports/export-store.ts';
import type { Store } from '../../../engine/ports/store.ts';

const NOW = 1_790_000_000_000;
const INITIAL: ExportProgress = {
  place: { topId: 0, missing: [] },
  sending: null,
  lastRequestId: null,
  exportedLines: 0,
  skippedLines: 0,
  exportedAtMs: null,
  failure: null,
};
const LATER: ExportProgress = {
  place: { topId: 900, missing: [{ firstId: 12, lastId: 14, sinceMs: NOW }] },
  sending: { topId: 1_000, missing: [] },
  lastRequestId: 'req_1',
  exportedLines: 897,
  skippedLines: 1,
  exportedAtMs: NOW,
  failure: { atMs: NOW, message: 'the bucket is full' },
};

/** Tests for every persistent store. */
export function exportTests(store: () => Store): void {
  describe('exports of the request log', () => {
    const claim = (holder: string, forMs = 3_600_000, initial = INITIAL) =>
      store().exports.claim('lake', { holder, nowMs: NOW, forMs, initial });

    test('one process at a time has the claim of an export', async () => {
      expect((await claim('a'))?.holder).toBe('a');
      expect(await claim('b')).toBeNull();
      expect((await claim('a'))?.holder).toBe('a');
    });

    test('an expired or released claim can be taken, with the progress that was stored', async () => {
      await claim('a', 0);
      await store().exports.save('lake', 'a', LATER);
      expect((await claim('b', 3_600_000, INITIAL))?.progress).toEqual(LATER);
      await store().exports.release('lake', 'b');
      expect((await claim('c'))?.progress).toEqual(LATER);
    });

    test('only the process with the claim can store progress', async () => {
      await claim('a');
      expect(await store().exports.save('lake', 'b', LATER)).toBe(false);
      expect(await store().exports.save('lake', 'a', LATER)).toBe(true);
      await store().exports.release('lake', 'b');
      expect(await store().exports.list()).toEqual([{ exportId: 'lake', holder: 'a', progress: LATER }]);
    });
  });
}
