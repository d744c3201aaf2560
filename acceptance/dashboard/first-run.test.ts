import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { until } from '../../conformance/shared/until.ts';
import { FakeProvider } from './fake-provider.ts';
import { DashboardScene, ok, PASSWORD, type Person, type Window } from './scene.ts';

/* The path of a newcomer, from the link that the first start prints to programs that send requests through the gateway. */

const MODELS = ['gpt-5-mini', 'gpt-5', 'text-embedding-3-small', 'house-model'];

/** Opens the link that the first start has printed, and creates the operator's login. */
async function joined(scene: DashboardScene): Promise<Window> {
  const window = await scene.window(undefined, { path: await scene.firstLink() });
  const { page } = window;
  await page.getByLabel('Name').fill('Ada');
  await page.getByLabel('Email').fill('ada@example.com');
  await page.getByLabel('Password').first().fill(PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.waitForURL('**/app/a/default/first-steps');
  return window;
}

async function createKey({ page }: Window): Promise<void> {
  await page.getByLabel('Name').fill('Ada’s laptop');
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByText('You won’t be able to see it again').first().waitFor();
  await page.getByText('3 of 4 done').waitFor();
  await page.getByText('Waiting for your first API request').waitFor();
}

const CLIENTS = [
  ['curl', 'Shell'],
  ['OpenAI SDK', 'TypeScript'],
  ['Anthropic SDK', 'TypeScript'],
  ['Google SDK', 'TypeScript'],
] as const;

/** Runs the code that the page shows for these clients, and waits until the page has detected a request. */
async function runCode({ page }: Window, origin: string, clients: readonly (typeof CLIENTS)[number][]): Promise<void> {
  const folder = await mkdtemp(path.join(import.meta.dir, '.snippets-'));
  try {
    for (const [client, title] of clients) {
      await page.getByRole('tab', { name: client }).click();
      const code = (await page.getByRole('figure', { name: title }).locator('code').textContent()) ?? '';
      expect(code).toContain(`${origin}${client.includes('OpenAI') || client === 'curl' ? '/v1' : ''}`);
      const file = path.join(folder, title === 'Shell' ? 'ask.sh' : `${client}.ts`);
      await writeFile(file, code);
      const run = Bun.spawn([title === 'Shell' ? 'bash' : process.execPath, file], { cwd: folder, stderr: 'pipe' });
      const [said, complaint] = await Promise.all([new Response(run.stdout).text(), new Response(run.stderr).text()]);
      expect({ client, said, complaint }).toMatchObject({ said: expect.stringContaining('Hello from gpt-5-mini.') });
    }
  } finally {
    await rm(folder, { recursive: true });
  }
  await page.getByText('Connected: first request received with “Ada’s laptop”').waitFor();
  await page.getByText('4 of 4 done').waitFor();
}

/** Expects that the saved channel serves all accounts, that its key is never shown, and that the new key is listed. */
async function expectSaved({ page }: Window, origin: string, name: string, models: number): Promise<void> {
  const cookies = await page.context().cookies();
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const read = async (line: string) =>
    (await fetch(`${origin}/v1/management${line}`, { headers: { cookie } })).json() as Promise<Listed>;
  const { data: channels } = await read('/channels');
  const channel = channels.find(({ provider: id }) => id === 'openai-compatible');
  expect(channel).toMatchObject({ type: 'PLATFORM', owner: null, name });
  expect(channel?.models).toHaveLength(models);
  expect(JSON.stringify(channels)).not.toContain(FakeProvider.KEY);
  const { data: keys } = await read('/keys?account_id=default');
  expect(keys.map(({ name }) => name)).toContain('Ada’s laptop');
}

interface Listed {
  readonly data: readonly Readonly<Record<string, unknown>>[];
}

describe('on SQLite', () => {
  let scene: DashboardScene;
  let provider: FakeProvider;
  let window: Window;
  const page = (): Page => window.page;
  const step = (name: string): Locator => page().getByRole('region', { name });
  const press = (name: string | RegExp) => page().getByRole('button', { name }).click();

  beforeAll(async () => {
    provider = new FakeProvider(MODELS);
    scene = await DashboardScene.open();
  });
  afterAll(async () => {
    await scene?.close();
    await provider.stop();
  });

  test('the first operator joins and connects a provider after a key that is refused', async () => {
    window = await joined(scene);
    await step('Connect a provider').getByText('No API key yet?').waitFor();
    await window.expectSound();

    // The shape of a key selects its provider; this test then chooses another one.
    await page()
      .getByLabel('Provider API key')
      .fill(`sk-ant-${'x'.repeat(30)}`);
    await page().getByText('Detected: Anthropic').waitFor();
    await page().getByRole('combobox', { name: 'Provider' }).fill('openai-comp');
    await page().getByRole('option', { name: 'OpenAI-compatible' }).click();
    await page().getByLabel('Provider API key').fill('a-wrong-key');
    await page().getByLabel('Base URL').fill(provider.baseUrl);
    await press('Test key');
    const refusal = page().getByRole('alert');
    await refusal.getByText('Incorrect API key provided.').waitFor();
    expect(await refusal.textContent()).toContain('Check that you copied the whole key');
    await window.expectSound();

    await page().getByLabel('Provider API key').fill(FakeProvider.KEY);
    await refusal.waitFor({ state: 'detached' });
    await press('Test key');
    await page().getByText('4 models available').waitFor();
    await page().getByText('3 of 4 selected').waitFor();
    await page().getByRole('checkbox', { name: 'house-model' }).check();
    await page().getByRole('checkbox', { name: 'gpt-5', exact: true }).uncheck();
    await window.expectSound();
    await press('Add 3 models');
    await step('Connect a provider').getByText('Connected').waitFor();
    await page().getByText('1 of 4 done').waitFor();
    expect(provider.asked).toEqual([]);
  });

  test('shows a response in the page, and creates a key that is shown once', async () => {
    const heading = step('Send your first request').getByRole('heading');
    await heading.and(page().locator(':focus')).waitFor();
    await press('Send');
    await page().getByText('Hello from gpt-5-mini.').waitFor();
    const answer = page().getByRole('region', { name: 'Response' });
    await answer.getByText('Input tokens').waitFor();
    for (const fact of ['Cost$0.00', 'Input tokens11', 'Output tokens7', provider.host])
      expect(await answer.textContent()).toContain(fact);
    await page().getByText('2 of 4 done').waitFor();
    await step('Create an API key').getByText('First key').or(page().getByText('was printed when')).first().waitFor();
    // The response stays while the next step opens.
    expect(await answer.isVisible()).toBe(true);
    await window.expectSound();

    await createKey(window);
    expect(
      await page()
        .getByText(/^sk-\w{20,}$/)
        .isVisible(),
    ).toBe(true);
    await window.expectSound();
  });

  test('copies working code with the new key, and detects the first request of the program', async () => {
    await runCode(window, scene.origin, CLIENTS);
    expect(provider.asked).toEqual(Array(5).fill('gpt-5-mini'));

    // Only the page that created the key holds it.
    await page().reload();
    await page().getByRole('tab', { name: 'Claude Code' }).click();
    await page().getByText('ANTHROPIC_API_KEY=').waitFor();
    expect(await page().locator('body').textContent()).not.toMatch(/sk-\w{20}/);
    expect(await page().evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')).not.toMatch(
      /sk-\w{20}/,
    );
    expect(window.problems).toEqual([]);
  });

  test('the saved channel serves all accounts, and its key is never shown', async () => {
    await expectSaved(window, scene.origin, provider.host, 3);
  });
});

describe('on PostgreSQL, on the shortest path', () => {
  let scene: DashboardScene;
  let provider: FakeProvider;
  let window: Window;
  beforeAll(async () => {
    provider = new FakeProvider(['gpt-5-mini', 'house-model']);
    scene = await DashboardScene.open({ database: 'postgres' });
  });
  afterAll(async () => {
    await scene?.close();
    await provider.stop();
  });

  test('a new operator with a provider’s address and key sees the first response after at most 6 clicks', async () => {
    window = await joined(scene);
    const { page } = window;
    const clicks = await window.countClicks();

    await page.getByLabel('Provider API key').and(page.locator(':focus')).waitFor();
    await page.keyboard.type(FakeProvider.KEY);
    await page.getByRole('combobox', { name: 'Provider' }).click();
    await page.keyboard.type('openai-comp');
    await page.getByRole('option', { name: 'OpenAI-compatible' }).click();
    await page.getByLabel('Base URL').click();
    await page.keyboard.type(provider.baseUrl);
    await page.getByRole('button', { name: 'Test key' }).click();
    await page.getByText('1 of 2 selected').waitFor();
    await page.getByRole('button', { name: 'Add 1 model' }).click();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('Hello from gpt-5-mini.').waitFor();
    expect(clicks.count).toBeGreaterThanOrEqual(4);
    expect(clicks.count).toBeLessThanOrEqual(6);
    expect(provider.asked).toEqual(['gpt-5-mini']);
    expect(window.problems).toEqual([]);
  });

  test('creates a key, and detects the first request of a program', async () => {
    await window.page.getByText('2 of 4 done').waitFor();
    await createKey(window);
    await runCode(window, scene.origin, [['curl', 'Shell']]);
    expect(provider.asked).toEqual(['gpt-5-mini', 'gpt-5-mini']);
    expect(window.problems).toEqual([]);
  });

  test('the saved channel serves all accounts, and its key is never shown', async () => {
    await expectSaved(window, scene.origin, provider.host, 1);
  });
});

describe('an operator who has joined', () => {
  let scene: DashboardScene;
  let operator: Person;
  let window: Window;
  /** On a phone. */
  let chinese: Window;
  beforeAll(async () => {
    scene = await DashboardScene.open();
    operator = await scene.operator();
    window = await scene.window(operator);
    chinese = await scene.window(operator, { width: 360, locale: 'zh-CN' });
  });
  afterAll(async () => scene?.close());

  test('a first request that is refused or breaks off shows why, and counts once it succeeds', async () => {
    const provider = new FakeProvider(MODELS);
    const address = { provider: 'openai-compatible', name: 'Ours', base_url: provider.baseUrl };
    const made = { ...address, api_key: FakeProvider.KEY, models: ['gpt-5-mini'] };
    const { id: channel } = ok(await operator.script.ask(0, 'POST /channels', made)).json;
    await window.anew('/app/a/default/first-steps?step=request');
    const { page } = window;
    const step = page.getByRole('region', { name: 'Send your first request' });
    const send = () => page.getByRole('button', { name: 'Send', exact: true }).click();
    const alert = step.getByRole('alert');
    await page.getByText('1 of 4 done').waitFor();

    provider.isBreaking = true;
    await send();
    await step.getByText('Hello from gpt-5-mini.').waitFor();
    await alert.getByText('ended the stream before the response was complete').waitFor();
    await window.expectSound();

    provider.key = 'renewed-key-of-the-fake-provider';
    await send();
    await alert.getByText("The provider refused the channel's credentials").waitFor();
    expect(await alert.textContent()).toContain('Incorrect API key provided.');
    // Chromium logs the 502 that the page itself shows.
    expect(window.problems.splice(0)).toEqual([expect.stringContaining('status of 502')]);
    await window.expectSound();
    await page.getByText('1 of 4 done').waitFor();

    provider.isBreaking = false;
    ok(await operator.script.ask(0, `PATCH /channels/${channel}`, { api_key: provider.key }));
    await send();
    await step.getByText('Input tokens').waitFor();
    expect(await alert.count()).toBe(0);
    await page.getByText('2 of 4 done').waitFor();
    await window.expectSound();
    ok(await operator.script.ask(0, `DELETE /channels/${channel}`));
    await provider.stop();
  });

  test('without a provider, the sandbox responds, in Chinese on a phone', async () => {
    const { page } = chinese;
    await chinese.load('/app/a/default/first-steps');
    await page.getByRole('button', { name: '使用沙盒' }).click();
    await page.getByRole('button', { name: '发送' }).click();
    await page.getByText('查看详情').waitFor();
    await page.getByText('$0.00').waitFor();
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(360);
    await chinese.expectSound();
  });

  test('an owner’s key is not sent to a private address, and a viewer is told whom to ask', async () => {
    const path = '/app/a/acme/first-steps';
    const owner = await scene.window(await scene.member(operator, 'acme', 'owner'), { path });
    await owner.page.getByText(/used only by this account|Only this account will use it/).waitFor();
    expect(await owner.page.getByRole('button', { name: 'Find local model servers' }).count()).toBe(0);
    await owner.page.getByRole('combobox', { name: 'Provider' }).fill('openai-comp');
    await owner.page.getByRole('option', { name: 'OpenAI-compatible' }).click();
    await owner.page.getByLabel('Base URL').fill('http://127.0.0.1:9/v1');
    await owner.page.getByRole('button', { name: 'Test key' }).click();
    const field = owner.page.getByRole('textbox', { name: 'Base URL' });
    await until('the field is marked', async () => (await field.getAttribute('aria-invalid')) === 'true');
    await owner.expectSound();
    const viewer = await scene.window(await scene.member(operator, 'acme', 'viewer'), { path });
    await viewer.page.getByText('Ask an owner for a Member role').waitFor();
    expect([...owner.problems, ...viewer.problems]).toEqual([]);
  });

  test('an unreachable gateway is reported in the language of the page', async () => {
    const { page } = chinese;
    await chinese.anew('/app/a/default/first-steps?step=request');
    await page.route('**/playground/**', (route) => route.abort());
    await page.getByRole('button', { name: '发送', exact: true }).click();
    await page.getByRole('alert').getByText('无法连接网关。').waitFor();
  });

  test('without prices, no model is selected by itself, and the page says what a missing price means', async () => {
    const provider = new FakeProvider(['house-model', 'other-model']);
    await window.anew('/app/a/default/first-steps');
    const { page } = window;
    await page.getByRole('combobox', { name: 'Provider' }).fill('openai-comp');
    await page.getByRole('option', { name: 'OpenAI-compatible' }).click();
    await page.getByLabel('Provider API key').fill(FakeProvider.KEY);
    await page.getByLabel('Base URL').fill(provider.baseUrl);
    await page.getByRole('button', { name: 'Test key' }).click();
    await page.getByText('0 of 2 selected').waitFor();
    expect(await page.getByRole('button', { name: 'Add 0 models' }).isDisabled()).toBe(true);
    expect(await page.getByText('Models without a price are for postpaid accounts').count()).toBe(0);
    await page.getByRole('checkbox', { name: 'house-model' }).check();
    await page.getByText('Models without a price are for postpaid accounts').waitFor();
    await window.expectSound();
    await page.getByRole('button', { name: 'Add 1 model' }).click();
    await page.getByRole('region', { name: 'Connect a provider' }).getByText('Connected').waitFor();
    await window.go('/app/a/default/first-steps?step=request');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('Hello from house-model.').waitFor();
    await page.getByRole('region', { name: 'Response' }).getByText('No price').waitFor();
    expect(window.problems).toEqual([]);
    await provider.stop();
  });
});
