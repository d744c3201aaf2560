import { afterAll, beforeAll, expect, test } from 'bun:test';
import { until } from '../../conformance/shared/until.ts';
import { ACCOUNT, PaidTraffic } from './paid-traffic.ts';
import { ok, type Window } from './scene.ts';

/* Alerts and budgets in the dashboard, up to the delivered webhook. */

const received: { readonly path: string; readonly type: string; readonly signature: string | null }[] = [];
let isRefusing = false;
const receiver = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: async (request) => {
    const { type } = (await request.json()) as { type: string };
    received.push({ path: new URL(request.url).pathname, type, signature: request.headers.get('webhook-signature') });
    return new Response(null, { status: isRefusing ? 500 : 204 });
  },
});

const ALERTS = `/app/a/${ACCOUNT}/alerts`;

let traffic: PaidTraffic;
/** The owner's. */
let window: Window;
beforeAll(async () => {
  traffic = await PaidTraffic.open({ alerts: { allow_http: true, allowed_ranges: ['127.0.0.1'] } });
  window = await traffic.scene.window(traffic.owner, { path: `${ALERTS}?tab=targets` });
});
afterAll(async () => {
  await traffic?.close();
  await receiver.stop(true);
});

test('an owner adds and tests a webhook, makes a rule, sees it fire, and rotates the secret', async () => {
  const { page } = window;
  await page.getByText('No destinations yet').waitFor();
  await page.getByRole('button', { name: 'Add destination' }).click();
  await page.getByLabel('Name').fill('On call');
  await page.getByLabel('URL (https)').fill('ftp://nowhere');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('Use an https:// URL').waitFor();
  await page.getByLabel('URL (https)').fill(`http://127.0.0.1:${receiver.port}/hook`);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  const secret = await page.locator('code', { hasText: 'whsec_' }).textContent();
  await page.getByRole('button', { name: 'Done' }).click();

  await page.getByRole('button', { name: 'On call' }).click();
  await page.getByRole('button', { name: 'Send test' }).click();
  await page.getByText('Test delivered').waitFor();
  expect(received).toEqual([{ path: '/hook', type: 'alert.test', signature: expect.stringMatching(/^v1,/) }]);
  isRefusing = true;
  await page.getByRole('button', { name: 'Send test' }).click();
  await page.getByText('Test not delivered').waitFor();
  await page.getByText('HTTP 500').first().waitFor();
  isRefusing = false;
  await window.expectSound();
  await page.getByRole('button', { name: 'Rotate secret' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Rotate secret' }).click();
  const rotated = page.locator('code', { hasText: 'whsec_' });
  expect(await rotated.textContent()).not.toBe(secret);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.keyboard.press('Escape');

  await page.getByRole('tab', { name: 'Rules' }).click();
  await page.getByRole('button', { name: 'Add rule' }).click();
  await page.getByLabel('Name').fill('Money is short');
  await page.getByLabel('Below').fill('nothing');
  await page.getByRole('button', { name: 'Create rule' }).click();
  await page
    .getByText(/^Must be/)
    .first()
    .waitFor();
  await page.getByLabel('Below').fill('1000');
  await window.expectSound();
  await page.getByRole('button', { name: 'Create rule' }).click();
  await page.getByRole('cell', { name: 'Balance below $1,000.00' }).waitFor();
  const rules = await traffic.read(`alerts/rules?account_id=${ACCOUNT}`);
  expect(rules.data).toMatchObject([{ name: 'Money is short', balance_below: { usd: '1000' }, enabled: true }]);
  await until('the alert is sent', () => received.some(({ type }) => type === 'alert.raised'));

  await page.getByRole('tab', { name: 'Active' }).click();
  await page.getByText('Money is short', { exact: true }).waitFor();
  expect(await page.getByRole('link', { name: 'View billing' }).getAttribute('href')).toEndWith(
    `/app/a/${ACCOUNT}/balance`,
  );
  await window.load(`/app/a/${ACCOUNT}/overview`);
  await page.getByText('Money is short', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'View billing' }).first().click();
  await page.waitForURL(`**/app/a/${ACCOUNT}/balance`);
  await window.fresh(`${ALERTS}?tab=deliveries`);
  const before = received.length;
  await page.getByRole('button', { name: 'Resend' }).first().click();
  await until('the delivery is sent again', () => received.length > before);
  await window.go(`${ALERTS}?tab=events`);
  await page.getByRole('table', { name: 'History' }).getByText('Triggered').waitFor();
  await window.expectSound();
});

test('a rule is changed and deleted, viewers can only see it, and operators set the account budget', async () => {
  const { scene, owner, operator } = traffic;
  ok(await owner.script.ask(0, `POST /alerts/rules?account_id=${ACCOUNT}`, RULE));
  await window.anew(`${ALERTS}?tab=rules`);
  const { page } = window;
  await page.getByRole('button', { name: 'Failing' }).click();
  await page.getByLabel('Threshold').fill('40');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).first().waitFor();
  const { error_rate: changed } = await traffic.read(`alerts/rules/failing?account_id=${ACCOUNT}`);
  expect(changed).toMatchObject({ percent: 40, of: 'model', id: 'house-chat', window_minutes: 7 });

  const viewer = await scene.member(operator, ACCOUNT, 'viewer');
  const seen = await scene.window(viewer, { path: `${ALERTS}?tab=rules&id=${ACCOUNT}/failing`, width: 360 });
  await seen.page.getByText('Only owners can change this.').waitFor();
  expect(await seen.page.getByRole('button', { name: 'Save' }).count()).toBe(0);
  await seen.expectSound();

  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Deleted', { exact: true }).first().waitFor();
  expect((await owner.script.ask(0, `GET /alerts/rules/failing?account_id=${ACCOUNT}`)).status).toBe(404);
  expect(window.problems).toEqual([]);

  ok(await operator.script.ask(0, 'POST /accounts', { id: 'beta', balance_usd: '5' }));
  const root = await scene.window(operator, { path: '/app/a/beta/alerts?tab=budgets' });
  await root.page.getByRole('button', { name: 'Change budget' }).click();
  await root.page.getByLabel('Amount').fill('9');
  ok(await operator.script.ask(0, 'PATCH /accounts/beta', { name: 'Beta' }));
  await root.page.getByRole('button', { name: 'Save' }).click();
  await root.page.getByText('Someone else changed this').first().waitFor();
  expect(ok(await operator.script.ask(0, 'GET /accounts/beta')).json.budget).toBeNull();
  await until(
    'the form shows the current values',
    async () => (await root.page.getByLabel('Amount').inputValue()) === '',
  );
  await root.page.getByLabel('Amount').fill('12.5');
  await root.page.getByRole('button', { name: 'Save' }).click();
  await root.page.getByText('Budget saved').waitFor();
  await root.page.getByText('$0.00 of $12.50').waitFor();
  const limits = ok(await operator.script.ask(0, 'GET /limits?account_id=beta')).json;
  expect(limits.budget).toMatchObject({ usd: '12.5', per: 'month', time_zone: 'Europe/Berlin' });
  await root.expectSound();
});

test('a private webhook address is refused beside its field, and a name without an address is saved with a warning', async () => {
  const { owner } = traffic;
  await window.anew(`${ALERTS}?tab=targets`);
  const { page } = window;
  const add = async (url: string) => {
    await page.getByRole('button', { name: 'Add destination' }).click();
    await page.getByLabel('Name').fill('Elsewhere');
    await page.getByLabel('URL (https)').fill(url);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
  };
  const hooks = async () => {
    const { data } = ok(await owner.script.ask(0, `GET /alerts/webhooks?account_id=${ACCOUNT}`)).json;
    return (data as { name: string }[]).filter(({ name }) => name === 'Elsewhere');
  };
  await add('https://10.0.0.1/hook');
  await page.getByText('Must be a public URL: 10.0.0.1 is a private or reserved address').waitFor();
  expect(await page.getByLabel('URL (https)').getAttribute('aria-invalid')).toBe('true');
  await window.expectSound();
  await page.getByRole('button', { name: 'Cancel' }).click();
  expect(await hooks()).toEqual([]);

  await add('https://hooks.invalid/hook');
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText('hooks.invalid does not resolve to a public address yet.').waitFor();
  expect(await hooks()).toMatchObject([{ url_preview: 'https://hooks.invalid/…' }]);
  await window.expectSound();
});

const RULE = {
  ...{ id: 'failing', name: 'Failing' },
  error_rate: { percent: 20, of: 'model', id: 'house-chat', window_minutes: 7, minimum_requests: 50 },
};
