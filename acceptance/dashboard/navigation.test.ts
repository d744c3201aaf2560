import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Locator, Page } from 'playwright-core';
import { until } from '../../conformance/shared/until.ts';
import { PersonalWindows } from './personal-windows.ts';
import { DashboardScene, ok, type Person } from './scene.ts';

/* Finding one's way: the sections of the navigation, a customer's account, pages that are not for everybody, and the search. */

let scene: DashboardScene;
let operator: Person;
let owner: Person;
let viewer: Person;
/** The id of a request of the account `halyard`. */
let request: string;

beforeAll(async () => {
  scene = await DashboardScene.open();
  operator = await scene.operator();
  for (const [id, name] of [
    ['halyard', 'Halyard Robotics'],
    ['tidepool', 'Tidepool Research'],
  ])
    ok(await operator.script.ask(0, 'POST /accounts', { id, name, balance_usd: '5' }));
  owner = await scene.member(operator, 'halyard', 'owner');
  viewer = await scene.member(operator, 'halyard', 'viewer');
  const made = ok(await operator.script.ask(0, 'POST /keys?account_id=halyard', { name: 'Robot arm' }));
  ok(await operator.script.ask(0, 'POST /keys?account_id=tidepool', { name: 'Robot fish' }));
  const answer = await fetch(`${scene.serving.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${made.json.secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox-chat', messages: [{ role: 'user', content: 'hi' }] }),
  });
  await answer.text();
  request = answer.headers.get('x-request-id') ?? '';
});
afterAll(async () => scene?.close());

const windows = new PersonalWindows();
const show = (person: Person, path: string, width?: number) => windows.show(scene, person, path, width);

/** Returns the links of each section. */
async function sections(page: Page): Promise<Readonly<Record<string, readonly string[]>>> {
  const lists = await page.getByRole('navigation', { name: 'Navigation' }).getByRole('list').all();
  const entries = lists.map(async (list) => {
    const name = (await list.getAttribute('aria-label')) ?? '';
    return [name, await list.getByRole('link').allTextContents()] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** Expects that the navigation marks this page, and no other, as the current one. */
async function expectHere(page: Page, name: string, navigation = 'Navigation'): Promise<void> {
  const marked = page.getByRole('navigation', { name: navigation }).locator('[aria-current=page]');
  await until(`${name} alone is marked`, async () => Bun.deepEquals(await marked.allTextContents(), [name]));
}

const BUILD = ['Playground', 'Models', 'API keys', 'Provider keys'];
const OBSERVE = ['Overview', 'Requests', 'Tasks', 'Cache', 'Alerts & budgets'];
const ACCOUNT = ['Billing', 'Members', 'Settings'];
const HELP = ['Get started', 'API reference', 'Guides'];

test('an operator reaches the admin pages from any account, in sections that stay as they were left', async () => {
  const window = await show(operator, '/app/a/default/overview');
  const { page } = window;
  const navigation = page.getByRole('navigation', { name: 'Navigation' });
  await navigation.getByRole('list', { name: 'Admin' }).getByRole('link', { name: 'Channels' }).waitFor();
  const shown = await sections(page);
  expect(shown).toMatchObject({ Build: BUILD, Account: ACCOUNT, Help: HELP });
  expect(shown.Observe).toEqual(expect.arrayContaining(OBSERVE));
  expect(shown.Admin?.slice(0, 3)).toEqual(['Overview', 'Channels', 'Models']);
  await expectHere(page, 'Overview');

  await navigation.getByRole('list', { name: 'Admin' }).getByRole('link', { name: 'Users' }).click();
  await page.waitForURL('**/app/operator/users');
  await expectHere(page, 'Users');
  // The operator's own account is still there.
  await navigation.getByRole('button', { name: 'Build' }).click();
  expect(await navigation.getByRole('list', { name: 'Build' }).count()).toBe(0);
  await page.reload();
  await navigation.getByRole('list', { name: 'Observe' }).getByRole('link', { name: 'Requests' }).click();
  await page.waitForURL('**/app/a/default/requests');
  expect(await navigation.getByRole('button', { name: 'Build' }).getAttribute('aria-expanded')).toBe('false');
  await navigation.getByRole('button', { name: 'Build' }).press('Enter');
  await navigation.getByRole('list', { name: 'Build' }).getByRole('link', { name: 'Models' }).waitFor();
  await window.expectSound();
});

test('API tokens are a tab of the settings that only owners see', async () => {
  const window = await show(owner, '/app/a/halyard/account');
  const { page } = window;
  const tabs = page.getByRole('navigation', { name: 'Settings' });
  await tabs.getByRole('link', { name: 'API tokens' }).click();
  await page.waitForURL('**/app/a/halyard/tokens');
  await page.getByRole('heading', { name: 'API tokens', level: 1 }).waitFor();
  await expectHere(page, 'API tokens', 'Settings');
  await expectHere(page, 'Settings');
  await window.expectSound();

  const other = await show(viewer, '/app/a/halyard/account');
  await other.page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  expect(await other.page.getByRole('navigation', { name: 'Settings' }).count()).toBe(0);
  const shown = await sections(other.page);
  expect(shown).toMatchObject({ Build: ['Models', 'API keys'], Help: HELP.slice(1) });
  expect(Object.keys(shown)).not.toContain('Admin');
});

test('a strip names the customer whose account an operator is in, and leads back', async () => {
  const path = '/app/a/halyard/overview';
  for (const width of [360, 1280]) {
    const window = await show(operator, path, width);
    const { page } = window;
    const strip = page.getByRole('region', { name: 'Customer account' });
    await strip.getByText('Halyard Robotics').waitFor();
    await window.expectSound();
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(width);
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    expect((await strip.boundingBox())?.y).toBe(0);
    await strip.getByRole('link', { name: 'Back to Admin' }).click();
    await page.waitForURL('**/app/operator/accounts?id=halyard');
    await strip.waitFor({ state: 'detached' });
    await window.go('/app/a/default/overview');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(await strip.count()).toBe(0);
  }
  const own = await show(owner, path);
  await own.page.getByRole('heading', { name: 'Overview' }).waitFor();
  expect(await own.page.getByRole('region', { name: 'Customer account' }).count()).toBe(0);
});

test('pages that are not for somebody look like pages that do not exist', async () => {
  const window = await show(owner, '/app/a/halyard/overview');
  const { page } = window;
  const asked: string[] = [];
  page.on('response', (answer) => {
    if (answer.status() === 403) asked.push(answer.url());
  });
  const shownAt = async (path: string) => {
    await window.load(path);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    return page.locator('#root').innerText();
  };
  const nowhere = await shownAt('/app/nowhere');
  for (const path of [
    '/app/operator',
    '/app/operator/overview',
    '/app/operator/users?id=user_1',
    '/app/operator/nowhere',
    '/app/a/tidepool/overview',
    '/app/a/no-such-account/overview',
    '/app/a/halyard/nowhere',
  ])
    expect({ path, shown: await shownAt(path) }).toEqual({ path, shown: nowhere });
  expect(asked).toEqual([]);
  await window.expectSound();

  const admin = await show(operator, '/app/a/no-such-account/requests');
  await admin.page.getByRole('heading', { name: 'Page not found' }).waitFor();
  await admin.expectSound();
});

/** Opens the search and types. Returns its options. */
async function search(page: Page, text: string): Promise<Locator> {
  // The page listens for the keys once it is drawn.
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox', { name: 'Search pages' });
  await field.fill(text);
  return page.getByRole('option');
}

test('the search finds keys, models, accounts, people and requests of all accounts for an operator', async () => {
  const window = await show(operator, '/app/a/default/overview');
  const { page } = window;
  const name = (text: string) => page.getByRole('option').filter({ hasText: text });
  for (const [typed, hit, address] of [
    ['robot a', 'Robot arm', '/app/a/halyard/keys?id='],
    ['Robot fi', 'Tidepool Research', '/app/a/tidepool/keys?id='],
    ['sandbox-reas', 'sandbox-reasoning', '/app/a/default/models?id=sandbox-reasoning'],
    ['tidepool res', 'Tidepool Research', '/app/a/tidepool/overview'],
    ['viewer@hal', 'viewer@halyard.example.com', '/app/operator/users?id=user_'],
    [request, request, `/app/operator/requests?id=${request}`],
  ] as const) {
    await search(page, typed);
    await name(hit).first().waitFor();
    if (typed === 'robot a') await window.expectSound();
    await name(hit).first().click();
    await page.waitForURL((url) => url.href.includes(address));
    await window.go('/app/a/default/overview');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  }
  expect(window.problems).toEqual([]);
});

test('the search of a member stays in the account, and never sends a secret', async () => {
  const window = await show(viewer, '/app/a/halyard/overview');
  const { page } = window;
  const asked: string[] = [];
  page.on('request', (sent) => asked.push(sent.url()));
  const options = await search(page, 'robot');
  await options.filter({ hasText: 'Robot arm' }).waitFor();
  expect(await options.allTextContents()).toEqual([
    expect.stringContaining('Robot arm'),
    expect.stringContaining('Halyard Robotics'),
  ]);
  await page.getByRole('combobox', { name: 'Search pages' }).fill('owner@');
  await options.filter({ hasText: 'owner@halyard' }).waitFor();
  await page.getByRole('combobox', { name: 'Search pages' }).fill(request);
  await options.filter({ hasText: request }).waitFor();
  await page.getByRole('combobox', { name: 'Search pages' }).fill('nobody has this name');
  await page.getByText('No results', { exact: true }).first().waitFor();

  const before = asked.length;
  const secret = `sk-${'a1b2'.repeat(10)}`;
  await page.getByRole('combobox', { name: 'Search pages' }).fill(secret);
  await page.getByText('No results', { exact: true }).first().waitFor();
  await page.getByRole('combobox', { name: 'Search pages' }).fill('robot');
  await options.filter({ hasText: 'Robot arm' }).waitFor();
  expect(asked.slice(before).filter((url) => url.includes(secret.slice(3, 20)))).toEqual([]);
  expect(window.problems).toEqual([]);
});

test('on a phone the navigation opens and closes by touch and keyboard', async () => {
  const window = await show(operator, '/app/a/halyard/overview', 360);
  const { page } = window;
  const opener = page.getByRole('button', { name: 'Open navigation' });
  const sheet = page.getByRole('dialog', { name: 'Navigation' });
  await opener.press('Enter');
  await sheet.getByRole('list', { name: 'Admin' }).getByRole('link', { name: 'Channels' }).waitFor();
  await window.settled();
  await window.expectSound();
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(360);
  // Each target is large enough for a thumb.
  for (const link of await sheet.getByRole('link').all())
    expect((await link.boundingBox())?.height).toBeGreaterThanOrEqual(40);
  await page.keyboard.press('Escape');
  await sheet.waitFor({ state: 'detached' });
  await opener.and(page.locator(':focus')).waitFor();

  await opener.click();
  await sheet.getByRole('list', { name: 'Account' }).getByRole('link', { name: 'Settings' }).click();
  await page.waitForURL('**/app/a/halyard/account');
  await sheet.waitFor({ state: 'detached' });
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'API tokens' }).click();
  await page.waitForURL('**/app/a/halyard/tokens');
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(360);
  expect(window.problems).toEqual([]);
});
