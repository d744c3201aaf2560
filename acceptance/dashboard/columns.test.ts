import { afterAll, beforeAll, expect, test } from 'bun:test';
import { DashboardScene, ok, type Person } from './scene.ts';

/* Tables show all their columns at every width, and facts stay within their cards: nothing has to be scrolled sideways or is cut. */

const WIDTHS = [360, 640, 768, 1024, 1280, 1440];
const PAGES = [
  'tasks',
  'cache',
  'cache?tab=reports',
  'alerts?tab=rules',
  'alerts?tab=targets',
  'alerts?tab=deliveries',
];

/** Runs in the page: how many pixels of each table, and of each value in a list of facts, are cut. */
const CUT = `[...document.querySelectorAll('[role=table]')]
  .map(({ parentElement }) => parentElement)
  .concat(...document.querySelectorAll('dl > div > dd'))
  .map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)
  .filter((pixels) => pixels > 0)`;

let scene: DashboardScene;
let people: Awaited<ReturnType<DashboardScene['demoPeople']>>;
beforeAll(async () => {
  scene = await DashboardScene.open({ demoRequests: 100 });
  people = await scene.demoPeople();
});
afterAll(async () => scene?.close());

async function cut(person: Person, paths: readonly string[]): Promise<readonly string[]> {
  const window = await scene.window(person, { path: paths[0] ?? '/' });
  const found: string[] = [];
  for (const path of paths) {
    await window.go(path);
    for (const width of WIDTHS) {
      await window.page.setViewportSize({ width, height: 900 });
      await window.settled();
      const pixels = await window.page.evaluate<number[]>(CUT);
      if (pixels.length > 0) found.push(`${path} at ${width}: ${pixels.join(', ')} pixels`);
    }
  }
  return found;
}

test('an account’s tables fit at every width', async () => {
  const { memberships } = ok(await people.owner.script.ask(0, 'GET /me')).json as {
    memberships: { account: string }[];
  };
  const base = `/app/a/${memberships[0]?.account}`;
  expect(
    await cut(
      people.owner,
      [...PAGES, 'account'].map((path) => `${base}/${path}`),
    ),
  ).toEqual([]);
});

test('the operators’ tables fit at every width', async () => {
  expect(
    await cut(
      people.operator,
      [...PAGES, 'audit', 'nodes'].map((path) => `/app/operator/${path}`),
    ),
  ).toEqual([]);
});
