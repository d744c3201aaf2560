import { afterAll, beforeAll, expect, test } from 'bun:test';
import { DashboardScene, PASSWORD } from './scene.ts';

/* One-time links, signing in and signing out. */

let scene: DashboardScene;
beforeAll(async () => {
  scene = await DashboardScene.open();
});
afterAll(async () => scene?.close());

test('the first operator joins by the printed link, signs out and in, and returns to the requested page', async () => {
  const link = await scene.firstLink();
  const window = await scene.window(undefined, { path: link });
  const { page } = window;
  await page.getByText('You’ll be an admin').waitFor();
  // The link survives reloads, although its secret is neither in the address nor in a storage that other pages share.
  for (let times = 0; times < 2; times += 1) {
    await page.reload();
    await page.getByText('You’ll be an admin').waitFor();
  }
  const places = await page.evaluate<string>(
    'JSON.stringify([location.href, { ...localStorage }, { ...sessionStorage }, document.cookie])',
  );
  expect(places).toContain(`${scene.origin}/welcome`);
  expect(places).not.toContain(link.split('#')[1] ?? 'none');
  // Another page on the way leaves it as it is.
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Sign in to Switchyard' }).waitFor();
  await page.goBack();
  await page.getByText('You’ll be an admin').waitFor();
  await window.expectSound();
  await page.getByLabel('Name').fill('Ada');
  await page.getByLabel('Email').fill('ada@example.com');
  await page.getByLabel('Password').first().fill('short');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByText('10').last().waitFor();
  await page.getByLabel('Password').first().fill(PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.waitForURL('**/app/a/default/first-steps');
  expect(await page.evaluate<string>('JSON.stringify(history.state)')).not.toContain(link.split('#')[1] ?? 'none');

  await page.getByRole('button', { name: 'Ada’s menu' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to Switchyard' }).waitFor();
  await window.load('/app/a/default/keys?state=revoked');
  await page.getByLabel('Email').fill('ada@example.com');
  await page.getByLabel('Password').first().fill('not the right one');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('alert').waitFor();
  expect(await page.getByRole('alert').innerText()).toBe('Wrong email or password.');
  await window.expectSound();
  await page.getByLabel('Password').first().fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL('**/app/a/default/keys?state=revoked');
  await page.getByRole('button', { name: 'Ada’s menu' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.locator('[role=combobox]:focus').waitFor();
  await page.keyboard.type('Billi');
  await page.getByRole('option', { name: 'Billing', selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL('**/app/a/default/balance');
  for (const [short, whole] of [
    ['/app', '/app/a/default/overview'],
    ['/app/a/default', '/app/a/default/overview'],
    ['/app/operator', '/app/operator/overview'],
  ] as const) {
    await window.load(short);
    await page.waitForURL(`**${whole}`);
  }
  expect(window.problems).toEqual([]);
});

test('a visitor is sent to the sign-in page without failed requests, and never to another host', async () => {
  const { page, problems } = await scene.window(undefined, { path: '/app/sign-in' });
  const refused: string[] = [];
  page.on('response', (answer) => {
    if (answer.status() >= 400) refused.push(`${answer.status()} ${answer.url()}`);
  });
  await page.goto(`${scene.origin}/app/a/default/keys`);
  await page.waitForURL('**/app/sign-in?next=*');
  expect(refused).toEqual([]);
  await page.goto(`${scene.origin}/app/sign-in?next=${encodeURIComponent('/\\evil.example/app/')}`);
  await page.getByLabel('Email').fill('ada@example.com');
  await page.getByLabel('Password').first().fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL('**/app/a/default/overview');
  // A person with a session skips the sign-in page, as after signing in through an issuer.
  await page.goto(`${scene.origin}/app/sign-in?next=${encodeURIComponent('/app/me')}`);
  await page.waitForURL('**/app/me');
  expect({ refused, problems }).toEqual({ refused: [], problems: [] });
});
