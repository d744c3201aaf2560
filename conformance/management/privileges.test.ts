import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ACME, ACME_TOKEN, Scene } from './scene.ts';

/*
 * A stolen token must not gain privileges, neither through the people that it invites nor through the
 * accounts that it changes.
 */

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.open();
});
afterAll(() => scene.stop());

async function tokenOf(account: string, scopes: readonly string[], more: object = {}): Promise<string> {
  const { body } = await scene.ask('/tokens', { query: { account_id: account }, body: { scopes, ...more } });
  return body.secret;
}

/** A person who joined by a link of an operator. */
async function member(email: string, role: string): Promise<string> {
  const { body } = await scene.ask('/invitations', { query: { account_id: ACME }, body: { email, role } });
  const accepted = { token: body.link.split('#')[1], name: email, password: 'correct horse battery' };
  return (await scene.ask('/invitations/accept', { token: null, body: accepted })).body.id;
}

type Call = readonly [path: string, method: string, body?: object];

describe('a token without all scopes gives nobody more than it has', () => {
  const refused: readonly (readonly [account: string, scopes: readonly string[], field: string, call: Call])[] = [
    ['house', ['members:write'], 'operator', ['/invitations', 'post', { operator: true }]],
    [ACME, ['members:write', 'keys:write'], 'role', ['/invitations', 'post', { role: 'owner' }]],
    [ACME, ['members:write', '*:read'], 'role', ['/invitations', 'post', {}]],
    [ACME, ['members:write'], 'role', ['/invitations', 'post', { role: 'viewer' }]],
    [ACME, ['members:write', '*:read'], 'role', ['/members/MEMBER', 'patch', { role: 'owner' }]],
    ['house', ['members:write'], 'user', ['/users/MEMBER/reset-link', 'post']],
    ['house', ['members:write'], 'operator', ['/users/MEMBER', 'patch', { operator: true }]],
    ['house', ['members:write'], 'disabled', ['/users/MEMBER', 'patch', { disabled: false }]],
    ['house', ['accounts:write'], 'admin', [`/accounts/${ACME}`, 'patch', { admin: true }]],
    ['house', ['accounts:write'], 'admin', ['/accounts', 'post', { id: 'raised', admin: true }]],
    ['house', ['accounts:write'], 'admin', ['/accounts/house/restore', 'post']],
  ];
  let user = '';
  beforeAll(async () => {
    user = await member('ann@example.com', 'member');
  });

  test.each(refused)('%s with %p: %s', async (account, scopes, field, [path, method, body]) => {
    const asked = { method, ...(body === undefined ? {} : { body }) };
    const answer = await scene.ask(path.replace('MEMBER', user), { ...asked, token: await tokenOf(account, scopes) });
    expect([answer.status, answer.body.error?.code, answer.body.error?.param]).toEqual([403, 'access_denied', field]);
  });

  test('nor access that outlasts its own', async () => {
    const token = await tokenOf(ACME, ['*'], { expires_at: '2099-01-01' });
    const { status, body } = await scene.ask('/invitations', { token, body: { role: 'member' } });
    expect([status, body.error?.param]).toEqual([403, 'role']);
    expect(body.error.message).toContain('outlast');
  });

  test('but may revoke, and grant what it has', async () => {
    const ask = async (scopes: readonly string[], [path, method, body]: Call) => {
      const token = await tokenOf(ACME, scopes);
      return (await scene.ask(path.replace('MEMBER', user), { token, method, ...(body ? { body } : {}) })).status;
    };
    expect(await ask(['members:write', '*:read'], ['/invitations', 'post', { role: 'viewer' }])).toBe(201);
    expect(await ask(['*'], ['/invitations', 'post', { role: 'owner' }])).toBe(201);
    expect(await ask(['*'], ['/members/MEMBER', 'patch', { role: 'owner' }])).toBe(200);
    await member('second@example.com', 'owner');
    expect(await ask(['members:write'], ['/members/MEMBER', 'patch', { role: 'viewer' }])).toBe(200);
    expect(await ask(['members:write'], ['/members/MEMBER', 'delete'])).toBe(204);
  });
});

test('an owner does not learn from the audit log where the configuration file is', async () => {
  const path = '/audit';
  const own = await scene.ask(path, { token: ACME_TOKEN, query: { limit: '1000' } });
  const exported = await scene.ask(`${path}/export`, { token: ACME_TOKEN });
  expect(own.body.data.map((entry: { actor: { name: string } }) => entry.actor.name)).toContain('configuration file');
  expect(JSON.stringify([own.body, exported.body])).not.toContain('.yaml');
  const all = await scene.ask(path, { query: { account_id: 'filed', limit: '1000' } });
  expect(JSON.stringify(all.body)).toContain('.yaml');
});
