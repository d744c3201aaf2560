import { expect, test } from 'bun:test';
import type { NamedIds } from '../ports/directory-store.ts';
import { Names, named, namedPage } from './names.ts';

/** A directory in which every name is known, and which records what was read. */
function directory() {
  const read: NamedIds[] = [];
  const names = async (ids: NamedIds) => {
    read.push(ids);
    return {
      accounts: ids.accounts.map((id) => ({ id, name: `Account ${id}` })),
      channels: ids.channels.map((id) => ({ id, name: `Channel ${id}`, owner: id === 'of-globex' ? 'globex' : null })),
      keys: ids.keys.map(({ accountId, id }) => ({ accountId, id, name: `Key ${id} of ${accountId}` })),
    };
  };
  return { read, names };
}

test('each id of a view has its name, read once for a whole page', async () => {
  const source = directory();
  const page = {
    items: [
      { account: 'acme', channel: 'a', key: 'ci' },
      { account: 'globex', channel: 'a', key: 'ci' },
      { account: 'acme', channel: null, key: null },
    ],
    next: 'more',
  };
  expect(await namedPage(source, page, (item) => item)).toEqual({
    items: [
      {
        ...{ account: 'acme', channel: 'a', key: 'ci' },
        ...{ account_name: 'Account acme', channel_name: 'Channel a', key_name: 'Key ci of acme' },
      },
      {
        ...{ account: 'globex', channel: 'a', key: 'ci' },
        ...{ account_name: 'Account globex', channel_name: 'Channel a', key_name: 'Key ci of globex' },
      },
      {
        ...{ account: 'acme', channel: null, key: null },
        ...{ account_name: 'Account acme', channel_name: null, key_name: null },
      },
    ],
    next: 'more',
  });
  const [acme, globex] = ['acme', 'globex'].map((accountId) => ({ accountId, id: 'ci' }));
  expect(source.read).toEqual([{ accounts: ['acme', 'globex'], channels: ['a'], keys: [acme, globex] } as NamedIds]);
});

test('a view gets no names of ids that it does not have, and nothing is read without ids', async () => {
  const source = directory();
  expect(await named(source, { account: null })).toEqual({ account: null, account_name: null });
  expect(source.read).toEqual([]);
});

test('a deleted object has no name', async () => {
  const none = { names: async () => ({ accounts: [], channels: [], keys: [] }) };
  const view = { account: 'acme', channel: 'a', key: 'ci' };
  expect(await named(none, view)).toEqual({ ...view, account_name: null, channel_name: null, key_name: null });
});

test('the name of a channel is not shown to an account that does not own it any more', async () => {
  const source = directory();
  const moved = { channel: 'of-globex' };
  const names = await Names.of(source, [moved], null);
  expect(names.in(moved, 'acme').channel_name).toBeNull();
  expect(names.in(moved, 'globex').channel_name).toBe('Channel of-globex');
  expect(names.in(moved, null).channel_name).toBe('Channel of-globex');
});

test('keys of views without an account are those of the given account', async () => {
  const source = directory();
  const names = await Names.of(source, [{ key: 'ci' }], 'acme');
  expect(names.in({ key: 'ci' }, 'acme')).toEqual({ key: 'ci', key_name: 'Key ci of acme' });
  expect(names.in({ key: 'ci' })).toEqual({ key: 'ci', key_name: null });
});
