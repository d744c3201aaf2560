import { afterAll, beforeAll, expect, test } from 'bun:test';
import { STATUS_DOCUMENT } from '../../src/transports/shared/status-document.ts';
import type { Serving } from '../shared/serving.ts';
import { RunningClock } from '../shared/test-clock.ts';
import { until } from '../shared/until.ts';
import { Workspace } from '../shared/workspace.ts';

/* GET /status.json: whether a gateway works, and why not. Only operators may read it. */

const METRICS_TOKEN = 'metrics-token-of-the-status-000001';
const OPERATOR = 'mt-operator-of-the-status-00000000001';
const LIMITED = 'mt-operator-without-system-000000001';
const TENANT = 'mt-tenant-of-the-status-000000000001';
const KEY = 'sk-tenant-of-the-status-000000000001';
const PROVIDER_KEY = 'sk-provider-key-of-the-status-00001';

const strict = STATUS_DOCUMENT.strict();
const token = (id: string, secret: string, scopes?: string[]) => ({ id, name: id, secret, ...(scopes && { scopes }) });

/** Refuses every key, as a provider does with a revoked one. */
const provider = Bun.serve({
  port: 0,
  fetch: () =>
    Response.json({ error: { message: 'Incorrect API key provided', code: 'invalid_api_key' } }, { status: 401 }),
});

let space: Workspace;
let serving: Serving;
const clock = new RunningClock();

beforeAll(async () => {
  space = await Workspace.create();
  const file = await space.write('switchyard.yaml', configuration());
  serving = await space.serve({ env: { SWITCHYARD_CONFIG: file }, clock });
});

afterAll(async () => {
  await space.remove();
  await provider.stop(true);
});

function configuration(more: object = {}) {
  const account = { billing: 'unlimited', role: 'VIP' };
  return {
    server: { metrics_token: METRICS_TOKEN },
    accounts: [
      {
        ...{ ...account, id: 'house', admin: true, keys: [] },
        management_tokens: [token('ops', OPERATOR), token('limited', LIMITED, ['requests:read'])],
      },
      {
        ...{ ...account, id: 'tenant', keys: [{ id: 'laptop', name: 'Laptop', secret: KEY }] },
        management_tokens: [token('own', TENANT)],
      },
    ],
    channels: [
      {
        ...{ id: 'refused', name: 'Refused', provider: 'openai-compatible', api_key: PROVIDER_KEY },
        base_url: `${provider.url.origin}/v1`,
        models: { 'first-model': 'first-model' },
      },
      { id: 'sand', name: 'Sandbox', provider: 'sandbox', models: { 'sandbox-chat': 'sandbox-chat' } },
    ],
    ...more,
  };
}

function read(secret: string | null, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const own = secret === null ? {} : { authorization: `Bearer ${secret}` };
  return fetch(`${serving.origin}/status.json`, { headers: { ...own, ...headers } });
}

async function status(secret = OPERATOR) {
  const answer = await read(secret);
  expect(answer.status).toBe(200);
  return strict.parse(await answer.json());
}

test('a healthy gateway is ok, and the document has the published shape', async () => {
  const document = await status();
  expect(document).toMatchObject({ status: 'ok', problems: [], ready: true, workers: 1, redis: null });
  expect(document.database).toMatchObject({ reachable: true, kind: 'sqlite' });
  expect(document.nodes.list).toMatchObject([{ id: document.node }]);
  expect(document.channels).toMatchObject({ in_use: 2, by_state: { ready: 2, blocked: 0 } });
  expect(document.models).toMatchObject({ count: 2, unavailable: { count: 0 } });
  expect(document.ledger.last_verification).toBeNull();
  expect(document.configuration.file).toBe(space.path('switchyard.yaml'));
});

test('operators and the metrics token may read it, and nobody else learns anything', async () => {
  expect((await read(METRICS_TOKEN)).status).toBe(200);
  for (const secret of [TENANT, LIMITED, KEY, 'wrong', null]) {
    const answer = await read(secret);
    const text = await answer.text();
    expect([answer.status, JSON.parse(text).error.code]).toEqual([403, 'access_denied']);
    expect(text).not.toContain('version');
  }
  expect((await read('mt-unknown')).status).toBe(401);
  expect((await fetch(`${serving.origin}/status.json`, { method: 'POST' })).status).toBe(403);
});

test('without a metrics token, the machine itself may read it, but no page and no proxied request', async () => {
  const other = await Workspace.create();
  try {
    const { origin } = await other.serve();
    const at = `${origin}/status.json`;
    expect((await fetch(at)).status).toBe(200);
    for (const headers of [
      { 'x-forwarded-for': '10.0.0.1' },
      { origin: 'https://evil.example' },
      { host: 'evil.example' },
    ]) {
      expect((await fetch(at, { headers })).status).toBe(403);
    }
  } finally {
    await other.remove();
  }
});

test('a blocked channel and the latest verification of the ledger are reported, and no secret is', async () => {
  const sent = await fetch(`${serving.origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'first-model', messages: [{ role: 'user', content: 'hello' }] }),
  });
  expect(sent.ok).toBe(false);
  await until('the channel is blocked', async () => (await status()).channels.by_state.blocked === 1);
  expect((await space.run(['ledger', 'verify'])).exitCode).toBe(0);
  // Facts from the database are read again after five seconds.
  clock.advance(5_000);

  const document = await status();
  expect(document.status).toBe('degraded');
  expect(document.problems.map(({ code, subject }) => [code, subject])).toEqual([
    ['channel_blocked', 'refused'],
    ['model_unavailable', 'first-model'],
  ]);
  expect(document.channels.list[0]).toMatchObject({ channel: 'refused', state: 'blocked' });
  expect(document.models.unavailable).toEqual({ count: 1, list: ['first-model'] });
  expect(document.ledger.last_verification).toMatchObject({ ok: true, problems: 0 });
  expect(document.requests.last_minute.finished).toBeGreaterThan(0);
  const text = JSON.stringify(document);
  for (const secret of [METRICS_TOKEN, OPERATOR, KEY, PROVIDER_KEY]) expect(text).not.toContain(secret);
});

test('the document stays small with a thousand channels and models', async () => {
  const other = await Workspace.create();
  try {
    const channels = Array.from({ length: 1_000 }, (_, index) => ({
      ...{ id: `channel-${index}`, name: 'Many', provider: 'openai-compatible', api_key: 'key-of-one-of-many' },
      base_url: 'http://127.0.0.1:1/v1',
      models: { [`model-${index}`]: 'm' },
    }));
    const file = await other.write('switchyard.yaml', { channels });
    const { origin } = await other.serve({ env: { SWITCHYARD_CONFIG: file } });
    const text = await (await fetch(`${origin}/status.json`)).text();
    expect(strict.parse(JSON.parse(text)).channels.in_use).toBe(1_000);
    expect(text.length).toBeLessThan(64 * 1024);
  } finally {
    await other.remove();
  }
});
