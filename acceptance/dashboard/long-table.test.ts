import { afterAll, beforeAll, expect, test } from 'bun:test';
import { until } from '../../conformance/shared/until.ts';
import { DashboardScene, ok } from './scene.ts';

/* A very long table keeps only a few rows in the page, at any scroll position. */

const ROWS = 100_000;
const MOST_DRAWN = 150;

/** Responds to the list of keys with N copies of its first one. */
const MANY_KEYS = `
  const ask = window.fetch;
  window.fetch = async (input, init) => {
    const answer = await ask(input, init);
    if (!String(input).includes('/v1/management/keys?')) return answer;
    const { data: [one] } = await answer.json();
    const data = Array.from({ length: ${ROWS} }, (_, at) => ({ ...one, id: 'k' + at, name: 'Key ' + at }));
    return Response.json({ object: 'list', data, has_more: false, next: null });
  };
`;

let scene: DashboardScene;
beforeAll(async () => {
  scene = await DashboardScene.open();
});
afterAll(async () => scene?.close());

test('the top, middle and end of 100,000 rows can be reached by wheel and keyboard', async () => {
  const operator = await scene.operator();
  ok(await operator.script.ask(0, 'POST /keys?account_id=default', { name: 'Only one' }));
  const window = await scene.window(operator);
  const { page } = window;
  await page.addInitScript(MANY_KEYS);
  await window.load('/app/a/default/keys');
  const drawn = async () => await page.getByRole('table').getByRole('row').count();
  const row = (at: number) => page.getByRole('button', { name: `Key ${at}`, exact: true });
  await row(0).waitFor();
  expect(await drawn()).toBeLessThan(MOST_DRAWN);
  expect(await page.getByRole('table').getAttribute('aria-rowcount')).toBe(String(ROWS + 1));

  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight / 2)');
  await until('the middle is drawn', async () => (await row(ROWS / 2).count()) === 1);
  expect(await drawn()).toBeLessThan(MOST_DRAWN);
  await page.mouse.move(700, 500);
  await page.mouse.wheel(0, 4_000);
  await until('rows further down are drawn', async () => (await row(ROWS / 2 + 100).count()) === 1);
  expect(await drawn()).toBeLessThan(MOST_DRAWN);

  await page.keyboard.press('End');
  await row(ROWS - 1).waitFor();
  expect(await drawn()).toBeLessThan(MOST_DRAWN);
  await row(ROWS - 2).focus();
  await page.keyboard.press('Tab');
  expect(await page.evaluate<string>('document.activeElement.textContent')).toBe(`Key ${ROWS - 1}`);
  expect(window.problems).toEqual([]);
});
