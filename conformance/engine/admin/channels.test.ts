import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { Channel } from '../../../src/domain/catalog/channel.ts';
import { blockChannel, resetChannel, setChannelEnabled } from '../../../src/engine/admin/channels/change-channels.ts';
import { listChannels, modelsOnlyServedBy, showChannel } from '../../../src/engine/admin/channels/read-channels.ts';
import { FakeClock } from '../../../src/engine/admin/testing/fake-clock.ts';
import type { HealthRow } from '../../../src/engine/ports/health-store.ts';
import type { Store } from '../../../src/engine/ports/store.ts';
import { sampleAccount, sampleChannel } from '../../../src/engine/ports/testing/samples.ts';
import { closeTestStores, openTestStore } from '../../../src/stores/sqlite/testing/test-store.ts';

const BLOCK = { atMs: 5, reason: 'The provider refused the key.' };

let stores: Store;
let clock: FakeClock;

beforeEach(async () => {
  stores = await openTestStore();
  clock = new FakeClock();
});
afterEach(closeTestStores);

const put = (...channels: Partial<Channel>[]) =>
  stores.directory.write('all', (writer) => {
    writer.putAccount(sampleAccount());
    for (const fields of channels) {
      writer.putChannel(sampleChannel({ enabled: true, block: null, resetAtMs: null, owner: null, ...fields }));
    }
  });

const channel = async (id: string) => {
  const found = (await stores.directory.read('all')).channels.find((row) => row.id === id);
  if (found === undefined) throw new Error(`there is no ${id}`);
  return found;
};

const row = (fields: Partial<HealthRow>): HealthRow => ({
  channelId: 'a',
  upstreamModel: 'm',
  state: 'closed',
  availableAtMs: null,
  openings: 0,
  requests: 0,
  failures: 0,
  lastFailure: null,
  lastFailureAtMs: null,
  firstByteMs: null,
  updatedAtMs: clock.nowMs(),
  ...fields,
});

describe('blocking', () => {
  test('only the first of many concurrent calls blocks', async () => {
    await put({ id: 'a' });
    const later = { atMs: 6, reason: 'later' };
    const done = await Promise.all([
      blockChannel(stores.directory, sampleChannel({ id: 'a' }), BLOCK),
      blockChannel(stores.directory, sampleChannel({ id: 'a' }), later),
    ]);
    expect(done).toEqual([true, false]);
    expect(await channel('a')).toMatchObject({ block: BLOCK, enabled: true });
  });

  test('a missing channel is ignored', async () => {
    expect(await blockChannel(stores.directory, sampleChannel({ id: 'gone' }), BLOCK)).toBe(false);
  });
});

describe('switching', () => {
  test('enabling lifts a block and resets failures', async () => {
    await put({ id: 'a', enabled: false, block: BLOCK });
    expect(await setChannelEnabled(stores.directory, clock, 'a', true)).toMatchObject({ lifted: BLOCK });
    expect(await channel('a')).toMatchObject({ enabled: true, block: null, resetAtMs: clock.nowMs() });
  });

  test('enabling a channel in use writes nothing', async () => {
    await put({ id: 'a' });
    const version = await stores.directory.state();
    expect(await setChannelEnabled(stores.directory, clock, 'a', true)).toMatchObject({ unchanged: true });
    expect(await stores.directory.state()).toEqual(version);
    expect((await channel('a')).resetAtMs).toBeNull();
  });

  test('disabling keeps the block, and names the models that no other channel serves to the same clients', async () => {
    await put(
      { id: 'a', models: { one: '1', two: '2', three: '3' }, block: BLOCK },
      { id: 'b', models: { one: '1' } },
      { id: 'off', models: { two: '2' }, enabled: false },
      { id: 'private', models: { three: '3' }, owner: 'acme' },
    );
    expect((await setChannelEnabled(stores.directory, clock, 'a', false)).onlyHere).toEqual(['two', 'three']);
    expect(await channel('a')).toMatchObject({ enabled: false, block: BLOCK });
  });

  test('the models that would lose their last channel are known before, and none of a channel that is not in use', async () => {
    await put(
      { id: 'a', models: { one: '1', two: '2', three: '3' } },
      { id: 'b', models: { one: '1' } },
      { id: 'off', models: { two: '2' }, enabled: false },
      { id: 'private', models: { two: '2', three: '3', own: '4' }, owner: 'acme' },
    );
    const lost = (id: string, accountId: string | null = null) => modelsOnlyServedBy(stores.directory, id, accountId);
    expect(await lost('a')).toEqual(['two', 'three']);
    expect(await lost('b')).toEqual([]);
    expect(await lost('off')).toEqual([]);
    expect([await lost('private'), await lost('private', 'acme')]).toEqual([['own'], ['own']]);
    await expect(lost('a', 'acme')).rejects.toThrow('a');
    await blockChannel(stores.directory, sampleChannel({ id: 'a' }), BLOCK);
    expect(await lost('a')).toEqual([]);
  });

  test('a reset leaves the switch unchanged', async () => {
    await put({ id: 'a', enabled: false, block: BLOCK });
    expect(await resetChannel(stores.directory, clock, 'a')).toMatchObject({ lifted: BLOCK });
    expect(await channel('a')).toMatchObject({ enabled: false, block: null, resetAtMs: clock.nowMs() });
  });
});

describe('listing', () => {
  const list = async (id?: string) =>
    id === undefined
      ? (await listChannels(stores, clock.nowMs(), {})).items
      : [await showChannel(stores, clock.nowMs(), id)];

  test('names the owner of a channel', async () => {
    await put({ id: 'a' }, { id: 'own', owner: 'acme' });
    expect((await list()).map(({ ownerName }) => ownerName)).toEqual([null, 'Acme']);
    expect((await list('own')).map(({ ownerName }) => ownerName)).toEqual(['Acme']);
  });

  test('goes by priority, then by id', async () => {
    await put({ id: 'b', priority: 1 }, { id: 'c', priority: 0 }, { id: 'a', priority: 1 });
    expect((await list()).map(({ channel }) => channel.id)).toEqual(['c', 'a', 'b']);
  });

  test('counts an upstream model with two public ids once', async () => {
    await put({ id: 'a', models: { one: 'm', two: 'm', three: 'n' } });
    await stores.health.write([
      row({ requests: 3, failures: 1, firstByteMs: 100, lastFailure: 'reset', lastFailureAtMs: 7 }),
      row({ upstreamModel: 'n', requests: 1, firstByteMs: 500, lastFailure: 'http_500', lastFailureAtMs: 6 }),
    ]);
    const [a] = await list();
    expect(a).toMatchObject({ state: { kind: 'ready' }, requests: 4, failures: 1, firstByteMs: 200 });
    expect(a?.lastFailure).toEqual({ kind: 'reset', atMs: 7 });
    expect(a?.models.map(({ requests }) => requests)).toEqual([3, 3, 1]);
  });

  test('shows the longest cooldown, and the number of models in cooldown', async () => {
    await put({ id: 'a', models: { one: 'm', two: 'n', three: 'o', four: 'p' } });
    const nowMs = clock.nowMs();
    await stores.health.write([
      row({ state: 'open', availableAtMs: nowMs + 2_000 }),
      row({ upstreamModel: 'n', state: 'open', availableAtMs: nowMs + 9_000 }),
      row({ upstreamModel: 'o', state: 'open', availableAtMs: nowMs }),
    ]);
    const [a] = await list('a');
    expect(a).toMatchObject({ state: { kind: 'resting', untilMs: nowMs + 9_000 }, affectedModels: 2 });
    expect(a?.models.map(({ state }) => state.kind)).toEqual(['resting', 'resting', 'probing', 'ready']);
  });

  test('ignores health from before the reset, but keeps its counts', async () => {
    const nowMs = clock.nowMs();
    await put({ id: 'a', models: { one: 'm' }, resetAtMs: nowMs });
    const old = { requests: 9, failures: 9, lastFailure: 'reset', lastFailureAtMs: nowMs - 2, updatedAtMs: nowMs - 1 };
    await stores.health.write([row({ ...old, state: 'open', availableAtMs: nowMs + 60_000 })]);
    expect(await list()).toMatchObject([{ state: { kind: 'ready' }, requests: 9, failures: 9, lastFailure: null }]);
  });

  test("the operator's switch takes precedence over the block, and the block over measured health", async () => {
    await put({ id: 'a', models: { one: 'm' }, block: BLOCK }, { id: 'b', models: {}, enabled: false, block: BLOCK });
    await stores.health.write([row({ state: 'open', availableAtMs: null })]);
    const [a] = await list('a');
    expect(a).toMatchObject({ state: { kind: 'blocked', block: BLOCK }, models: [{ state: { kind: 'blocked' } }] });
    expect(await list('b')).toMatchObject([{ state: { kind: 'disabled' } }]);
  });
});

test.each([
  ['opnai', 'channel: there is no channel "opnai" (did you mean "openai"?)'],
  ['elsewhere', 'channel: there is no channel "elsewhere"'],
])('an unknown id %p fails and suggests the nearest one', async (id, message) => {
  await put({ id: 'openai' });
  for (const attempt of [
    () => setChannelEnabled(stores.directory, clock, id, true),
    () => resetChannel(stores.directory, clock, id),
    () => showChannel(stores, clock.nowMs(), id),
  ]) {
    await expect(attempt()).rejects.toThrow(message);
  }
});
