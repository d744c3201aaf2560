import { afterAll, beforeAll, expect, test } from 'bun:test';
import { channelTo, type FakeUpstream, startUpstream } from '../../conformance/first-light/upstream.ts';
import { until } from '../../conformance/shared/until.ts';
import { DashboardScene, monthAt, ok, type Person } from './scene.ts';

/* Traffic without a price is called the same on every page, and never zero. */

const ACCOUNT = 'acme';
const MODEL = 'house-chat';

let upstream: FakeUpstream;
let scene: DashboardScene;
let owner: Person;
let id: string;
let sentAtMs: number;

beforeAll(async () => {
  upstream = startUpstream();
  scene = await DashboardScene.open({
    configuration: {
      channels: [channelTo(upstream, { models: { [MODEL]: MODEL } })],
      models: [{ id: MODEL, pricing: 'unknown' }],
    },
  });
  const operator = await scene.operator();
  const made = await scene.ownerWithKey(operator, ACCOUNT);
  owner = made.owner;
  ok(await operator.script.ask(0, `PATCH /accounts/${ACCOUNT}`, { billing: 'unlimited' }));
  sentAtMs = Date.now();
  const answer = await fetch(`${scene.origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${made.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'Good day.' }] }),
  });
  expect(answer.status).toBe(200);
  id = answer.headers.get('x-request-id') ?? '';
  await until('the request is counted', async () => {
    const { total } = ok(await owner.script.ask(0, `GET /usage?account_id=${ACCOUNT}`)).json as Record<string, any>;
    return total.requests === 1;
  });
});
afterAll(async () => {
  await scene?.close();
  await upstream?.stop();
});

test('a request without a price has none in the log, its details, the overview, the model and the statement', async () => {
  const window = await scene.window(owner, { path: `/app/a/${ACCOUNT}/requests` });
  const { page } = window;
  await page.getByRole('table', { name: 'Requests' }).getByText('No price', { exact: true }).waitFor();
  await window.go(`/app/a/${ACCOUNT}/requests?id=${id}`);
  await page.getByRole('dialog', { name: 'Request' }).getByText('No price', { exact: true }).waitFor();
  await window.fresh(`/app/a/${ACCOUNT}/overview?period=day`);
  await page.getByText('No price', { exact: true }).first().waitFor();
  await window.fresh(`/app/a/${ACCOUNT}/models`);
  await page.getByRole('table').getByText('No price', { exact: true }).first().waitFor();
  await window.fresh(`/app/a/${ACCOUNT}/statement?month=${monthAt(sentAtMs)}`);
  await page.getByRole('table').getByText('No price', { exact: true }).first().waitFor();
  await window.expectSound();
});
