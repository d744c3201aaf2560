import { afterAll, beforeAll, expect, test } from 'bun:test';
import { ACME, Scene } from './scene.ts';

/*
 * Input that only an attacker sends: each gets a clean error in the contract's envelope. On PostgreSQL:
 * `acceptance/postgres/hostile.test.ts`.
 */

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.open();
});
afterAll(() => scene.stop());

test.each(['[', '{"a":'])('a body of ten thousand %p is refused', async (opening) => {
  const closing = opening === '[' ? ']' : '}';
  const body = `{"name":${opening.repeat(10_000)}1${closing.repeat(10_000)}}`;
  const headers = { 'idempotency-key': `deep ${opening}`.replaceAll(/[^a-z]/g, '') + opening.length };
  const { status, body: answer } = await scene.ask('/keys', { query: { account_id: ACME }, body, headers });
  expect([status, answer.error.code]).toEqual([400, 'invalid_json']);
});

test('brackets and escapes inside strings count neither as depth nor as NUL', async () => {
  const name = `${'[{'.repeat(90)}\\u0000"`;
  const { status, body } = await scene.ask('/keys', { query: { account_id: ACME }, body: { name } });
  expect([status, body.name]).toEqual([201, name]);
});

test('a secret sent as an id is not echoed', async () => {
  const secret = 'sk-somebody-has-pasted-it-0123456789';
  for (const path of ['/keys', '/tokens', '/channels', '/accounts']) {
    const { status, body } = await scene.ask(`${path}/${secret}`, { query: { account_id: ACME } });
    expect([path, [400, 404].includes(status), JSON.stringify(body).includes(secret)]).toEqual([path, true, false]);
  }
});

test.each([
  [{}, 'invalid_value', 'email'],
  [{ email: 'ann@example.com', password: 5 }, 'invalid_type', 'password'],
  [{ email: 'nobody', password: 'x' }, 'invalid_value', 'email'],
])('a sign-in with %p names the member', async (body, code, param) => {
  const headers = { origin: scene.gateway.origin };
  const { status, body: answer } = await scene.ask('/auth/sign-in/email', { token: null, headers, body });
  expect([status, answer.error.code, answer.error.param]).toEqual([400, code, param]);
  expect(answer.error.message).not.toContain('[body');
});
