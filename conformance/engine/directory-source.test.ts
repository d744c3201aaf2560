import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { Channel } from '../../src/domain/catalog/channel.ts';
import {
  MOST_CHANNEL_MODELS,
  MOST_SERVED_CHANNELS,
  MOST_SERVED_MODELS,
} from '../../src/domain/catalog/channel-bounds.ts';
import { SLICE_MS } from '../../src/domain/concurrency/slices.ts';
import { RULES_OF_PROVIDERS } from '../../src/engine/directory/channel-in-use.ts';
import { DirectorySource } from '../../src/engine/directory/directory-source.ts';
import { sampleProvider } from '../../src/engine/directory/testing/sample-directory.ts';
import { RoutingMemory } from '../../src/engine/health/routing-memory.ts';
import type { DirectoryScope } from '../../src/engine/ports/directory-store.ts';
import type { Store } from '../../src/engine/ports/store.ts';
import { sampleAccount, sampleChannel } from '../../src/engine/ports/testing/samples.ts';
import { closeTestStores, openTestStore } from '../../src/stores/sqlite/testing/test-store.ts';

const ACCOUNTS = ['acme', 'globex', 'initech'];

let store: Store;
let memory: RoutingMemory;
let scopes: DirectoryScope[];
let warnings: object[];
/** A clock that advances by a millisecond per reading, and the number of pauses. */
let turns: { nowMs: () => number; pause: () => Promise<void>; atMs: number; pauses: number };

beforeEach(async () => {
  store = await openTestStore();
  memory = new RoutingMemory({ nowMs: () => 0, monotonicMs: () => 0 }, () => 0);
  scopes = [];
  warnings = [];
  turns = {
    ...{ atMs: 0, pauses: 0 },
    nowMs: () => turns.atMs++,
    pause: async () => {
      turns.pauses += 1;
    },
  };
  await store.directory.write('all', (writer) => {
    for (const id of ACCOUNTS) writer.putAccount(sampleAccount({ id }));
  });
});
afterEach(closeTestStores);

const put = (...channels: readonly Channel[]) =>
  store.directory.write({ channelsOf: [] }, (writer) => {
    for (const { owner } of channels) if (owner !== null) writer.putAccount(sampleAccount({ id: owner }));
    for (const channel of channels) writer.putChannel(channel);
  });

const channel = (id: string, owner: string | null, models: Channel['models'] = { [`model-of-${id}`]: 'gpt-4o' }) =>
  sampleChannel({ id, owner, models });

const manyModels = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`model-${index}`, `upstream-${index}`]));

function open(): Promise<DirectorySource> {
  const watched = Object.create(store.directory) as typeof store.directory;
  watched.read = (scope) => {
    scopes.push(scope);
    return store.directory.read(scope);
  };
  for (const name of ['state', 'servingChangedSince', 'accountsChangedSince'] as const) {
    Object.assign(watched, { [name]: store.directory[name].bind(store.directory) });
  }
  const logger = { warn: (fields: object) => void warnings.push(fields) };
  const providers = new Map([['openai', sampleProvider()]]);
  return DirectorySource.open({ store: watched, providers, memory, servers: RULES_OF_PROVIDERS, logger, turns });
}

const seen = (source: DirectorySource, account: string | null) =>
  source
    .current()
    .visibleModels(account)
    .map(({ id }) => id);

describe('a change', () => {
  test('of one account reads its channels only, and applies with the refresh', async () => {
    await put(channel('a', 'acme'), channel('b', 'globex'), channel('shared', null));
    const source = await open();
    scopes.length = 0;
    await put(channel('a', 'acme', { renamed: 'gpt-4o' }));
    expect(await source.refresh()).toBe(true);
    expect(scopes).toEqual([{ serving: false, channelsOf: ['acme'] }]);
    expect(ACCOUNTS.map((account) => seen(source, account))).toEqual([
      ['model-of-shared', 'renamed'],
      ['model-of-b', 'model-of-shared'],
      ['model-of-shared'],
    ]);
  });

  test('of shared channels does not read those of accounts', async () => {
    await put(channel('a', 'acme'), channel('shared', null));
    const source = await open();
    scopes.length = 0;
    await put(channel('shared', null, { other: 'gpt-4o' }));
    await source.refresh();
    expect(scopes).toEqual([{ channelsOf: [null] }]);
    expect(seen(source, 'acme')).toEqual(['model-of-a', 'other']);
  });

  test('that removes the last channel leaves the account without any', async () => {
    await put(channel('a', 'acme'));
    const source = await open();
    await store.directory.write('all', (writer) => writer.deleteChannel('a'));
    await source.refresh();
    expect([source.current().hasOwnChannels('acme'), source.current().channelCount]).toEqual([false, 0]);
  });

  test('of the owner moves the health of a channel', async () => {
    await put(channel('a', 'acme'));
    const source = await open();
    const before = memory.health('a');
    await put(channel('a', 'globex'));
    await source.refresh();
    expect(memory.health('a')).toBe(before);
    expect([seen(source, 'acme'), seen(source, 'globex')]).toEqual([[], ['model-of-a']]);
  });

  test('keeps the routes of other accounts unchanged', async () => {
    await put(channel('a', 'acme'), channel('b', 'globex'));
    const source = await open();
    const targetOf = () => source.current().routesTo('model-of-b', 'globex', 'openai-chat')?.targets[0];
    const before = targetOf();
    await put(channel('a', 'acme', { renamed: 'gpt-4o' }));
    await source.refresh();
    expect(targetOf()).toBe(before);
  });
});

describe('channels beyond the limits', () => {
  test('are served up to the limit, with a warning that names the account and its channels', async () => {
    await put(
      ...['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((id) => channel(id, 'acme', manyModels(MOST_CHANNEL_MODELS + 1))),
    );
    const source = await open();
    expect(seen(source, 'acme')).toHaveLength(MOST_CHANNEL_MODELS);
    const ways = source
      .current()
      .routesTo('model-0', 'acme', 'openai-chat')
      ?.targets.map((target) => target.channel.id);
    expect(ways).toEqual(['a', 'b', 'c', 'd', 'e'].slice(0, MOST_SERVED_MODELS / MOST_CHANNEL_MODELS));
    expect(warnings).toEqual([{ accountId: 'acme', channelIds: ['a', 'b', 'c', 'd', 'e', 'f', 'g'], count: 7 }]);
    expect(source.current().channelCount).toBe(7);
  });

  test('do not replace those in use, and do not affect other accounts', async () => {
    const many = Array.from({ length: MOST_SERVED_CHANNELS }, (_, index) => `a-${1_000 + index}`);
    await put(...many.map((id) => sampleChannel({ id, owner: 'acme', enabled: false })));
    await put(channel('b', 'acme'), channel('c', 'globex'));
    const source = await open();
    expect([seen(source, 'acme'), seen(source, 'globex')]).toEqual([['model-of-b'], ['model-of-c']]);
  });
});

test('a refresh works in slices, however many accounts there are', async () => {
  const accounts = Array.from({ length: 50 }, (_, index) => `t${index}`);
  await put(...accounts.map((id) => channel(`ch-${id}`, id)));
  await open();
  // Each account takes two steps of a millisecond each.
  expect(turns.pauses).toBeGreaterThanOrEqual(Math.floor((2 * accounts.length) / (SLICE_MS + 1)));
});
