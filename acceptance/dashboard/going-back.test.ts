import { afterAll, beforeAll, expect, test } from 'bun:test';
import { until } from '../../conformance/shared/until.ts';
import { DashboardScene, type Person } from './scene.ts';

/* Going back to a list returns to the rows that were read. */

let scene: DashboardScene;
let operator: Person;
beforeAll(async () => {
  scene = await DashboardScene.open({ demoRequests: 600 });
  ({ operator } = await scene.demoPeople());
});
afterAll(async () => scene?.close());

test.each([
  // Beyond the first page of the list, which has to be read again.
  { name: 'requests', far: 9_000, elsewhere: 'Channels' },
  { name: 'audit', far: 1_000, elsewhere: 'Channels' },
])('going back to $name keeps the scroll position', async ({ name, far, elsewhere }) => {
  const window = await scene.window(operator, { path: `/app/operator/${name}` });
  const { page, problems } = window;
  const position = () => page.evaluate<number>('scrollY');
  await page.getByRole('table').first().waitFor();
  await page.mouse.move(700, 500);
  await until('the rows further down are reached', async () => {
    await page.mouse.wheel(0, 2_000);
    return (await position()) >= far;
  });
  await window.settled();
  const left = await position();
  await page.getByRole('navigation').getByRole('link', { name: elsewhere, exact: true }).click();
  await page.waitForURL(`**/operator/${elsewhere.toLowerCase()}`);
  await until('the other page begins at its top', async () => (await position()) === 0);
  await page.goBack();
  await page.waitForURL(`**/operator/${name}`);
  await until('the position is restored', async () => Math.abs((await position()) - left) <= 1);
  expect(problems).toEqual([]);
  await page.close();
});
