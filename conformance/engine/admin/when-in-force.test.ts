import { afterEach, expect, test } from 'bun:test';
import { whenInForce } from '../../../src/engine/admin/nodes/when-in-force.ts';
import { FakeClock } from '../../../src/engine/admin/testing/fake-clock.ts';
import { sampleAccount } from '../../../src/engine/ports/testing/samples.ts';
import { closeTestStores, openTestStore } from '../../../src/stores/sqlite/testing/test-store.ts';

const FACTS = { hostName: 'host', processId: 1, version: '1', startedAtMs: 0, mediaPlace: null };

afterEach(closeTestStores);

async function twoNodes() {
  const clock = new FakeClock();
  const store = await openTestStore({ clock });
  const beat = async (id: string) => store.nodes.beat({ ...FACTS, id, ...(await store.directory.state()) });
  await beat('quick');
  await beat('slow');
  await store.directory.write('all', (writer) => writer.putAccount(sampleAccount({ id: 'changed' })));
  return { clock, store, beat };
}

test('a change is in force once every node has applied it', async () => {
  const { clock, store, beat } = await twoNodes();
  const turns = ['quick', '', 'slow'];
  const sleep = async (ms: number) => {
    clock.advance(ms);
    const turn = turns.shift();
    if (turn) await beat(turn);
  };
  const { confirmed, unconfirmed } = await whenInForce({ ...store, clock, sleep });
  expect([confirmed.length, unconfirmed, turns]).toEqual([2, [], []]);
});

test('the nodes that did not confirm in time are named', async () => {
  const { clock, store, beat } = await twoNodes();
  await beat('quick');
  const sleep = async (ms: number) => clock.advance(ms);
  const { confirmed, unconfirmed } = await whenInForce({ ...store, clock, sleep }, 500);
  expect([confirmed, unconfirmed].map((nodes) => nodes.map(({ id }) => id))).toEqual([['quick'], ['slow']]);
});
