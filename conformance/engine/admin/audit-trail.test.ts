import { afterEach, beforeEach, expect, test } from 'bun:test';
import { changeAccount, createAccount } from '../../../src/engine/admin/accounts/change-accounts.ts';
import { AdminError } from '../../../src/engine/admin/admin-error.ts';
import { auditedDirectory, localOrigin } from '../../../src/engine/admin/audit/audit-trail.ts';
import { credentialState, etagOf } from '../../../src/engine/admin/audit/object-states.ts';
import { changeChannel, createChannel } from '../../../src/engine/admin/channels/change-channels.ts';
import { changeKey, createKey, revokeOneKey, rotateKey } from '../../../src/engine/admin/keys/change-keys.ts';
import { existingKey } from '../../../src/engine/admin/keys/read-keys.ts';
import { failureOf } from '../../../src/engine/admin/testing/failure-of.ts';
import { FakeClock } from '../../../src/engine/admin/testing/fake-clock.ts';
import { testProviders } from '../../../src/engine/admin/testing/test-providers.ts';
import type { DirectoryStore } from '../../../src/engine/ports/directory-store.ts';
import { closeTestStores } from '../../../src/stores/sqlite/testing/test-store.ts';
import { openTrailedStore, type TestStore } from '../../../src/stores/sqlite/testing/trailed-store.ts';

const KEY = { accountId: 'acme', kind: 'inference', id: 'ci' } as const;
const ORIGIN = localOrigin({ kind: 'command_line', name: 'root' });

let store: TestStore;
const clock = new FakeClock();

beforeEach(async () => {
  store = await openTrailedStore();
});
afterEach(closeTestStores);

const directory = (ifMatch?: string): DirectoryStore =>
  auditedDirectory(store.directory, { origin: ORIGIN, clock, ifMatch });
const entries = () => store.audit.page({ order: 'oldest', after: null, limit: 100 });
const makeKey = async () => {
  await createAccount({ ...store, directory: directory() }, clock, { id: 'acme' });
  return createKey(directory(), clock, KEY, { id: 'ci', name: 'CI' });
};

test('each change is recorded with its state before and after, without secrets', async () => {
  const { secret } = await makeKey();
  await changeAccount(directory(), 'acme', { role: 'VIP' });
  await changeKey(directory(), clock, KEY, { limit_usd: '5' });
  const rotated = await rotateKey(directory(), clock, KEY);
  await revokeOneKey(directory(), clock, KEY);
  const channel = { id: 'main', provider: 'openai', api_key: 'upstream-secret-0123456789', models: { m: 'm' } };
  await createChannel(directory(), testProviders, channel);
  await changeChannel(directory(), testProviders, 'main', { api_key: 'other-secret-0123456789' });
  const told = await entries();
  expect(told.map(({ action, objectId, accountId }) => [action, objectId, accountId])).toEqual([
    ['account.create', 'acme', 'acme'],
    ['key.create', 'ci', 'acme'],
    ['account.change', 'acme', 'acme'],
    ['key.change', 'ci', 'acme'],
    ['key.rotate', 'ci', 'acme'],
    ['key.revoke', 'ci', 'acme'],
    ['channel.create', 'main', null],
    ['channel.change', 'main', null],
  ]);
  expect(told[2]).toMatchObject({ ...ORIGIN, before: { role: 'User' }, after: { role: 'VIP' } });
  expect(told[3]).toMatchObject({ before: { limit_usd: null }, after: { limit_usd: '5' } });
  for (const word of [secret ?? '', rotated.secret, 'upstream-secret', 'other-secret']) {
    expect(JSON.stringify(told)).not.toContain(word);
  }
});

test('a change that fails or has no effect is not recorded', async () => {
  await makeKey();
  const before = (await entries()).length;
  await changeKey(directory(), clock, KEY, { name: 'CI' });
  await failureOf(changeKey(directory(), clock, KEY, { limit_usd: '-1' }));
  await failureOf(
    directory().write({ accounts: ['acme'] }, (writer) => {
      for (const account of writer.read().accounts) writer.putAccount({ ...account, name: 'Other' });
      throw new AdminError('conflict', 'x', 'later');
    }),
  );
  expect(await entries()).toHaveLength(before);
});

test('a change with a stale ETag is refused', async () => {
  await makeKey();
  const etag = etagOf(credentialState(await existingKey(store.directory, KEY)));
  await changeKey(directory(etag), clock, KEY, { name: 'One' });
  const error = await failureOf(changeKey(directory(etag), clock, KEY, { name: 'Two' }));
  expect(error).toMatchObject({ code: 'stale', field: 'If-Match' });
  expect((await existingKey(store.directory, KEY)).name).toBe('One');
  await changeKey(directory('*'), clock, KEY, { name: 'Three' });
});
