import { afterAll, beforeAll, test } from 'bun:test';
import { Browser as Script } from '../../conformance/management/browser.ts';
import { until } from '../../conformance/shared/until.ts';
import { DashboardScene, ok, type Window } from './scene.ts';

/* The audit log as operators read it: sentences, and filters by name. */

let scene: DashboardScene;
let window: Window;
beforeAll(async () => {
  scene = await DashboardScene.open();
  const operator = await scene.operator();
  ok(await operator.script.ask(0, 'POST /accounts', { id: 'acme', name: 'Acme Ltd', balance_usd: '5' }));
  for (const name of ['CI', 'Staging'])
    ok(await operator.script.ask(0, 'POST /keys?account_id=acme', { name, id: name.toLowerCase() }));
  ok(await operator.script.ask(0, 'DELETE /keys/staging?account_id=acme'));
  const stranger = new Script([{ origin: scene.origin }]);
  await stranger.ask(0, 'POST /auth/sign-in/email', { email: operator.email, password: 'not the password' });
  window = await scene.window(operator, { path: '/app/operator/audit' });
});
afterAll(async () => scene?.close());

test('entries are sentences with names', async () => {
  const { page } = window;
  for (const sentence of ['op created the account Acme Ltd', 'op created the key CI', 'op revoked the key Staging'])
    await page.getByRole('button', { name: sentence, exact: true }).waitFor();
  await page.getByRole('button', { name: /^Sign-in failed/ }).waitFor();
  await page.getByRole('button', { name: 'op created the key CI', exact: true }).click();
  const sheet = page.getByRole('dialog', { name: 'op created the key CI' });
  await sheet.getByText('key.create').waitFor();
  await sheet.getByText('op, op@example.com (User)').waitFor();
  await window.expectSound();
});

test('actor, action, account and resource are chosen by name', async () => {
  const { page } = window;
  await page.setViewportSize({ width: 1024, height: 900 });
  await window.anew('/app/operator/audit');
  const rows = page.getByRole('table').getByRole('button');
  const choose = async (filter: string, typed: string, option: RegExp) => {
    await page.getByRole('combobox', { name: filter, exact: true }).fill(typed);
    await page.getByRole('option', { name: option }).first().click();
  };
  await choose('Action', 'revoked', /^API key revoked/);
  await page.waitForURL('**/audit?action=key.revoke');
  await until('only the revoked key is listed', async () => (await rows.count()) === 1);
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await choose('Resource', 'acme', /^Acme Ltd/);
  await page.waitForURL('**/audit?object=acme');
  await page.getByRole('button', { name: 'op created the account Acme Ltd', exact: true }).waitFor();
  await choose('Actor', 'op@', /op@example\.com/);
  await page.waitForURL(/actor=/);
  await choose('Account', 'Acme', /^Acme Ltd/);
  await page.waitForURL(/account=acme/);
  await rows.first().waitFor();
  await window.expectSound();
});
