import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { codeOf } from '../../conformance/management/browser.ts';
import { until } from '../../conformance/shared/until.ts';
import { DashboardScene, ok, PASSWORD, type Person, type Window } from './scene.ts';

/* The operators' pages: accounts and their money, people, audit log, settings, nodes. */

let scene: DashboardScene;
let operator: Person;
let window: Window;
beforeAll(async () => {
  scene = await DashboardScene.open();
  operator = await scene.operator();
  window = await scene.window(operator, { path: '/app/operator/accounts' });
});
afterAll(async () => scene?.close());

// Untyped, because each test knows the shape of its responses.
const read = async (path: string): Promise<any> => ok(await operator.script.ask(0, `GET ${path}`)).json;

test('an account is created, granted once on a double click, edited, archived and restored', async () => {
  const { page } = window;
  await page.getByRole('button', { name: 'Add account' }).click();
  await page.getByRole('textbox', { name: /^ID/ }).fill('acme corp');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByText('must be 1 to 64 letters').waitFor();
  await page.getByRole('textbox', { name: /^ID/ }).fill('acme');
  await page.getByLabel('Opening balance').fill('0.1');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.waitForURL('**/app/operator/accounts?id=acme');
  await page.getByRole('button', { name: 'Add credit', exact: true }).click();
  await page.getByLabel('Amount').fill('0.2000000001');
  await page.getByLabel('Reason').fill('Invoice 7');
  await page.getByRole('button', { name: 'Add credit', exact: true }).last().click();
  await page.getByText('Enter an amount such as').waitFor();
  await page.getByLabel('Amount').fill('0.200000001');
  await page.getByText('$0.300000001').waitFor();
  await window.expectSound();
  await page.getByRole('button', { name: 'Add credit', exact: true }).last().dblclick();
  await page.getByText('New balance: $0.300000001').waitFor();
  expect(await read('/balance?account_id=acme')).toMatchObject({ balance_usd: '0.300000001' });
  const ledger = await read('/ledger?account_id=acme');
  expect(ledger.data.map((entry: { amount_usd: string }) => entry.amount_usd)).toEqual(['0.200000001', '0.1']);
  expect(ledger.data[0]).toMatchObject({ note: 'Invoice 7' });

  await page.getByLabel('Tokens per minute').fill('many');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Must be a whole number').waitFor();
  await page.getByLabel('Tokens per minute').fill('5000');
  await page.getByLabel('Budget', { exact: true }).fill('12.5');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Account updated').first().waitFor();
  expect(await read('/accounts/acme')).toMatchObject({
    tokens_per_minute: 5000,
    budget: { usd: '12.5', per: 'month', time_zone: 'Europe/Berlin' },
  });
  await page.getByRole('button', { name: 'Raise budget' }).click();
  const raising = page.getByRole('dialog', { name: 'Raise the budget of acme' });
  await raising.getByLabel('Raise by').fill('0');
  await raising.getByRole('button', { name: 'Raise budget' }).click();
  await raising.getByText('Must raise the budget of 12.5 USD').waitFor();
  await raising.getByLabel('Raise by').fill('7.5');
  await window.expectSound();
  await raising.getByRole('button', { name: 'Raise budget' }).click();
  await page
    .getByText(/^Budget raised to \$20/)
    .first()
    .waitFor();
  expect((await read('/accounts/acme')).budget_raise).toMatchObject({ to_usd: '20' });
  await page.getByRole('button', { name: 'End raise' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'End raise' }).click();
  await page.getByText('Raise ended').waitFor();
  expect((await read('/accounts/acme')).budget_raise).toBeNull();
  await page.getByRole('button', { name: 'Archive' }).click();
  const archive = page.getByRole('alertdialog').getByRole('button', { name: 'Archive' });
  expect(await archive.isDisabled()).toBe(true);
  await page.getByLabel('Type “acme” to confirm').fill('acme');
  await archive.click();
  await page.getByRole('button', { name: 'Restore' }).waitFor();
  expect(await read('/accounts/acme')).toMatchObject({ state: 'archived' });
  await page.getByRole('button', { name: 'Restore' }).click();
  await page.getByRole('button', { name: 'Archive' }).waitFor();
  expect(window.problems).toEqual([]);
});

test('a form with a stale version changes nothing and shows the current values', async () => {
  const { page } = window;
  await page.getByLabel('Tokens per minute').fill('7');
  ok(await operator.script.ask(0, 'PATCH /accounts/acme', { tokens_per_minute: 8000 }));
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog', { name: 'acme' }).getByLabel('Tokens per minute').waitFor();
  await until(
    'the newer value is shown',
    async () => (await page.getByLabel('Tokens per minute').inputValue()) === '8000',
  );
  expect(await read('/accounts/acme')).toMatchObject({ tokens_per_minute: 8000 });
});

test('a person is invited, joins by the link and loses access when disabled; the audit log shows it', async () => {
  const { page } = window;
  await window.go('/app/operator/users');
  await page.getByRole('button', { name: 'Invite user' }).click();
  await page.getByRole('textbox', { name: 'Email' }).fill('ann@example.com');
  await page.getByRole('button', { name: 'Create invite link' }).click();
  await page.getByText('Select an account.').waitFor();
  await page.getByRole('combobox', { name: /^Account/ }).fill('acm');
  await page.getByRole('option', { name: 'acme' }).click();
  await page.getByRole('button', { name: 'Create invite link' }).click();
  const link = (await page.getByRole('dialog').locator('code').textContent()) ?? '';
  expect(link).toContain('/welcome#');
  await page.getByRole('button', { name: 'Done' }).click();

  const other = await scene.window(undefined, { path: `${scene.origin}/welcome#${link.split('#')[1]}` });
  await other.page.getByLabel('Name').fill('Ann');
  await other.page.getByLabel('Password').first().fill(PASSWORD);
  await other.page.getByRole('button', { name: 'Create account' }).click();
  await other.page.waitForURL('**/app/a/acme/**');

  await window.fresh('/app/operator/users?q=ANN');
  await page.getByRole('button', { name: 'Ann', exact: true }).click();
  await page.getByRole('button', { name: 'Sign out everywhere' }).waitFor();
  await window.expectSound();
  await page.getByRole('button', { name: 'Disable' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Disable' }).click();
  await page.getByText('No active sessions').waitFor();
  await other.fresh('/app/a/acme/overview');
  await other.page.waitForURL('**/app/sign-in*');
  expect((await read('/users?search=ann')).data[0].disabled_at).not.toBeNull();

  await page.getByRole('button', { name: 'Enable' }).click();
  await page.getByRole('button', { name: 'Make admin' }).click();
  await page.getByLabel('Type “ann@example.com” to confirm').fill('ann@example.com');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Make admin' }).click();
  await page.getByText('Ann is now an admin').waitFor();
  expect((await read('/users?search=ann')).data[0]).toMatchObject({ operator: true, disabled_at: null });

  await window.fresh('/app/operator/audit?action=balance&account=acme');
  await page
    .getByRole('button', { name: /added credit to/ })
    .first()
    .click();
  await page.getByRole('row', { name: 'amount_usd' }).getByText('0.200000001').waitFor();
  await window.expectSound();
  await page.getByRole('button', { name: 'Close' }).click();
  await window.fresh('/app/operator/audit?action=user');
  await page
    .getByRole('button', { name: /updated the user Ann/ })
    .first()
    .click();
  await page.getByRole('row', { name: 'operator' }).waitFor();
  expect(window.problems).toEqual([]);
});

test('a setting is changed, takes effect at the next start, and is reset; the ledger is verified', async () => {
  const { page } = window;
  await window.go('/app/operator/settings?q=attempts');
  await page.getByRole('button', { name: /Change: Max attempts per request/ }).click();
  await page.getByLabel('New value').fill('many');
  await page.getByRole('button', { name: 'Save (applies after restart)' }).click();
  await page.getByText(/^Must be/).waitFor();
  await page.getByLabel('New value').fill('7');
  await page.getByRole('button', { name: 'Save (applies after restart)' }).click();
  await page.getByText('1 change pending restart').waitFor();
  expect((await read('/settings')).sections.routing.max_attempts).toMatchObject({ value: 5, after_restart: 7 });
  await window.expectSound();
  await page.getByRole('button', { name: 'Reset' }).click();
  await page.getByText('1 change pending restart').waitFor({ state: 'detached' });
  expect((await read('/settings')).restart_needed).toEqual([]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('1 change pending restart').waitFor();

  await window.go('/app/operator/nodes');
  await page.getByRole('button', { name: 'Verify ledger' }).click();
  await page.getByText('Ledger verified', { exact: true }).waitFor();
  await window.expectSound();
});

test('a security setting and an erasure ask for the second factor', async () => {
  const { page } = window;
  const ask = async (one: Window, name: string) => {
    await one.go('/app/operator/settings?q=public_url');
    await one.page.getByRole('button', { name: /^Change: / }).click();
    await one.page.getByLabel('New value').fill(`https://${name}.example.com`);
    await one.page.getByRole('button', { name: 'Save (applies after restart)' }).click();
  };
  const erase = async (one: Window) => {
    await one.go('/app/operator/users?q=ANN');
    await one.page.getByRole('button', { name: 'Ann', exact: true }).click();
    await one.page.getByRole('button', { name: 'Erase' }).click();
    await one.page.getByLabel('Type “ann@example.com” to confirm').fill('ann@example.com');
    await one.page.getByRole('alertdialog').getByRole('button', { name: 'Erase' }).click();
  };
  const waiting = async () => (await read('/settings')).sections.server.public_url.after_restart;
  await erase(window);
  await page.getByText('You haven’t set up 2FA yet.').waitFor();
  expect((await read('/users?search=ann')).data).toHaveLength(1);
  await ask(window, 'one');
  await page.getByText('You haven’t set up 2FA yet.').waitFor();
  expect(await page.getByRole('link', { name: 'Set up 2FA' }).getAttribute('href')).toEndWith('/app/me');
  await window.expectSound();
  expect(await waiting()).toBeUndefined();

  // A new sign-in with a used factor makes the second factor recent again.
  const { script } = operator;
  const { totpURI, backupCodes } = ok(await script.ask(0, 'POST /auth/two-factor/enable', { password: PASSWORD })).json;
  ok(await script.ask(0, 'POST /auth/two-factor/verify-totp', { code: codeOf(String(totpURI)) }));
  const changed = { currentPassword: PASSWORD, newPassword: 'another horse battery staple' };
  ok(await script.ask(0, 'POST /auth/change-password', changed));
  const later = await scene.window(operator, { path: '/app/operator/users?q=ANN' });
  await ask(later, 'two');
  await later.page.getByRole('button', { name: 'Use a backup code' }).click();
  await later.page.getByLabel('Backup code').fill((backupCodes as string[])[0] ?? '');
  await later.page.getByRole('button', { name: 'Continue' }).click();
  await until('the change is stored', async () => (await waiting()) === 'https://two.example.com');
  await later.page.getByText('Saved. Restart to apply.').waitFor();
  await later.page.getByRole('button', { name: 'Reset' }).click();
  await until('the change is reverted without another prompt', async () => (await waiting()) === undefined);
  await erase(later);
  await later.page.getByText(/The audit log now shows erased-[0-9a-f]{8}/).waitFor();
  expect((await read('/users?search=ann')).data).toEqual([]);

  ok(await script.ask(0, 'POST /accounts', { id: 'leaving', name: 'Leaving Customer' }));
  await later.go('/app/operator/accounts?id=leaving');
  await later.page.getByRole('button', { name: 'Archive' }).waitFor();
  expect(await later.page.getByRole('button', { name: 'Erase' }).count()).toBe(0);
  ok(await script.ask(0, 'POST /accounts/leaving/archive'));
  await later.fresh('/app/operator/accounts?id=leaving');
  await later.page.getByRole('button', { name: 'Erase' }).click();
  await later.page.getByLabel('Type “leaving” to confirm').fill('leaving');
  await later.expectSound();
  await later.page.getByRole('alertdialog').getByRole('button', { name: 'Erase' }).click();
  await later.page.getByText(/It’s now called erased-[0-9a-f]{8}/).waitFor();
  expect((await read('/accounts/leaving')).name).toMatch(/^erased-/);
});

test('each page fits on a phone in Chinese', async () => {
  const phone = await scene.window(operator, { width: 360, locale: 'zh-CN', path: '/app/operator/accounts' });
  for (const page of ['accounts', 'accounts?id=acme', 'users', 'users?tab=invitations', 'nodes', 'audit', 'settings']) {
    await phone.go(`/app/operator/${page}`);
    await phone.page.locator('h1').first().waitFor();
    const width = await phone.page.evaluate<number>('document.documentElement.scrollWidth');
    expect({ page, width }).toEqual({ page, width: 360 });
  }
  // One section: axe examines all sections in settings.test.ts.
  await phone.go('/app/operator/settings?q=routing.');
  await phone.page.getByText('路由').filter({ visible: true }).first().waitFor();
  await phone.expectSound();
});

describe('on PostgreSQL, the requests of these pages have the same results', () => {
  let scene: DashboardScene;
  let root: Person;
  beforeAll(async () => {
    scene = await DashboardScene.open({ database: 'postgres' });
    root = await scene.operator();
  });
  afterAll(async () => scene?.close());

  const ask = async (line: string, body?: object): Promise<any> => ok(await root.script.ask(0, line, body)).json;
  /** Sends a request with a header. Resolves to its response. */
  const fetched = (method: string, path: string, header: Readonly<Record<string, string>>, body?: object) =>
    root.script.fetch(`/v1/management${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...header },
      ...(body && { body: JSON.stringify(body) }),
    });

  test('an account is created, granted once, changed by the current version only, archived and restored', async () => {
    await ask('POST /accounts', { id: 'acme', balance_usd: '0.1' });
    const grant = () =>
      fetched(
        'POST',
        '/balance/grants?account_id=acme',
        { 'idempotency-key': 'once' },
        { usd: '0.200000001', note: 'Invoice 7' },
      );
    expect([(await grant()).status, (await grant()).status]).toEqual([201, 201]);
    expect(await ask('GET /balance?account_id=acme')).toMatchObject({ balance_usd: '0.300000001' });
    expect((await ask('GET /ledger?account_id=acme')).data).toMatchObject([
      { amount_usd: '0.200000001', note: 'Invoice 7' },
      { amount_usd: '0.1' },
    ]);

    const version = (await fetched('GET', '/accounts/acme', {})).headers.get('etag') ?? '';
    const limits = { tokens_per_minute: 5000, budget: { usd: '12.5', per: 'month', time_zone: 'Europe/Berlin' } };
    expect((await fetched('PATCH', '/accounts/acme', { 'if-match': version }, limits)).status).toBe(200);
    expect((await fetched('PATCH', '/accounts/acme', { 'if-match': version }, { tokens_per_minute: 7 })).status).toBe(
      412,
    );
    expect(await ask('GET /accounts/acme')).toMatchObject(limits);
    const until = new Date(Date.now() + 3_600_000).toISOString();
    await ask('POST /accounts/acme/budget/raise', { usd: '7.5', until });
    expect((await ask('GET /accounts/acme')).budget_raise).toMatchObject({ to_usd: '20' });
    await ask('DELETE /accounts/acme/budget/raise');
    expect((await ask('GET /accounts/acme')).budget_raise).toBeNull();
    await ask('POST /accounts/acme/archive');
    expect((await ask('GET /accounts?state=archived')).data).toMatchObject([{ id: 'acme', state: 'archived' }]);
    await ask('POST /accounts/acme/restore');
    expect(await ask('GET /accounts/acme')).toMatchObject({ state: 'active' });
  });

  test('a person loses access when disabled and becomes an admin, which the audit log has', async () => {
    const ann = await scene.member(root, 'tidepool', 'member');
    expect((await ann.script.ask(0, 'GET /me')).status).toBe(200);
    const found = async () => (await ask('GET /users?search=MEMBER@tide')).data[0];
    const { id } = await found();
    expect((await ask(`GET /users/${id}/sessions`)).data).toHaveLength(1);
    await ask(`PATCH /users/${id}`, { disabled: true });
    expect((await ask(`GET /users/${id}/sessions`)).data).toEqual([]);
    expect((await ann.script.ask(0, 'GET /me')).status).toBe(401);
    expect((await found()).disabled_at).not.toBeNull();
    await ask(`PATCH /users/${id}`, { disabled: false });
    await ask(`PATCH /users/${id}`, { operator: true });
    expect(await found()).toMatchObject({ operator: true, disabled_at: null });
    const [granted] = (await ask('GET /audit?action=balance&account_id=acme')).data;
    expect(granted.after).toMatchObject({ amount_usd: '0.200000001' });
    const [changed] = (await ask('GET /audit?action=user')).data;
    expect(changed).toMatchObject({ before: { operator: false }, after: { operator: true } });
  });

  test('a setting is changed and reset, and the ledger is verified', async () => {
    const changed = await ask('PATCH /settings', { routing: { max_attempts: 7 } });
    expect(changed.sections.routing.max_attempts).toMatchObject({ value: 5, after_restart: 7 });
    await ask('PATCH /settings', { routing: { max_attempts: null } });
    expect((await ask('GET /settings')).restart_needed).toEqual([]);
    expect(await ask('GET /ledger/verify')).toMatchObject({ ok: true });
    expect((await ask('GET /system')).nodes).toHaveLength(1);
  });

  test('a security setting and an erasure ask for the second factor', async () => {
    const security = { server: { public_url: 'https://two.example.com' } };
    const [{ id }] = (await ask('GET /users?search=member@tide')).data;
    expect((await root.script.ask(0, 'PATCH /settings', security)).status).toBe(403);
    expect((await root.script.ask(0, `DELETE /users/${id}`)).status).toBe(403);
    const { totpURI } = await ask('POST /auth/two-factor/enable', { password: PASSWORD });
    await ask('POST /auth/two-factor/verify-totp', { code: codeOf(String(totpURI)) });
    expect((await ask('PATCH /settings', security)).sections.server.public_url.after_restart).toBe(
      'https://two.example.com',
    );
    expect((await ask(`DELETE /users/${id}`)).pseudonym).toMatch(/^erased-/);
    expect((await ask('GET /users?search=member@tide')).data).toEqual([]);
    expect((await root.script.ask(0, 'DELETE /accounts/tidepool')).status).toBe(409);
    await ask('POST /accounts/tidepool/archive');
    await ask('DELETE /accounts/tidepool');
    expect((await ask('GET /accounts/tidepool')).name).toMatch(/^erased-/);
  });
});
