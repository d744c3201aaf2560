import { describe, expect, test } from 'bun:test';
import type { Store } from '../../../engine/ports/store.ts';
import { sampleChannel, sampleHealth } from '../../../engine/ports/testing/samples.ts';

const DAY = { period: 'day UTC 1', endsAtMs: 1_000 };
const TOTAL = { period: 'total', endsAtMs: null };

/** Registers the tests of channels with several keys, and of a store's `upstreamSpending`. */
export function upstreamKeyTests(store: () => Store): void {
  const withChannels = (...ids: string[]) =>
    store().directory.write('all', (writer) => {
      for (const id of ids) writer.putChannel(sampleChannel({ id }));
    });

  test('a channel keeps its keys, and each of them its health', async () => {
    const common = { weight: 1, enabled: true, spendCap: null, block: null, resetAtMs: null };
    const apiKeys = [
      { ...common, id: null, name: 'first', key: 'sk-first' },
      {
        ...{ ...common, id: 'k2', name: 'second', key: 'sk-second', weight: 0.5, enabled: false, resetAtMs: 3 },
        spendCap: { amountNanoUsd: 9_007_199_254_740_993n, per: 'month' as const, timeZone: 'Europe/Berlin' },
        block: { atMs: 5, reason: 'Refused.' },
      },
    ];
    const channel = sampleChannel({ id: 'keyed', apiKey: null, apiKeys });
    await store().directory.write('all', (writer) => writer.putChannel(channel));
    expect((await store().directory.read('all')).channels).toContainEqual(channel);
    const rows = [sampleHealth({ channelId: 'keyed' }), sampleHealth({ channelId: 'keyed', keyId: 'k2', openings: 4 })];
    await store().health.write(rows);
    expect(await store().health.read(['keyed'])).toEqual(rows);
  });

  test('what is known of a key is forgotten when its channel no longer has it', async () => {
    const common = { weight: 1, enabled: true, spendCap: null, block: null, resetAtMs: null };
    const keysOf = (...ids: (string | null)[]) =>
      ids.map((id) => ({ ...common, id, name: `key-${id}`, key: `sk-${id}` }));
    const put = (...ids: (string | null)[]) =>
      store().directory.write('all', (writer) => {
        for (const id of ['a', 'b']) {
          writer.putChannel(sampleChannel({ id, apiKey: null, apiKeys: keysOf(...(id === 'a' ? ids : ['k1'])) }));
        }
      });
    await put(null, 'k1', 'k2');
    const { health, upstreamSpending } = store();
    await health.write(['k1', 'k2'].map((keyId) => sampleHealth({ channelId: 'a', keyId })));
    const of = (channelId: string, keyId: string | null) => ({ channelId, keyId, ...TOTAL, spentNanoUsd: 1n });
    await upstreamSpending.add([of('a', null), of('a', 'k1'), of('a', 'k2'), of('b', 'k1')]);
    await put(null, 'k2');
    expect((await health.read(['a'])).map(({ keyId }) => keyId)).toEqual(['k2']);
    expect((await upstreamSpending.read()).map(({ channelId, keyId }) => [channelId, keyId])).toEqual([
      ['a', null],
      ['a', 'k2'],
      ['b', 'k1'],
    ]);
  });

  describe('the spending of upstream keys', () => {
    test('is the exact sum of what all processes add', async () => {
      await withChannels('a', 'b');
      const { upstreamSpending } = store();
      const much = 9_007_199_254_740_993n;
      const of = (channelId: string, keyId: string | null, spentNanoUsd: bigint) => ({
        channelId,
        keyId,
        spentNanoUsd,
      });
      await Promise.all([
        upstreamSpending.add([
          { ...of('b', 'k', much), ...DAY },
          { ...of('a', null, 1n), ...TOTAL },
        ]),
        upstreamSpending.add([
          { ...of('b', 'k', 2n), ...DAY },
          { ...of('gone', 'k', 5n), ...TOTAL },
        ]),
      ]);
      expect(await upstreamSpending.read()).toEqual([
        { ...of('a', null, 1n), period: 'total' },
        { ...of('b', 'k', much + 2n), period: DAY.period },
      ]);
      expect(await upstreamSpending.read(['a'])).toEqual([{ ...of('a', null, 1n), period: 'total' }]);
    });

    test('is removed with its channel, by a reset, and long after its period', async () => {
      await withChannels('a', 'b');
      const { upstreamSpending, directory } = store();
      const add = (channelId: string, keyId: string, period: typeof DAY | typeof TOTAL) =>
        upstreamSpending.add([{ channelId, keyId, spentNanoUsd: 3n, ...period }]);
      await add('a', 'one', DAY);
      await add('a', 'two', TOTAL);
      await add('a', 'three', TOTAL);
      await add('b', 'one', TOTAL);
      await upstreamSpending.reset({ channelId: 'a', keyId: 'two' });
      await directory.write('all', (writer) => writer.deleteChannel('b'));
      expect((await upstreamSpending.read()).map(({ keyId }) => keyId)).toEqual(['one', 'three']);
      expect(await upstreamSpending.removeEnded(1_001, 10)).toBe(1);
      expect((await upstreamSpending.read()).map(({ keyId }) => keyId)).toEqual(['three']);
    });
  });
}
