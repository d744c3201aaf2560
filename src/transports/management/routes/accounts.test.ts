import { afterEach, expect, test } from 'bun:test';
import { sampleAccount, sampleCharge, sampleCredential } from '../../../engine/ports/testing/samples.ts';
import { closeTestStores } from '../../../stores/sqlite/testing/test-store.ts';
import { ManagementFixture, OPERATOR } from '../testing/management-fixture.ts';
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
