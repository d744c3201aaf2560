import { afterEach, expect, test } from 'bun:test';
import { sampleAccount, sampleCharge, sampleCredential, sampleRecord } from '../../../engine/ports/testing/samples.ts';
import { closeTestStores } from '../../../stores/sqlite/testing/test-store.ts';
import { ManagementFixture, OPERATOR, token } from '../testing/management-fixture.ts';
import { accountRoutes } from './accounts.ts';

afterEach(closeTestStores);

test('the list is filtered, and has figures on request', async () => {
  const management = await ManagementFixture.open((fixture) => accountRoutes(fixture));
  const { store, clock } = management;
  await store.directory.write('all', (writer) => {
    writer.putAccount(sampleAccount({ id: 'acme', name: 'Acme' }));
    writer.putAccount(sampleAccount({ id: 'shop', name: 'Corner of Acme', role: 'VIP' }));
    writer.putAccount(sampleAccount({ id: 'old', name: 'Old', archivedAtMs: 1 }));
    writer.putCredential(sampleCredential({ accountId: 'acme' }));
  });
  const charge = (requestId: string, days: number, costNanoUsd: bigint) =>
    store.ledger.charge(
      sampleCharge({ accountId: 'acme', requestId, costNanoUsd, atMs: clock.nowMs() - days * 86_400_000 }),
    );
  await charge('new', 0, 250_000_000n);
  await charge('recent', 29, 1_000_000_000n);
  await charge('long-ago', 31, 5_000_000_000n);
  const list = async (query: string) => (await management.ask(OPERATOR, `GET /accounts?${query}`)).body;
  const idsOf = async (query: string) => (await list(query)).data.map(({ id }: { id: string }) => id);

  expect([await idsOf('q=aCME'), await idsOf('q=acme&role=VIP'), await idsOf('state=archived')]).toEqual([
    ['acme', 'shop'],
    ['shop'],
    ['old'],
  ]);
  const page = await list('q=acme&limit=1&figures=true');
  expect(page.data).toMatchObject([{ id: 'acme', keys: 1, members: 0, spent_30d_usd: '1.25' }]);
  expect(await list(`q=acme&limit=1&figures=true&after=${page.next}`)).toMatchObject({
    data: [{ id: 'shop', keys: 0, members: 0, spent_30d_usd: '0' }],
    next: null,
  });
  expect((await list('q=acme')).data[0]).not.toHaveProperty('keys');
  expect((await list('role=King')).error).toMatchObject({ code: 'invalid_value', param: 'role' });
});

test('accounts are sorted over all pages, with last activity and margin', async () => {
  const management = await ManagementFixture.open((fixture) => accountRoutes(fixture));
  const { store, clock } = management;
  const nowMs = clock.nowMs();
  await store.directory.write('all', (writer) => {
    for (const id of ['a', 'b', 'c', 'd']) writer.putAccount(sampleAccount({ id, name: `Account ${id}` }));
  });
  const spend = async (accountId: string, costNanoUsd: bigint, upstreamCostNanoUsd?: bigint) => {
    const ids = { requestId: `r-${accountId}`, accountId, keyId: 'ci', atMs: nowMs };
    await store.ledger.charge(sampleCharge({ ...ids, costNanoUsd }));
    const cost = upstreamCostNanoUsd === undefined ? {} : { upstreamCostNanoUsd };
    store.requestLog.append(sampleRecord({ ...ids, latencyMs: 0, costNanoUsd, ...cost }));
    await store.requestLog.flush();
  };
  await spend('a', 2_000_000_001n, 1_500_000_000n);
  await spend('b', 3_000_000_000n);
  await spend('c', 1_000_000_000n, 4_000_000_000n);
  await store.keyUse.write([{ accountId: 'c', kind: 'inference', id: 'ci', lastUsedAtMs: nowMs }]);
  const list = async (query: string) => (await management.ask(OPERATOR, `GET /accounts?${query}`)).body;
  const idsOf = async (query: string) => (await list(query)).data.map(({ id }: { id: string }) => id);

  expect(await idsOf('sort=spent_30d')).toEqual(['b', 'a', 'c', 'd']);
  expect(await idsOf('sort=balance&order=asc')).toEqual(['b', 'a', 'c', 'd']);
  expect(await idsOf('sort=last_active_at')).toEqual(['c', 'a', 'b', 'd']);
  expect(await idsOf('sort=name&order=desc&q=account')).toEqual(['d', 'c', 'b', 'a']);
  const page = await list('sort=spent_30d&figures=true&limit=3');
  expect(page.data).toMatchObject([
    { id: 'b', spent_30d_usd: '3', upstream_cost_30d_usd: null, margin_30d_usd: null, uncosted_requests_30d: 1 },
    { id: 'a', upstream_cost_30d_usd: '1.5', margin_30d_usd: '0.500000001', uncosted_requests_30d: 0 },
    { id: 'c', margin_30d_usd: '-3', last_active_at: new Date(nowMs).toISOString().replace('.000Z', 'Z') },
  ]);
  expect((await list(`sort=spent_30d&figures=true&limit=3&after=${page.next}`)).data).toMatchObject([
    { id: 'd', spent_30d_usd: '0', margin_30d_usd: '0', last_active_at: null },
  ]);
  expect((await list(`sort=name&after=${page.next}`)).error).toMatchObject({ param: 'after' });
});

test('an owner changes the billing details within bounds, and nothing else', async () => {
  const management = await ManagementFixture.open((fixture) => accountRoutes(fixture));
  await management.store.directory.write('all', (writer) =>
    writer.putAccount(sampleAccount({ id: 'acme', origin: 'operator' })),
  );
  const owner = token('acme');
  const change = (billing_details: unknown) => management.ask(owner, 'PATCH /account', { billing_details });
  const details = { name: 'Acme GmbH', address: ['Weg 1', '10115 Berlin'], tax_id: 'DE123', email: 'Pay@Acme.example' };
  expect((await change(details)).body.billing_details).toEqual({ ...details, email: 'pay@acme.example' });
  expect((await change({ address: [] })).body.billing_details).toBeNull();
  await change(details);
  for (const [wrong, param] of [
    [{ address: Array.from({ length: 7 }, () => 'x') }, 'billing_details.address'],
    [{ address: ['two\nlines'] }, 'billing_details.address[0]'],
    [{ name: 'x'.repeat(201) }, 'billing_details.name'],
    [{ email: 'nobody' }, 'billing_details.email'],
    [{ iban: 'x' }, 'billing_details.iban'],
  ] as const)
    expect((await change(wrong)).body.error).toMatchObject({ code: 'invalid_value', param });
  expect((await management.ask(owner, 'PATCH /account', { billing: 'unlimited' })).status).toBe(400);
  expect((await change(null)).body.billing_details).toBeNull();
  const [entry] = await management.store.audit.page({ accountId: 'acme', order: 'newest', after: null, limit: 1 });
  expect(entry).toMatchObject({ action: 'account.change', after: { billing_details: null } });
});
