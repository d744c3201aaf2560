import { afterEach, beforeEach, expect, test } from 'bun:test';
import { DEFAULT_QUOTAS, type ObjectQuotas } from '../../../src/domain/access/object-quotas.ts';
import { createAccount } from '../../../src/engine/admin/accounts/change-accounts.ts';
import { changeChannel, createChannel, deleteChannel } from '../../../src/engine/admin/channels/change-channels.ts';
import { createKey, revokeOneKey } from '../../../src/engine/admin/keys/change-keys.ts';
import { limitedDirectory } from '../../../src/engine/admin/quotas/limited-directory.ts';
import { failureOf } from '../../../src/engine/admin/testing/failure-of.ts';
import { FakeClock } from '../../../src/engine/admin/testing/fake-clock.ts';
import { testProviders } from '../../../src/engine/admin/testing/test-providers.ts';
import { closeTestStores } from '../../../src/stores/sqlite/testing/test-store.ts';
import { openTrailedStore, type TestStore } from '../../../src/stores/sqlite/testing/trailed-store.ts';

const MODELS = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

let store: TestStore;
let clock: FakeClock;

beforeEach(async () => {
  store = await openTrailedStore();
  clock = new FakeClock();
  await createAccount(store, clock, { id: 'acme' });
  await createAccount(store, clock, { id: 'globex' });
});
afterEach(closeTestStores);

const directory = (quotas: Partial<ObjectQuotas>, accountId = 'acme') =>
  limitedDirectory(store.directory, { accountId, usual: { ...DEFAULT_QUOTAS, ...quotas } });
const key = (quotas: Partial<ObjectQuotas>, kind: 'inference' | 'management' = 'inference', input: object = {}) =>
  createKey(directory(quotas), clock, { accountId: 'acme', kind }, input);
const channel = (quotas: Partial<ObjectQuotas>, id: string, models: number, owner = 'acme') =>
  createChannel(directory(quotas, owner), testProviders, {
    ...{ id, owner, provider: 'openai', api_key: 'upstream-key-of-thirty-characters' },
    models: MODELS.slice(0, models),
  });

test('concurrent creation stops at the quota of the account', async () => {
  const made = await Promise.allSettled([
    ...Array.from({ length: 25 }, () => key({ keys: 7, managementTokens: 3 })),
    ...Array.from({ length: 25 }, () => key({ keys: 7, managementTokens: 3 }, 'management', { scopes: ['keys:read'] })),
    ...Array.from({ length: 25 }, (_, index) => channel({ channels: 5 }, `ch-${index}`, 1)),
  ]);
  const { credentials, channels } = await store.directory.read('all');
  const ofKind = (wanted: string) => credentials.filter(({ kind }) => kind === wanted).length;
  expect([ofKind('inference'), ofKind('management'), channels.length]).toEqual([7, 3, 5]);
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(15);
});

test('the refusal names the quota, its limit and what to do', async () => {
  await key({ keys: 1 });
  const error = await failureOf(key({ keys: 1 }));
  expect([error.code, error.field, error.message]).toEqual([
    'conflict',
    'keys',
    'keys: the account may have 1 API keys: revoke one that is not needed, or ask an admin to raise the account\'s quota "keys"',
  ]);
});

test('a revoked key frees its place, up to a limit', async () => {
  for (let count = 0; count < 10; count += 1) {
    const { credential } = await key({ keys: 1 });
    await revokeOneKey(store.directory, clock, credential);
  }
  expect((await failureOf(key({ keys: 1 }))).message).toContain('has created 10 in total, including revoked ones');
});

test('a change of a key, or a repeated request, does not count as another key', async () => {
  await key({ keys: 1 }, 'inference', { id: 'ci' });
  expect(await key({ keys: 1 }, 'inference', { id: 'ci' })).toMatchObject({ secret: null });
});

test('models count over all channels of the account, created or changed', async () => {
  const quotas = { channelModels: 5 };
  await channel(quotas, 'one', 3);
  expect((await failureOf(channel(quotas, 'two', 3))).field).toBe('channel_models');
  await channel(quotas, 'two', 2);
  await channel(quotas, 'other', 5, 'globex');
  const change = (id: string, models: number, limit = quotas) =>
    changeChannel(directory(limit), testProviders, id, { models: MODELS.slice(0, models) }, { accountId: 'acme' });
  expect((await failureOf(change('two', 3))).field).toBe('channel_models');
  await change('one', 2);
  await change('two', 3);
  // An account that exceeds a lowered limit may still remove objects.
  await change('two', 2, { channelModels: 1 });
  await deleteChannel(directory(quotas), 'one', 'acme');
  await channel(quotas, 'three', 3);
});

test('the quotas of an account override the defaults, and an operator account has none', async () => {
  await createAccount(store, clock, { id: 'large', quotas: { keys: 2 } });
  await createAccount(store, clock, { id: 'house', admin: true });
  const make = (accountId: string) =>
    createKey(directory({ keys: 1 }, accountId), clock, { accountId, kind: 'inference' }, {});
  for (const accountId of ['large', 'large', 'house', 'house']) await make(accountId);
  expect((await failureOf(make('large'))).message).toContain('may have 2 API keys');
});
