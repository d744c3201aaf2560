import { afterAll, beforeAll, expect, test } from 'bun:test';
import { DashboardScene, ok, type Person, type Window } from './scene.ts';

/* Models and prices, as accounts compare them and operators set them. */

let scene: DashboardScene;
let operator: Person;
let window: Window;

beforeAll(async () => {
  scene = await DashboardScene.open({
    configuration: { sandbox: true, media: { allowed_ranges: ['127.0.0.1'] } },
    env: { OPENAI_API_KEY: 'sk-proj-0123456789abcdefghijklmnop' },
  });
  operator = await scene.operator();
  window = await scene.window(operator);
});
afterAll(async () => {
  await scene?.close();
  await list.stop(true);
});

/** A public price list in LiteLLM's format. */
const list = Bun.serve({
  ...{ hostname: '127.0.0.1', port: 0 },
  fetch: () =>
    Response.json({
      'gpt-5-nano': {
        ...{ litellm_provider: 'openai', mode: 'chat', input_cost_per_token: 3e-7, output_cost_per_token: 4.5e-6 },
      },
    }),
});

/** Opens a page of the operator in a window of this width. A search keeps the list behind a form short, since axe reads it as well. */
async function open(path: string, width = 1280) {
  await window.page.setViewportSize({ width, height: 900 });
  await window.anew(path);
  return window.page;
}

const modelOf = async (id: string) => ok(await operator.script.ask(0, `GET /models/${id}`)).json;

test('an account searches models, opens one and compares two', async () => {
  const page = await open('/app/a/default/models');
  await page.getByLabel('Search', { exact: true }).fill('gpt-5-');
  await page.getByRole('button', { name: 'GPT-5 mini gpt-5-mini', exact: true }).click();
  const sheet = page.getByRole('dialog', { name: 'GPT-5 mini' });
  await sheet.getByText('Output / 1M tokens').first().waitFor();
  expect(await sheet.getByRole('link', { name: 'Open in playground' }).getAttribute('href')).toEndWith(
    '/app/a/default/playground?model=gpt-5-mini',
  );
  await window.expectSound();
  await page.keyboard.press('Escape');
  await page.getByRole('checkbox', { name: 'Compare GPT-5 mini', exact: true }).check();
  await page.getByRole('checkbox', { name: 'Compare GPT-5 nano', exact: true }).check();
  await page.getByRole('button', { name: 'Compare (2)' }).click();
  const beside = page.getByRole('dialog', { name: 'Compare models' });
  await beside.getByRole('row', { name: /Context/ }).waitFor();
  expect(page.url()).toContain('compare=gpt-5-mini%2Cgpt-5-nano');
  await window.expectSound();
});

test('an operator hides a model, sets its price and undoes both', async () => {
  const page = await open('/app/operator/models?q=gpt-5-mini');
  await page.getByRole('button', { name: 'Actions for gpt-5-mini', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Hide' }).click();
  await page.getByText('gpt-5-mini: Hidden').waitFor();
  expect(await modelOf('gpt-5-mini')).toMatchObject({ status: 'hidden' });
  await page.getByRole('button', { name: 'gpt-5-mini GPT-5 mini', exact: true }).click();
  await page.getByRole('button', { name: 'Edit model' }).click();
  const form = page.getByRole('dialog', { name: 'Edit gpt-5-mini' });
  await form.getByRole('radio', { name: 'Custom' }).click();
  const shipped = (await modelOf('gpt-5-mini')).pricing as Readonly<Record<string, string>>;
  expect(await form.getByLabel('Output / 1M tokens', { exact: true }).inputValue()).toBe(shipped.output_per_1m ?? '');
  await form.getByLabel('Output / 1M tokens', { exact: true }).fill('');
  await form.getByText(/^No longer charged: Output/).waitFor();
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByText('Required for this category', { exact: false }).waitFor();
  await form.getByLabel('Output / 1M tokens', { exact: true }).fill(shipped.output_per_1m ?? '');
  await form.getByLabel('Input / 1M tokens', { exact: true }).fill('a lot');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByText('must be a decimal price in USD', { exact: false }).waitFor();
  await window.expectSound();
  await form.getByLabel('Input / 1M tokens', { exact: true }).fill('0.123456789');
  const changes = form.getByRole('region', { name: 'Price changes' });
  await changes.getByText('$0.123456789').waitFor();
  expect(await changes.getByRole('listitem').count()).toBe(1);
  await form.getByRole('button', { name: 'Save' }).click();
  const sheet = page.getByRole('dialog', { name: 'GPT-5 mini' });
  await sheet.getByText('$0.123456789').first().waitFor();
  expect(await modelOf('gpt-5-mini')).toMatchObject({
    ...{ status: 'hidden', pricing: { ...shipped, input_per_1m: '0.123456789' }, price_layer: 'stated' },
  });
  await window.expectSound();
  await sheet.getByRole('button', { name: 'Reset to catalog' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Reset to catalog' }).click();
  await page.getByText('gpt-5-mini reset to catalog').waitFor();
  expect(await modelOf('gpt-5-mini')).toMatchObject({ status: 'public', price_layer: 'shipped' });
});

test('models of the sandbox are listed only when they are asked for', async () => {
  const page = await open('/app/operator/models?q=sandbox');
  await page.getByText('No matching models').waitFor();
  await page.getByRole('checkbox', { name: /^Show sandbox models \(\d+\)$/ }).check();
  await page.getByRole('button', { name: /^sandbox-chat / }).waitFor();
  expect(page.url()).toContain('sandbox=1');
  await window.expectSound();
  await window.go('/app/operator/models?q=gpt-5-mini');
  await page.getByRole('button', { name: 'gpt-5-mini GPT-5 mini', exact: true }).waitFor();
});

test('speech is priced by the million characters and transcription by the minute, in lists, details and forms', async () => {
  const page = await open('/app/operator/models?q=whisper-1', 1440);
  const price = (await modelOf('whisper-1')).pricing as Readonly<Record<string, string>>;
  expect(price).toEqual({ per_second: '0.0001' });
  await page.getByText('$0.006 per minute').first().waitFor();
  await window.go('/app/operator/models?q=whisper-1&id=whisper-1');
  const sheet = page.getByRole('dialog', { name: 'Whisper' });
  await sheet.getByText('per minute').first().waitFor();
  await sheet.getByText('$0.006', { exact: true }).first().waitFor();
  await sheet.getByRole('button', { name: 'Edit model' }).click();
  const form = page.getByRole('dialog', { name: 'Edit whisper-1' });
  await form.getByRole('radio', { name: 'Custom' }).click();
  expect(await form.getByLabel('per minute', { exact: true }).inputValue()).toBe('0.006');
  await form.getByLabel('per minute', { exact: true }).fill('0.0043');
  await form.getByRole('button', { name: 'Other units' }).click();
  await form.getByLabel('per 1M characters', { exact: true }).fill('15');
  await form.getByRole('region', { name: 'Price changes' }).getByText('$0.0043').waitFor();
  await window.expectSound();
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByText('whisper-1 saved').waitFor();
  expect((await modelOf('whisper-1')).pricing).toEqual({
    ...{ per_second: '0.000071666666666667', per_character: '0.000015' },
  });
  await sheet.getByText('$0.0043', { exact: true }).first().waitFor();
  await sheet.getByText('$15.00', { exact: true }).first().waitFor();
  await page.keyboard.press('Escape');
  await window.go('/app/a/default/models?q=whisper-1');
  await page.getByText('$0.0043 per minute').first().waitFor();
  ok(await operator.script.ask(0, 'DELETE /models/whisper-1'));
});

test('the form for prices by unit fits a window of a phone and a small one, and shows every price', async () => {
  const page = await open('/app/operator/models?id=gpt-5-mini&edit=1&q=gpt-5-mini', 1024);
  const form = page.getByRole('dialog', { name: 'Edit gpt-5-mini' });
  await form.getByRole('radio', { name: 'Custom' }).click();
  const other = form.getByRole('button', { name: 'Other units' });
  if ((await other.getAttribute('aria-expanded')) !== 'true') await other.click();
  await form.getByLabel('Input / 1M tokens', { exact: true }).fill('1.23456789');
  await form.getByRole('region', { name: 'Price changes' }).getByText('$1.23456789').waitFor();
  for (const width of [1024, 360]) {
    await page.setViewportSize({ width, height: 900 });
    await window.settled();
    expect({ width, cut: await page.evaluate<readonly string[]>(CUT_FIELDS) }).toEqual({ width, cut: [] });
  }
  await window.expectSound();
});

/** Runs in the page: parts of the form that are wider than their place, or whose label is cut. */
const CUT_FIELDS = `(() => {
  const form = document.querySelector('[role=dialog]');
  const right = form.getBoundingClientRect().right;
  const isShown = (one) => one.getClientRects().length > 0;
  return [form, ...form.querySelectorAll('input, label, legend, button, li')]
    .filter(isShown)
    .filter((one) => {
      const isCut = one.tagName !== 'INPUT' && one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline';
      return isCut || one.getBoundingClientRect().right > right + 1;
    })
    .map((one) => one.tagName + ' ' + (one.textContent || one.name));
})()`;

test('no column of the models is cut at any width', async () => {
  const page = await open('/app/operator/models?q=gpt-5');
  for (const path of ['/app/operator/models?q=gpt-5', '/app/a/default/models?q=gpt-5']) {
    await window.go(path);
    for (const width of [360, 1024, 1280, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      await window.settled();
      expect({ path, width, cut: await page.evaluate(CUT) }).toEqual({ path, width, cut: [] });
    }
  }
});

/** Runs in the page: tables and pages that are wider than their place. */
const CUT = `[document.documentElement, ...document.querySelectorAll('main [role=table]')]
  .map((one) => (one.getAttribute('role') === 'table' ? one.parentElement : one))
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
  .map((one) => one.tagName + ' ' + one.scrollWidth + ' > ' + one.clientWidth)`;

test('a price list is imported as previewed', async () => {
  const page = await open('/app/operator/models?sync=1&q=gpt-5-nano');
  await page.getByRole('radio', { name: 'Another list' }).click();
  await page.getByLabel('List URL').fill(list.url.href);
  await page.getByRole('radio', { name: 'Prices only' }).click();
  await page.getByRole('button', { name: 'Preview changes' }).click();
  const difference = page.getByRole('region', { name: 'Changes', exact: true });
  await difference.getByText('gpt-5-nano').waitFor();
  await difference.getByText('4.5', { exact: false }).first().waitFor();
  expect(await modelOf('gpt-5-nano')).toMatchObject({ price_layer: 'shipped' });
  await difference.getByRole('button').last().click();
  await difference.waitFor({ state: 'detached' });
  expect(await modelOf('gpt-5-nano')).toMatchObject({ price_layer: 'synced', pricing: { output_per_1m: '4.5' } });
  expect(window.problems).toEqual([]);
});

test('a price list at a private address is refused at its field, also in Chinese on a phone', async () => {
  const chinese = { locale: 'zh-CN', width: 360 };
  const window = await scene.window(operator, { path: '/app/operator/models?sync=1&q=gpt-5-nano', ...chinese });
  const { page } = window;
  await page.getByRole('radio', { name: '其他价目表' }).click();
  await page.getByLabel('价目表网址').fill('http://10.0.0.1/list.json');
  await page.getByRole('button', { name: '预览更改' }).click();
  await page.locator('[data-invalid]').getByText(/http/).first().waitFor();
  await window.expectSound();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  await page.close();
});

test('an operator gives a model rules, and sees which one takes a request', async () => {
  const page = await open('/app/operator/models?new=1&q=gpt-5-nano');
  const form = page.getByRole('dialog');
  await form.getByLabel('Model ID').fill('auto');
  await form.getByRole('button', { name: 'Routing rules' }).click();
  await form.getByRole('button', { name: 'Add rule' }).click();
  const rule = form.getByRole('group', { name: 'Rule 1' });
  await rule.getByLabel('Rule name').fill('long');
  await rule.getByLabel('At least').fill('2000');
  const choose = async (field: ReturnType<typeof form.getByRole>, id: string) => {
    await field.fill(id);
    await page.getByRole('option', { name: id, exact: true }).click();
  };
  await choose(rule.getByRole('combobox', { name: 'Use model' }), 'gpt-5-mini');
  await form.getByRole('button', { name: 'Add model' }).click();
  await form.getByText('must be a model id', { exact: false }).waitFor();
  await choose(form.getByRole('combobox', { name: 'Otherwise use model' }), 'gpt-5-nano');
  await window.expectSound();
  await form.getByRole('button', { name: 'Add model' }).click();
  await page.getByText('auto saved').waitFor();
  expect(await modelOf('auto')).toMatchObject({
    rules: [{ name: 'long', when: { input_tokens: { min: 2000 } }, model: 'gpt-5-mini' }, { model: 'gpt-5-nano' }],
  });
  await window.go('/app/a/default/routing?model=auto');
  await page.getByRole('button', { name: 'Explain request' }).click();
  await page.getByText('Would ask gpt-5-nano').waitFor();
  await page.getByRole('row', { name: /long.*input_tokens.*at least 2000.*Not matched/ }).waitFor();
  await window.expectSound();
  await page.getByLabel('Prompt').fill('A long text. '.repeat(1_000));
  await page.getByRole('button', { name: 'Explain request' }).click();
  await page.getByText('Would ask gpt-5-mini').waitFor();
});
