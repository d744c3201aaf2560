import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  channelTo,
  chatAnswer,
  type FakeUpstream,
  refusal,
  startUpstream,
} from '../../conformance/first-light/upstream.ts';
import { until } from '../../conformance/shared/until.ts';
import { DashboardScene, ok, type Person, type Window } from './scene.ts';

/* Why a request failed, as its owner and the operator see it, and how the log is searched for it. */

const ACCOUNT = 'acme';
const OVERVIEW = `/app/a/${ACCOUNT}/overview`;
const LOG = `/app/a/${ACCOUNT}/requests`;
const CHANNEL = { id: 'house', name: 'House main' };

interface Failed {
  readonly id: string;
  readonly message: string;
  readonly code: string;
}

let upstream: FakeUpstream;
let scene: DashboardScene;
let owner: Person;
let operatorWindow: Window;
/** The owner's. */
let window: Window;
let key: string;
let hot: Failed;
let mistyped: Failed;
let broken: Failed;

beforeAll(async () => {
  upstream = startUpstream((request) => (request.model === 'broken' ? refusal(500, 'boom') : chatAnswer(request)));
  const models = { 'house-chat': 'house-chat', broken: 'broken' };
  scene = await DashboardScene.open({
    configuration: {
      channels: [channelTo(upstream, { ...CHANNEL, models, breaker: { minimum_requests: 1_000 } })],
      models: Object.keys(models).map((id) => ({ id, pricing: { input_per_1m: '1', output_per_1m: '2' } })),
    },
  });
  const operator = await scene.operator();
  ({ owner, key } = await scene.ownerWithKey(operator, ACCOUNT));
  broken = await failed({ model: 'broken' });
  mistyped = await failed({ model: 'house-chatt' });
  hot = await failed({ model: 'house-chat', temperature: 'hot' });
  await until('the requests are in the log', async () => (await logged()).length === 3);
  window = await scene.window(owner, { path: OVERVIEW });
  operatorWindow = await scene.window(operator, { path: '/app/operator/requests' });
});
afterAll(async () => {
  await scene?.close();
  await upstream?.stop();
});

/** Sends a request that fails. Resolves to what the client was told, without the backticks that the page shows as code. */
async function failed(body: object): Promise<Failed> {
  const answer = await fetch(`${scene.serving.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, messages: [{ role: 'user', content: 'Good day.' }] }),
  });
  const { error } = (await answer.json()) as { readonly error: Omit<Failed, 'id'> };
  return { id: answer.headers.get('x-request-id') ?? '', message: error.message.replaceAll('`', ''), code: error.code };
}

async function logged(): Promise<readonly { readonly id: string }[]> {
  return ok(await owner.script.ask(0, `GET /requests?account_id=${ACCOUNT}`)).json.data as { id: string }[];
}

test('an owner reads why a request failed after at most three clicks', async () => {
  await window.anew(OVERVIEW);
  const { page } = window;
  const clicks = await window.countClicks();
  await page.getByRole('navigation').getByRole('link', { name: 'Requests' }).click();
  const table = page.getByRole('table', { name: 'Requests' });
  await table.getByText(hot.code, { exact: true }).waitFor();
  await table.getByRole('button').first().click();
  const sheet = page.getByRole('dialog', { name: 'Request' });
  await sheet.getByText(hot.message).waitFor();
  await sheet.getByText('temperature', { exact: true }).waitFor();
  await sheet.getByText('Rejected before it reached a provider').waitFor();
  expect(await sheet.getByText(/^No retr/).count()).toBe(0);
  expect(clicks.count).toBeLessThanOrEqual(3);
  await window.expectSound();
});

test('a model that does not exist is shown as the client wrote it', async () => {
  await window.anew(`${LOG}?id=${mistyped.id}`);
  const { page } = window;
  const sheet = page.getByRole('dialog', { name: 'Request' });
  await sheet.getByText(mistyped.message).first().waitFor();
  await sheet.getByText('house-chatt', { exact: true }).first().waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('table', { name: 'Requests' }).getByText('house-chatt', { exact: true }).waitFor();
  expect(window.problems).toEqual([]);
});

test("an operator reads each attempt's upstream message, with the channel's name", async () => {
  await operatorWindow.load(`/app/operator/requests?id=${broken.id}`);
  const { page } = operatorWindow;
  const sheet = page.getByRole('dialog', { name: 'Request' });
  await sheet.getByText(broken.message).first().waitFor();
  const attempts = sheet.getByRole('list').filter({ hasText: 'HTTP 500' });
  await attempts.getByText('boom').first().waitFor();
  await attempts.getByTitle(`${CHANNEL.name} (${CHANNEL.id})`).first().waitFor();
  await operatorWindow.expectSound();
  await page.keyboard.press('Escape');
  const table = page.getByRole('table', { name: 'Requests' });
  await table.getByText(CHANNEL.name, { exact: true }).first().waitFor();
  expect(await table.getByText(CHANNEL.id, { exact: true }).count()).toBe(0);
});

test('several codes and a channel are picked by name', async () => {
  await window.anew(LOG);
  const { page, problems } = window;
  const rows = page.getByRole('table', { name: 'Requests' }).getByRole('button');
  await page.getByRole('button', { name: 'More filters' }).click();
  for (const code of [hot.code, mistyped.code]) {
    await page.getByRole('combobox', { name: 'Error code' }).fill(code);
    await page.getByRole('option', { name: code, exact: true }).click();
  }
  await page.getByRole('button', { name: 'Apply' }).click();
  await until('both are left', async () => (await rows.count()) === 2);
  await page.getByRole('list', { name: 'Filters' }).getByText(`${hot.code}, ${mistyped.code}`).waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();

  await page.getByRole('button', { name: 'More filters' }).click();
  await page.getByRole('combobox', { name: 'Channel' }).click();
  await page.getByRole('option', { name: CHANNEL.name }).click();
  // Closes the list of channels; the rest of the form is hidden from screen readers while it is open.
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.waitForURL(`**/requests?channel=${CHANNEL.id}`);
  await page.getByRole('list', { name: 'Filters' }).getByText(CHANNEL.name).waitFor();
  await until('one is left', async () => (await rows.count()) === 1);
  expect(problems).toEqual([]);
});

test('J and K step through the details', async () => {
  await window.anew(LOG);
  const { page } = window;
  const ids = (await logged()).map(({ id }) => id);
  await page.getByRole('table', { name: 'Requests' }).getByRole('button').first().click();
  const sheet = page.getByRole('dialog', { name: 'Request' });
  const reached = (id: string | undefined) =>
    until('the request is open', () => new URL(page.url()).searchParams.get('id') === id);
  await reached(ids[0]);
  expect(await sheet.getByRole('button', { name: 'Previous request' }).isDisabled()).toBe(true);
  await page.keyboard.press('j');
  await reached(ids[1]);
  await sheet.getByRole('button', { name: 'Next request' }).click();
  await reached(ids[2]);
  await page.keyboard.press('k');
  await reached(ids[1]);
  // One step back in the history closes it.
  await page.goBack();
  await sheet.waitFor({ state: 'detached' });
});

/** Runs in the page: by how many pixels the table is wider than its frame. */
const CUT = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('[role=table]').parentElement)`;

test('no column of the log is cut at any width', async () => {
  const cut: string[] = [];
  for (const [shown, path] of [
    [window, LOG],
    [operatorWindow, '/app/operator/requests'],
  ] as const) {
    const { page } = shown;
    await shown.go(path);
    const table = page.getByRole('table', { name: 'Requests' });
    for (const width of [360, 640, 768, 1024, 1280, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      await table.waitFor();
      await shown.settled();
      const over = await page.evaluate<number>(CUT);
      if (over > 0) cut.push(`${path} at ${width}: ${over} pixels`);
      const hasCost = (await table.getByRole('columnheader', { name: 'Cost' }).count()) === 1;
      if (hasCost !== width >= 640) cut.push(`${path} at ${width}: cost ${hasCost}`);
    }
  }
  expect(cut).toEqual([]);
});
