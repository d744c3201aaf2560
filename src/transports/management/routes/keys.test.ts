import { afterEach, expect, test } from 'bun:test';
import { sampleAccount, sampleCredential } from '../../../engine/ports/testing/samples.ts';
import { closeTestStores } from '../../../stores/sqlite/testing/test-store.ts';
import { ManagementFixture, OPERATOR, token } from '../testing/management-fixture.ts';
import { keyRoutes } from './keys.ts';

afterEach(closeTestStores);

test('keys are found by a part of their name, id or preview, page by page, and only within the account of a token', async () => {
  const management = await ManagementFixture.open((fixture) => keyRoutes(fixture));
  await management.store.directory.write('all', (writer) => {
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
  const list = async (query: string, who = OPERATOR as Parameters<typeof management.ask>[0]) =>
    (await management.ask(who, `GET /keys?${query}`)).body;
  const idsOf = async (query: string) => (await list(query)).data.map(({ id }: { id: string }) => id);

  expect(await idsOf('q=BOT')).toEqual(['one', 'bot']);
  expect([await idsOf('q=9zq4'), await idsOf('q=bot&account_id=shop'), await idsOf('q=%25')]).toEqual([
    ['one'],
    ['bot'],
    [],
  ]);
  const page = await list('q=bot&limit=1');
  expect(page.data).toMatchObject([{ id: 'one' }]);
  expect(await list(`q=bot&limit=1&after=${page.next}`)).toMatchObject({ data: [{ id: 'bot' }], next: null });
  expect((await list('q=bot', token('acme'))).data).toMatchObject([{ id: 'one' }]);
  expect((await list('q=')).error).toMatchObject({ code: 'invalid_value', param: 'q' });
});
