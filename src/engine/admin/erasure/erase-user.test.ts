import { expect, test } from 'bun:test';
import type { AuditEntry } from '../../ports/audit-log.ts';
import { personHider } from './erase-user.ts';

const hide = personHider({
  userId: 'user_a1',
  email: 'ann@example.com',
  names: ['Mark', 'Ann (née) Example'],
  pseudonym: 'erased-0a1b2c3d',
});

const ENTRY: AuditEntry = {
  sequence: 7,
  atMs: 1,
  actor: { kind: 'command_line', id: null, name: 'root' },
  address: '192.0.2.1',
  requestId: null,
  action: 'account.change',
  accountId: 'acme',
  objectId: 'acme',
  before: null,
  after: null,
};
const after = (words: AuditEntry['after']) => hide({ ...ENTRY, after: words })?.after;

test('entries of the person lose id, name and client address, and those of others keep theirs', () => {
  const own = hide({ ...ENTRY, actor: { kind: 'person', id: 'user_a1', name: 'ann@example.com' } });
  const hidden = 'erased-0a1b2c3d';
  expect(own).toEqual({ ...ENTRY, actor: { kind: 'person', id: hidden, name: hidden }, address: hidden });
  expect(hide({ ...ENTRY, objectId: 'user_a1' })).toEqual({ ...ENTRY, objectId: hidden });
  expect(hide(ENTRY)).toBeNull();
});

test('the email address is hidden in either case and at any depth, but not within a longer one', () => {
  expect(after({ a: [{ b: 'to Ann@Example.com.' }], n: 1, made_by: 'user:user_a1' })).toEqual({
    a: [{ b: 'to erased-0a1b2c3d.' }],
    n: 1,
    made_by: 'user:erased-0a1b2c3d',
  });
  for (const other of ['joann@example.com', 'ann@example.com.au', 'x.ann@example.com', 'user_a12'])
    expect(after({ mail: other })).toBeUndefined();
});

test('a name of several words is hidden everywhere, and a single word only beside the person', () => {
  expect(after({ name: 'Ann (née) Example’s team' })).toEqual({ name: 'erased-0a1b2c3d’s team' });
  expect(after({ name: 'Mark' })).toBeUndefined();
  expect(after({ name: 'Mark', title: 'Markus', email: 'ann@example.com' })).toEqual({
    name: 'erased-0a1b2c3d',
    title: 'Markus',
    email: 'erased-0a1b2c3d',
  });
});
