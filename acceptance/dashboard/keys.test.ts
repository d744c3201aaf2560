import { afterAll, beforeAll, expect, test } from 'bun:test';
import { ACCOUNT, MODEL, PaidTraffic } from './paid-traffic.ts';
import { ok, type Window } from './scene.ts';
import { pixelsBeyond } from './table-facts.ts';

/* The list of keys and their details, with traffic. */

const GOOD = 4;

const KEYS = `/app/a/${ACCOUNT}/keys`;

let traffic: PaidTraffic;
/** The owner's. */
let window: Window;
beforeAll(async () => {
  traffic = await PaidTraffic.open();
  await traffic.send(GOOD, 0);
  for (const name of ['Batch jobs', 'Nightly export'])
    ok(await traffic.owner.script.ask(0, `POST /keys?account_id=${ACCOUNT}`, { name, limit_usd: '2' }));
  window = await traffic.scene.window(traffic.owner, { path: `/app/a/${ACCOUNT}/overview` });
});
afterAll(async () => traffic?.close());

const names = async () =>
  await window.page.getByRole('table', { name: 'API keys' }).getByRole('button').allTextContents();

test('an owner finds the key that spent most this week in two clicks, and its models in one more', async () => {
  const { page } = window;
  await window.anew(`/app/a/${ACCOUNT}/overview`);
  await page.getByRole('link', { name: 'API keys', exact: true }).first().click();
  await page.getByRole('button', { name: 'Spend (7d)' }).click();
  await page.waitForURL('**/keys?sort=spent_7d&order=desc');
  const table = page.getByRole('table', { name: 'API keys' });
  const first = table.getByRole('row').nth(1);
  await first.getByText('Robot').waitFor();
  expect(await table.getByRole('columnheader', { name: 'Spend (7d)' }).getAttribute('aria-sort')).toBe('descending');
  await first.getByRole('button', { name: 'Robot' }).click();
  const sheet = page.getByRole('dialog', { name: 'Robot' });
  await sheet.getByText('Last 7 days').waitFor();
  await sheet.getByText(MODEL).waitFor();
  await sheet.getByText(`${GOOD} requests`).waitFor();
  await sheet.getByText('Config file', { exact: true }).waitFor();
  await window.expectSound();
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Spend (7d)' }).click();
  await page.waitForURL('**/keys?sort=spent_7d&order=asc');
  await table.getByRole('row').nth(3).getByText('Robot').waitFor();
});

test('keys are searched over all pages, and show their creator and their limit as a bar', async () => {
  const { page } = window;
  await page.setViewportSize({ width: 1440, height: 900 });
  await window.anew(KEYS);
  const table = page.getByRole('table', { name: 'API keys' });
  await table.getByText('Robot').waitFor();
  await page.getByRole('searchbox', { name: 'Search by name, ID or key' }).fill('NIGHT');
  await page.waitForURL('**/keys?q=NIGHT');
  await table.getByText('Robot').waitFor({ state: 'detached' });
  expect((await names()).filter((name) => name === 'Nightly export')).toHaveLength(1);
  const row = table.getByRole('row').nth(1);
  expect(await row.getByRole('meter').getAttribute('aria-valuetext')).toBe('of $2.00');
  await row.getByText('You', { exact: true }).waitFor();
  await page.getByRole('searchbox').fill('nothing like this');
  await page.getByText('Try a different search or status.').waitFor();
  await window.expectSound();
});

test('nothing of the list is cut off or wider than the page, from a phone to a large window', async () => {
  const { page } = window;
  await window.anew(KEYS);
  for (const width of [360, 1024, 1280, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    const table = page.getByRole('table', { name: 'API keys' });
    await table.getByText('Robot').waitFor();
    await window.settled();
    expect([width, await pixelsBeyond(page, 'API keys')]).toEqual([width, 0]);
  }
  expect(window.problems).toEqual([]);
});

test('a key form suggests models, warns of patterns without a model, and has the usual lifetimes', async () => {
  const { page } = window;
  await window.anew(KEYS);
  await page.getByRole('button', { name: 'Create key' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create key' });
  await dialog.getByLabel('Name').fill('With models');
  const models = dialog.getByRole('combobox', { name: 'Models' });
  await models.fill('house');
  await page.getByRole('option', { name: MODEL }).click();
  await models.fill('claud-*,');
  await dialog.getByText('No available model matches “claud-*”. Check the spelling.').waitFor();
  await window.expectSound();
  // Leaving the field closes the suggestions.
  await models.press('Tab');
  await dialog.getByRole('button', { name: 'Remove claud-*' }).click();
  await dialog.getByText(/No available model matches/).waitFor({ state: 'detached' });
  // A pattern that is left in the field counts as well.
  await models.fill('house-*');
  await models.press('Tab');
  await dialog.getByRole('button', { name: '30 days' }).click();
  const expires = await dialog.getByLabel('Expires', { exact: true }).inputValue();
  const days = (Date.parse(`${expires}Z`) - Date.now()) / 86_400_000;
  expect(Math.abs(days - 30)).toBeLessThan(0.2);
  await dialog.getByRole('button', { name: 'Never' }).click();
  expect(await dialog.getByLabel('Expires', { exact: true }).inputValue()).toBe('');
  await dialog.getByRole('button', { name: '90 days' }).click();
  await dialog.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText(/^sk-\S{40,}$/).waitFor();
  const { data } = (await traffic.read(`keys?account_id=${ACCOUNT}&q=With%20models`)) as {
    readonly data: readonly { readonly models: readonly string[]; readonly expires_at: string }[];
  };
  expect(data[0]?.models).toEqual([MODEL, 'house-*']);
  expect(Math.round((Date.parse(data[0]?.expires_at ?? '') - Date.now()) / 86_400_000)).toBe(90);
  expect(window.problems).toEqual([]);
});
