import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Gateway, startGatewayWith } from '../shared/gateway.ts';
import { TestClock } from '../shared/test-clock.ts';

/* A budget is raised for a limited time: by operators, and that of a key by those who may change the key. */

const HOUSE = 'mt-operator-of-this-scene-00000001';
const ACME = 'mt-acme-of-this-scene-0000000001';
const VIEWER = 'mt-viewer-of-this-scene-00000001';

let gateway: Gateway;
const clock = new TestClock();

beforeAll(async () => {
  const token = (secret: string, scopes?: string[]) => ({ id: secret.slice(3, 9), name: 'Own', secret, scopes });
  const budget = { usd: '10', per: 'month' };
  gateway = await startGatewayWith(
    [],
    {
      sandbox: true,
      accounts: [
        { id: 'house', admin: true, keys: [], management_tokens: [token(HOUSE)] },
        { id: 'acme', budget, keys: [], management_tokens: [token(ACME), token(VIEWER, ['keys:read', 'limits:read'])] },
        { id: 'free', keys: [], management_tokens: [] },
      ],
    },
    {},
    { clock },
  );
});
afterAll(() => gateway.stop());

async function ask(method: string, path: string, token = HOUSE, body?: object) {
  const answer = await fetch(`${gateway.origin}/v1/management${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  // Tests know the shape of the body.
  return { status: answer.status, body: (await answer.json()) as any };
}

const inHours = (hours: number) => new Date(clock.nowMs() + hours * 3_600_000).toISOString();
const limits = async () => (await ask('GET', '/limits', ACME)).body.budget;
const RAISE = '/accounts/acme/budget/raise';

test('an operator raises the budget of an account of the file, which is shown, logged, and ends by itself', async () => {
  const until = inHours(2);
  const raised = await ask('POST', RAISE, HOUSE, { usd: '5', until });
  expect(raised).toMatchObject({ status: 200, body: { budget: { usd: '10' }, budget_raise: { to_usd: '15', until } } });
  expect(await limits()).toMatchObject({ usd: '15', left_usd: '15', raised_until: until });
  // There is one raise at a time.
  const again = await ask('POST', RAISE, HOUSE, { to_usd: '30', until });
  expect(again.body.budget_raise).toEqual({ to_usd: '30', until });
  const { body } = await ask('GET', '/audit?limit=1');
  expect(body.data[0]).toMatchObject({
    action: 'account.change',
    before: { budget_raise: { to_usd: '15' } },
    after: { budget_raise: { to_usd: '30' } },
  });
  clock.advance(2 * 3_600_000);
  expect(await limits()).toMatchObject({ usd: '10', left_usd: '10', raised_until: null });
  expect((await ask('GET', '/accounts/acme')).body.budget_raise).toBeNull();
});

test('a raise can be ended, and a change of other members keeps it', async () => {
  const key = (await ask('POST', '/keys', ACME, { name: 'ci', budget: { usd: '1', per: 'day' } })).body;
  const raise = `/keys/${key.id}/budget/raise`;
  expect((await ask('POST', raise, ACME, { to_usd: '2.5', until: inHours(1) })).status).toBe(200);
  const renamed = await ask('PATCH', `/keys/${key.id}`, ACME, { name: 'build' });
  expect(renamed.body.budget_raise).toMatchObject({ to_usd: '2.5' });
  const { body } = await ask('GET', '/limits/keys', ACME);
  expect(body.data.find(({ id }: { id: string }) => id === key.id).budget).toMatchObject({ usd: '2.5' });
  expect((await ask('DELETE', raise, ACME)).body.budget_raise).toBeNull();
  await ask('POST', raise, ACME, { to_usd: '2.5', until: inHours(1) });
  // An amount per month is another one than an amount per day.
  const monthly = await ask('PATCH', `/keys/${key.id}`, ACME, { budget: { usd: '1', per: 'month' } });
  expect(monthly.body.budget_raise).toBeNull();
});

test('nobody raises what they may not set', async () => {
  const body = { usd: '5', until: inHours(1) };
  expect((await ask('POST', RAISE, ACME, body)).status).toBe(403);
  const key = (await ask('POST', '/keys', ACME, { budget: { usd: '1', per: 'day' } })).body;
  expect((await ask('POST', `/keys/${key.id}/budget/raise`, VIEWER, body)).status).toBe(403);
});

test.each([
  [{ until: inHours(9) }, 'usd'],
  [{ usd: '1', to_usd: '20', until: inHours(9) }, 'usd'],
  [{ to_usd: '10', until: inHours(9) }, 'to_usd'],
  [{ usd: '0', until: inHours(9) }, 'usd'],
  [{ usd: '1000000000', until: inHours(9) }, 'usd'],
  [{ usd: '1' }, 'until'],
  [{ usd: '1', until: '2020-01-01T00:00:00Z' }, 'until'],
  [{ usd: '1', until: '2999-01-01' }, 'until'],
  [{ usd: '1', until: inHours(9), per: 'day' }, 'per'],
])('%j is refused, and names the field', async (body, param) => {
  const { status, body: answer } = await ask('POST', RAISE, HOUSE, body);
  expect([status, answer.error.param]).toEqual([400, param]);
});

test('an account without a budget has none to raise', async () => {
  const body = { usd: '1', until: inHours(9) };
  const { status, body: answer } = await ask('POST', '/accounts/free/budget/raise', HOUSE, body);
  expect([status, answer.error.code]).toEqual([409, 'conflict']);
  expect((await ask('POST', '/accounts/nobody/budget/raise', HOUSE, body)).status).toBe(404);
});
