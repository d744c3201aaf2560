import { expect, test } from 'bun:test';
import { isTag } from '../../domain/usage/request-tags.ts';
import { EndUsers } from './end-users.ts';

const key = new Uint8Array(32).fill(7);
const LONG = 'x'.repeat(10_000);

test('a hash is a valid tag value that depends on the name, the account and the key', () => {
  const users = new EndUsers('hashed', key);
  const hash = users.stored('acme', 'ann');
  expect(hash).toMatch(/^eu_[0-9a-f]{16}$/);
  expect(users.stored('acme', 'ann')).toBe(hash);
  expect(users.stored('acme', 'Ann')).not.toBe(hash);
  expect(users.stored('other', 'ann')).not.toBe(hash);
  expect(new EndUsers('hashed', new Uint8Array(32)).stored('acme', 'ann')).not.toBe(hash);
  expect(isTag(`end_user=${users.stored('acme', LONG)}`)).toBe(true);
  expect(users.stored('acme', LONG)).not.toBe(users.stored('acme', `${LONG}!`));
});

test('account and name cannot be confused', () => {
  const users = new EndUsers('hashed', key);
  expect(users.stored('a', 'b"c')).not.toBe(users.stored('a"b', 'c'));
});

test.each([
  ['hashed', [`end_user=${new EndUsers('hashed', key).stored('acme', 'ann')}`, 'team=red', 'user_id=u1']],
  ['plain', ['end_user=ann', 'team=red', 'user_id=u1']],
  ['off', ['team=red', 'user_id=u1']],
] as const)('tags of the header with end users %s', (storage, stored) => {
  const users = new EndUsers(storage, key);
  expect(users.storedTags('acme', ['end_user=ann', 'team=red', 'user_id=u1'])).toEqual([...stored]);
});

test.each([
  ['hashed', ['team=red']],
  ['plain', ['team=red', 'user_id=u1']],
  ['off', ['team=red']],
] as const)('the user_id of metadata with end users %s', (storage, stored) => {
  expect(new EndUsers(storage, key).storedLabels('acme', ['team=red', 'user_id=u1'])).toEqual([...stored]);
});
