import { afterAll, beforeAll, expect, test } from 'bun:test';
import { until } from '../../conformance/shared/until.ts';
import { ACCOUNT, MODEL, PaidTraffic } from './paid-traffic.ts';
import { ok, type Window } from './scene.ts';
import { pixelsBeyond } from './table-facts.ts';

/* The operators' lists of accounts and users: sorted by the server, with margins and names. */

const OTHER_MODEL = 'other-chat';
const GOOD = 3;

let traffic: PaidTraffic;
/** The operator's. */
let window: Window;
beforeAll(async () => {
  const pricing = { input_per_1m: '1.234567', output_per_1m: '9.876543' };
  traffic = await PaidTraffic.open(
    { models: [MODEL, OTHER_MODEL].map((id) => ({ id, pricing })) },
    {
      models: { [MODEL]: MODEL, [OTHER_MODEL]: OTHER_MODEL },
      // Half of the price for one model, and unknown for the other.
      costs: { [MODEL]: { input_per_1m: '0.617284', output_per_1m: '4.938272' } },
    },
  );
  await traffic.send(GOOD, 1);
  const { script } = traffic.operator;
  ok(await script.ask(0, 'POST /accounts', { id: 'acct-7', name: 'Halyard Robotics', balance_usd: '7' }));
  const { secret } = ok(await script.ask(0, 'POST /keys?account_id=acct-7', { name: 'CI' })).json;
  await traffic.ask(OTHER_MODEL, String(secret));
  await until('the request of the other account is counted', async () => {
    const total = ok(await script.ask(0, 'GET /usage?account_id=acct-7')).json.total as { requests: number };
    return total.requests === 1;
  });
  window = await traffic.scene.window(traffic.operator, { path: '/app/operator/accounts' });
});
afterAll(async () => traffic?.close());

test('accounts are sorted by the server, and show the margin, or that it is unknown', async () => {
  const { page } = window;
  const table = page.getByRole('table', { name: 'Accounts' });
  await table.getByText('Halyard Robotics').waitFor();
  const rowOf = (name: string) => table.getByRole('row').filter({ hasText: name });
  await until('activity is recorded', async () => {
    await page.reload();
    await table.getByText('Halyard Robotics').waitFor();
    return (await rowOf('Halyard Robotics').getByText('Never').count()) === 0;
  });
  await rowOf('Halyard Robotics').getByText('Unknown', { exact: true }).waitFor();
  const { data } = ok(await traffic.operator.script.ask(0, 'GET /accounts?figures=true')).json as {
    data: {
      id: string;
      free_usd: string;
      spent_30d_usd: string;
      margin_30d_usd: string | null;
      uncosted_requests_30d: number;
    }[];
  };
  const [acme, halyard] = [ACCOUNT, 'acct-7'].map((id) => data.find((one) => one.id === id));
  expect(Number(acme?.margin_30d_usd)).toBeCloseTo(Number(acme?.spent_30d_usd) / 2, 8);
  expect(acme?.uncosted_requests_30d).toBe(0);
  expect(halyard).toMatchObject({ margin_30d_usd: null, uncosted_requests_30d: 1 });
  const shown = await rowOf(ACCOUNT).locator('[title*="after upstream costs of"]').getAttribute('title');
  expect(shown).toContain(`$${acme?.margin_30d_usd}`);

  await page.getByRole('button', { name: 'Spend (30d)' }).click();
  await page.waitForURL('**/accounts?sort=spent_30d&order=desc');
  await table.getByRole('row').nth(1).getByText(ACCOUNT).waitFor();
  await page.getByRole('button', { name: 'Available' }).click();
  await page.waitForURL('**/accounts?sort=free&order=desc');
  await page.getByRole('button', { name: 'Available' }).click();
  await page.waitForURL('**/accounts?sort=free&order=asc');
  const [least] = data.toSorted((one, other) => Number(one.free_usd) - Number(other.free_usd));
  await table
    .getByRole('row')
    .nth(1)
    .getByText(least?.id ?? '', { exact: true })
    .waitFor();
  await window.expectSound();
  for (const width of [360, 1024, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await window.settled();
    expect([width, await pixelsBeyond(page, 'Accounts')]).toEqual([width, 0]);
  }
});

test('users and invitations name accounts and people, and users are sorted by their last activity', async () => {
  const { operator, owner, scene } = traffic;
  const member = await scene.member(operator, 'acct-7', 'member');
  ok(await member.script.ask(0, 'GET /me'));
  ok(await operator.script.ask(0, 'POST /invitations?account_id=acct-7', { email: 'new@example.com', role: 'viewer' }));
  const { page } = window;
  await page.setViewportSize({ width: 1280, height: 900 });
  await window.anew('/app/operator/users?sort=last_active_at&order=desc');
  const table = page.getByRole('table', { name: 'Users' });
  const row = table.getByRole('row').filter({ hasText: member.email });
  await row.getByText('Halyard Robotics').waitFor();
  expect(await row.getByText('Halyard Robotics').getAttribute('title')).toBe('Halyard Robotics (acct-7)');
  expect(await row.getByText('Not recorded').count()).toBe(0);
  await page.getByRole('button', { name: 'Email' }).click();
  await page.waitForURL('**/users?sort=email&order=asc');
  const emails = [operator.email, owner.email, member.email].sort();
  await table
    .getByRole('row')
    .nth(1)
    .getByText(emails[0] ?? '')
    .first()
    .waitFor();
  await row.getByRole('button').first().click();
  const sheet = page.getByRole('dialog');
  await sheet.getByRole('link', { name: 'Halyard Robotics' }).waitFor();
  await sheet.getByText('Last activity').waitFor();
  await page.keyboard.press('Escape');

  await window.load('/app/operator/users?tab=invitations');
  const invited = page.getByRole('row').filter({ hasText: 'new@example.com' });
  await invited.getByText('Halyard Robotics · Viewer').last().waitFor();
  await invited.getByText('you', { exact: true }).waitFor();
  expect(await page.getByText('acct-7').count()).toBe(0);
  expect(window.problems).toEqual([]);
});
