import { expect, test } from 'bun:test';
import type { LatencyQuery, RequestRecord } from '../../../engine/ports/request-log.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { sampleRecord } from '../../../engine/ports/testing/samples.ts';

const HOUR_MS = 3_600_000;
const FROM_MS = 1_790_000_000_000;
const SPANS = [0, 1].map((place) => ({ fromMs: FROM_MS + place * HOUR_MS, toMs: FROM_MS + (place + 1) * HOUR_MS }));

/** Tests for the percentiles that every request log finds. */
export function latencyTests(store: () => Store): void {
  async function found(lines: readonly Partial<RequestRecord>[], query: Partial<LatencyQuery> = {}) {
    for (const line of lines) store().requestLog.append(sampleRecord({ atMs: FROM_MS, channelId: 'a', ...line }));
    const wanted = { spans: SPANS, linesPerSpan: 1_000, channelIds: ['a', "b'ü"], accountId: null, ...query };
    const latencies = await store().requestLog.latencies(wanted);
    return [...latencies].sort((one, other) => (one.channelId < other.channelId ? -1 : 1));
  }
  const taking = (latencyMs: number, fields: Partial<RequestRecord> = {}) => ({
    ...{ latencyMs, firstByteMs: latencyMs / 2 },
    ...fields,
  });

  test('95 of 100 requests of each channel take at most as long', async () => {
    const hundred = Array.from({ length: 100 }, (_, place) => taking(100 - place, { atMs: FROM_MS + place }));
    const few = [taking(8, { channelId: "b'ü" }), taking(6, { channelId: "b'ü", firstByteMs: null })];
    expect(await found([...hundred, ...few, taking(999, { channelId: 'unasked' })])).toEqual([
      { channelId: 'a', samples: 100, latencyMs: 95, firstByteMs: 47.5 },
      { channelId: "b'ü", samples: 2, latencyMs: 8, firstByteMs: 4 },
    ]);
  });

  test('only answered requests count, with equal latencies and without a first byte', async () => {
    const left = [
      { cacheMatch: 'exact' as const },
      { errorCode: 'upstream_error', status: 502 },
      { clientGone: true },
      { atMs: FROM_MS - 1 },
      { atMs: FROM_MS + 2 * HOUR_MS },
      { recovered: true as const },
    ].map((fields) => taking(500, fields));
    const equal = [5, 5, 5].map((latencyMs) => taking(latencyMs, { firstByteMs: null, atMs: FROM_MS + HOUR_MS }));
    expect(await found([...left, ...equal])).toEqual([{ channelId: 'a', samples: 3, latencyMs: 5, firstByteMs: null }]);
  });

  test('each span has its newest lines in the sample, whatever their channel', async () => {
    const lines = [
      taking(1_000, { atMs: FROM_MS }),
      taking(2, { atMs: FROM_MS + 1 }),
      taking(3, { atMs: FROM_MS + 2 }),
      taking(7, { atMs: FROM_MS + HOUR_MS }),
      taking(7, { atMs: FROM_MS + HOUR_MS + 1, channelId: 'other' }),
      taking(7, { atMs: FROM_MS + HOUR_MS + 2, channelId: 'other' }),
    ];
    expect(await found(lines, { linesPerSpan: 2 })).toMatchObject([{ samples: 2, latencyMs: 3 }]);
  });

  test('an account sees only its own requests, and nothing is found without channels or spans', async () => {
    const lines = [taking(4), taking(900, { accountId: 'other' })];
    expect(await found(lines, { accountId: 'acme' })).toMatchObject([{ samples: 1, latencyMs: 4 }]);
    expect(await found([], { channelIds: [] })).toEqual([]);
    expect(await found([], { spans: [] })).toEqual([]);
  });
}
