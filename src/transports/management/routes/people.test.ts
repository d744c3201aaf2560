import { afterEach, expect, test } from 'bun:test';
import { sampleAccount } from '../../../engine/ports/testing/samples.ts';
import { DEFAULT_SIGN_IN } from '../../../engine/settings/settings.ts';
import { sampleInvitation } from '../../../stores/shared/testing/people-contract.ts';
import { closeTestStores } from '../../../stores/sqlite/testing/test-store.ts';
import { ManagementFixture, OPERATOR, token } from '../testing/management-fixture.ts';
import { invitationRoutes } from './invitations.ts';
import { peopleRoutes } from './people.ts';

afterEach(closeTestStores);

test('users are sorted over all pages, with the names of their accounts and their last activity', async () => {
  const management = await ManagementFixture.open(({ store, clock }) => {
    const passwords = { hash: async () => '', verify: async () => false };
    const { people, directory, lists } = store;
    const branding = async () => ({ name: 'Gateway', supportUrl: null });
    const ports = { people, directory, lists, clock, settings: DEFAULT_SIGN_IN, mailer: null, branding, passwords };
    return [...peopleRoutes(ports), ...invitationRoutes(ports)];
  });
  const { store, clock } = management;
  await store.directory.write('all', (writer) => {
    writer.putAccount(sampleAccount({ id: 'acct_1', name: 'Halyard Robotics' }));
    writer.putAccount(sampleAccount({ id: 'acct_2', name: 'Corner Shop' }));
  });
  const nowMs = clock.nowMs();
  const times = { createdAtMs: nowMs, expiresAtMs: nowMs + 86_400_000 };
  const join = async (id: string, name: string, accountId: string) => {
    const email = `${id}@example.com`;
    const invitation = sampleInvitation({ id: `inv_${id}`, email, accountId, createdBy: 'user:a', ...times });
    await store.people.addInvitation(invitation, `hash-${id}`);
    const person = { newUser: { id, email, name, passwordHash: 'x' } };
    await store.people.accept({ tokenHash: `hash-${id}`, atMs: nowMs, person });
  };
  await join('a', 'Zoe', 'acct_1');
  await join('b', 'Ann', 'acct_2');
  await join('c', 'mia', 'acct_1');
  await store.people.noteActivity('b', nowMs);
  const list = async (query: string) => (await management.ask(OPERATOR, `GET /users?${query}`)).body;

  expect((await list('')).data.map(({ id }: any) => id)).toEqual(['a', 'b', 'c']);
  const page = await list('sort=name&limit=2');
  expect(page.data).toMatchObject([
    { name: 'Ann', memberships: [{ account: 'acct_2', name: 'Corner Shop', role: 'member' }] },
    { name: 'mia', last_active_at: null },
  ]);
  expect((await list(`sort=name&limit=2&after=${page.next}`)).data).toMatchObject([{ name: 'Zoe' }]);
  expect((await list('sort=last_active_at')).data.map(({ id }: any) => id)).toEqual(['b', 'a', 'c']);
  expect((await list('sort=last_active_at&account_id=acct_1&search=m')).data).toMatchObject([{ id: 'a' }, { id: 'c' }]);
  expect((await list('sort=role')).error).toMatchObject({ param: 'sort' });
  const one = await management.ask(OPERATOR, 'GET /users/b');
  expect(one.body).toMatchObject({ last_active_at: expect.any(String), memberships: [{ name: 'Corner Shop' }] });

  const open = sampleInvitation({ id: 'inv_n1', email: 'new@example.com', accountId: 'acct_1', ...times });
  await store.people.addInvitation({ ...open, createdBy: 'user:a' }, 'hash-open');
  await store.people.addInvitation({ ...open, id: 'inv_n2', createdBy: 'user:b' }, 'hash-b2');
  const invitations = async (requester: typeof OPERATOR | ReturnType<typeof token>) =>
    (await management.ask(requester, 'GET /invitations?open=true')).body.data.map((one: any) => [
      ...[one.account_name, one.created_by_name],
    ]);
  expect(await invitations(OPERATOR)).toEqual([
    ['Halyard Robotics', 'Ann'],
    ['Halyard Robotics', 'Zoe'],
  ]);
  // Ann belongs to another account.
  expect(await invitations(token('acct_1'))).toEqual([
    ['Halyard Robotics', null],
    ['Halyard Robotics', 'Zoe'],
  ]);
});
