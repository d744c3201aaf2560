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

test.each(['requests', 'audit'])('going back to %s keeps the scroll position', async (name) => {
  const { page, problems } = await scene.window(operator, { path: `/app/operator/${name}` });
  const table = page.getByRole('table').first();
  await table.waitFor();
  const height = () => page.evaluate<number>('document.documentElement.scrollHeight - innerHeight');
  // Far enough for a second page of the list, if there is one.
  await page.mouse.move(700, 500);
  await page.mouse.wheel(0, 20_000);
  await until('the end is reached', async () => {
    const [end, at] = [await height(), await page.evaluate<number>('scrollY')];
    return at > 0 && (at >= 8_500 || end - at < 2);
  });
  const top = await page.evaluate<number>('scrollY');
  await page.getByRole('navigation').getByRole('link', { name: 'Models' }).click();
  await page.waitForURL('**/operator/models');
  await until('the other page begins at its top', async () => (await page.evaluate<number>('scrollY')) === 0);
  await page.goBack();
  await page.waitForURL(`**/operator/${name}`);
  await until('the position is restored', async () => {
    const at = await page.evaluate<number>('scrollY');
    return Math.abs(at - top) <= 1;
  });
  expect(problems).toEqual([]);
  await page.close();
});
