import { afterAll, beforeAll, expect, test } from 'bun:test';
import { until } from '../../conformance/shared/until.ts';
import { DashboardScene, type Person, type Window } from './scene.ts';

/* The cache page of an account: hits, entries, reports, and disabling entries. */

let scene: DashboardScene;
let operator: Person;
let owner: Person;
/** The owner's. */
let window: Window;
let key: string;

beforeAll(async () => {
  scene = await DashboardScene.open({ configuration: { sandbox: true } });
  operator = await scene.operator();
  ({ owner, key } = await scene.ownerWithKey(operator, 'kept'));
  window = await scene.window(owner, { path: '/app/a/kept/overview' });
});
afterAll(async () => scene?.close());

/** Resolves to the id of the cache entry that served the response, or `null`. */
async function ask(prompt: string): Promise<string | null> {
  const answer = await fetch(`${scene.serving.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox-chat', temperature: 0, messages: [{ role: 'user', content: prompt }] }),
  });
  await answer.text();
  return answer.headers.get('x-cache-entry-id');
}

const entries = async () =>
  (await owner.script.ask(0, 'GET /cache/entries?account_id=kept')).json.data as { id: string }[];

test('a wrong response is reported from its entry and from its request, and two people disable it', async () => {
  await ask('four');
  await until('the response is cached', async () => (await ask('four')) !== null);
  const hit = (await ask('four')) ?? '';
  await window.anew(`/app/a/kept/cache?id=${hit}`);
  const { page } = window;
  const report = async (shown = page) => {
    await shown.getByRole('button', { name: 'Report wrong response' }).click();
    const dialog = shown.getByRole('dialog', { name: 'Report a wrong cached response' });
    await dialog.getByLabel('Description').fill('It is about something else.');
    return dialog;
  };
  const dialog = await report();
  await window.expectSound();
  await dialog.getByRole('button', { name: 'Send report' }).click();
  await page.getByText('Report sent', { exact: true }).waitFor();
  await page.getByRole('dialog', { name: 'Cached response' }).getByRole('link', { name: '1' }).click();
  await page.getByText('It is about something else.').waitFor();
  await page.getByRole('cell', { name: 'Dashboard' }).waitFor();
  await window.expectSound();

  await ask('four');
  const requests = async () => (await owner.script.ask(0, 'GET /requests?account_id=kept&cached=true')).json;
  await until('the request is in the log', async () => ((await requests()).data as unknown[]).length > 0);
  const [{ id = '' } = {}] = (await requests()).data as { id: string }[];
  await window.load(`/app/a/kept/requests?id=${id}`);
  await (await report()).getByRole('button', { name: 'Send report' }).click();
  await page.getByText('You already reported this entry').waitFor();
  expect(window.problems).toEqual([]);

  const member = await scene.member(operator, 'kept', 'member');
  const other = await scene.window(member, { path: `/app/a/kept/requests?id=${id}` });
  await (await report(other.page)).getByRole('button', { name: 'Send report' }).click();
  await other.page.getByText('Report sent, entry disabled').waitFor();
  expect((await entries()).map((entry) => entry.id)).not.toContain(hit);
  await other.page.close();
});

test('a page that was opened during an outage is complete soon after it, without a click', async () => {
  await window.anew('/app/a/kept/overview');
  const { page } = window;
  await window.settled();
  await page.route('**/v1/management/**', (route) => route.abort());
  await page.getByRole('link', { name: 'Cache', exact: true }).click();
  const failures = page.getByText(/^Can’t reach the gateway/);
  await failures.first().waitFor();
  await page.unroute('**/v1/management/**');
  await page.getByText('Hit rate').waitFor();
  await until('nothing is red', async () => (await failures.count()) === 0);
});

test('entries are listed, disabled and cleared; reports and hits are shown', async () => {
  for (const prompt of ['one', 'two', 'three']) {
    await ask(prompt);
    await until('the response is cached', async () => (await ask(prompt)) !== null);
  }
  const hit = (await ask('one')) ?? '';
  await fetch(`${scene.serving.baseUrl}/cache/feedback`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ cache_entry_id: hit, feedback_type: 'outdated', description: 'It was so last year.' }),
  });
  await window.anew(`/app/a/kept/cache?id=${hit}`);
  const { page } = window;
  const sheet = page.getByRole('dialog', { name: 'Cached response' });
  await sheet.getByRole('button', { name: 'Disable entry' }).click();
  const question = page.getByRole('alertdialog');
  await question.getByRole('button', { name: 'Disable entry' }).click();
  await question.waitFor({ state: 'detached' });
  expect((await entries()).map(({ id }) => id)).not.toContain(hit);
  const rows = page.getByRole('table', { name: 'Entries' }).getByRole('button');
  await until('two entries are left', async () => (await rows.count()) === 2);
  await window.expectSound();

  await page.getByRole('button', { name: 'Clear cache' }).click();
  expect(await question.getByRole('button', { name: 'Clear cache' }).isDisabled()).toBe(true);
  await question.getByRole('textbox').fill('kept');
  await question.getByRole('button', { name: 'Clear cache' }).click();
  await page.getByText('2 cached responses removed').waitFor();
  expect(await entries()).toEqual([]);

  await page.getByRole('tab', { name: 'Reports' }).click();
  await page.getByText('It was so last year.').waitFor();
  await window.expectSound();

  const viewer = await scene.member(operator, 'kept', 'viewer');
  const small = await scene.window(viewer, { path: '/app/a/kept/cache', width: 360, locale: 'zh-CN' });
  await small.page.getByText('没有缓存').waitFor();
  expect(await small.page.getByRole('button', { name: '清空缓存' }).count()).toBe(0);
  await small.expectSound();
  expect(await small.page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  await small.page.close();

  const all = await scene.window(operator, { path: '/app/operator/cache' });
  await all.page.getByText('Storage', { exact: true }).waitFor();
  await all.page.close();
});
