import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Serving } from './shared/serving.ts';
import { until } from './shared/until.ts';
import { Workspace } from './shared/workspace.ts';

/* People who sign up and sign in over HTTP. `acceptance/dashboard/people.test.ts` covers browsers and passkeys. */

const PASSWORD = 'correct horse battery';

let space: Workspace;
let serving: Serving;

beforeAll(async () => {
  space = await Workspace.create();
  serving = await space.serve();
  await until('the sign-up link of the first operator is printed', () => serving.stdout.includes('/welcome#'));
});

afterAll(() => space?.remove());

test('a restart prints no second link, and members see only their own account', async () => {
  const api = async (method: string, path: string, body: object | null, cookie: string) => {
    const headers = { 'content-type': 'application/json', origin: serving.origin, cookie };
    const init = { method, headers, ...(body === null ? {} : { body: JSON.stringify(body) }) };
    const answer = await fetch(`${serving.origin}/v1/management${path}`, init);
    const text = await answer.text();
    const cookies = answer.headers.getSetCookie().map((one) => one.split(';')[0]);
    return { status: answer.status, body: text === '' ? {} : JSON.parse(text), cookie: cookies.join('; ') };
  };
  const signIn = async (email: string) =>
    (await api('POST', '/auth/sign-in/email', { email, password: PASSWORD }, '')).cookie;
  const token = /\/welcome#(\w{40})/.exec(serving.stdout)?.[1] ?? 'none';
  const first = { token, email: 'op@example.com', name: 'Op', password: PASSWORD };
  expect((await api('POST', '/invitations/accept', first, '')).status).toBe(201);
  const operator = await signIn('op@example.com');
  const come = async (role: string) => {
    const email = `${role}@example.com`;
    const made = await api('POST', '/invitations?account_id=default', { email, role }, operator);
    const token = String(made.body.link).split('#')[1];
    const input = { token, name: role, password: PASSWORD };
    expect((await api('POST', '/invitations/accept', input, '')).status).toBe(201);
    return await signIn(email);
  };
  const [owner, viewer] = [await come('owner'), await come('viewer')];
  const statuses = async (cookie: string) =>
    await Promise.all(
      [
        api('GET', '/me', null, cookie),
        api('GET', '/members', null, cookie),
        api('POST', '/invitations', { role: 'viewer' }, cookie),
        api('GET', '/users', null, cookie),
        api('POST', '/keys', {}, cookie),
      ].map(async (one) => (await one).status),
    );
  expect(await statuses(owner)).toEqual([200, 200, 201, 403, 201]);
  expect(await statuses(viewer)).toEqual([200, 200, 403, 403, 403]);
  const { body } = await api('GET', '/members', null, owner);
  const idOf = (name: string) => body.data.find(({ email }: { email: string }) => email === `${name}@example.com`).id;
  // The first operator is also an owner. Without it, the last owner cannot be demoted.
  expect((await api('DELETE', `/members/${idOf('op')}`, null, owner)).status).toBe(204);
  expect((await api('PATCH', `/members/${idOf('owner')}`, { role: 'viewer' }, owner)).status).toBe(409);
  expect((await api('DELETE', `/members/${idOf('viewer')}`, null, owner)).status).toBe(204);
  expect((await api('GET', '/members', null, viewer)).status).toBe(400);
  expect((await api('PATCH', `/users/${idOf('viewer')}`, { disabled: true }, operator)).status).toBe(200);
  expect((await api('GET', '/me', null, viewer)).status).toBe(401);
  await serving.stop();
  serving = await space.serve();
  expect(serving.stdout).not.toContain('/welcome#');
  expect((await api('GET', '/me', null, owner)).status).toBe(200);
  const secret = owner.split('session_token=')[1]?.split('.')[0] ?? 'none';
  for (const text of [secret, PASSWORD]) expect(await space.dataFilesWith(text)).toEqual([]);
});
