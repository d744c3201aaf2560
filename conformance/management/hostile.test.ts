import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { hasTestPostgres, startTestPostgres, type TestPostgres } from '../../src/stores/shared/testing/postgres.ts';
import { testNeeding } from '../../tools/test/needs.ts';
import { ACME, type Ask, Scene } from './scene.ts';

/* Input that nobody writes by mistake, and a database that goes away: each has a clean error, in the contract's envelope. */

type Call = readonly [path: string, ask?: Ask];

const from = ({ gateway }: Scene) => ({ token: null, headers: { origin: gateway.origin } });

describe('with SQLite', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.open();
  });
  afterAll(() => scene.stop());

  test.each(['[', '{"a":'])('a body of ten thousand %p is refused at once', async (opening) => {
    const closing = opening === '[' ? ']' : '}';
    const body = `{"name":${opening.repeat(10_000)}1${closing.repeat(10_000)}}`;
    const headers = { 'idempotency-key': `deep ${opening}`.replaceAll(/[^a-z]/g, '') + opening.length };
    const { status, body: answer } = await scene.ask('/keys', { query: { account_id: ACME }, body, headers });
    expect([status, answer.error.code]).toEqual([400, 'invalid_json']);
  });

  test('brackets and escapes within texts are no depth and no NUL', async () => {
    const name = `${'[{'.repeat(90)}\\u0000"`;
    const { status, body } = await scene.ask('/keys', { query: { account_id: ACME }, body: { name } });
    expect([status, body.name]).toEqual([201, name]);
  });

  test('a secret in the place of an id is not repeated', async () => {
    const secret = 'sk-somebody-has-pasted-it-0123456789';
    for (const path of ['/keys', '/tokens', '/channels', '/accounts']) {
      const { status, body } = await scene.ask(`${path}/${secret}`, { query: { account_id: ACME } });
      expect([path, [400, 404].includes(status), JSON.stringify(body).includes(secret)]).toEqual([path, true, false]);
    }
  });

  test.each([
    [{}, 'email'],
    [{ email: 'ann@example.com', password: 5 }, 'password'],
    [{ email: 'nobody', password: 'x' }, 'email'],
  ])('a sign-in with %p names the member', async (body, param) => {
    const { status, body: answer } = await scene.ask('/auth/sign-in/email', { ...from(scene), body });
    expect([status, answer.error.code, answer.error.param]).toEqual([400, 'invalid_value', param]);
    expect(answer.error.message).not.toContain('[body');
  });
});

const postgresTest = testNeeding('PostgreSQL', hasTestPostgres());
let postgres: TestPostgres | undefined;
afterAll(() => postgres?.stop());

postgresTest(
  'with PostgreSQL: no NUL reaches it, and while it is away everything is 503',
  async () => {
    postgres = await startTestPostgres();
    const environment = { DATABASE_URL: await postgres.createDatabase(), SWITCHYARD_SECRET: 'the secret of this test' };
    const scene = await Scene.open(environment);
    const query = { account_id: ACME };
    const statusOf = async ([path, ask]: Call) => {
      const { status, body } = await scene.ask(path, ask);
      return [path, status, body.error?.code];
    };
    try {
      const nul: readonly Call[] = [
        ['/accounts/%00'],
        ['/users?search=%00'],
        ['/keys?account_id=%00'],
        ['/requests?model=a%00'],
        ['/balance/grants', { query, body: { usd: '1', note: 'a\u0000' } }],
      ];
      for (const call of nul) expect(await statusOf(call)).toEqual([call[0], 400, 'invalid_value']);
      await postgres.stop();
      const away: readonly Call[] = [
        ['/accounts'],
        ['/accounts/acme', { method: 'patch', body: { name: 'New' } }],
        ['/keys', { query, body: {}, headers: { 'idempotency-key': 'once' } }],
        ['/audit/export'],
        ['/ledger/verify'],
        ['/usage'],
        ['/invitations/lookup', { token: null, body: { token: 'a'.repeat(40) } }],
        ['/auth/sign-in/email', { ...from(scene), body: { email: 'ann@example.com', password: 'x' } }],
        ['/keys', { token: 'mt-nobody-has-this-token-000000001' }],
      ];
      for (const call of away) expect(await statusOf(call)).toEqual([call[0], 503, 'storage_unavailable']);
    } finally {
      await scene.stop();
    }
  },
  60_000,
);
