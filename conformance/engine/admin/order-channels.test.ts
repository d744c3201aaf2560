import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { Channel } from '../../../src/domain/catalog/channel.ts';
import { orderChannels } from '../../../src/engine/admin/channels/order-channels.ts';
import { failureOf } from '../../../src/engine/admin/testing/failure-of.ts';
import { type DirectoryStore, SERVING_ONLY } from '../../../src/engine/ports/directory-store.ts';
import { sampleAccount, sampleChannel } from '../../../src/engine/ports/testing/samples.ts';
import { closeTestStores, openTestStore } from '../../../src/stores/sqlite/testing/test-store.ts';

let store: DirectoryStore;

const make = (id: string, fields: Partial<Channel> = {}) =>
  store.write('all', (writer) => {
    writer.putChannel(sampleChannel({ id, owner: null, origin: 'operator', priority: 0, ...fields }));
  });

const order = (...groups: readonly (string | readonly string[])[]) =>
  orderChannels(store, { accountId: null, groups: groups.map((one) => (typeof one === 'string' ? [one] : one)) });

const priorities = async () =>
  Object.fromEntries((await store.read(SERVING_ONLY)).channels.map(({ id, priority }) => [id, priority]));

beforeEach(async () => {
  store = (await openTestStore()).directory;
  for (const id of ['a', 'b', 'c']) await make(id);
});
afterEach(closeTestStores);

test('channels get the priorities of their order atomically, and keep their origin', async () => {
  await make('d', { origin: 'environment' });
  const { changed } = await order('c', ['a', 'd'], 'b');
  expect([await priorities(), changed]).toEqual([{ a: 1, b: 2, c: 0, d: 1 }, ['a', 'd', 'b']]);
  const { channels } = await store.read(SERVING_ONLY);
  expect(channels.map(({ origin }) => origin)).toEqual(['operator', 'operator', 'operator', 'environment']);
  expect((await order('c', ['a', 'd'], 'b')).changed).toEqual([]);
});

test('channels of the file keep their priority, and the others are placed around them', async () => {
  await make('f', { origin: 'config', priority: 10 });
  await make('g', { origin: 'config', priority: 12 });
  await order('a', 'f', ['b'], 'g', 'c');
  expect(await priorities()).toEqual({ a: 9, b: 11, c: 13, f: 10, g: 12 });
  for (const groups of [
    ['f', 'a', 'b', 'g', 'c'],
    ['g', 'f', 'a', 'b', 'c'],
    [['f', 'g'], 'a', 'b', 'c'],
  ]) {
    const refused = await failureOf(order(...groups));
    expect([refused.code, refused.field, refused.message.includes('configuration file')]).toEqual([
      'conflict',
      'order',
      true,
    ]);
  }
  expect(await priorities()).toEqual({ a: 9, b: 11, c: 13, f: 10, g: 12 });
});

test('a stale list changes nothing', async () => {
  for (const groups of [['a', 'b'], ['a', 'b', 'c', 'x'], []]) {
    expect((await failureOf(order(...groups))).code).toBe('stale');
  }
  expect((await failureOf(order('a', 'b', 'c', 'a'))).code).toBe('invalid_value');
  const groups = [['c'], ['b'], ['a']];
  await orderChannels(store, { accountId: null, groups, seen: ['a', 'b', 'c'] });
  const late = orderChannels(store, { accountId: null, groups: [['b'], ['a'], ['c']], seen: ['a', 'b', 'c'] });
  expect((await failureOf(late)).code).toBe('stale');
  expect(await priorities()).toEqual({ a: 2, b: 1, c: 0 });
});

test('an account orders its own channels only', async () => {
  await store.write('all', (writer) => {
    writer.putAccount(sampleAccount());
    for (const id of ['x', 'y']) writer.putChannel(sampleChannel({ id, owner: 'acme', origin: 'operator' }));
  });
  await orderChannels(store, { accountId: 'acme', groups: [['y'], ['x']] });
  expect(await priorities()).toEqual({ a: 0, b: 0, c: 0, x: 1, y: 0 });
  const foreign = orderChannels(store, { accountId: 'acme', groups: [['y'], ['x'], ['a']] });
  expect((await failureOf(foreign)).code).toBe('stale');
  expect((await failureOf(order('a', 'b', 'c', 'x'))).code).toBe('stale');
});
