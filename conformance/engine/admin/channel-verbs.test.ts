import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { createAccount } from '../../../src/engine/admin/accounts/change-accounts.ts';
import {
  changeChannel,
  createChannel,
  deleteChannel,
  setChannelEnabled,
} from '../../../src/engine/admin/channels/change-channels.ts';
import { channelView, listChannels, showChannel } from '../../../src/engine/admin/channels/read-channels.ts';
import { applyConfiguration } from '../../../src/engine/admin/configuration/apply-configuration.ts';
import { failureOf } from '../../../src/engine/admin/testing/failure-of.ts';
import { FakeClock } from '../../../src/engine/admin/testing/fake-clock.ts';
import { sampleConfiguration } from '../../../src/engine/admin/testing/sample-configuration.ts';
import { testProviders } from '../../../src/engine/admin/testing/test-providers.ts';
import { sampleChannel } from '../../../src/engine/ports/testing/samples.ts';
import { closeTestStores } from '../../../src/stores/sqlite/testing/test-store.ts';
import { openTrailedStore, type TestStore } from '../../../src/stores/sqlite/testing/trailed-store.ts';

const UPSTREAM_KEY = 'upstream-key-of-thirty-characters';
const MAIN = { id: 'main', provider: 'openai', api_key: UPSTREAM_KEY, models: ['a', 'b'] };

let store: TestStore;
let clock: FakeClock;

afterEach(closeTestStores);

beforeEach(async () => {
  store = await openTrailedStore();
  clock = new FakeClock();
  await createAccount(store, clock, { id: 'acme' });
});

const create = (input: unknown) => createChannel(store.directory, testProviders, input);
const change = (id: string, input: unknown) => changeChannel(store.directory, testProviders, id, input);
const view = async (id: string) => channelView(await showChannel(store, clock.nowMs(), id));
const declared = () => {
  const channels = [{ ...MAIN, id: 'filed' }];
  return applyConfiguration(store.directory, clock, sampleConfiguration({ channels }));
};
const putEnvironments = () =>
  store.directory.write('all', (writer) =>
    writer.putChannel(sampleChannel({ id: 'ollama', provider: 'ollama', apiKey: null, origin: 'environment' })),
  );

describe('creating', () => {
  test('is idempotent; different content is refused, without showing the key', async () => {
    const { channel } = await create(MAIN);
    const state = await store.directory.state();
    expect(await create({ ...MAIN, priority: 0, models: { b: 'b', a: 'a' } })).toEqual({
      channel,
      alreadyThere: true,
    });
    expect(await store.directory.state()).toEqual(state);
    const { code, message } = await failureOf(create({ ...MAIN, api_key: 'another-upstream-key', weight: 2 }));
    expect([code, message]).toEqual([
      'already_exists',
      'id: the channel "main" already exists with a different api_key, weight; change it, or choose another id',
    ]);
  });

  test.each([
    [{ provider: 'opnai' }, 'provider', '(did you mean "openai"?)'],
    [{ api_key: undefined }, 'api_key', 'is required by openai'],
    [{ base_url: 'ftp://x' }, 'base_url', 'http'],
    [{ timeouts: { conect_ms: 5 } }, 'timeouts.conect_ms', '(did you mean "connect_ms"?)'],
    [{ costs: { c: 'free' } }, 'costs.c', 'does not serve'],
    [{ formats: ['openai-chats'] }, 'formats[0]', '(did you mean "openai-chat"?)'],
    [{ settings: { region: 'eu' } }, 'settings', 'has no settings'],
    [{ owner: 'nobody' }, 'owner', 'must be an account id'],
    [{ models: [] }, 'models', 'at least one'],
    [{ modles: ['a'] }, 'modles', '(did you mean "models"?)'],
  ])('%p is refused, naming %s', async (fields, field, message) => {
    const error = await failureOf(create({ ...MAIN, ...fields }));
    expect(error).toMatchObject({ code: 'invalid_value', field, message: expect.stringContaining(message) });
    expect((await store.directory.read('all')).channels).toEqual([]);
  });

  test('a private channel belongs to its account', async () => {
    expect((await create({ ...MAIN, owner: 'acme' })).channel).toMatchObject({ owner: 'acme', origin: 'operator' });
  });
});

describe('changing', () => {
  test('replaces named fields, resets those that are null, and keeps the key and the switch', async () => {
    await create({ ...MAIN, priority: 3, timeouts: { connect_ms: 5, total_ms: 9_000 } });
    await setChannelEnabled(store.directory, clock, 'main', false);
    const { channel, changed } = await change('main', { priority: null, timeouts: { connect_ms: 7 }, models: ['c'] });
    expect(changed).toEqual(['priority', 'timeouts', 'models']);
    expect(channel).toMatchObject({
      apiKey: UPSTREAM_KEY,
      enabled: false,
      priority: 0,
      timeouts: { connectMs: 7, totalMs: 1_800_000 },
      models: { c: 'c' },
    });
    const state = await store.directory.state();
    expect(await change('main', { priority: 0, id: 'main' })).toMatchObject({ changed: [] });
    expect(await store.directory.state()).toEqual(state);
  });

  test('lifts a block only if it changes how the upstream is called', async () => {
    await create(MAIN);
    const block = { atMs: 5, reason: 'The provider refused the key.' };
    await store.directory.write('all', (writer) => {
      for (const channel of writer.read().channels) writer.putChannel({ ...channel, block });
    });
    expect((await change('main', { weight: 2 })).channel.block).toEqual(block);
    expect((await change('main', { api_key: 'a-new-upstream-key' })).channel.block).toBeNull();
  });

  test('keeps prices and breakers when something else changes', async () => {
    const costs = {
      a: [
        { input_per_1m: '1', tiers: [{ above_input_tokens: 200_000, input_per_1m: '2' }] },
        { effective_from: '2027-01-01T00:00:00.250Z', input_per_1m: '3' },
      ],
    };
    const { channel } = await create({ ...MAIN, costs, breaker: { probes: 4 }, formats: ['openai-chat'] });
    expect((await change('main', { name: 'Main' })).channel).toEqual({ ...channel, name: 'Main' });
  });

  test('turns a channel of the environment into one of the operator', async () => {
    await putEnvironments();
    expect((await change('ollama', { priority: 5 })).channel).toMatchObject({ origin: 'operator', priority: 5 });
  });

  test('refuses an invalid field, a channel of the file, and an unknown one', async () => {
    await create(MAIN);
    await declared();
    expect((await failureOf(change('main', { provider: 'azure' }))).field).toBe('base_url');
    expect((await failureOf(change('main', { id: 'other' }))).field).toBe('id');
    expect((await failureOf(change('main', { owner: 'nobody' }))).field).toBe('owner');
    expect(await failureOf(change('filed', { weight: 2 }))).toMatchObject({ code: 'conflict', field: 'channel' });
    expect((await failureOf(change('mian', {}))).message).toContain('did you mean "main"');
  });
});

describe('deleting', () => {
  test('happens once, and names the models that no other channel serves', async () => {
    await create(MAIN);
    await create({ ...MAIN, id: 'spare', models: ['b'] });
    expect(await deleteChannel(store.directory, 'main')).toEqual({ wasThere: true, onlyHere: ['a'] });
    expect(await deleteChannel(store.directory, 'main')).toEqual({ wasThere: false, onlyHere: [] });
  });

  test('refuses a channel that the next start would restore', async () => {
    await declared();
    await putEnvironments();
    expect((await failureOf(deleteChannel(store.directory, 'filed'))).code).toBe('conflict');
    expect((await failureOf(deleteChannel(store.directory, 'ollama'))).message).toContain('disable it');
  });
});

test('channels are listed in pages by priority and id', async () => {
  for (const [id, priority] of Object.entries({ a: 10, b: 9, c: -1, d: 9 })) await create({ ...MAIN, id, priority });
  const first = await listChannels(store, clock.nowMs(), { limit: 2 });
  const second = await listChannels(store, clock.nowMs(), { limit: 2, after: first.next });
  expect([...first.items, ...second.items].map(({ channel }) => channel.id)).toEqual(['c', 'b', 'd', 'a']);
  expect(second.next).toBeNull();
});

test('the view shows only the end of an upstream key, and nothing of a short one', async () => {
  await create({ ...MAIN, owner: 'acme' });
  const shown = await view('main');
  expect(shown).toMatchObject({
    id: 'main',
    provider: 'openai',
    base_url: null,
    api_key_preview: '…ters',
    owner: 'acme',
    timeouts: { connect_ms: 3_000 },
    state: 'ready',
    models: [{ id: 'a', upstream_model: 'a', requests: 0 }, { id: 'b' }],
  });
  expect(JSON.stringify(shown)).not.toContain(UPSTREAM_KEY);
  await change('main', { api_key: 'short-key' });
  expect((await view('main')).api_key_preview).toBe('…');
});
