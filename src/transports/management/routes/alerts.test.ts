import { afterEach, beforeEach, expect, test } from 'bun:test';
import { createAccount } from '../../../engine/admin/accounts/change-accounts.ts';
import { DEFAULT_ALERTS } from '../../../engine/settings/settings.ts';
import { closeTestStores } from '../../../stores/sqlite/testing/test-store.ts';
import { withTrail } from '../../../stores/sqlite/testing/trailed-store.ts';
import { GuardedWebhooks } from '../../../upstream/guarded-webhooks.ts';
import { ManagementFixture, OPERATOR, token } from '../testing/management-fixture.ts';
import { alertRoutes } from './alerts.ts';

const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  'hooks.example': ['93.184.216.34'],
  'inside.example': ['10.1.2.3'],
  'half.example': ['93.184.216.34', '169.254.169.254'],
};
const OWNER = token('acme');

let fixture: ManagementFixture;
let ids = 0;
beforeEach(async () => {
  const sender = new GuardedWebhooks({
    settings: DEFAULT_ALERTS,
    resolve: async (name) => ADDRESSES[name] ?? [],
    ownAddresses: () => [],
    refusalMs: 0,
  });
  fixture = await ManagementFixture.open(({ store, clock }) =>
    alertRoutes({
      ...{ store, clock, sender, hasMailer: false, evaluateSoon: () => undefined },
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      deliverer: { look: async () => undefined, test: async () => null },
      newId: (prefix) => `${prefix}${++ids}`,
    }),
  );
  await createAccount(withTrail(fixture.store), fixture.clock, { id: 'acme' });
});
afterEach(closeTestStores);

const HOOKS = '/alerts/webhooks?account_id=acme';
const create = (url: string, requester = OWNER) => fixture.ask(requester, `POST ${HOOKS}`, { url });
const saved = async () => (await fixture.ask(OPERATOR, `GET ${HOOKS}`)).body.data.length;

test.each([
  'https://127.0.0.1/',
  'https://[::1]/',
  'https://169.254.169.254/a',
  'https://0x7f.1/',
  'https://localhost/',
])('a webhook at %s is refused when it is saved', async (url) => {
  const { status, body } = await create(url);
  expect([status, body.error.param, body.error.code]).toEqual([400, 'url', 'invalid_value']);
  expect(body.error.message).toContain('is a private or reserved address');
  expect(await saved()).toBe(0);
});

test.each(['inside', 'half'])('an admin cannot save a name with a private address (%s)', async (name) => {
  const { status, body } = await fixture.ask(OPERATOR, `POST ${HOOKS}`, { url: `https://${name}.example/` });
  expect([status, body.error.param]).toEqual([400, 'url']);
  expect(body.error.message).toContain(`${name}.example resolves to a private or reserved address`);
  expect(await saved()).toBe(0);
});

test('a name without an address is saved with a warning, and a public one without', async () => {
  const later = await create('https://later.example/');
  expect(later.status).toBe(201);
  expect(later.body.warning).toStartWith('later.example does not resolve to a public address yet.');
  expect((await create('https://hooks.example/')).body.warning).toBeNull();
});

test('an owner cannot tell a private name from one that does not exist', async () => {
  const [inside, later] = [await create('https://inside.example/'), await create('https://later.example/')];
  expect(inside.status).toBe(later.status);
  expect(inside.body.warning.replace('inside', 'later')).toBe(later.body.warning);
});

test('a changed address is checked, and an unchanged one is not', async () => {
  const { id } = (await create('https://hooks.example/')).body;
  const change = (body: object) => fixture.ask(OWNER, `PATCH /alerts/webhooks/${id}?account_id=acme`, body);
  expect((await change({ url: 'https://10.0.0.1/' })).body.error.param).toBe('url');
  expect((await change({ url: 'https://later.example/' })).body.warning).toContain('later.example');
  expect((await change({ name: 'On call' })).body).toMatchObject({ name: 'On call', warning: null });
});
