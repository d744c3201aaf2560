import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { until } from '../../conformance/shared/until.ts';
import { DashboardScene, ok, type Person, type Window } from './scene.ts';

/* Operators and account owners create, test, order and delete channels. */

const KEY = 'sk-of-the-upstream-0123456789';
const WRONG = 'sk-wrong-0123456789abcdef';
const CHANNELS = '/app/operator/channels';

let scene: DashboardScene;
let upstream: ReturnType<typeof startProvider>;
let operator: Person;
/** The operator's. */
let window: Window;

/** Starts a provider with OpenAI's API that accepts one key. */
function startProvider() {
  return Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => {
      if (request.headers.get('authorization') !== `Bearer ${KEY}`)
        return Response.json({ error: { message: 'Incorrect API key provided.', type: 'auth' } }, { status: 401 });
      if (request.method === 'GET')
        return Response.json({ object: 'list', data: ['gpt-5-mini', 'house-model'].map((id) => ({ id })) });
      return Response.json({
        ...{ id: 'x', object: 'chat.completion', created: 1, model: 'gpt-5-mini' },
        choices: [
          { index: 0, message: { role: 'assistant', content: 'Hello from the house.' }, finish_reason: 'stop' },
        ],
        usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
      });
    },
  });
}

beforeAll(async () => {
  upstream = startProvider();
  scene = await DashboardScene.open();
  operator = await scene.operator();
  window = await scene.window(operator, { path: CHANNELS });
});
afterAll(async () => {
  await scene?.close();
  await upstream?.stop(true);
});

/** Opens a page of the operator in a window of this width. */
async function open(path: string, width = 1280): Promise<Page> {
  await window.page.setViewportSize({ width, height: 900 });
  await window.anew(path);
  return window.page;
}

const listed = async (person: Person, query = '') => {
  const { json } = ok(await person.script.ask(0, `GET /channels?${query}`));
  return json.data as {
    id: string;
    name: string;
    enabled: boolean;
    priority: number;
    models: { id: string; upstream_model: string }[];
  }[];
};

async function choose(page: Page, provider: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Provider' }).first().fill(provider);
  await page.getByRole('option', { name: provider }).first().click();
}

async function addChannel(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Add channel' }).first().click();
  const sheet = page.getByRole('dialog', { name: 'Add channel' });
  await choose(page, 'OpenAI-compatible');
  await sheet.getByLabel('Provider API key').fill(WRONG);
  await sheet.getByLabel('Base URL').fill(`${upstream.url.origin}/v1`);
  await sheet.getByLabel('Name', { exact: true }).fill(name);
  await sheet.getByRole('button', { name: 'Test key' }).click();
  await sheet.getByText('The key doesn’t work').waitFor();
}

test('an operator adds a channel, and a wrong key is reported at once', async () => {
  const page = await open(CHANNELS);
  await addChannel(page, 'House');
  const sheet = page.getByRole('dialog', { name: 'Add channel' });
  await window.expectSound();
  await sheet.getByLabel('Provider API key').fill(KEY);
  await sheet.getByRole('button', { name: 'Test key' }).click();
  await sheet.getByText('2 models available.').waitFor();
  await sheet.getByRole('button', { name: 'Select all 2' }).click();
  await sheet.getByRole('button', { name: 'Model aliases' }).click();
  await sheet.getByLabel('Model ID for house-model', { exact: true }).fill('ours');
  await sheet.getByRole('button', { name: 'Add channel' }).click();
  await page.getByText('House added').waitFor();
  const [made] = (await listed(operator)).filter(({ name }) => name === 'House');
  expect(made?.models.map(({ id, upstream_model }) => [id, upstream_model])).toEqual([
    ['gpt-5-mini', 'gpt-5-mini'],
    ['ours', 'house-model'],
  ]);
  await page.getByRole('button', { name: 'House', exact: true }).click();
  await page.getByRole('heading', { name: 'Health' }).waitFor();
  await window.expectSound();
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await page.getByRole('button', { name: 'Send request' }).click();
  await page.getByText(/Success in/).waitFor();
});

test('a form with a stale version changes nothing, shows the current values, and can then be saved', async () => {
  const address = { provider: 'openai-compatible', base_url: `${upstream.url.origin}/v1`, api_key: KEY };
  ok(await operator.script.ask(0, 'POST /channels', { ...address, id: 'edited', name: 'Before', models: ['edited'] }));
  const page = await open(`${CHANNELS}?id=edited`);
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const name = page.getByRole('dialog').getByLabel('Name', { exact: true });
  await name.fill('Mine');
  ok(await operator.script.ask(0, 'PATCH /channels/edited', { name: 'Theirs', weight: 7 }));
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Someone else changed this').first().waitFor();
  await until('the newer name is shown', async () => (await name.inputValue()) === 'Theirs');
  await name.fill('Mine');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText(/ saved$/).waitFor();
  expect((await listed(operator)).find(({ id }) => id === 'edited')).toMatchObject({
    name: 'Mine',
    weight: 7,
  } as never);
  expect(window.problems).toEqual([]);
  ok(await operator.script.ask(0, 'DELETE /channels/edited'));
});

test('an operator orders channels by keyboard and mouse, disables one and deletes it', async () => {
  const base = {
    provider: 'openai-compatible',
    api_key: KEY,
    base_url: `${upstream.url.origin}/v1`,
    models: ['only-here'],
  };
  for (const id of ['first', 'second', 'third'])
    ok(await operator.script.ask(0, 'POST /channels', { ...base, id, name: `The ${id}` }));
  const order = async () => (await listed(operator as Person, 'scope=platform')).map(({ id }) => id);
  const page = await open(CHANNELS);
  await page.getByText('33.3% of shared traffic', { exact: false }).first().waitFor();
  const handle = page.getByRole('button', { name: 'Move The third' });
  await handle.focus();
  for (const key of [' ', 'Home', ' ']) await page.keyboard.press(key === ' ' ? 'Space' : key);
  await page.getByText('Order saved').waitFor();
  expect((await order())[0]).toBe('third');
  // The moved row is still being animated.
  await window.settled();
  const [from, to] = await Promise.all(
    ['The second', 'The third'].map((name) => page.getByRole('button', { name: `Move ${name}` }).boundingBox()),
  );
  if (!from || !to) throw new Error('no handles');
  await page.mouse.move(from.x + 8, from.y + 8);
  await page.mouse.down();
  await page.mouse.move(to.x + 8, to.y - 6, { steps: 8 });
  await page.mouse.up();
  await until('the second channel is first', async () => (await order())[0] === 'second');
  await page.getByRole('switch', { name: 'Enable The first' }).click();
  await page.getByText('The first disabled').waitFor();
  expect((await listed(operator)).find(({ id }) => id === 'first')?.enabled).toBe(false);
  await window.expectSound();
  await page.getByRole('button', { name: 'Actions for The first' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const question = page.getByRole('alertdialog');
  await question.getByText('Other channels serve all of its models.').waitFor();
  await question.getByRole('textbox').fill('The first');
  await question.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('The first deleted').waitFor();
  expect(await order()).not.toContain('first');
});

test('disabling, deleting or emptying the last channel of a model names it first', async () => {
  const base = { provider: 'openai-compatible', api_key: KEY, base_url: `${upstream.url.origin}/v1` };
  const solo = { ...base, id: 'solo', name: 'Solo', models: ['only-solo', 'in-both'] };
  ok(await operator.script.ask(0, 'POST /channels', solo));
  ok(await operator.script.ask(0, 'POST /channels', { ...base, id: 'both', name: 'Both', models: ['in-both'] }));
  const isEnabled = async () => (await listed(operator)).find(({ id }) => id === 'solo')?.enabled;
  const page = await open(CHANNELS);
  const toggle = page.getByRole('switch', { name: 'Enable Solo' });
  const question = page.getByRole('alertdialog', { name: 'Disable Solo?' });
  await toggle.click();
  await question.getByText('1 model will become unavailable').waitFor();
  await question.getByText('only-solo', { exact: true }).waitFor();
  expect(await question.getByText('in-both').count()).toBe(0);
  await window.expectSound();
  await question.getByRole('button', { name: 'Cancel' }).click();
  await question.waitFor({ state: 'detached' });
  expect([await isEnabled(), await toggle.isChecked()]).toEqual([true, true]);
  await toggle.click();
  await question.getByRole('button', { name: 'Disable' }).click();
  await page.getByText('Solo disabled').waitFor();
  expect(await isEnabled()).toBe(false);

  // The other channel has no model of its own, except while the first one is disabled.
  ok(await operator.script.ask(0, 'POST /channels/solo/enable'));
  await window.load(CHANNELS);
  await page.getByRole('switch', { name: 'Enable Both' }).click();
  await page.getByText('Both disabled').waitFor();

  await page.getByRole('button', { name: 'Actions for Solo' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const deletion = page.getByRole('alertdialog', { name: 'Delete Solo?' });
  await deletion.getByText('2 models will become unavailable').waitFor();
  await deletion.getByText('only-solo, in-both').waitFor();
  await deletion.getByRole('button', { name: 'Cancel' }).click();

  await page.getByRole('button', { name: 'Actions for Solo' }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  const form = page.getByRole('dialog', { name: 'Edit Solo' });
  // It leaves the list with its mark, since the provider was not asked for its models.
  await form.getByRole('checkbox', { name: 'only-solo' }).click();
  await form.getByText('1 model will become unavailable').waitFor();
  expect(window.problems).toEqual([]);
  for (const id of ['solo', 'both']) ok(await operator.script.ask(0, `DELETE /channels/${id}`));
});

test('times are in seconds, and costs and the timeouts of models have fields', async () => {
  const address = { provider: 'openai-compatible', base_url: `${upstream.url.origin}/v1`, api_key: KEY };
  const costs = { voice: { per_character: '0.00001' } };
  ok(await operator.script.ask(0, 'POST /channels', { ...address, id: 'fields', models: ['voice', 'slow'], costs }));
  const page = await open(`${CHANNELS}?id=fields&edit=1`, 360);
  const form = page.getByRole('dialog', { name: 'Edit fields' });
  await form.getByRole('button', { name: 'Advanced' }).click();
  expect(await form.locator('textarea').count()).toBe(0);
  expect(await form.getByLabel('Connect', { exact: true }).inputValue()).toBe('3');
  expect(await form.getByLabel('Failure rate').inputValue()).toBe('50');
  await form.getByLabel('Connect', { exact: true }).fill('0.0005');
  await form.getByLabel('Failure rate').fill('25');
  await form.getByLabel('Price of voice: per 1M characters', { exact: true }).fill('12.5');
  await form.getByRole('button', { name: 'Add price' }).click();
  await form.getByLabel('Price of voice: Input / 1M tokens', { exact: true }).fill('0.6');
  await form.getByRole('button', { name: 'Conditions for voice: Input / 1M tokens' }).click();
  await form.getByLabel('Prompts over (tokens)').fill('200000');
  await form.getByRole('button', { name: 'Add model timeouts' }).click();
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByText('Must be 0.001 to 86400 seconds').waitFor();
  await form.getByText('Choose a model for each entry.').waitFor();
  await window.expectSound();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  await form.getByLabel('Connect', { exact: true }).first().fill('0.5');
  const own = form.getByRole('group', { name: 'Per-model timeouts' });
  await own.getByRole('combobox', { name: 'Model' }).fill('slow');
  await page.getByRole('option', { name: 'slow' }).click();
  await own.getByLabel('First byte').fill('900');
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByText('fields saved').waitFor();
  const { json } = ok(await operator.script.ask(0, 'GET /channels/fields'));
  expect(json).toMatchObject({
    timeouts: { connect_ms: 500, models: { slow: { connect_ms: 500, first_byte_ms: 900_000 } } },
    breaker: { failure_rate: 0.25 },
    costs: {
      voice: [{ per_character: '0.0000125', tiers: [{ above_input_tokens: 200_000, input_per_1m: '0.6' }] }],
    },
  });
  await page.getByRole('button', { name: 'Advanced' }).click();
  await page.getByText('$12.50').waitFor();
  await page.getByText('15m').first().waitFor();
  await window.expectSound();
  ok(await operator.script.ask(0, 'DELETE /channels/fields'));
});

test('a channel gets a second key, and each key has its own actions', async () => {
  const address = { provider: 'openai-compatible', base_url: `${upstream.url.origin}/v1`, api_key: KEY };
  ok(await operator.script.ask(0, 'POST /channels', { ...address, id: 'keyed', name: 'Keyed', models: ['keyed'] }));
  const keys = async () => {
    const { json } = ok(await operator.script.ask(0, 'GET /channels/keyed'));
    return json.api_keys as { name: string; key_preview: string; enabled: boolean }[];
  };
  const page = await open(`${CHANNELS}?id=keyed&edit=1`, 360);
  const form = page.getByRole('dialog', { name: 'Edit Keyed' });
  await form.getByRole('radio', { name: 'Several keys' }).click();
  const main = form.getByRole('group', { name: 'main' });
  await main.getByText('Leave blank to keep the current key').waitFor();
  await main.getByLabel('Spend cap').fill('25');
  await form.getByRole('button', { name: 'Add key' }).click();
  const second = form.getByRole('group', { name: 'Key 2' });
  await second.getByLabel('Provider API key').fill(WRONG);
  await form.getByRole('button', { name: 'Save' }).click();
  await second.getByText('Must be 1 to 64 lower-case letters').waitFor();
  await window.expectSound();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  await second.getByLabel('Key name').fill('spare');
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Keyed saved').waitFor();
  const stored = await keys();
  expect(stored).toMatchObject([
    { name: 'main', enabled: true, spend_cap: { usd: '25', per: 'month' } },
    { name: 'spare', enabled: true, spend_cap: null },
  ] as never);
  expect(stored[0]?.key_preview).toContain(KEY.slice(-4));

  await page.getByRole('button', { name: 'Actions for spare' }).click();
  await page.getByRole('menuitem', { name: 'Test' }).click();
  await page.getByRole('button', { name: 'Send request' }).click();
  await page.getByText(/Failed after/).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('switch', { name: 'Enable spare' }).click();
  await page.getByText('spare disabled').waitFor();
  await page.getByRole('switch', { name: 'Enable main' }).click();
  const question = page.getByRole('alertdialog', { name: 'Disable main?' });
  await question.getByText('1 model will become unavailable').waitFor();
  await question.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Actions for main' }).click();
  await page.getByRole('menuitem', { name: 'Reset spending' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Reset spending' }).click();
  await page.getByText('Spending of main reset').waitFor();
  await window.expectSound();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);

  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await form.getByRole('button', { name: 'Remove spare' }).click();
  await main.getByLabel('Key name').fill('first');
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Keyed saved').last().waitFor();
  await until('the key is renamed', async () => (await keys()).map(({ name }) => name).join() === 'first');
  expect((await keys())[0]?.key_preview).toBe(stored[0]?.key_preview ?? '');
  ok(await operator.script.ask(0, 'DELETE /channels/keyed'));
});

test('an owner’s channel cannot use a private address, and a member has read access only', async () => {
  const owner = await scene.member(operator, 'acme', 'owner');
  const window = await scene.window(owner, { path: '/app/a/acme/channels', width: 360 });
  const { page } = window;
  await page.getByRole('button', { name: 'Add provider key' }).first().click();
  const sheet = page.getByRole('dialog', { name: 'Add provider key' });
  await choose(page, 'OpenAI-compatible');
  await sheet.getByLabel('Provider API key').fill(KEY);
  await sheet.getByLabel('Base URL').fill('https://127.0.0.1/v1');
  await sheet.getByLabel('Add model by ID').fill('house-model');
  await sheet.getByRole('button', { name: 'Add', exact: true }).click();
  await sheet.getByRole('button', { name: 'Add provider key' }).click();
  await sheet.getByText('Must be a public URL').waitFor();
  await window.expectSound();
  await sheet.getByLabel('Base URL').fill('https://1.1.1.1/v1');
  await sheet.getByLabel('Name', { exact: true }).fill('Ours');
  await sheet.getByRole('button', { name: 'Add provider key' }).click();
  await page.getByText('Ours added').waitFor();
  const [own] = await listed(owner, 'account_id=acme');
  expect(own).toMatchObject({ name: 'Ours', type: 'PRIVATE', owner: 'acme' } as never);
  const member = await scene.member(operator, 'acme', 'member');
  const other = await scene.window(member, { path: '/app/a/acme/channels' });
  await other.page.getByRole('button', { name: 'Ours', exact: true }).click();
  await other.page.getByRole('heading', { name: 'Health' }).waitFor();
  expect(await other.page.getByRole('button', { name: /Add provider key|Edit|Delete/ }).count()).toBe(0);
  await other.expectSound();
});
