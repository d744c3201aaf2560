import { afterAll, beforeAll, expect, test } from 'bun:test';
import { download, rowsOf } from './downloads.ts';
import { ACCOUNT, BALANCE, nanos, PaidTraffic, shownNanos } from './paid-traffic.ts';

/* Balance, ledger and statements are exact to the nano-dollar on screen, in exports and in print. */

const GOOD = 3;

let traffic: PaidTraffic;
beforeAll(async () => {
  traffic = await PaidTraffic.open();
  await traffic.send(GOOD, 1);
});
afterAll(async () => traffic?.close());

test('the ledger can be filtered and exported, and the export sums to the balance', async () => {
  const window = await traffic.scene.window(traffic.owner, { path: `/app/a/${ACCOUNT}/balance` });
  const { page } = window;
  const table = page.getByRole('table', { name: 'Transactions' });
  await table.getByText('Charge').first().waitFor();
  expect(await table.getByText('Charge').count()).toBe(GOOD);
  expect(await table.getByText('Robot').count()).toBe(GOOD);
  const { balance_usd: balance } = await traffic.read(`balance?account_id=${ACCOUNT}`);
  const all = rowsOf(await download(page, 'Export CSV'));
  expect(all.reduce((sum, { amount_usd }) => sum + nanos(amount_usd), 0n)).toBe(nanos(balance));
  await window.expectSound();

  await page.getByRole('combobox', { name: 'Type' }).click();
  await page.getByRole('option', { name: 'Charge' }).click();
  await page.waitForURL('**/balance?kind=charge');
  await table.getByText('Credit').waitFor({ state: 'detached' });
  const charges = rowsOf(await download(page, 'Export CSV'));
  expect(charges.map(({ kind }) => kind)).toEqual(Array.from({ length: GOOD }, () => 'charge'));
  expect(charges.reduce((sum, { amount_usd }) => sum + nanos(amount_usd), nanos(BALANCE))).toBe(nanos(balance));
  await table.getByRole('link').first().click();
  await page.waitForURL(`**/app/a/${ACCOUNT}/requests?id=*`);
});

test('a statement sums to the closing balance and is printed without navigation', async () => {
  const window = await traffic.scene.window(traffic.owner, {
    path: `/app/a/${ACCOUNT}/balance?tab=months`,
    theme: 'dark',
  });
  const { page } = window;
  const months = page.getByRole('table', { name: 'Statements by month' });
  await months.getByRole('button').first().click();
  await page.waitForURL('**/statement?month=*');
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
  const file = rowsOf(await download(page, 'Download CSV'));
  expect(file.reduce((sum, { amount_usd }) => sum + nanos(amount_usd), 0n)).toBe(closing - (amounts[0] ?? 0n));
  await window.expectSound();

  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  expect(await page.getByRole('navigation').isVisible()).toBe(false);
  expect(await page.getByRole('button', { name: 'Print or save as PDF' }).isVisible()).toBe(false);
  expect(await page.evaluate<string>('getComputedStyle(document.body).color')).toBe('rgb(0, 0, 0)');
  const pdf = await page.pdf({ preferCSSPageSize: true });
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
  // A4, in points.
  expect(pdf.toString('latin1')).toMatch(/MediaBox \[0 0 59[45]\.\d+ 84[12]\.\d+\]/);
});
