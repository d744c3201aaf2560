import { expect, test } from 'bun:test';
import type { OutcomeCount, SuccessSnapshot } from '../../../domain/catalog/preference.ts';
import { ERROR_CODES } from '../../../domain/failure/error-codes.ts';
import { modelOutcome } from '../../../domain/failure/model-outcome.ts';
import { SNAPSHOT_CLAIM_MS, type SnapshotStore } from '../../../engine/ports/outcomes.ts';
import type { RequestRecord } from '../../../engine/ports/request-log.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { sampleAccount, sampleChannel, sampleRecord } from '../../../engine/ports/testing/samples.ts';

const NOW_MS = 1_790_000_000_000;
const DAY_MS = 86_400_000;
const FRESH_MS = 300_000;

async function claimAndWrite(snapshots: SnapshotStore, snapshot: SuccessSnapshot): Promise<void> {
  await snapshots.claim(snapshot.atMs, 0);
  await snapshots.write(snapshot);
}

function snapshotAt(atMs: number): SuccessSnapshot {
  return { atMs, windowMs: DAY_MS, counts: [{ modelId: "vendor/größe'", succeeded: 12_345_678, failed: 0 }] };
}

/** Tests for every `OutcomeSource` over a request log. */
export function outcomeTests(store: () => Store): void {
  async function counted(lines: readonly Partial<RequestRecord>[]): Promise<OutcomeCount[]> {
    for (const line of lines) store().requestLog.append(sampleRecord({ atMs: NOW_MS - 1, ...line }));
    await store().requestLog.flush();
    const counts = await store().outcomes.count(NOW_MS - DAY_MS, NOW_MS);
    return [...counts].sort((a, b) => (a.modelId < b.modelId ? -1 : 1));
  }

  test('an empty log has no outcomes', async () => {
    expect(await counted([])).toEqual([]);
  });

  test('each model has its own successes and failures', async () => {
    const failed = { status: 502, errorCode: 'upstream_error' };
    const a = { modelId: 'a' };
    const b = { modelId: "b'/ü" };
    expect(await counted([a, { ...b, ...failed }, { ...a, ...failed }, a, b, a])).toEqual([
      { modelId: 'a', succeeded: 3, failed: 1 },
      { modelId: "b'/ü", succeeded: 1, failed: 1 },
    ]);
  });

  test('failures of the account that fails most count at most as much as those of all others', async () => {
    const failures = (accountId: string, count: number) =>
      Array.from({ length: count }, () => ({ modelId: 'a', accountId, status: 502, errorCode: 'upstream_error' }));
    const lines = [...failures('poison', 50), { modelId: 'a' }, { modelId: 'a', accountId: 'other' }];
    expect(await counted(lines)).toEqual([{ modelId: 'a', succeeded: 2, failed: 0 }]);
    expect(await counted([...failures('acme', 2), ...failures('other', 1)])).toEqual([
      { modelId: 'a', succeeded: 2, failed: 6 },
    ]);
  });

  test('queued lines count, too', async () => {
    store().requestLog.append(sampleRecord({ modelId: 'a', atMs: NOW_MS - 1 }));
    expect(await store().outcomes.count(NOW_MS - DAY_MS, NOW_MS)).toEqual([{ modelId: 'a', succeeded: 1, failed: 0 }]);
  });

  test('the window includes its beginning and excludes its end, whatever the write order', async () => {
    const times = [NOW_MS, NOW_MS - 1, NOW_MS - DAY_MS - 0.5, NOW_MS - DAY_MS, NOW_MS + 1, NOW_MS - 5_000.25];
    const lines = times.map((atMs) => ({ modelId: String(atMs), atMs }));
    const inside = [NOW_MS - DAY_MS, NOW_MS - 5_000.25, NOW_MS - 1].map(String);
    expect((await counted(lines)).map(({ modelId }) => modelId)).toEqual(inside);
  });

  test('every line counts by `modelOutcome`, for all codes and circumstances', async () => {
    const codes = [null, 'from_the_future', ...Object.keys(ERROR_CODES)];
    const lines = codes.flatMap((errorCode) =>
      [200, 202, 304, 400, 429, 499, 503].flatMap((status) =>
        [true, false].flatMap((clientGone) =>
          [null, 'openai-main'].flatMap((channelId) => [
            { errorCode, status, clientGone, channelId },
            { errorCode, status, clientGone, channelId, isPrivate: false },
            { errorCode, status, clientGone, channelId, isPrivate: true },
            { errorCode, status, clientGone, channelId, cacheMatch: 'exact' as const },
          ]),
        ),
      ),
    );
    const named = lines.map((line, index) => ({ ...line, modelId: `model-${String(index).padStart(4, '0')}` }));
    const expected = named.flatMap(({ modelId, ...line }) => {
      const outcome = modelOutcome(line);
      if (outcome === null) return [];
      return [{ modelId, succeeded: Number(outcome === 'succeeded'), failed: Number(outcome === 'failed') }];
    });
    expect(await counted(named)).toEqual(expected);
  });

  test('a channel that is deleted or gets another owner does not change past outcomes', async () => {
    const own = { modelId: 'a', channelId: 'own', isPrivate: true };
    const shared = { modelId: 'a', channelId: 'shared', isPrivate: false };
    await store().directory.write('all', (writer) => {
      writer.putAccount(sampleAccount());
      writer.putChannel(sampleChannel({ id: 'shared', owner: 'acme' }));
    });
    expect(await counted([own, shared])).toEqual([{ modelId: 'a', succeeded: 1, failed: 0 }]);
  });

  test('a line records whether shared channels took part, if known', async () => {
    const { requestLog } = store();
    const lines = [{ isPrivate: true }, { isPrivate: false }, {}].map((line) => sampleRecord(line));
    for (const line of lines) requestLog.append(line);
    expect((await requestLog.recent(3)).toReversed()).toStrictEqual(lines);
  });

  test('a request without a model counts for none', async () => {
    expect(await counted([{ modelId: null, status: 500, errorCode: 'internal_error' }])).toEqual([]);
  });
}

/** Tests for every `SnapshotStore`. */
export function snapshotTests(store: () => Store): void {
  test('there is none at first, nor while the first is being made', async () => {
    const { snapshots } = store();
    expect(await snapshots.read()).toBeNull();
    expect(await snapshots.claim(NOW_MS, FRESH_MS)).toBe(true);
    expect(await snapshots.read()).toBeNull();
  });

  test('the latest one is returned as written', async () => {
    const { snapshots } = store();
    await claimAndWrite(snapshots, snapshotAt(NOW_MS - 1));
    await claimAndWrite(snapshots, snapshotAt(NOW_MS));
    expect(await snapshots.read()).toEqual(snapshotAt(NOW_MS));
    const empty = { atMs: NOW_MS + 0.5, windowMs: 1, counts: [] };
    await claimAndWrite(snapshots, empty);
    expect(await snapshots.read()).toEqual(empty);
  });

  test('one of several concurrent claims is granted', async () => {
    const { snapshots } = store();
    const claims = Array.from({ length: 8 }, () => snapshots.claim(NOW_MS, FRESH_MS));
    expect((await Promise.all(claims)).filter((granted) => granted)).toHaveLength(1);
  });

  test('a claim that is not ended expires', async () => {
    const { snapshots } = store();
    await snapshots.claim(NOW_MS, FRESH_MS);
    expect(await snapshots.claim(NOW_MS + SNAPSHOT_CLAIM_MS - 1, FRESH_MS)).toBe(false);
    expect(await snapshots.claim(NOW_MS + SNAPSHOT_CLAIM_MS, FRESH_MS)).toBe(true);
  });

  test('writing ends the claim, and the next one is granted when the snapshot is no longer fresh', async () => {
    const { snapshots } = store();
    await snapshots.claim(NOW_MS, FRESH_MS);
    expect(await snapshots.write(snapshotAt(NOW_MS))).toBe(true);
    expect(await snapshots.claim(NOW_MS + FRESH_MS - 1, FRESH_MS)).toBe(false);
    expect(await snapshots.claim(NOW_MS + FRESH_MS, FRESH_MS)).toBe(true);
    expect(await snapshots.read()).toEqual(snapshotAt(NOW_MS));
  });

  test('a released claim is available at once', async () => {
    const { snapshots } = store();
    await snapshots.claim(NOW_MS, FRESH_MS);
    await snapshots.release(NOW_MS);
    expect(await snapshots.claim(NOW_MS + 1, FRESH_MS)).toBe(true);
  });

  test("another process's claim is not released", async () => {
    const { snapshots } = store();
    const laterMs = NOW_MS + SNAPSHOT_CLAIM_MS;
    await snapshots.claim(NOW_MS, FRESH_MS);
    await snapshots.claim(laterMs, FRESH_MS);
    await snapshots.release(NOW_MS);
    expect(await snapshots.claim(laterMs, FRESH_MS)).toBe(false);
  });

  test("a late process overwrites neither another's snapshot nor another's claim", async () => {
    const { snapshots } = store();
    const [slow, next, last] = [NOW_MS, NOW_MS + SNAPSHOT_CLAIM_MS, NOW_MS + SNAPSHOT_CLAIM_MS + FRESH_MS];
    await snapshots.claim(slow, FRESH_MS);
    await snapshots.claim(next, FRESH_MS);
    expect(await snapshots.write(snapshotAt(slow))).toBe(false);
    expect(await snapshots.read()).toBeNull();
    expect(await snapshots.write(snapshotAt(next))).toBe(true);
    await snapshots.claim(last, FRESH_MS);
    expect(await snapshots.write(snapshotAt(slow))).toBe(false);
    expect(await snapshots.read()).toEqual(snapshotAt(next));
    expect(await snapshots.claim(last + 1, FRESH_MS)).toBe(false);
  });

  test('a snapshot without a claim, or with a released one, is not written', async () => {
    const { snapshots } = store();
    expect(await snapshots.write(snapshotAt(NOW_MS))).toBe(false);
    await snapshots.claim(NOW_MS, FRESH_MS);
    await snapshots.release(NOW_MS);
    expect(await snapshots.write(snapshotAt(NOW_MS))).toBe(false);
    expect(await snapshots.read()).toBeNull();
  });

  test('entries in the future, left when a clock was set back, block nothing', async () => {
    const { snapshots } = store();
    await snapshots.claim(NOW_MS + DAY_MS, FRESH_MS);
    expect(await snapshots.claim(NOW_MS, FRESH_MS)).toBe(true);
    await snapshots.release(NOW_MS);
    await claimAndWrite(snapshots, snapshotAt(NOW_MS + DAY_MS));
    expect(await snapshots.claim(NOW_MS, FRESH_MS)).toBe(true);
  });

  test('neither claims nor snapshots change the version of the directory', async () => {
    const before = await store().directory.state();
    await claimAndWrite(store().snapshots, snapshotAt(NOW_MS));
    expect(await store().directory.state()).toEqual(before);
  });
}
