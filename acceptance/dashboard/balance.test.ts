import { afterAll, beforeAll, expect, test } from 'bun:test';
import { download, rowsOf } from './downloads.ts';
import { ACCOUNT, BALANCE, nanos, PaidTraffic, shownNanos } from './paid-traffic.ts';
import type { Window } from './scene.ts';
import { columnOf, cutTimes, pixelsBeyond } from './table-facts.ts';

/* Balance, ledger and statements are exact to the nano-dollar on screen, in exports and in print. */

const GOOD = 3;
const SELLER = { name: 'Halyard Gateway Ltd', address: ['1 Quay Street', 'Cork'], tax_id: 'IE1234567T' };

const BILLING = `/app/a/${ACCOUNT}/balance`;

let traffic: PaidTraffic;
/** The owner's. */
let window: Window;
beforeAll(async () => {
  traffic = await PaidTraffic.open({ seller: SELLER });
  await traffic.send(GOOD, 1);
  window = await traffic.scene.window(traffic.owner, { path: BILLING });
});
afterAll(async () => traffic?.close());

test('the ledger can be filtered and exported, and the export sums to the balance', async () => {
  await window.anew(BILLING);
  const { page } = window;
  const table = page.getByRole('table', { name: 'Transactions' });
  await table.getByText('Charge').first().waitFor();
  expect(await table.getByText('Charge').count()).toBe(GOOD);
  expect(await table.getByText('Robot').count()).toBe(GOOD);
  const { balance_usd: balance } = await traffic.read(`balance?account_id=${ACCOUNT}`);
  const all = rowsOf(await download(page, 'Export CSV'));
  expect(all.reduce((sum, { amount_usd }) => sum + nanos(amount_usd), 0n)).toBe(nanos(balance));

  await page.getByRole('combobox', { name: 'Type' }).click();
  await page.getByRole('option', { name: 'Charge' }).click();
  await page.waitForURL('**/balance?kind=charge');
  await table.getByText('Credit').waitFor({ state: 'detached' });
  const charges = rowsOf(await download(page, 'Export CSV'));
  expect(charges.map(({ kind }) => kind)).toEqual(Array.from({ length: GOOD }, () => 'charge'));
  expect(charges.reduce((sum, { amount_usd }) => sum + nanos(amount_usd), nanos(BALANCE))).toBe(nanos(balance));
  await table.getByRole('link').first().click();
  await page.waitForURL(`**/app/a/${ACCOUNT}/requests?id=*`);
  expect(window.problems).toEqual([]);
});

test('a statement sums to the closing balance and is printed without navigation', async () => {
  await window.anew(`${BILLING}?tab=months`);
  const { page } = window;
  const months = page.getByRole('table', { name: 'Statements by month' });
  await months.getByRole('button').first().click();
  await page.waitForURL('**/balance?tab=months&month=*');
  await page.getByText('In progress', { exact: true }).waitFor();
  const amountOf = async (name: string) => {
    return shownNanos(
      await page
        .getByRole('row', { name: new RegExp(`^${name}`) })
        .locator('td')
        .textContent(),
    );
  };
  const parts = ['Opening balance', 'Credits', 'Refunds', 'Adjustments', 'Usage'];
  const amounts = await Promise.all(parts.map(amountOf));
  const closing = await amountOf('Closing balance');
  expect(amounts.reduce((sum, amount) => sum + amount, 0n)).toBe(closing);
  const { balance_usd: balance } = await traffic.read(`balance?account_id=${ACCOUNT}`);
  expect(closing).toBe(nanos(balance));
  for (const name of ['By model', 'By API key', 'By day']) {
    const total = page
      .getByRole('region', { name })
      .getByRole('row', { name: /^Total/ })
      .locator('td')
      .last();
    expect(shownNanos(await total.textContent())).toBe(nanos(BALANCE) - nanos(balance));
  }
  const entries = rowsOf(await download(page, 'Transactions CSV'));
  expect(entries.reduce((sum, { amount_usd }) => sum + nanos(amount_usd), 0n)).toBe(closing - (amounts[0] ?? 0n));
  const file = rowsOf(await download(page, 'Download CSV'));
  const amountIn = (id: string) => file.find((row) => row.group === 'summary' && row.id === id)?.amount_usd;
  expect(nanos(amountIn('closing'))).toBe(closing);
  for (const group of ['model', 'key', 'day']) {
    const rows = file.filter((row) => row.group === group);
    expect(rows.reduce((sum, { cost_usd }) => sum + nanos(cost_usd), 0n)).toBe(nanos(BALANCE) - nanos(balance));
  }
  expect(file.find(({ group }) => group === 'key')).toMatchObject({ id: 'robot', name: 'Robot' });

  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  expect(await page.getByRole('navigation').isVisible()).toBe(false);
  expect(await page.getByRole('button', { name: 'Print or save as PDF' }).isVisible()).toBe(false);
  expect(await page.evaluate<string>('getComputedStyle(document.body).color')).toBe('rgb(0, 0, 0)');
  const pdf = await page.pdf({ preferCSSPageSize: true });
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
  // A4, in points.
  expect(pdf.toString('latin1')).toMatch(/MediaBox \[0 0 59[45]\.\d+ 84[12]\.\d+\]/);
  await page.emulateMedia({ media: null });
  expect(window.problems).toEqual([]);
});

test('each transaction shows the balance after it, and the cards show cents with the exact amount below', async () => {
  await window.anew(BILLING);
  const { page } = window;
  const table = page.getByRole('table', { name: 'Transactions' });
  await table.getByText('Charge').first().waitFor();
  const { data } = (await traffic.read(`ledger?account_id=${ACCOUNT}`)) as { data: { balance_usd: string }[] };
  expect(data.length).toBe(GOOD + 1);
  const { balance_usd: balance } = await traffic.read(`balance?account_id=${ACCOUNT}`);
  for (const width of [1024, 1440, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    await window.settled();
    const shown = await columnOf(page, 'Transactions', 'Balance after');
    expect([width, shown.map(shownNanos)]).toEqual([width, data.map(({ balance_usd }) => nanos(balance_usd))]);
    expect([width, await cutTimes(page, 'Transactions'), await pixelsBeyond(page, 'Transactions')]).toEqual([
      width,
      0,
      0,
    ]);
    const cards = await page.locator('dl').first().locator('dd').allTextContents();
    expect([width, cards.filter((text) => /^\$[\d,]+\.\d\d$/.test(text))]).toEqual([
      width,
      Array(3).fill(expect.any(String)),
    ]);
    const exact = cards.find((text) => text.startsWith('Exactly ')) ?? '';
    expect([width, shownNanos(exact.replace('Exactly ', ''))]).toEqual([width, nanos(balance)]);
  }
});

test('statements have an earlier address, and name the seller and the customer', async () => {
  await window.anew(`/app/a/${ACCOUNT}/statement?month=2026-01`);
  await window.page.waitForURL(`**/app/a/${ACCOUNT}/balance?tab=months&month=2026-01`);
  await window.load(`/app/a/${ACCOUNT}/statement`);
  await window.page.waitForURL(`**/app/a/${ACCOUNT}/balance?tab=months&month=*`);
  await window.page.getByRole('region', { name: 'By API key' }).getByText('Robot', { exact: true }).waitFor();
  await window.page.getByText('Halyard Gateway Ltd').waitFor();
  await window.page.getByText('Tax ID: IE1234567T').waitFor();

  const shop = await traffic.scene.member(traffic.operator, 'shop', 'owner');
  const own = await traffic.scene.window(shop, { path: '/app/a/shop/balance?tab=details', width: 360 });
  const { page } = own;
  await page.getByLabel('Legal name').fill('Corner Shop GmbH');
  await page.getByLabel('Address').fill('Weg 1\n\n10115 Berlin');
  await page.getByLabel('Tax ID').fill('DE123456789');
  await page.getByLabel('Billing email').fill('pay');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText(/must be an email address/i).waitFor();
  await page.getByLabel('Billing email').fill('Pay@shop.example');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Billing details saved').first().waitFor();
  await own.expectSound();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  await own.load('/app/a/shop/statement');
  await page.getByText('Corner Shop GmbH').waitFor();
  const customer = await page.getByText('10115 Berlin').textContent();
  expect(customer).toContain('DE123456789');
  expect(customer).toContain('pay@shop.example');
  await own.expectSound();

  const viewer = await traffic.scene.member(traffic.operator, 'shop', 'viewer');
  const seen = await traffic.scene.window(viewer, { path: '/app/a/shop/balance?tab=details' });
  await seen.page.getByText('Corner Shop GmbH').waitFor();
  expect(await seen.page.getByRole('button', { name: 'Save' }).count()).toBe(0);
});
