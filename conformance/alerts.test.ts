import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { metricsOf } from './shared/metrics.ts';
import type { Serving } from './shared/serving.ts';
import { until } from './shared/until.ts';
import { Workspace } from './shared/workspace.ts';

/*
 * Alerts as accounts use them: created over HTTP, raised by a running gateway, signed and delivered. `acceptance/process/alerts.test.ts` tests
 * that a kill loses none.
 */

const TOKEN = 'mt-alerts-0123456789abcdef';
const OPERATOR = 'mt-operator-0123456789abcdef';

interface Heard {
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
}

let workspace: Workspace;
let gateway: Serving;
const heard: Heard[] = [];
const endpoint = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 60,
  fetch: async (request) => {
    const path = new URL(request.url).pathname;
    heard.push({ path, headers: request.headers, body: await request.text() });
    return new Response(null, { status: path === '/moved' ? 302 : 204, headers: { location: 'http://127.0.0.1:1/' } });
  },
});

beforeAll(async () => {
  workspace = await Workspace.create();
  const token = (id: string, secret: string) => [{ id, name: id, secret }];
  await workspace.write('switchyard.yaml', {
    accounts: [
      { id: 'acme', balance_usd: '1', management_tokens: token('ops', TOKEN) },
      { id: 'admins', admin: true, management_tokens: token('root', OPERATOR) },
    ],
    alerts: {
      allow_http: true,
      allowed_ranges: ['127.0.0.1'],
      webhooks: [
        { id: 'on-call', url: `http://127.0.0.1:${endpoint.port}/operators`, secret: `whsec_${btoa('x'.repeat(32))}` },
      ],
      rules: [{ id: 'poor', balance_below: { usd: '2' }, accounts: ['nobody'] }],
    },
  });
  gateway = await workspace.serve({ env: { SWITCHYARD_CONFIG: workspace.path('switchyard.yaml') } });
}, 600_000);

afterAll(async () => {
  await workspace?.remove();
  await endpoint.stop(true);
}, 600_000);

async function call(method: string, path: string, body?: object, token = TOKEN) {
  const response = await fetch(`${gateway.baseUrl}/management/alerts/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? {} : JSON.parse(text), text };
}

test('an account creates rules and webhooks; errors name the field, and secrets are shown once', async () => {
  const hook = await call('POST', 'webhooks', {
    id: 'main',
    url: `http://127.0.0.1:${endpoint.port}/T0123456/secret-path`,
  });
  expect(hook.status).toBe(201);
  expect(hook.body.secret).toMatch(/^whsec_/);
  expect(hook.body.url_preview).toEndWith('/…path');
  const shown = await call('GET', 'webhooks/main');
  expect(shown.text).not.toContain('secret-');
  expect(shown.text).not.toContain('whsec_');
  const wrongs: [string, object, string][] = [
    ['webhooks', { url: 'http://user:word@127.0.0.1/' }, 'url'],
    ['webhooks', { mail: 'a@example.com' }, 'mail'],
    ['webhooks', {}, 'url'],
    ['rules', {}, 'balance_below'],
    ['rules', { balance_below: { usd: '1' }, error_rate: { percent: 1 } }, 'error_rate'],
    ['rules', { balance_below: { usd: '0' } }, 'balance_below.usd'],
    ['rules', { balance_below: { usd: '1' }, accounts: ['other'] }, 'accounts'],
    ['rules', { balance_below: { usd: '1' }, targets: ['none'] }, 'targets'],
  ];
  for (const [path, body, param] of wrongs) {
    const { body: answer } = await call('POST', path, body);
    expect([body, answer.error?.param]).toEqual([body, param]);
  }
  expect((await call('GET', 'rules?account_id=admins')).status).toBe(403);
  const declared = await call('PATCH', 'rules/poor', { name: 'x' }, OPERATOR);
  expect([declared.status, declared.body.error.message]).toEqual([409, expect.stringContaining('configuration file')]);
  const all = await call('GET', 'webhooks', undefined, OPERATOR);
  expect(all.body.data.map((one: { account: string | null; id: string }) => [one.account, one.id])).toEqual([
    [null, 'on-call'],
    ['acme', 'main'],
  ]);
});

test('an alert is raised and delivered once, signed with the current and the previous secret', async () => {
  const { body: rotated } = await call('POST', 'webhooks/main/rotate-secret', {});
  const { body: rule } = await call('POST', 'rules', { id: 'low', balance_below: { usd: '5' } });
  expect(rule).toMatchObject({ object: 'alert_rule', type: 'balance_below', balance_below: { usd: '5' } });
  const delivered = async () => (await call('GET', 'deliveries?state=delivered')).body.data;
  await until('the alert is delivered', async () => (await delivered()).length === 1);
  expect(heard.map(({ path }) => path)).toEqual(['/T0123456/secret-path']);
  const [{ headers, body } = { headers: new Headers(), body: '' }] = heard;
  const key = Buffer.from(rotated.secret.slice(6), 'base64');
  const signed = `${headers.get('webhook-id')}.${headers.get('webhook-timestamp')}.${body}`;
  const signatures = headers.get('webhook-signature')?.split(' ') ?? [];
  expect(signatures).toHaveLength(2);
  expect(signatures[0]).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
  expect(JSON.parse(body)).toMatchObject({ type: 'alert.raised', account_id: 'acme', value: '1', threshold: '5' });
  const [delivery] = await delivered();
  const events = await call('GET', 'events?type=alert.raised');
  expect(events.body.data).toMatchObject([{ id: delivery.event, rule: { id: 'low' } }]);
  // A scrape leaves out what the database does not answer within a second.
  await until('the metrics have the alert', async () => {
    const metrics = await metricsOf(gateway);
    return metrics.some(({ name, value }) => name === 'switchyard_alerts_raised' && value === 1);
  });
});

test('a test delivery reports its result, a failed delivery can be sent again, and rules and webhooks can be deleted', async () => {
  const moved = `http://127.0.0.1:${endpoint.port}/moved`;
  await call('POST', 'webhooks', { id: 'moved', url: moved });
  const { body: tested } = await call('POST', 'webhooks/moved/test', {});
  expect(tested).toMatchObject({
    object: 'alert_delivery',
    state: 'failed',
    last_status: 302,
    last_error: 'redirect',
    attempts: 1,
  });
  const inside = await call('POST', 'webhooks', { id: 'inside', url: 'http://10.0.0.1/' });
  expect(inside.body.error).toMatchObject({ code: 'invalid_value', param: 'url' });
  const nowhere = await call('POST', 'webhooks', { id: 'nowhere', url: 'http://hooks.invalid/' });
  expect(nowhere.body.warning).toContain('does not resolve to a public address yet');
  const tried = await call('POST', 'webhooks/nowhere/test', {});
  expect(tried.body).toMatchObject({ last_error: 'address_refused', webhook_name: 'nowhere' });
  expect((await call('PATCH', 'webhooks/moved', { url: moved.replace('moved', 'here') })).status).toBe(200);
  expect((await call('POST', `deliveries/${tested.id}/redeliver`, {})).body).toMatchObject({ state: 'pending' });
  await until(
    'the alert is delivered',
    async () => (await call('GET', `deliveries/${tested.id}`)).body.state === 'delivered',
  );
  for (const path of ['webhooks/moved', 'webhooks/nowhere', 'rules/low']) {
    expect((await call('DELETE', path)).status).toBe(204);
    expect((await call('GET', path)).status).toBe(404);
  }
  const audit = await fetch(`${gateway.baseUrl}/management/audit?account_id=acme&action=alert_target`, {
    headers: { authorization: `Bearer ${OPERATOR}` },
  });
  const text = await audit.text();
  expect(text).toContain('alert_target.rotate');
  expect(text).not.toContain('whsec_');
  expect(text).not.toContain('secret-');
});
