import { afterAll, beforeAll, expect, test } from 'bun:test';
import { ACCOUNT_PAGES, OPERATOR_PAGES } from './listed-pages.ts';
import { DashboardScene, ok, type Person, type Window } from './scene.ts';

/* Every page of the navigation with demo traffic: no errors in either theme, and no wider than a phone. */

let scene: DashboardScene;
let people: Awaited<ReturnType<DashboardScene['demoPeople']>>;
beforeAll(async () => {
  scene = await DashboardScene.open({ demoRequests: 400 });
  people = await scene.demoPeople();
});
afterAll(async () => scene?.close());

const TOO_WIDE = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

/** Visits pages one after another in one window, and reports all their problems together. */
async function walk(person: Person, base: string, paths: readonly string[]): Promise<void> {
  const window = await scene.window(person, { path: `${base}/${paths[0]}` });
  const failures: string[] = [];
  for (const path of paths) {
    failures.push(...(await found(window, `${base}/${path}`)).map((what) => `${path}: ${what}`));
  }
  expect(failures).toEqual([]);
}

async function found(window: Window, path: string): Promise<readonly string[]> {
  try {
    await window.go(path);
    await window.expectSound();
    const { page } = window;
    await page.setViewportSize({ width: 360, height: 800 });
    await window.settled();
    const tooWide = await page.evaluate<number>(TOO_WIDE);
    await page.setViewportSize({ width: 1280, height: 900 });
    return tooWide > 0 ? [`${tooWide} pixels wider than a phone`] : [];
  } catch (error) {
    return [String(error)];
  } finally {
    window.problems.length = 0;
  }
}

test("every account page is sound for an owner with a month's traffic", async () => {
  const { owner } = people;
  const { memberships } = ok(await owner.script.ask(0, 'GET /me')).json as { memberships: { account: string }[] };
  const base = `/app/a/${memberships[0]?.account}`;
  await walk(owner, base, [
    ...ACCOUNT_PAGES.map(({ path }) => path),
    ...[
      'balance?tab=months',
      `balance?tab=months&month=${new Date().toISOString().slice(0, 7)}`,
      'balance?tab=details',
    ],
    '../../me',
  ]);
});

test("every operator page is sound with a month's traffic", async () => {
  const paths = OPERATOR_PAGES.map(({ path }) => path);
  await walk(people.operator, '/app/operator', paths);
});
