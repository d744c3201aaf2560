import { afterAll, beforeAll, expect, test } from 'bun:test';
import { until } from '../../conformance/shared/until.ts';
import { PersonalWindows } from './personal-windows.ts';
import { DashboardScene, ok, type Person } from './scene.ts';

/* The request log: live, filtered, and the details of one request. */

let scene: DashboardScene;
let operator: Person;
let key: string;

beforeAll(async () => {
  scene = await DashboardScene.open({
    configuration: {
      sandbox: true,
      models: [{ id: 'sandbox-chat', pricing: { input_per_1m: '0.15', output_per_1m: '0.60' } }],
    },
  });
  operator = await scene.operator();
  ok(await operator.script.ask(0, 'PATCH /accounts/default', { capture: 'full' }));
  key = scene.serving.firstKey ?? '';
  if (key === '')
    key = String(ok(await operator.script.ask(0, 'POST /keys?account_id=default', { name: 'live' })).json.secret);
});
afterAll(async () => scene?.close());

const windows = new PersonalWindows();
/** Shows the log to the operator. */
const log = () => windows.show(scene, operator, '/app/a/default/requests');

/** Sends a request to the sandbox. Resolves to its id. */
async function chat(prompt: string, { model = 'sandbox-chat', tag = '' } = {}): Promise<string> {
  const answer = await fetch(`${scene.serving.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...(tag !== '' && { 'x-switchyard-tags': tag }),
    },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: prompt }] }),
  });
  await answer.text();
  return answer.headers.get('x-request-id') ?? '';
}

const told = async (id: string) => (await operator.script.ask(0, `GET /requests/${id}`)).json as Record<string, any>;

test('a finished request appears at the top, or waits while the reader has paused the view', async () => {
  await chat('before anybody looks');
  const window = await log();
  const { page } = window;
  const rows = page.getByRole('table', { name: 'Requests' }).getByRole('button');
  await page.getByText('Live', { exact: true }).waitFor();
  await rows.first().waitFor();
  const before = await rows.count();
  await chat('while they look');
  await until('the row is shown', async () => (await rows.count()) === before + 1);

  await page.getByRole('button', { name: 'Pause' }).click();
  await chat('while they have paused');
  await page.getByRole('button', { name: '1 new request' }).waitFor();
  expect(await rows.count()).toBe(before + 1);
  await page.getByRole('button', { name: 'Resume' }).click();
  await until('the held-back row is shown', async () => (await rows.count()) === before + 2);
  await window.expectSound();
});

test('filters are kept in the URL, survive a reload, and apply to the export', async () => {
  const tagged = await chat('of a team', { tag: 'team=search' });
  await chat('of no team');
  await chat('for nobody', { model: 'no-such-model' });
  const window = await log();
  const { page } = window;
  const rows = page.getByRole('table', { name: 'Requests' }).getByRole('button');
  await page.getByRole('button', { name: 'More filters' }).click();
  await page.getByLabel('Tag').fill('team=search');
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.waitForURL('**/requests?tag=team%3Dsearch');
  await until('one row is left', async () => (await rows.count()) === 1);
  await page.reload();
  await until('one row is left after a reload', async () => (await rows.count()) === 1);
  await page.getByRole('list', { name: 'Filters' }).waitFor();

  await page.getByRole('button', { name: 'Export' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'CSV', exact: true }).click();
  const csv = await Bun.file((await (await download).path()) ?? '').text();
  expect(csv.trim().split(/\r?\n/).length).toBe(2);
  expect(csv).toContain(tagged);

  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.getByRole('combobox', { name: 'Status' }).click();
  await page.getByRole('option', { name: '4xx client errors' }).click();
  await page.waitForURL('**/requests?status=4xx');
  await page.getByRole('table').getByText('404').first().waitFor();
  expect(await page.getByRole('table').getByText('200', { exact: true }).count()).toBe(0);
  expect(window.problems).toEqual([]);
});

test('the details of a request add up to its charge, and only owners see the prompt', async () => {
  const id = await chat('a secret of the owner', { tag: 'team=story' });
  await until(
    'the request is in the log',
    async () => (await told(id)).price !== undefined && (await told(id)).ledger.length > 0,
  );
  const story = await told(id);
  const window = await log();
  const { page } = window;
  await page.getByLabel('Find by request, client or trace ID').fill(id);
  await page.keyboard.press('Enter');
  const sheet = page.getByRole('dialog', { name: 'Request' });
  await sheet.getByText('Matches the charge exactly').waitFor();
  expect(new URL(page.url()).searchParams.get('id')).toBe(id);
  const charge = `$${story.cost_usd}`;
  expect(story.price.parts.length).toBeGreaterThan(1);
  expect(await sheet.getByRole('row', { name: /^Total/ }).innerText()).toContain(charge);
  for (const { amount_usd } of story.price.parts)
    expect(await sheet.getByRole('table').innerText()).toContain(amount_usd);
  expect(await sheet.innerText()).toContain(`-${charge}`);
  await sheet.getByText('Timeline').waitFor();
  await sheet.getByText('team=story').waitFor();
  expect(await sheet.getByText('a secret of the owner').count()).toBe(0);
  await sheet.getByRole('button', { name: 'Show prompt & response' }).click();
  await sheet.getByText('a secret of the owner').first().waitFor();
  await window.expectSound();

  const viewer = await scene.member(operator, 'default', 'viewer');
  const other = await scene.window(viewer, { path: `/app/a/default/requests?id=${id}`, width: 360, locale: 'zh-CN' });
  const seen = other.page.getByRole('dialog', { name: '请求' });
  await seen.getByText('与扣费金额完全一致').waitFor();
  expect(await seen.getByRole('button', { name: '显示提示词与响应' }).count()).toBe(0);
  await other.expectSound();
  expect(await other.page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  const stranger = await scene.member(operator, 'elsewhere', 'owner');
  await other.page.close();
  const foreign = await scene.window(stranger, { path: `/app/a/elsewhere/requests?id=${id}` });
  await foreign.page.getByRole('dialog').getByText('there is no request').waitFor();
  expect(await foreign.page.getByText('team=story').count()).toBe(0);
  await foreign.page.close();
});
