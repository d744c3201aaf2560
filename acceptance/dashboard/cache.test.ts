import { afterAll, beforeAll, expect, test } from 'bun:test';
import { until } from '../../conformance/shared/until.ts';
import { DashboardScene, type Person } from './scene.ts';

/* The cache page of an account: hits, entries, reports, and disabling entries. */

let scene: DashboardScene;
let operator: Person;
let owner: Person;
let key: string;

beforeAll(async () => {
  scene = await DashboardScene.open({ configuration: { sandbox: true } });
  operator = await scene.operator();
  ({ owner, key } = await scene.ownerWithKey(operator, 'kept'));
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
  const window = await scene.window(owner, { path: `/app/a/kept/cache?id=${hit}` });
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
  await page.close();

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
