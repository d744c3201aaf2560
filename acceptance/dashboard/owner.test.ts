import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { channelTo, chatAnswer, type FakeUpstream, startUpstream } from '../../conformance/first-light/upstream.ts';
import { asArray, asObject } from '../../conformance/shared/json.ts';
import { until } from '../../conformance/shared/until.ts';
import { CERTIFICATE } from '../../src/upstream/testing/self-signed-certificate.ts';
import { download, rowsOf } from './downloads.ts';
import { FakeProvider } from './fake-provider.ts';
import { nanos, shownNanos } from './paid-traffic.ts';
import { DashboardScene, ok, PASSWORD, type Person, type Window } from './scene.ts';

/* Everything that the owner of an account does, from the invitation link on, in one window, on PostgreSQL. The files about single pages use SQLite. */

const MODEL = 'house-chat';
const PRICING = { input_per_1m: '1.234567', output_per_1m: '9.876543' };
const OWN_MODEL = 'our-own-model';
/** The number of charged requests that the account's first key makes. */
const GOOD = 3;
const BAD = 1;

let scene: DashboardScene;
let upstream: FakeUpstream;
let own: FakeProvider;
let folder: string;
let operator: Person;
let window: Window;
let page: Page;
/** The secret of the key that programs use. */
let secret = '';
let asked = 0;

beforeAll(async () => {
  upstream = startUpstream(chatAnswer);
  own = new FakeProvider([OWN_MODEL], { isSecure: true });
  folder = await mkdtemp(path.join(tmpdir(), 'switchyard-owner-'));
  const authorities = path.join(folder, 'authorities.pem');
  await writeFile(authorities, CERTIFICATE);
  scene = await DashboardScene.open({
    database: 'postgres',
    hasProcess: true,
    env: { NODE_EXTRA_CA_CERTS: authorities },
    configuration: {
      sandbox: true,
      server: { management_requests_per_minute: 1_000_000 },
      media: { allowed_ranges: ['127.0.0.1'] },
      channels: [channelTo(upstream, { id: 'house', models: { [MODEL]: MODEL } })],
      models: [{ id: MODEL, pricing: PRICING }],
    },
  });
  operator = await scene.operator();
  ok(await operator.script.ask(0, 'POST /accounts', { id: 'acme', balance_usd: '100' }));
});
afterAll(async () => {
  await scene?.close();
  await Promise.all([upstream?.stop(), own?.stop(), rm(folder, { recursive: true })]);
});

const read = async (path: string) => ok(await operator.script.ask(0, `GET ${path}`)).json as any;
const press = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' }).click();
const go = (path: string) => window.go(`/app/a/acme/${path}`);
/** Reloads the page after changes made outside the window. */
const load = (path: string) => window.fresh(`/app/a/acme/${path}`);

function post(path: string, body: object): Promise<Response> {
  return fetch(`${scene.serving.baseUrl}/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/** Repeats the sandbox's request, so it is a cache hit; the paid model gets a new prompt each time. */
async function chat(model: string): Promise<Response> {
  if (model === MODEL) asked += 1;
  const content = model === MODEL ? `Good day ${asked}.` : 'Good day.';
  const answer = await post('chat/completions', { model, temperature: 0, messages: [{ role: 'user', content }] });
  await answer.text();
  return answer;
}

async function newKey(name: string): Promise<string> {
  await page.getByRole('button', { name: 'Create key' }).first().click();
  await page.getByRole('dialog').getByLabel('Name').fill(name);
  await press('Create');
  const shown = await page.getByText(/^sk-\S{40,}$/).textContent();
  await press('Done');
  return String(shown);
}

test('joins by the link, creates keys, rotates one and revokes the other', async () => {
  const invited = ok(
    await operator.script.ask(0, 'POST /invitations?account_id=acme', { email: 'olga@example.com', role: 'owner' }),
  );
  const token = String(invited.json.link).split('#')[1];
  window = await scene.window(undefined, { path: `/welcome#${token}` });
  page = window.page;
  await page.getByLabel('Name').fill('Olga');
  await page.getByLabel('Password').first().fill(PASSWORD);
  await press('Create account');
  await page.waitForURL('**/app/a/acme/**');

  await go('keys');
  const first = await newKey('Backend');
  await newKey('By mistake');
  await press('By mistake');
  await press('Revoke');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('“By mistake” revoked').first().waitFor();
  await page.keyboard.press('Escape');

  await press('Backend');
  await page.getByRole('dialog').getByLabel('Budget', { exact: true }).fill('5');
  await press('Save');
  await page.getByText('Changes saved').first().waitFor();
  await press('Rotate');
  await page.getByText('Stop immediately').click();
  await page.getByRole('button', { name: 'Rotate' }).last().click();
  secret = String(await page.getByText(/^sk-\S{40,}$/).textContent());
  await press('Done');
  expect(secret).not.toBe(first);
  const keys = asArray((await read('/keys?account_id=acme')).data).map((key) => asObject(key));
  expect(keys.map(({ name, state }) => [name, state]).sort()).toEqual([
    ['Backend', 'active'],
    ['By mistake', 'revoked'],
  ]);
  expect((await chat(MODEL)).status).toBe(200);
});

test('sees the budget of the key, and makes a rule for a low balance', async () => {
  await go('alerts?tab=budgets');
  await page.getByText('$5.00').first().waitFor();
  await page.getByRole('tab', { name: 'Rules' }).click();
  await press('Add rule');
  await page.getByLabel('Name').fill('Money is short');
  await page.getByLabel('Below').fill('1000');
  await press('Create rule');
  await page.getByRole('cell', { name: 'Balance below $1,000.00' }).waitFor();
});

test('creates a management token that can only read usage, and revokes it', async () => {
  await go('tokens');
  await page.getByRole('button', { name: 'Create token' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Reports');
  await dialog.getByRole('combobox').fill('usage');
  await page.getByRole('option', { name: 'usage:read' }).click();
  await dialog.getByLabel('Name').click();
  await press('Create');
  const token = String(await page.getByText(/^mt-\S{40,}$/).textContent());
  await press('Done');
  const statusOf = async (path: string) => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${scene.origin}/v1/management/${path}`, { headers })).status;
  };
  expect(await statusOf('usage')).toBe(200);
  expect(await statusOf('keys')).toBe(403);
  await press('Reports');
  await press('Revoke');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('“Reports” revoked').first().waitFor();
  expect(await statusOf('usage')).toBe(401);
});

test('finds requests in the overview, failures in the log, and the price of one request', async () => {
  for (let sent = 1; sent < GOOD; sent += 1) await chat(MODEL);
  for (let sent = 0; sent < BAD; sent += 1) await chat('nobody-has-this');
  await until('the requests are counted', async () => {
    const charges = await read('/ledger?account_id=acme&kind=charge');
    return (await read('/usage?account_id=acme')).total.requests === GOOD + BAD && charges.data.length === GOOD;
  });
  await load('overview?period=day');
  const requests = page.locator('main dl > div', { has: page.getByText('Requests', { exact: true }) });
  await requests.getByText(String(GOOD + BAD), { exact: true }).waitFor();

  await load('requests');
  const table = page.getByRole('table');
  await until('all requests are listed', async () => (await table.getByRole('button').count()) === GOOD + BAD);
  await page.getByRole('combobox', { name: 'Status' }).click();
  await page.getByRole('option', { name: '4xx client errors' }).click();
  await page.waitForURL('**/requests?status=4xx');
  await until('the failed requests are listed', async () => (await table.getByRole('button').count()) === BAD);
  await load(`requests?model=${MODEL}`);
  await until('the filter of the URL applies', async () => (await table.getByRole('button').count()) === GOOD);
  await table.getByRole('button').first().click();
  const story = page.getByRole('dialog', { name: 'Request' });
  await story.getByText('Matches the charge exactly').waitFor();
  await story.getByText('Timeline').waitFor();
});

test('follows a task to its end, and disables a cache entry', async () => {
  const made = await post('videos/generations', { model: 'sandbox-video', prompt: 'a quiet harbour' });
  const { id } = asObject(await made.json());
  await load(`tasks?id=${id}`);
  const sheet = page.getByRole('dialog', { name: 'Task' });
  await sheet.locator('video').waitFor();

  await chat('sandbox-chat');
  let entry: string | null = null;
  await until('a response is cached', async () => {
    entry = (await chat('sandbox-chat')).headers.get('x-cache-entry-id');
    return entry !== null;
  });
  await load(`cache?id=${entry}`);
  await page.getByRole('dialog', { name: 'Cached response' }).getByRole('button', { name: 'Disable entry' }).click();
  const question = page.getByRole('alertdialog');
  await question.getByRole('button', { name: 'Disable entry' }).click();
  await question.waitFor({ state: 'detached' });
  const entries = asArray((await read('/cache/entries?account_id=acme')).data);
  expect(entries.map((one) => asObject(one).id)).not.toContain(entry);
});

test('finds the same balance in the ledger, its export and the monthly statement', async () => {
  const balance = nanos((await read('/balance?account_id=acme')).balance_usd);
  await load('balance');
  const ledger = page.getByRole('table', { name: 'Transactions' });
  await ledger.getByText('Charge').first().waitFor();
  expect(await ledger.getByText('Charge').count()).toBe(GOOD);
  const rows = rowsOf(await download(page, 'Export CSV'));
  expect(rows.reduce((sum, { amount_usd }) => sum + nanos(amount_usd), 0n)).toBe(balance);
  await go('balance?tab=months');
  await page.getByRole('table', { name: 'Statements by month' }).getByRole('button').first().click();
  await page.waitForURL('**/balance?tab=months&month=*');
  const closing = page.getByRole('row', { name: /^Closing balance/ }).locator('td');
  expect(shownNanos(await closing.textContent())).toBe(balance);
});

test('compares two models, adds a private channel, and uses it in the playground', async () => {
  await go('models?q=sandbox-');
  for (const id of ['sandbox-chat', 'sandbox-reasoning'])
    await page.getByRole('row').filter({ hasText: id }).getByRole('checkbox').first().check();
  await press('Compare (2)');
  const beside = page.getByRole('dialog', { name: 'Compare models' });
  await beside.getByRole('row', { name: /Context/ }).waitFor();

  await go('channels');
  await page.getByRole('button', { name: 'Add provider key' }).first().click();
  const sheet = page.getByRole('dialog', { name: 'Add provider key' });
  await sheet.getByLabel('Provider', { exact: false }).first().fill('OpenAI-comp');
  await page.getByRole('option', { name: 'OpenAI-compatible' }).click();
  await sheet.getByLabel('Provider API key').fill(FakeProvider.KEY);
  await sheet.getByLabel('Base URL').fill(own.baseUrl);
  await sheet.getByLabel('Name', { exact: true }).fill('Ours');
  await sheet.getByRole('button', { name: 'Test key' }).click();
  await sheet.getByText('1 model available').waitFor();
  await sheet.getByRole('button', { name: 'Add provider key' }).click();
  await page.getByText('Ours added').waitFor();

  await go(`playground?model=${OWN_MODEL}`);
  await page.getByRole('textbox', { name: 'Prompt', exact: true }).fill('Who are you?');
  await press('Send');
  await page.getByText(`Hello from ${OWN_MODEL}.`).waitFor();
  expect(own.asked).toEqual([OWN_MODEL]);
});

test('is alerted to a low balance, and invites a member, who joins', async () => {
  await load('alerts?tab=active');
  await page.getByText('Money is short', { exact: true }).waitFor();

  await go('members');
  await press('Invite member');
  await page.getByLabel('Email').fill('max@example.com');
  await press('Create invite link');
  const link = String(await page.getByText(/\/welcome#\w{40}$/).textContent());
  await press('Done');
  const other = await scene.window(undefined, { path: `/welcome#${link.split('#')[1]}` });
  await other.page.getByLabel('Name').fill('Max');
  await other.page.getByLabel('Password').first().fill(PASSWORD);
  await other.page.getByRole('button', { name: 'Create account' }).click();
  await other.page.waitForURL('**/app/a/acme/**');
  await load('members');
  await page.getByRole('row', { name: /max@example\.com/ }).waitFor();
  expect([...window.problems, ...other.problems]).toEqual([]);
});
