import { expect, test } from 'bun:test';
import type { AuditEntry } from '../../ports/audit-log.ts';
import { accountHider } from './erase-account.ts';

const hidden = 'erased-0a1b2c3d';
const hide = accountHider({ accountId: 'acme', names: ['Acme Trading', 'Acme'], pseudonym: hidden });

const ENTRY: AuditEntry = {
  sequence: 7,
  atMs: 1,
  actor: { kind: 'person', id: 'user_a1', name: 'op@example.com' },
  address: '192.0.2.1',
  requestId: null,
  action: 'key.change',
  accountId: 'acme',
  objectId: 'ci',
  before: null,
  after: null,
};

test('own entries keep ids, amounts, times and settings; every other text is hidden at any depth', () => {
  const before = {
    ...{ id: 'ci', account_id: 'acme', role: 'User', amount_usd: '-12.50', at: '2026-01-01T00:00:00Z', admin: false },
    ...{ name: 'Laptop', note: 'order', models: ['for Ann'], budget: { usd: '5', per: 'day', reason: 'Ann' } },
  };
  expect(hide({ ...ENTRY, before })).toEqual({
    ...ENTRY,
    address: hidden,
    before: {
      ...before,
      ...{ name: hidden, note: hidden, models: [hidden], budget: { usd: '5', per: 'day', reason: hidden } },
    },
  });
});

test('a token of the account loses its name wherever it acted, and persons keep theirs', () => {
  const actor = { kind: 'token', id: 'acme/ops', name: 'Laptop of Ann' } as const;
  const elsewhere = { ...ENTRY, accountId: 'other', actor };
  expect(hide(elsewhere)).toEqual({ ...elsewhere, actor: { ...actor, name: hidden }, address: hidden });
  expect(hide({ ...elsewhere, actor: { ...actor, id: 'acme2/ops' } })).toBeNull();
  expect(hide(ENTRY)?.actor).toEqual(ENTRY.actor);
});

test('other entries hide a name of several words and keep a single word', () => {
  const after = { text: 'moved from Acme Trading to Acme' };
  expect(hide({ ...ENTRY, accountId: null, after })?.after).toEqual({ text: `moved from ${hidden} to Acme` });
  expect(hide({ ...ENTRY, accountId: 'other', after: { text: 'Acme Tradings' } })).toBeNull();
});
