import { expect, test } from 'bun:test';
import { NODE_LIVING_MS } from '../../../engine/ports/node-registry.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { sampleAccount } from '../../../engine/ports/testing/samples.ts';

const NODE = {
  hostName: 'host',
  processId: 7,
  version: '1.2.3',
  startedAtMs: 1_790_000_000_000,
  mediaPlace: 'folder-1',
};

/** Tests for every `NodeRegistry`. */
export function nodeTests(store: () => Store): void {
  test('nodes are listed by age with their latest report, until they leave', async () => {
    const { nodes } = store();
    expect(await nodes.living()).toEqual([]);
    const young = { ...NODE, id: 'a', startedAtMs: NODE.startedAtMs + 1, accessVersion: 1, servingVersion: 1 };
    const old = { ...NODE, id: 'b', mediaPlace: null, accessVersion: 2 ** 40, servingVersion: 3 };
    await nodes.beat(young);
    await nodes.beat(old);
    await nodes.beat({ ...young, accessVersion: 2, startedAtMs: 9 });
    const seen = { lastSeenAtMs: expect.any(Number) };
    expect(await nodes.living()).toEqual([
      { ...old, ...seen },
      { ...young, accessVersion: 2, ...seen },
    ]);
    const [{ lastSeenAtMs } = { lastSeenAtMs: 0 }] = await nodes.living();
    expect(lastSeenAtMs).toBeGreaterThan(NODE_LIVING_MS);
    await nodes.leave('b');
    expect((await nodes.living()).map(({ id }) => id)).toEqual(['a']);
  });

  test('a heartbeat does not change the version of the directory', async () => {
    const { nodes, directory } = store();
    const before = await directory.state();
    await nodes.beat({ ...NODE, id: 'a', ...before });
    expect(await directory.state()).toEqual(before);
  });

  test('a listener for changes can stop', async () => {
    const stop = store().nodes.onChange(() => undefined);
    await store().directory.write('all', (writer) => writer.putAccount(sampleAccount({ id: 'heard' })));
    stop();
  });
}
