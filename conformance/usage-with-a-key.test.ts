import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import OpenAI from 'openai';
import { accountWith, clientKey, keyNamed, startUpstream } from './first-light/upstream.ts';
import { asArray, asObject } from './shared/json.ts';
import type { Serving } from './shared/serving.ts';
import { RunningClock } from './shared/test-clock.ts';
import { until } from './shared/until.ts';
import { Workspace } from './shared/workspace.ts';

/* Compares what a key reads about its own spending with what the management API tells about the same time. */

const ACME = `mt-${'acme'.repeat(8)}`;
const OPERATOR = `mt-${'operator'.repeat(4)}`;
const NANO = 1_000_000_000;
/** An amount that no sum of floats gets right. */
const PER_REQUEST = 123_456_789n;
const LONG_MS = 2_000;

let space: Workspace;
let serving: Serving;
let upstream: ReturnType<typeof startUpstream>;
const clock = new RunningClock();
const DAY_MS = 86_400_000;
// At noon, no day, week or month ends while the test runs.
clock.advance((DAY_MS * 1.5 - (Date.now() % DAY_MS)) % DAY_MS);

beforeAll(async () => {
  upstream = startUpstream();
  space = await Workspace.create();
  const budget = { usd: '2', per: 'day', time_zone: 'Pacific/Kiritimati' };
  const acme = [
    keyNamed('narrow', { limit_usd: '1', models: ['priced', 'other'], requests_per_minute: 50 }),
    keyNamed('daily', { limit_usd: '5', budget, expires_at: '2199-01-01' }),
    keyNamed('wide', { usage_access: 'account' }),
    keyNamed('plain'),
    keyNamed('hidden', { usage_access: 'none' }),
  ];
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    cache: { strategy: 'asked' },
    channels: [
      {
        ...{ id: 'up', provider: 'openai-compatible', api_key: 'k', base_url: upstream.baseUrl },
        models: { priced: 'priced', other: 'other' },
      },
    ],
    models: ['priced', 'other'].map((id) => ({ id, pricing: { per_request: '0.123456789' } })),
    accounts: [
      accountWith('acme', acme, {
        ...{ billing: 'prepaid', balance_usd: '10', role: 'User', requests_per_minute: 1_000 },
        budget: { usd: '7', per: 'month' },
        management_tokens: [{ id: 'm', secret: ACME }],
      }),
      accountWith('house', [keyNamed('house', { usage_access: 'account' })], {
        admin: true,
        management_tokens: [{ id: 'm', secret: OPERATOR }],
      }),
      accountWith('poor', [keyNamed('poor', { requests_per_minute: 1 })]),
    ],
  });
  serving = await space.serve({ clock, env: { SWITCHYARD_CONFIG } });
  for (const [key, model, times] of [
    ['narrow', 'priced', 2],
    ['narrow', 'other', 1],
    ['daily', 'priced', 1],
    ['wide', 'other', 1],
    ['house', 'priced', 1],
  ] as const)
    for (let time = 0; time < times; time++) expect((await chat(key, model)).status).toBe(200);
  // Counts follow the request log, which is written after the response.
  await until('all requests are counted', async () => asObject((await managed('/usage')).total).requests === 5);
});
afterAll(async () => {
  await space?.remove();
  await upstream?.stop();
});

const chat = (key: string, model: string) =>
  serving.chat(clientKey(key), { model, messages: [{ role: 'user', content: 'Hello!' }] });

type Json = Readonly<Record<string, unknown>>;

async function get(path: string, key: string | null) {
  const headers = key === null ? {} : { authorization: `Bearer ${key}` };
  const response = await fetch(`${serving.origin}${path}`, { headers });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: asObject(JSON.parse(text)) };
}

/** Reads what a key is told, whatever it was told in the last second. */
async function read(path: string, key: string): Promise<Json> {
  clock.advance(LONG_MS);
  const { status, text, json } = await get(path, clientKey(key));
  if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
  return json;
}

const managed = async (path: string, token = ACME) => (await get(`/v1/management${path}`, token)).json;
const usd = (nano: bigint) => String(Number(nano) / NANO);

test('the figures are those of the management API, by day and model', async () => {
  const own = await read('/v1/usage', 'narrow');
  expect(own).toMatchObject({ object: 'usage', scope: 'key', key: { id: 'narrow' }, balance_usd: null });
  expect(own).toMatchObject({
    spent_usd: '0.370370367',
    limit_usd: '1',
    remaining_usd: '0.629629633',
    resets_at: null,
  });
  const period = asObject(own.period);
  const query = `from=${period.from}&to=${period.to}&key=narrow`;
  const whole = await managed(`/usage?${query}`);
  expect(period.total).toEqual(withoutTimes(whole.total));
  const byModel = await managed(`/usage?${query}&group_by=model`);
  expect(asArray(period.models)).toEqual(
    asArray(byModel.data)
      .map((row) => withoutTimes(row))
      .toReversed(),
  );
  expect(asArray(period.models).map((model) => asObject(model).cost_usd)).toEqual(['0.246913578', '0.123456789']);
  const days = await managed(`/usage?${query}&bucket=day`);
  expect(period.days).toEqual(days.data);
  const top = asObject((await read('/v1/usage?top=1', 'narrow')).period);
  expect([asArray(top.models).length, asObject(top.other_models).cost_usd]).toEqual([1, '0.123456789']);
});

/** Rows of all groups have the same times. */
function withoutTimes(row: unknown): Json {
  const { from: _from, to: _to, ...rest } = asObject(row);
  return rest;
}

test('limits come with the budget’s own period, the nearest first', async () => {
  const { limits, ...own } = await read('/v1/usage', 'daily');
  const [, ofKey] = asArray((await managed('/limits/keys?limit=2')).data);
  const today = await managed('/limits/keys');
  const told = asArray(today.data)
    .map(asObject)
    .find(({ id }) => id === 'daily');
  const budget = asObject(told?.budget);
  expect(ofKey).toBeDefined();
  expect(own).toMatchObject({ limit_usd: '2', remaining_usd: '1.876543211', resets_at: budget.resets_at });
  expect(asArray(limits).map((limit) => asObject(limit).kind)).toEqual(['key_budget', 'key_limit']);
  expect(asArray(limits)[0]).toMatchObject({
    ...{ per: 'day', time_zone: 'Pacific/Kiritimati', starts_at: budget.starts_at, spent_usd: budget.spent_usd },
  });
  // The default period begins with the month of the budget's zone.
  expect(asObject(own.period)).toMatchObject({ time_zone: 'Pacific/Kiritimati' });
  expect(String(asObject(own.period).from)).toEndWith('T10:00:00Z');
});

test('a key reads the account and its balance only if it may', async () => {
  const own = await read('/v1/usage', 'wide');
  const balance = await managed('/balance');
  expect(own).toMatchObject({ scope: 'account', balance_usd: balance.balance_usd, spent_usd: '0.617283945' });
  expect(asArray(own.limits).map((limit) => asObject(limit).kind)).toEqual(['account_budget', 'balance']);
  const { from, to } = asObject(own.period);
  expect(asObject(asObject(own.period).total).cost_usd).toBe(
    asObject((await managed(`/usage?from=${from}&to=${to}`)).total).cost_usd,
  );
  expect(await read('/v1/usage?scope=key', 'wide')).toMatchObject({ spent_usd: '0.123456789', balance_usd: null });
  expect(await read('/v1/key', 'wide')).toMatchObject({ account: { id: 'acme', role: 'User', billing: 'prepaid' } });

  const plain = await get('/v1/usage', clientKey('plain'));
  expect(plain.json).toMatchObject({ spent_usd: '0', limit_usd: null, remaining_usd: null, limits: [] });
  expect(plain.text).not.toContain('acme');
  expect(plain.text).not.toContain('9.38');
  const asked = await get('/v1/usage?scope=account', clientKey('plain'));
  expect([asked.status, asObject(asked.json.error).param]).toEqual([403, 'scope']);
});

test('GET /v1/key describes the key', async () => {
  expect(await read('/v1/key', 'narrow')).toMatchObject({
    ...{ object: 'key', id: 'narrow', usage_access: 'key', models: ['priced', 'other'], account: null },
    ...{ requests_per_minute: { key: 50, account: 1_000 }, tokens_per_minute: null, expires_at: null },
    ...{ spent_usd: '0.370370367', limit_usd: '1', secret_expires_at: null },
  });
  expect(await read('/v1/key', 'daily')).toMatchObject({ expires_at: '2199-01-01T00:00:00Z' });
});

test('a key without access reads nothing at any address', async () => {
  const paths = ['/v1/usage', '/v1/key', '/dashboard/billing/usage', '/dashboard/billing/subscription'];
  for (const path of [...paths, '/dashboard/billing/credit_grants', '/user/balance', '/api/usage/token', '/key/info']) {
    const { status, json } = await get(path, clientKey('hidden'));
    expect([path, status, asObject(json.error).code]).toEqual([path, 403, 'access_denied']);
  }
  for (const path of ['/api/v1/key', '/api/v1/auth/key', '/api/v1/credits']) {
    const { status, json } = await get(path, clientKey('hidden'));
    expect([path, status, json.error]).toMatchObject([path, 403, { code: 403, metadata: { code: 'access_denied' } }]);
  }
});

describe('addresses of other services', () => {
  test('OpenAI’s former billing addresses, as clients of one-api compute a balance', async () => {
    for (const prefix of ['/v1', '', '/api/v1', '/v1/v1']) {
      const subscription = await read(`${prefix}/dashboard/billing/subscription`, 'narrow');
      const today = new Date(clock.nowMs()).toISOString().slice(0, 10);
      const query = `start_date=${today.slice(0, 7)}-01&end_date=${today}`;
      const usage = await read(`${prefix}/dashboard/billing/usage?${query}`, 'narrow');
      expect(subscription).toMatchObject({ object: 'billing_subscription', has_payment_method: true, access_until: 0 });
      expect(usage.total_usage).toBe(37.0370367);
      expect(Number(subscription.hard_limit_usd) - Number(usage.total_usage) / 100).toBeCloseTo(0.629629633, 9);
      const lines = asArray(usage.daily_costs).flatMap((day) => asArray(asObject(day).line_items).map(asObject));
      expect(lines).toEqual([
        { name: 'priced', cost: 24.6913578 },
        { name: 'other', cost: 12.3456789 },
      ]);
    }
    const client = new OpenAI({ apiKey: clientKey('daily'), baseURL: serving.baseUrl });
    expect(await client.get('/dashboard/billing/subscription')).toMatchObject({
      ...{ hard_limit_usd: 2, access_until: Date.parse('2199-01-01') / 1_000 },
    });
    expect(await read('/v1/dashboard/billing/subscription', 'plain')).toMatchObject({ hard_limit_usd: 100_000_000 });
  });

  test('an earlier period has no usage, and one of over 100 days is refused', async () => {
    const usage = await read('/dashboard/billing/usage?start_date=2026-01-01&end_date=2026-01-03', 'narrow');
    expect(usage).toEqual({
      object: 'list',
      daily_costs: [
        { timestamp: Date.parse('2026-01-01') / 1_000, line_items: [] },
        { timestamp: Date.parse('2026-01-02') / 1_000, line_items: [] },
      ],
      total_usage: 0,
    });
    for (const [query, param] of [
      ['start_date=2025-01-01&end_date=2025-04-12', 'start_date'],
      ['start_date=2025-01-02&end_date=2025-01-02', 'end_date'],
      ['start_date=2025-02-30', 'start_date'],
      ['end_date=2025-02-03T00:00:00Z', 'end_date'],
    ]) {
      const { status, json } = await get(`/v1/dashboard/billing/usage?${query}`, clientKey('narrow'));
      expect([query, status, asObject(json.error).param]).toEqual([query, 400, param]);
    }
    for (const [query, param] of [
      ['from=2025-01-01', 'from'],
      ['from=2025-01-01&to=2025-01-01', 'to'],
      ['from=2025-01-01T00:00:30Z', 'from'],
      ['time_zone=Mars', 'time_zone'],
      ['scope=all', 'scope'],
      ['top=101', 'top'],
    ]) {
      const { status, json } = await get(`/v1/usage?${query}`, clientKey('narrow'));
      expect([query, status, asObject(json.error).param]).toEqual([query, 400, param]);
    }
  });

  test('OpenRouter’s key and credits', async () => {
    for (const path of ['/api/v1/key', '/api/v1/auth/key', '/v1/auth/key', '/api/v1/key/']) {
      const { data } = await read(path, 'daily');
      expect(data).toMatchObject({
        ...{ limit: 2, limit_remaining: 1.876543211, limit_reset: 'daily', expires_at: '2199-01-01T00:00:00Z' },
        ...{ usage: 0.123456789, usage_daily: 0.123456789, usage_weekly: 0.123456789, usage_monthly: 0.123456789 },
        ...{ is_free_tier: false, rate_limit: { requests: 1_000, interval: '60s' } },
      });
    }
    expect(asObject((await read('/api/v1/key', 'plain')).data)).toMatchObject({ limit: null, limit_remaining: null });
    expect(await read('/api/v1/credits', 'wide')).toEqual({ data: { total_credits: 10, total_usage: 0.617283945 } });
    expect(await read('/v1/credits', 'narrow')).toEqual({ data: { total_credits: 1, total_usage: 0.370370367 } });
    // An account without a balance to spend has no end.
    const unlimited = { total_credits: 100_000_000, total_usage: 0.123456789 };
    expect(await read('/api/v1/credits', 'house')).toEqual({ data: unlimited });
    const { status, json } = await get('/api/v1/credits', clientKey('plain'));
    expect([status, asObject(json.error).code]).toEqual([403, 403]);
  });

  test('the balances of other services', async () => {
    const left = { total_granted: 1, total_used: 0.370370367, total_available: 0.629629633 };
    expect(await read('/dashboard/billing/credit_grants', 'narrow')).toMatchObject(left);
    const infos = [{ currency: 'USD', total_balance: '0.629629633' }];
    expect(await read('/user/balance', 'narrow')).toMatchObject({ is_available: true, balance_infos: infos });
    const points = { total_granted: 500_000, total_used: 185_186, total_available: 314_814, unlimited_quota: false };
    for (const path of ['/api/usage/token', '/api/usage/token/'])
      expect(asObject((await read(path, 'narrow')).data)).toMatchObject({
        ...{ ...points, model_limits: { priced: true, other: true }, model_limits_enabled: true, expires_at: 0 },
      });
    expect(asObject((await read('/key/info', 'daily')).info)).toMatchObject({
      ...{ spend: 0.123456789, max_budget: 2, budget_duration: '1d', models: [], rpm_limit: 1_000 },
      expires: '2199-01-01T00:00:00Z',
    });
    // A key that may read its account is told what is left of the account.
    expect(await read('/user/balance', 'wide')).toMatchObject({ balance_infos: [{ total_balance: '6.382716055' }] });
    expect(await read('/user/balance', 'plain')).toMatchObject({ balance_infos: [{ total_balance: '100000000' }] });
    expect(asObject((await read('/api/usage/token', 'plain')).data)).toMatchObject({ unlimited_quota: true });
  });

  test('errors of keys are in the envelope of the address', async () => {
    const wrong = `sk-${'wrong'.repeat(8)}`;
    expect((await get('/v1/usage', wrong)).json).toMatchObject({ error: { code: 'invalid_api_key' } });
    expect((await get('/v1/usage', null)).status).toBe(401);
    expect((await get('/v1/usage', ACME)).status).toBe(401);
    const { status, json } = await get('/api/v1/key', wrong);
    expect([status, json.error]).toMatchObject([401, { code: 401, metadata: { code: 'invalid_api_key' } }]);
  });
});

test('reading usage and asking models do not use up each other’s requests', async () => {
  for (let time = 0; time < 3; time++) await read('/v1/usage', 'poor');
  expect((await chat('poor', 'priced')).status).toBe(200);
  expect((await chat('poor', 'priced')).status).toBe(429);
  expect((await get('/v1/usage', clientKey('poor'))).status).toBe(200);
});

test('a key that polls is refused in time, and no other key is', async () => {
  const statuses: number[] = [];
  for (let time = 0; time < 61; time++) statuses.push((await get('/v1/key', clientKey('plain'))).status);
  expect([...new Set(statuses)]).toEqual([200, 429]);
  const { status, headers, json } = await get('/v1/usage', clientKey('plain'));
  expect(status).toBe(429);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  expect(asObject(json.error)).toMatchObject({ code: 'rate_limit_exceeded', retryable: true });
  expect((await get('/v1/usage', clientKey('wide'))).status).toBe(200);
  expect((await chat('plain', 'priced')).status).toBe(200);
});

test('the ledger’s charges are what the account’s keys have spent', async () => {
  const entries = asArray((await managed('/ledger?kind=charge&limit=100')).data).map(asObject);
  expect(entries.map(({ amount_usd }) => amount_usd)).toEqual(entries.map(() => `-${usd(PER_REQUEST)}`));
  const spent = BigInt(entries.length) * PER_REQUEST;
  await until('the last charge is summed', async () => (await read('/v1/usage', 'wide')).spent_usd === usd(spent));
  const { period, balance_usd } = await read('/v1/usage', 'wide');
  expect([asObject(asObject(period).total).cost_usd, balance_usd]).toEqual([usd(spent), usd(10n ** 10n - spent)]);
});

test('a key loses and gets access at once, and a revoked one is refused', async () => {
  const change = (method: string, key: string, body?: object) =>
    fetch(`${serving.origin}/v1/management/keys/${key}?account_id=acme`, {
      method,
      headers: { authorization: `Bearer ${OPERATOR}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  const made = await fetch(`${serving.origin}/v1/management/keys?account_id=acme`, {
    method: 'POST',
    headers: { authorization: `Bearer ${OPERATOR}`, 'content-type': 'application/json' },
    body: JSON.stringify({ id: 'made', usage_access: 'account' }),
  });
  const { secret, usage_access } = asObject(await made.json());
  expect([made.status, usage_access]).toEqual([201, 'account']);
  const key = String(secret);
  expect((await get('/v1/usage', key)).json.scope).toBe('account');
  expect((await change('PATCH', 'made', { usage_access: null })).status).toBe(200);
  expect((await get('/v1/usage', key)).json).toMatchObject({ scope: 'key', balance_usd: null });
  expect((await change('PATCH', 'made', { usage_access: 'none' })).status).toBe(200);
  expect((await get('/v1/usage', key)).status).toBe(403);
  expect((await change('PATCH', 'made', { usage_access: 'everything' })).status).toBe(400);
  expect((await change('DELETE', 'made')).status).toBe(200);
  expect((await get('/v1/usage', key)).json).toMatchObject({ error: { code: 'expired_api_key' } });
});
