import { afterAll, beforeAll, expect, test } from 'bun:test';
import { asArray } from '../../conformance/shared/json.ts';
import { DashboardScene, ok, type Person, type Window } from './scene.ts';

/* Keys, tokens and members of an account, for its owner and for a viewer. */

let scene: DashboardScene;
let owner: Person;
/** The owner's. */
let window: Window;
let viewer: Person;

beforeAll(async () => {
  scene = await DashboardScene.open();
  const operator = await scene.operator();
  owner = await scene.member(operator, 'acme', 'owner');
  viewer = await scene.member(operator, 'acme', 'viewer');
  window = await scene.window(owner, { path: '/app/a/acme/keys' });
});
afterAll(async () => scene?.close());

async function listed(resource: string) {
  return asArray(ok(await owner.script.ask(0, `GET /${resource}?account_id=acme`)).json.data) as any[];
}

test('an owner creates, edits, rotates and revokes a key', async () => {
  const { page } = window;
  await page.getByText('No API keys yet').waitFor();
  await window.expectSound();
  await page.getByRole('button', { name: 'Create key' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Search backend');
  await dialog.getByLabel('Lifetime limit').fill('a lot');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog
    .getByText(/amount/)
    .first()
    .waitFor();
  await dialog.getByLabel('Lifetime limit').fill('12.345678901');
  await dialog.getByLabel('Budget', { exact: true }).fill('5');
  await dialog.getByRole('button', { name: 'Create' }).click();
  const secret = await page.getByText(/^sk-\S{40,}$/).textContent();
  await window.expectSound();
  const [key] = await listed('keys');
  expect(key).toMatchObject({
    name: 'Search backend',
    budget: { usd: '5', per: 'month', time_zone: 'Europe/Berlin' },
  });
  expect((await scene.serving.chat(String(secret), { model: 'sandbox-chat', messages: [] })).status).not.toBe(401);
  await page.keyboard.press('Escape');
  const question = page.getByRole('alertdialog', { name: 'Close without copying the API key?' });
  await question.waitFor();
  await window.expectSound();
  await question.getByRole('button', { name: 'Cancel' }).click();
  await question.waitFor({ state: 'detached' });
  expect(await page.getByText(/^sk-\S{40,}$/).textContent()).toBe(secret);
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await page.getByRole('button', { name: 'Copied', exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByText(/^sk-\S{40,}$/).waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Search backend' }).click();
  await page.waitForURL(/id=/);
  await page.getByRole('dialog').getByLabel('Lifetime limit').fill('3');
  await ok(await owner.script.ask(0, `PATCH /keys/${key.id}?account_id=acme`, { name: 'Renamed meanwhile' }));
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Someone else changed this').first().waitFor();
  expect((await listed('keys'))[0].limit_usd).not.toBe('3');
  await page.getByRole('dialog').getByLabel('Lifetime limit').fill('3');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Changes saved').first().waitFor();
  expect((await listed('keys'))[0]).toMatchObject({ name: 'Renamed meanwhile', limit_usd: '3' });

  await page.getByRole('button', { name: 'Rotate' }).click();
  await page.getByText('Stop immediately').click();
  await page.getByRole('button', { name: 'Rotate' }).last().click();
  await page.getByText(/^sk-\S{40,}$/).waitFor();
  expect((await scene.serving.chat(String(secret), { model: 'sandbox-chat', messages: [] })).status).toBe(401);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('“Renamed meanwhile” revoked').first().waitFor();
  expect((await listed('keys'))[0].state).toBe('revoked');

  // A URL opens a revoked key, which the list hides. An unknown id shows an alert.
  await window.load(`/app/a/acme/keys?id=${key.id}`);
  await page.getByRole('dialog', { name: 'Renamed meanwhile' }).getByText('Revoked').waitFor();
  expect(await page.getByRole('dialog').getByRole('button', { name: 'Save' }).count()).toBe(0);
  await window.load('/app/a/acme/keys?id=no-such-key');
  await page.getByRole('dialog').getByRole('alert').waitFor();
  expect(window.problems).toEqual([]);
});

test('an owner creates a scoped token, invites a member, changes a role and undoes it', async () => {
  const { page } = window;
  await page.setViewportSize({ width: 360, height: 900 });
  await window.anew('/app/a/acme/tokens');
  await page.getByRole('button', { name: 'Create token' }).first().click();
  await page.getByRole('dialog').getByLabel('Name').fill('Reports');
  await page.getByRole('dialog').getByRole('combobox').fill('usage');
  await page.getByRole('option', { name: 'usage:read' }).click();
  await page.getByRole('dialog').getByLabel('Name').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
  await page.getByText(/^mt-\S{40,}$/).waitFor();
  expect((await listed('tokens'))[0]).toMatchObject({ name: 'Reports', scopes: ['usage:read'] });
  await page.getByRole('button', { name: 'Done' }).click();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);

  await window.load('/app/a/acme/members');
  await page.getByRole('button', { name: 'Invite member' }).click();
  await page.getByLabel('Email').fill('new@example.com');
  await page.getByText('Read-only.').click();
  await page.getByRole('button', { name: 'Create invite link' }).click();
  await page.getByText(/\/welcome#\w{40}$/).waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText('new@example.com').first().waitFor();
  await window.expectSound();
  await page.getByRole('button', { name: 'Actions for viewer' }).click();
  await page.getByRole('menuitem', { name: 'Change role: Member' }).click();
  await page.getByText('viewer’s role is now Member').first().waitFor();
  expect((await listed('members')).find(({ email }) => email === viewer.email).role).toBe('member');
  await page.getByRole('button', { name: 'Undo' }).click();
  // Selects the member's row: the invitation is also for a viewer.
  await page
    .getByRole('row')
    .filter({ has: page.getByRole('button', { name: 'Actions for viewer' }) })
    .getByRole('cell', { name: 'Viewer', exact: true })
    .waitFor();
  expect((await listed('members')).find(({ email }) => email === viewer.email).role).toBe('viewer');
  expect(window.problems).toEqual([]);
});

test('a viewer sees the account in Chinese, without controls to change it', async () => {
  const window = await scene.window(viewer, { path: '/app/a/acme/keys', locale: 'zh-CN' });
  const { page } = window;
  await page.getByRole('heading', { name: 'API 密钥' }).waitFor();
  await page.getByText('没有结果').or(page.getByRole('table')).first().waitFor();
  expect(await page.getByRole('button', { name: '创建密钥' }).count()).toBe(0);
  await page.getByRole('link', { name: '设置', exact: true }).click();
  await page.getByText('每分钟请求数').waitFor();
  expect(await page.getByRole('button', { name: '保存' }).count()).toBe(0);
  expect(await page.getByRole('link', { name: 'API 令牌' }).count()).toBe(0);
  await window.expectSound();
});
