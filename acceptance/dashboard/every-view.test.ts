import { afterAll, beforeAll, expect, test } from 'bun:test';
import { until } from '../../conformance/shared/until.ts';
import { ACCOUNT_PAGES, OPERATOR_PAGES } from './listed-pages.ts';
import { DashboardScene, monthAt, ok, type Window } from './scene.ts';

/*
 * Every page of the navigation with demo traffic: no errors in either theme, and no wider than a phone. Other files run axe only on states that
 * these pages are not in. Tables show all their columns at every width, and facts stay within their cards. Going back to a list returns to the
 * rows that were read. A very long table keeps only a few rows in the page, at any scroll position.
 */

const PHONE = 360;
const WIDTHS = [PHONE, 640, 768, 1024, 1280, 1440];
/** Pages of accounts and of operators whose tables and facts are checked at every width. */
const TABLES = [
  'tasks',
  'cache',
  'cache?tab=reports',
  'alerts?tab=rules',
  'alerts?tab=targets',
  'alerts?tab=deliveries',
];

let scene: DashboardScene;
let account: string;
let owner: Window;
let operator: Window;
beforeAll(async () => {
  scene = await DashboardScene.open({ demoRequests: 400 });
  const people = await scene.demoPeople();
  const me = ok(await people.owner.script.ask(0, 'GET /me')).json as { memberships: { account: string }[] };
  account = `/app/a/${me.memberships[0]?.account}`;
  owner = await scene.window(people.owner, { path: `${account}/overview` });
  operator = await scene.window(people.operator, { path: '/app/operator/overview' });
});
afterAll(async () => scene?.close());

const TOO_WIDE = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

/** Runs in the page: how many pixels of each table, and of each value in a list of facts, are cut. */
const CUT = `[...document.querySelectorAll('[role=table]')]
  .map(({ parentElement }) => parentElement)
  .concat(...document.querySelectorAll('dl > div > dd'))
  .map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)
  .filter((pixels) => pixels > 0)`;

interface Visits {
  /** Pages on which axe runs, and which must not be wider than a phone. */
  readonly sound: readonly string[];
  /** Pages whose tables are checked at every width. */
  readonly tables: readonly string[];
}

/** Visits pages one after another in one window, and reports all their problems together. */
async function walk(window: Window, base: string, { sound, tables }: Visits): Promise<void> {
  const failures: string[] = [];
  for (const path of new Set([...sound, ...tables])) {
    try {
      await window.go(`${base}/${path}`);
      if (sound.includes(path)) await window.expectSound();
      failures.push(...(await cut(window, path, tables.includes(path))));
    } catch (error) {
      failures.push(`${path}: ${error}`);
    } finally {
      window.problems.length = 0;
    }
  }
  expect(failures).toEqual([]);
}

async function cut(window: Window, path: string, hasTables: boolean): Promise<readonly string[]> {
  const { page } = window;
  const found: string[] = [];
  for (const width of hasTables ? WIDTHS : [PHONE]) {
    await page.setViewportSize({ width, height: width === PHONE ? 800 : 900 });
    await window.settled();
    const tooWide = await page.evaluate<number>(TOO_WIDE);
    if (tooWide > 0) found.push(`${path}: ${tooWide} pixels wider than a window of ${width}`);
    const pixels = hasTables ? await page.evaluate<number[]>(CUT) : [];
    if (pixels.length > 0) found.push(`${path} at ${width}: ${pixels.join(', ')} pixels of tables or facts are cut`);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  return found;
}

test("every account page is sound for an owner with a month's traffic, and its tables fit at every width", async () => {
  const month = monthAt(Date.now());
  const billing = ['balance?tab=months', `balance?tab=months&month=${month}`, 'balance?tab=details'];
  await walk(owner, account, {
    sound: [...ACCOUNT_PAGES.map(({ path }) => path), ...billing, '../../me'],
    tables: [...TABLES, 'account'],
  });
});

test("every operator page is sound with a month's traffic, and its tables fit at every width", async () => {
  await walk(operator, '/app/operator', {
    sound: OPERATOR_PAGES.map(({ path }) => path),
    tables: [...TABLES, 'audit', 'nodes'],
  });
});

test.each([
  // Beyond the first page of the list, which has to be read again.
  { name: 'requests', far: 9_000, elsewhere: 'Channels' },
  { name: 'audit', far: 1_000, elsewhere: 'Channels' },
])('going back to $name keeps the scroll position', async ({ name, far, elsewhere }) => {
  await operator.loadAnew(`/app/operator/${name}`);
  const { page, problems } = operator;
  const position = () => page.evaluate<number>('scrollY');
  await page.getByRole('table').first().waitFor();
  await page.mouse.move(700, 500);
  await until('the rows further down are reached', async () => {
    await page.mouse.wheel(0, 2_000);
    return (await position()) >= far;
  });
  await operator.settled();
  const left = await position();
  await page.getByRole('navigation').getByRole('link', { name: elsewhere, exact: true }).click();
  await page.waitForURL(`**/operator/${elsewhere.toLowerCase()}`);
  await until('the other page begins at its top', async () => (await position()) === 0);
  await page.goBack();
  await page.waitForURL(`**/operator/${name}`);
  await until('the position is restored', async () => Math.abs((await position()) - left) <= 1);
  expect(problems).toEqual([]);
});

const ROWS = 100_000;
const MOST_DRAWN = 150;

/** Runs in the page: responds to the list of keys with many copies of its first one. */
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

test('the top, middle and end of 100,000 rows can be reached by wheel and keyboard', async () => {
  const { page } = owner;
  await page.addInitScript(MANY_KEYS);
  await owner.loadAnew(`${account}/keys`);
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
  expect(owner.problems).toEqual([]);
});
