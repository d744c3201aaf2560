import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { ACCOUNT, BALANCE, MODEL, nanos, PaidTraffic } from './paid-traffic.ts';
import { PersonalWindows } from './personal-windows.ts';

/* The overviews show the numbers of the API, which match the charges. */

const GOOD = 3;
const BAD = 1;
const DAY_MS = 86_400_000;

let traffic: PaidTraffic;
beforeAll(async () => {
  traffic = await PaidTraffic.open();
});
afterAll(async () => traffic?.close());

const windows = new PersonalWindows();
/** Shows a page to the owner. */
const own = (path: string) => windows.show(traffic.scene, traffic.owner, path);

const tile = (page: Page, label: string) =>
  page
    .locator('main dl > div', { has: page.getByText(label, { exact: true }) })
    .locator('dd')
    .first();

test('an account without requests sees its first steps, and later the numbers that were charged', async () => {
  const window = await own(`/app/a/${ACCOUNT}/overview`);
  const { page } = window;
  await page.getByText('No requests yet').waitFor();
  await page.getByRole('link', { name: 'Get started' }).first().waitFor();
  expect(await page.evaluate<number>("document.querySelectorAll('.recharts-wrapper').length")).toBe(0);

  await traffic.send(GOOD, BAD);
  await window.load(`/app/a/${ACCOUNT}/overview?period=day`);
  await page.locator('.recharts-surface').first().waitFor();
  const balance = await traffic.read(`balance?account_id=${ACCOUNT}`);
  const overview = await traffic.read(`usage/overview?account_id=${ACCOUNT}`);
  const total = overview.total as { cost_usd: string; requests: number; latency_ms: number };
  expect(nanos(total.cost_usd)).toBe(nanos(BALANCE) - nanos(balance.balance_usd));
  expect(nanos(total.cost_usd)).toBeGreaterThan(0n);
  const money = new Intl.NumberFormat('en-US', {
    ...{ style: 'currency', currency: 'USD', minimumFractionDigits: 2, maximumFractionDigits: 6 },
  });
  expect(await tile(page, 'Spend').textContent()).toBe(money.format(total.cost_usd as Intl.StringNumericLiteral));
  expect(await tile(page, 'Requests').textContent()).toBe(String(GOOD + BAD));
  expect(await tile(page, 'Error rate').textContent()).toBe('25%');
  await page.getByText('No prior data').first().waitFor();
  await window.expectSound();

  // A bar links to its requests.
  await page.getByRole('link', { name: MODEL, exact: true }).click();
  await page.waitForURL(`**/app/a/${ACCOUNT}/requests?*model=${MODEL}*`);

  // A quiet period of an account with earlier requests does not show the first steps.
  await window.go(`/app/a/${ACCOUNT}/overview?period=2026-01-01T00:00Z~2026-01-02T00:00Z`);
  await page.getByText('No requests in this period').waitFor();
});

test('a request at 23:30 UTC counts on the next day in Berlin', async () => {
  const { scene } = traffic;
  const evening = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS - 3 * DAY_MS - DAY_MS / 48);
  expect(evening.toISOString()).toContain('T23:30:00');
  const database = new Database(scene.space.database);
  database.run('PRAGMA busy_timeout = 5000');
  const row = 'INSERT INTO usage_deltas (at_ms, account_id, key_id, model_id, channel_id, status, requests)';
  database.run(`${row} VALUES (?, ?, 'robot', ?, 'house', 200, 7)`, [evening.getTime(), ACCOUNT, MODEL]);
  database.close();
  const window = await own(`/app/a/${ACCOUNT}/overview?period=month`);
  const { page } = window;
  const chart = page.getByRole('figure', { name: 'Requests', exact: true });
  await chart.getByRole('button', { name: 'Show as table' }).click();
  const day = (at: Date) =>
    new Intl.DateTimeFormat('en-US', {
      ...{ timeZone: 'UTC', month: 'short', day: 'numeric', year: 'numeric' },
    }).format(at);
  const requestsOf = (at: Date) =>
    chart
      .getByRole('row', { name: new RegExp(`^${day(at)}`) })
      .locator('td')
      .first();
  expect(await requestsOf(new Date(evening.getTime() + DAY_MS / 24)).textContent()).toBe('7');
  expect(await requestsOf(evening).textContent()).toBe('0');
  expect(window.problems).toEqual([]);
});

test('operators see all accounts, channels and nodes, also in Chinese on a phone', async () => {
  const { scene, operator } = traffic;
  const options = { width: 360, locale: 'zh-CN', path: '/app/operator/overview' };
  const window = await scene.window(operator, options);
  const { page } = window;
  await page.getByRole('heading', { name: '概览' }).waitFor();
  await page.getByRole('link', { name: ACCOUNT, exact: true }).waitFor();
  await page.getByRole('link', { name: 'house', exact: true }).waitFor();
  await page.getByText('当前节点').waitFor();
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  await window.expectSound();
});

test('the filters and the group of the overview are in its address, and links keep them', async () => {
  const window = await own(`/app/a/${ACCOUNT}/overview?period=day`);
  const { page } = window;
  await page.locator('.recharts-surface').first().waitFor();
  await page.getByRole('combobox', { name: 'Group by' }).click();
  await page.getByRole('option', { name: 'By model' }).click();
  await page.getByRole('figure', { name: 'Spend by model' }).getByText(MODEL).waitFor();
  await page.getByRole('figure', { name: 'p95 latency by model' }).waitFor();
  await page.getByRole('combobox', { name: 'API key', exact: true }).fill('Rob');
  await page.getByRole('option', { name: 'Robot' }).click();
  await page.waitForURL('**/overview?*key=robot*');
  expect(await tile(page, 'Requests').textContent()).toBe(String(GOOD + BAD));
  await window.expectSound();
  await page.getByRole('region', { name: 'Models' }).getByRole('link', { name: MODEL, exact: true }).click();
  await page.waitForURL(`**/requests?*key=robot*`);
});

test('one video among short requests does not hide them in the latency chart', async () => {
  const { scene } = traffic;
  const database = new Database(scene.space.database);
  database.run('PRAGMA busy_timeout = 5000');
  const atMs = Date.now() - 2 * 3_600_000;
  const columns = 'at_ms, account_id, key_id, model_id, channel_id, status, requests, latency_ms_sum, latency_ms_max';
  const insert = (model: string, requests: number, latencyMs: number, step: string) =>
    database.run(`INSERT INTO usage_deltas (${columns}, ${step}) VALUES (?, ?, 'robot', ?, 'house', 200, ?, ?, ?, ?)`, [
      ...[atMs, ACCOUNT, model, requests, requests * latencyMs, latencyMs, requests],
    ]);
  insert(MODEL, 98, 800, 'latency_le_1000');
  insert('video', 2, 600_000, 'latency_le_680000');
  database.close();
  const window = await own(`/app/a/${ACCOUNT}/overview?period=day`);
  const { page } = window;
  const chart = page.getByRole('figure', { name: 'Latency', exact: true });
  await chart.getByText('Log scale').waitFor();
  for (const name of ['p50', 'p95', 'p99']) await chart.getByText(name, { exact: true }).waitFor();
  expect(await tile(page, 'p95 latency').textContent()).not.toContain('m ');
  await chart.getByRole('button', { name: 'Show as table' }).click();
  const busiest = chart.locator('tbody tr', { hasText: /m \d+s/ });
  const [median = '', most = '', highest = ''] = await busiest.first().locator('td').allTextContents();
  expect([median, most].every((text) => /\sms$/.test(text))).toBe(true);
  expect(highest).toMatch(/^\d+m \d+s$/);
});
