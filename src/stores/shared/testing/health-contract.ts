import { beforeEach, expect, test } from 'bun:test';
import type { HealthRow } from '../../../engine/ports/health-store.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { sampleChannel, sampleHealth } from '../../../engine/ports/testing/samples.ts';

/** The health of a channel and model without attempts. */
const UNTRIED: Partial<HealthRow> = {
  state: 'closed',
  availableAtMs: null,
  openings: 0,
  requests: 0,
  failures: 0,
  lastFailure: null,
  lastFailureAtMs: null,
  firstByteMs: null,
};

/** Registers the tests of a store's `health`. */
export function healthTests(store: () => Store): void {
  beforeEach(async () => {
    await store().directory.write('all', (writer) => {
      for (const id of ['a', 'b']) writer.putChannel(sampleChannel({ id }));
    });
  });

  test('there is none at first', async () => {
    expect(await store().health.read()).toEqual([]);
  });

  test('every field is returned as written, ordered by channel and upstream model', async () => {
    const rows = [
      sampleHealth({ channelId: 'a', upstreamModel: 'm/1' }),
      sampleHealth({ channelId: 'a', upstreamModel: 'm/2', ...UNTRIED }),
      sampleHealth({ channelId: 'b', upstreamModel: 'm/1', state: 'half-open', lastFailureAtMs: 1_790_000_000_000.25 }),
    ];
    await store().health.write(rows.toReversed());
    expect(await store().health.read()).toEqual(rows);
  });

  test('writing again replaces the row, and no other', async () => {
    const other = sampleHealth({ channelId: 'a', upstreamModel: 'other' });
    await store().health.write([sampleHealth({ channelId: 'a' }), other]);
    const closed = sampleHealth({ channelId: 'a', ...UNTRIED, updatedAtMs: 1 });
    await store().health.write([closed]);
    expect(await store().health.read()).toEqual([closed, other]);
  });

  test('of two rows for one channel and model, the last one counts', async () => {
    await store().health.write([sampleHealth({ channelId: 'a' }), sampleHealth({ channelId: 'a', openings: 9 })]);
    expect(await store().health.read()).toEqual([sampleHealth({ channelId: 'a', openings: 9 })]);
  });

  test("later changes to the caller's object do not affect the store", async () => {
    const row = { ...sampleHealth({ channelId: 'a' }) };
    await store().health.write([row]);
    row.openings = 99;
    expect(await store().health.read()).toEqual([sampleHealth({ channelId: 'a' })]);
  });

  test('rows of unknown channels are skipped, the others are written', async () => {
    await store().health.write([sampleHealth({ channelId: 'ghost' }), sampleHealth({ channelId: 'b' })]);
    expect((await store().health.read()).map(({ channelId }) => channelId)).toEqual(['b']);
  });

  test('a deleted channel loses its rows, also if its id is used again', async () => {
    await store().health.write([sampleHealth({ channelId: 'a' }), sampleHealth({ channelId: 'b' })]);
    await store().directory.write('all', (writer) => writer.deleteChannel('a'));
    await store().directory.write('all', (writer) => writer.putChannel(sampleChannel({ id: 'a' })));
    expect((await store().health.read()).map(({ channelId }) => channelId)).toEqual(['b']);
  });

  test('a rewritten channel keeps its rows', async () => {
    await store().health.write([sampleHealth({ channelId: 'a' })]);
    await store().directory.write('all', (writer) => writer.putChannel(sampleChannel({ id: 'a', weight: 7 })));
    expect(await store().health.read()).toEqual([sampleHealth({ channelId: 'a' })]);
  });

  test('a rolled back deletion keeps the rows', async () => {
    await store().health.write([sampleHealth({ channelId: 'a' })]);
    const failing = store().directory.write('all', (writer) => {
      writer.deleteChannel('a');
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(await store().health.read()).toHaveLength(1);
  });

  test('neither new nor known rows change the version of the directory', async () => {
    const before = await store().directory.state();
    await store().health.write([sampleHealth({ channelId: 'a' })]);
    await store().health.write([sampleHealth({ channelId: 'a', openings: 3 })]);
    await store().health.write([]);
    expect(await store().directory.state()).toEqual(before);
  });
}
