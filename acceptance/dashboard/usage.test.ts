import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { until } from '../../conformance/shared/until.ts';
import { download, rowsOf } from './downloads.ts';
import { ACCOUNT, MODEL, nanos, PaidTraffic } from './paid-traffic.ts';
import { PersonalWindows } from './personal-windows.ts';
import type { Window } from './scene.ts';

/* The usage explorer: who and what costs how much, in the page, in its address and in the file. */

const PRICELESS = 'no-price-model';
const HOUR_MS = 3_600_000;
/** All usage has the same time, so that it stays in one hour if the next one begins between two tests. */
const USED_AT_MS = Date.now() - HOUR_MS;
const USAGE = `/app/a/${ACCOUNT}/usage`;

let traffic: PaidTraffic;

beforeAll(async () => {
  traffic = await PaidTraffic.open({
    accounts: [
      {
        ...{ id: ACCOUNT, name: 'Acme Ltd', balance_usd: '100' },
        keys: [
          { id: 'robot', name: 'Robot', secret: 'sk-of-acme-0123456789abcdef' },
          { id: 'web', name: 'Web shop', secret: 'sk-of-acme-web-0123456789abc' },
        ],
      },
      { id: 'zenith', name: 'Zenith Inc', balance_usd: '100', keys: [] },
    ],
  });
  write([
    { key: 'web', model: MODEL, usd: 3, requests: 20, tag: 'team=search', latencyMs: 700 },
    { key: 'web', model: 'small', usd: 0.5, requests: 300, tag: 'end_user=ann', latencyMs: 90 },
    { key: 'robot', model: MODEL, usd: 1.25, requests: 10, tag: 'team=docs', latencyMs: 900 },
    { key: 'robot', model: PRICELESS, usd: 0, requests: 5, unpriced: 5, latencyMs: 600_000 },
    { account: 'zenith', key: 'other', model: MODEL, usd: 9, requests: 7, latencyMs: 700 },
  ]);
});
afterAll(async () => traffic?.close());

interface Written {
  readonly account?: string;
  readonly key: string;
  readonly model: string;
  readonly usd: number;
  readonly requests: number;
  readonly unpriced?: number;
  readonly tag?: string;
  readonly latencyMs: number;
}

/** The columns of the latencies in these tests. */
const STEPS: Readonly<Record<number, string>> = {
  90: 'latency_le_100',
  700: 'latency_le_1000',
  900: 'latency_le_1000',
  600000: 'latency_le_680000',
};

/** Writes usage of an hour ago into the database. */
function write(rows: readonly Written[]): void {
  const database = new Database(traffic.scene.space.database);
  database.run('PRAGMA busy_timeout = 5000');
  for (const { account = ACCOUNT, key, model, usd, requests, unpriced = 0, tag, latencyMs } of rows) {
    for (const summed of tag === undefined ? [''] : ['', tag]) {
      database.run(
        `INSERT INTO usage_deltas (at_ms, account_id, key_id, model_id, channel_id, status, tag, requests, cost_nano,
           unpriced_requests, latency_ms_sum, latency_ms_max, ${STEPS[latencyMs]})
         VALUES (?, ?, ?, ?, 'house', 200, ?, ?, ?, ?, ?, ?, ?)`,
        [
          USED_AT_MS,
          account,
          key,
          model,
          summed,
          requests,
          usd * 1e9,
          unpriced,
          requests * latencyMs,
          latencyMs,
          requests,
        ],
      );
    }
  }
  database.close();
}

/** Runs in the page: whether it, or its table, is wider than its place. */
const BEYOND = `(() => {
  const root = document.documentElement;
  const table = document.querySelector('[role=table]');
  return {
    page: root.scrollWidth > root.clientWidth,
    table: table.scrollWidth > table.parentElement.clientWidth,
  };
})()`;

const windows = new PersonalWindows();

/** Shows a page to the owner. */
const own = (path: string) => windows.show(traffic.scene, traffic.owner, path);

const cells = (window: Window, row: number) =>
  window.page.getByRole('table').getByRole('row').nth(row).getByRole('cell').allTextContents();

async function pick(window: Window, control: string, option: string): Promise<void> {
  await window.page.getByRole('combobox', { name: control, exact: true }).click();
  await window.page.getByRole('option', { name: option, exact: true }).click();
}

test('an owner finds which key spent most this week in three clicks from the overview', async () => {
  const window = await own(`/app/a/${ACCOUNT}/overview`);
  const { page } = window;
  const clicks = await window.countClicks();
  const keys = page.getByRole('region', { name: 'API keys' });
  await keys.getByRole('listitem').first().getByText('Web shop').waitFor();
  await keys.getByRole('link', { name: 'View in Usage' }).click();
  await page.waitForURL(`**${USAGE}?*by=key*`);
  await page.getByRole('table', { name: 'Spend by API key' }).waitFor();
  expect((await cells(window, 1)).slice(0, 3)).toEqual(['Web shop', '$3.50', '73.7%']);
  expect((await cells(window, 2)).slice(0, 3)).toEqual(['Robot', '$1.25', '26.3%']);
  expect((await cells(window, 3)).slice(0, 2)).toEqual(['Total', '$4.75']);
  expect(clicks.count).toBeLessThanOrEqual(3);
  await window.expectSound();
});

test('spend by model, then key, is in the address, and a row leads into itself', async () => {
  const window = await own(USAGE);
  const { page } = window;
  await pick(window, 'Then by', 'API key');
  await page.getByRole('table', { name: 'Spend by model and API key' }).waitFor();
  await page.waitForURL(`**${USAGE}?within=key`);
  expect((await cells(window, 1)).slice(0, 2)).toEqual([MODEL, '$4.25']);
  expect((await cells(window, 2)).slice(0, 2)).toEqual(['Web shop', '$3.00']);
  expect((await cells(window, 3)).slice(0, 2)).toEqual(['Robot', '$1.25']);

  await pick(window, 'Metric', 'Requests');
  await page.getByRole('table', { name: 'Requests by model and API key' }).waitFor();
  await pick(window, 'Interval', 'Day');
  await window.load(new URL(page.url()).pathname + new URL(page.url()).search);
  await page.getByRole('table', { name: 'Requests by model and API key' }).waitFor();
  expect(new URL(page.url()).search).toBe('?within=key&metric=requests&interval=day');
  expect((await cells(window, 1)).slice(0, 2)).toEqual(['small', '300']);

  await page.getByRole('table').getByRole('link', { name: 'small' }).click();
  await page.getByRole('table', { name: 'Requests by API key' }).waitFor();
  expect(await page.getByRole('combobox', { name: 'Model', exact: true }).inputValue()).toBe('small');
  expect((await cells(window, 1)).slice(0, 2)).toEqual(['Web shop', '300']);
});

test('usage by tag and by end user has the requests without them, and traffic without a price is not zero', async () => {
  const window = await own(USAGE);
  const { page } = window;
  await pick(window, 'Group by', 'Tag: team');
  await page.getByRole('table', { name: 'Spend by tag: team' }).waitFor();
  expect((await cells(window, 1)).slice(0, 2)).toEqual(['search', '$3.00']);
  expect((await cells(window, 2)).slice(0, 2)).toEqual(['docs', '$1.25']);
  expect((await cells(window, 3)).slice(0, 2)).toEqual(['No tag', '$0.50']);
  await pick(window, 'Group by', 'End user');
  await page.getByRole('table', { name: 'Spend by end user' }).waitFor();
  await page.getByRole('cell', { name: 'ann', exact: true }).waitFor();

  await window.go(`${USAGE}?by=model&metric=spend`);
  const priceless = page.getByRole('row', { name: new RegExp(PRICELESS) });
  await priceless.waitFor();
  expect((await priceless.getByRole('cell').allTextContents())[1]).toBe('No price');
});

test('end users are shown as hashes, and one is found by the name that its app sends', async () => {
  const { tag } = await traffic.read(`usage/end-users/ben?account_id=${ACCOUNT}`);
  write([{ key: 'web', model: 'small', usd: 0, requests: 4, tag: String(tag), latencyMs: 90 }]);
  const window = await own(`${USAGE}?by=end_user&metric=requests`);
  const { page } = window;
  await page.getByText('End users are shown as hashes').waitFor();
  await page.getByRole('cell', { name: String(tag).replace('end_user=', ''), exact: true }).waitFor();
  await window.expectSound();
  await page.getByLabel('Name of an end user').fill(' ben ');
  await page.getByRole('button', { name: 'Find' }).click();
  await page.getByRole('table', { name: 'Requests by model' }).waitFor();
  await until('only this end user is left', async () => (await cells(window, 1)).slice(0, 2).join() === 'small,4');
  expect(new URL(page.url()).searchParams.get('tag')).toBe(String(tag));
});

test('the exported file has all groups, with the names of keys', async () => {
  const window = await own(`${USAGE}?by=key&within=model&period=day`);
  const { page } = window;
  await page.getByRole('table').waitFor();
  const rows = rowsOf(await download(page, 'Export CSV'));
  expect(rows).toHaveLength(4);
  const sum = rows.reduce((all, { cost_usd }) => all + nanos(cost_usd), 0n);
  expect(sum).toBe(4_750_000_000n);
  expect(rows.find(({ key, model }) => key === 'web' && model === MODEL)).toMatchObject({
    ...{ key_name: 'Web shop', requests: '20', cost_usd: '3' },
  });
  const overTime = rowsOf(await download(page, 'Export over time'));
  expect(overTime).toHaveLength(4);
  const lengths = overTime.map(({ from = '', to = '' }) => Date.parse(to) - Date.parse(from));
  expect(Math.max(...lengths)).toBeLessThanOrEqual(HOUR_MS);
});

test('operators see usage by account, then key, and go into an account', async () => {
  const { scene, operator } = traffic;
  const window = await scene.window(operator, { path: '/app/operator/usage' });
  const { page } = window;
  await page.getByRole('table', { name: 'Spend by account' }).waitFor();
  expect((await cells(window, 1)).slice(0, 2)).toEqual(['Zenith Inc', '$9.00']);
  expect((await cells(window, 2)).slice(0, 2)).toEqual(['Acme Ltd', '$4.75']);
  await pick(window, 'Then by', 'API key');
  await page.getByRole('table', { name: 'Spend by account and API key' }).waitFor();
  expect((await cells(window, 4)).slice(0, 2)).toEqual(['Web shop', '$3.50']);
  await window.expectSound();
  await page.getByRole('table').getByRole('link', { name: 'Acme Ltd' }).click();
  await page.waitForURL(`**${USAGE}?*`);
  await page.getByRole('table', { name: 'Spend by API key' }).waitFor();
});

test('no other account sees the usage', async () => {
  const { scene, operator } = traffic;
  const stranger = await scene.member(operator, 'zenith', 'viewer');
  const window = await scene.window(stranger, { path: '/app/a/zenith/usage?by=key' });
  await window.page.getByRole('table', { name: 'Spend by API key' }).waitFor();
  expect((await cells(window, 1)).slice(0, 2)).toEqual(['other', '$9.00']);
  expect(await window.page.getByText('Web shop').count()).toBe(0);
  await window.load(`/app/a/${ACCOUNT}/usage`);
  expect(await window.page.getByRole('table').count()).toBe(0);
});

test('nothing is cut off at any width, and the table is usable by keyboard', async () => {
  const window = await own(`${USAGE}?by=model&within=key`);
  const { page } = window;
  const table = page.getByRole('table');
  await table.waitFor();
  for (const width of [360, 1024, 1280, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await window.settled();
    const beyond = await page.evaluate<object>(BEYOND);
    expect({ width, beyond }).toEqual({ width, beyond: { page: false, table: false } });
    await table.getByRole('link').first().focus();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/usage?*model=*');
    await page.goBack();
    await page.getByRole('table', { name: 'Spend by model and API key' }).waitFor();
  }
});
