import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { Requester } from '../../../domain/access/actor.ts';
import { sampleAccount, sampleCharge, sampleCredential, sampleRecord } from '../../../engine/ports/testing/samples.ts';
import { closeTestStores } from '../../../stores/sqlite/testing/test-store.ts';
import { ManagementFixture, OPERATOR, token } from '../testing/management-fixture.ts';
import { keyRoutes } from './keys.ts';
import { tokenRoutes } from './tokens.ts';

const DAY_MS = 86_400_000;
const ACME = token('acme');

let management: ManagementFixture;

beforeEach(async () => {
  management = await ManagementFixture.open((fixture) => [...keyRoutes(fixture), ...tokenRoutes(fixture)]);
  const { store, clock } = management;
  await store.directory.write('all', (writer) => {
    writer.putAccount(sampleAccount({ id: 'acme' }));
    writer.putAccount(sampleAccount({ id: 'other' }));
    const names = ['Search', 'batch', 'Search nightly', 'idle', 'ended'];
    for (const [index, name] of names.entries()) {
      const times = { createdAtMs: index, revokedAtMs: name === 'ended' ? 1 : null };
      writer.putCredential(sampleCredential({ accountId: 'acme', id: `k${index}`, name, ...times }));
    }
    writer.putCredential(sampleCredential({ accountId: 'other', id: 'k0', name: 'Search of others' }));
  });
  const charge = (accountId: string, keyId: string, days: number, costNanoUsd: bigint) => {
    const requestId = `${accountId} ${keyId} ${days}`;
    const atMs = clock.nowMs() - days * DAY_MS;
    return store.ledger.charge(sampleCharge({ requestId, accountId, keyId, costNanoUsd, atMs }));
  };
  await charge('acme', 'k0', 1, 1_000_000_000n);
  await charge('acme', 'k0', 30, 9_000_000_000n);
  await charge('acme', 'k1', 2, 3_000_000_000n);
  await charge('acme', 'k2', 8, 5_000_000_000n);
  await charge('other', 'k0', 1, 7_000_000_000n);
});
afterEach(closeTestStores);

const list = async (query: string, requester: Requester = ACME) =>
  (await management.ask(requester, `GET /keys?${query}`)).body;
const idsOf = async (query: string) => (await list(query)).data.map(({ id }: { id: string }) => id);

test('keys are sorted by recent and by total spending, over all pages', async () => {
  expect(await idsOf('sort=spent_7d')).toEqual(['k1', 'k0', 'k2', 'k3', 'k4']);
  expect(await idsOf('sort=spent_7d&order=asc')).toEqual(['k2', 'k3', 'k4', 'k0', 'k1']);
  expect(await idsOf('sort=spent')).toEqual(['k0', 'k2', 'k1', 'k3', 'k4']);
  expect(await idsOf('sort=name')).toEqual(['k1', 'k4', 'k3', 'k0', 'k2']);
  const first = await list('sort=spent_7d&limit=2');
  expect(first.data).toMatchObject([
    { id: 'k1', spent_7d_usd: '3', spent_usd: '3' },
    { id: 'k0', spent_7d_usd: '1', spent_usd: '10' },
  ]);
  expect((await list(`sort=spent_7d&limit=2&after=${first.next}`)).data).toMatchObject([
    { id: 'k2', spent_7d_usd: '0', spent_usd: '5' },
    { id: 'k3', spent_7d_usd: '0', spent_usd: '0' },
  ]);
  const wrong = await list(`sort=name&after=${first.next}`);
  expect(wrong.error).toMatchObject({ code: 'invalid_value', param: 'after' });
  expect((await list(`after=${first.next}&sort=created_at`)).error).toMatchObject({ param: 'after' });
});

test('keys are searched and filtered by state', async () => {
  expect(await idsOf('q=search')).toEqual(['k0', 'k2']);
  expect(await idsOf('q=search&order=desc')).toEqual(['k2', 'k0']);
  expect(await idsOf('q=search&state=revoked')).toEqual([]);
  expect(await idsOf('state=revoked')).toEqual(['k4']);
  expect(await idsOf('state=active&sort=name&order=desc')).toEqual(['k2', 'k0', 'k3', 'k1']);
  expect((await list('sort=spent', OPERATOR)).error).toMatchObject({ code: 'invalid_value', param: 'account_id' });
  const all = await management.ask(OPERATOR, 'GET /keys?limit=100');
  expect(all.body.data.map((key: any) => [key.account, key.id, key.spent_7d_usd])).toContainEqual(['other', 'k0', '7']);
});

test('a key names its creator; members learn only names of their own account', async () => {
  const made = await management.ask(ACME, 'POST /keys', { name: 'By token' });
  expect(made.body.created_by).toEqual({ type: 'token', id: 'acme/t', name: null });
  await management.ask(ACME, 'POST /tokens', { id: 't', name: 'Deploys', scopes: ['*'] });
  expect((await management.ask(ACME, `GET /keys/${made.body.id}`)).body.created_by).toMatchObject({ name: 'Deploys' });

  await management.store.people.addFirstInvitation(
    {
      ...{ id: 'inv', purpose: 'first_operator', email: null, provesEmail: false, accountId: null, role: null },
      ...{ operator: true, userId: null, createdBy: 'gateway', createdAtMs: 0, expiresAtMs: Number.MAX_SAFE_INTEGER },
      ...{ usedAtMs: null, usedBy: null, revokedAtMs: null },
    },
    'hash',
  );
  const newUser = { id: OPERATOR.userId, email: OPERATOR.email, name: 'Op', passwordHash: 'x' };
  await management.store.people.accept({ tokenHash: 'hash', atMs: 1, person: { newUser } });
  const { body } = await management.ask(OPERATOR, 'POST /keys?account_id=acme', { name: 'By operator' });
  expect(body.created_by).toEqual({ type: 'user', id: OPERATOR.userId, name: 'Op' });
  const seen = await management.ask(ACME, `GET /keys/${body.id}`);
  expect(seen.body.created_by).toEqual({ type: 'user', id: OPERATOR.userId, name: null });
  expect((await list('q=idle')).data).toMatchObject([{ id: 'k3', created_by: null }]);
  const rotated = await management.ask(ACME, `POST /keys/${body.id}/rotate`);
  expect(rotated.body.created_by).toMatchObject({ id: OPERATOR.userId });
});

test('usage that is rolled up or not yet counts alike', async () => {
  const { store, clock } = management;
  await store.usage.roll(1_000);
  const ids = { requestId: 'fresh', accountId: 'acme', keyId: 'k3', atMs: clock.nowMs() };
  await store.ledger.charge(sampleCharge({ ...ids, costNanoUsd: 2_000_000_000n }));
  store.requestLog.append(sampleRecord(ids));
  await store.requestLog.flush();
  expect(await idsOf('sort=spent_7d')).toEqual(['k1', 'k3', 'k0', 'k2', 'k4']);
});

test('keys are found by a part of their name, id or preview, page by page, and only within the account of a token', async () => {
  const other = await ManagementFixture.open((fixture) => keyRoutes(fixture));
  await other.store.directory.write('all', (writer) => {
    for (const [accountId, id, name, preview] of [
      ['acme', 'one', 'Build bot', 'sk-ab…9zQ4'],
      ['acme', 'two', 'Reports', 'sk-cd…1111'],
      ['shop', 'bot', 'Storefront', 'sk-ef…2222'],
    ] as const) {
      writer.putAccount(sampleAccount({ id: accountId }));
      writer.putCredential(sampleCredential({ accountId, id, name, preview, secretHash: `hash-${id}` }));
    }
    const tokenOfAcme = { accountId: 'acme', kind: 'management', id: 'bot', secretHash: 'hash-token' } as const;
    writer.putCredential(sampleCredential(tokenOfAcme));
  });
  const listAll = async (query: string, who: Requester = OPERATOR) => (await other.ask(who, `GET /keys?${query}`)).body;
  const found = async (query: string) => (await listAll(query)).data.map(({ id }: { id: string }) => id);

  expect(await found('q=BOT')).toEqual(['one', 'bot']);
  expect([await found('q=9zq4'), await found('q=bot&account_id=shop'), await found('q=%25')]).toEqual([
    ['one'],
    ['bot'],
    [],
  ]);
  const page = await listAll('q=bot&limit=1');
  expect(page.data).toMatchObject([{ id: 'one' }]);
  expect(await listAll(`q=bot&limit=1&after=${page.next}`)).toMatchObject({ data: [{ id: 'bot' }], next: null });
  expect((await listAll('q=bot', token('acme'))).data).toMatchObject([{ id: 'one' }]);
  expect((await listAll('q=')).error).toMatchObject({ code: 'invalid_value', param: 'q' });
});
