import { afterAll, beforeAll, expect, test } from 'bun:test';
import { until } from '../../conformance/shared/until.ts';
import { PaidTraffic } from './paid-traffic.ts';
import { ok, type Window } from './scene.ts';

/* The list of channels with the figures of the last day, at every width. */

const GOOD = 3;
const ROW = { name: 'house', exact: true } as const;

let traffic: PaidTraffic;
/** The operator's. */
let window: Window;
beforeAll(async () => {
  traffic = await PaidTraffic.open();
  await traffic.send(GOOD, 0);
  const { operator } = traffic;
  const own = { provider: 'openai', api_key: 'sk-proj-0123456789abcdefghij', models: ['gpt-5-mini'] };
  ok(await operator.script.ask(0, 'POST /accounts', { id: 'globex', name: 'Globex Robotics' }));
  ok(await operator.script.ask(0, 'POST /channels?account_id=globex', { ...own, id: 'ours', name: 'Ours' }));
  window = await traffic.scene.window(operator);
});
afterAll(async () => traffic?.close());

/** Runs in the page: parts of the list that are wider than their place, or beyond the window. */
const CUT = `[document.documentElement, ...document.querySelectorAll('main ol > li, main ul > li')]
  .filter((one) => one.scrollWidth > one.clientWidth + 1 || one.getBoundingClientRect().right > innerWidth + 1)
  .map((one) => one.tagName + ' ' + one.scrollWidth + ' > ' + one.clientWidth)`;

test('each channel has its success, its p95 and the hours of the last day', async () => {
  const { operator } = traffic;
  await until('the traffic of the channel is summed', async () => {
    const { json } = ok(await operator.script.ask(0, 'GET /usage/channels'));
    const [house] = (json.data as { channel: string; requests: number }[]).filter(({ channel }) => channel === 'house');
    return house?.requests === GOOD;
  });
  await window.anew('/app/operator/channels');
  const { page } = window;
  const row = page.getByRole('listitem').filter({ has: page.getByRole('button', ROW) });
  await row.getByRole('img', { name: `${GOOD} requests in 24h, 0 failed; at most ${GOOD} per hour` }).waitFor();
  for (const text of ['100%', 'p95 latency', 'OpenAI-compatible']) {
    await row.getByText(text, { exact: false }).first().waitFor();
  }
  expect(await row.getByText(/^\d+(?:\.\d+)?\sm?s$/).count()).toBe(1);
  for (const title of ['Channel', 'Status', 'Success', 'p95 latency', 'Traffic (24h)', 'Actions']) {
    expect(await page.locator('main').getByText(title, { exact: true }).first().isVisible()).toBe(true);
  }
  expect(window.problems).toEqual([]);
  await page.getByRole('button', ROW).click();
  await page.getByText(`100% (${GOOD} requests)`).waitFor();
  await page.getByText('p95 latency', { exact: true }).last().waitFor();
});

test('nothing of the list is cut at any width', async () => {
  for (const path of ['/app/operator/channels', '/app/operator/channels?scope=private', '/app/a/globex/channels']) {
    await window.go(path);
    for (const width of [360, 1024, 1280, 1440]) {
      await window.page.setViewportSize({ width, height: 900 });
      await window.settled();
      expect({ path, width, cut: await window.page.evaluate(CUT) }).toEqual({ path, width, cut: [] });
    }
  }
});

test('a channel of an account has the name of the account, and the account’s models name the channel', async () => {
  const { page } = window;
  await page.setViewportSize({ width: 1280, height: 900 });
  await window.anew('/app/operator/channels?scope=private');
  const row = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: 'Ours', exact: true }) });
  await row.getByText('Globex Robotics', { exact: false }).waitFor();
  expect(await row.getByText('globex', { exact: true }).count()).toBe(0);
  await window.go('/app/a/globex/models?id=gpt-5-mini');
  await page.getByText('Uses your key: Ours').waitFor();
  expect(window.problems).toEqual([]);
});
