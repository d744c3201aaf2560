import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { TokenActor } from '../../../domain/access/actor.ts';
import { DEFAULT_QUOTAS } from '../../../domain/access/object-quotas.ts';
import { FakeClock } from '../../../engine/admin/testing/fake-clock.ts';
import { EndUsers } from '../../../engine/call/end-users.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { sampleAccount, sampleCharge, sampleEntry, sampleRecord } from '../../../engine/ports/testing/samples.ts';
import { DEFAULT_RETENTION } from '../../../engine/settings/settings.ts';
import { closeTestStores, openTestStore } from '../../../stores/sqlite/testing/test-store.ts';
import { Management } from '../management.ts';
import { balanceRoutes } from './balance.ts';
import { ledgerRoutes } from './ledger.ts';
import { requestRoutes } from './requests.ts';
import { statementRoutes } from './statements.ts';
import { usageRoutes } from './usage.ts';

const NOON = Date.parse('2026-03-29T12:00:00Z');
const ID = `req_${Bun.randomUUIDv7('hex', NOON)}`;

let store: Store;
let management: Management;
let requester: TokenActor;
let nobody = false;

beforeEach(async () => {
  store = await openTestStore();
  const clock = new FakeClock();
  requester = {
    ...{
      kind: 'token',
      accountId: 'acme',
      tokenId: 't',
      name: 'T',
      scopes: ['*'],
      expiresAtMs: null,
      isOperator: false,
    },
  };
  management = new Management(
    [
      ...usageRoutes({
        store,
        clock,
        retention: DEFAULT_RETENTION,
        endUsers: new EndUsers('plain', new Uint8Array(32)),
      }),
      ...requestRoutes(store, { traceUrl: null }),
      ...balanceRoutes({ store, clock }),
      ...ledgerRoutes({ store, clock, retention: DEFAULT_RETENTION }),
      ...statementRoutes({
        store,
        clock: { nowMs: () => NOON + 90 * 86_400_000 },
        retention: DEFAULT_RETENTION,
        seller: async () => null,
      }),
    ],
    {
      ...{ directory: store.directory, idempotency: store.idempotency, audit: store.audit, clock },
      newRequestId: () => 'req_m',
      configurationPath: null,
      requesterOf: async () => (nobody ? null : requester),
      limits: { refusalOf: async () => null },
      quotas: DEFAULT_QUOTAS,
      settled: async () => ({}),
    },
  );
  await store.directory.write('all', (writer) => {
    for (const id of ['acme', 'other']) writer.putAccount(sampleAccount({ id }));
  });
  await store.ledger.append(
    sampleEntry({ idempotencyKey: 'opening', accountId: 'acme', amountNanoUsd: 100n, atMs: NOON }),
  );
  for (const [index, accountId] of ['acme', 'acme', 'acme', 'other'].entries()) {
    const requestId = index === 0 ? ID : `${ID}-${index}`;
    const tags = index === 1 ? [] : [`team=${index === 0 ? 'red' : 'blue'}`];
    const ids = { requestId, accountId, atMs: NOON + index * 3_600_000 };
    const usage = { modelId: 'gpt-4o-mini', channelId: 'openai-main', status: 200, tags };
    await store.ledger.charge(sampleCharge({ ...ids, costNanoUsd: BigInt(index + 1), usage }));
    const losses = [{ field: 'seed', verdict: 'dropped', why: 'there is none' }] as const;
    store.requestLog.append(
      sampleRecord({ ...ids, latencyMs: 1_000, tags, summedTags: tags, losses, costNanoUsd: 1n }),
    );
  }
  await store.requestLog.flush();
});
afterEach(closeTestStores);

async function get(path: string, init?: RequestInit): Promise<{ status: number; body: any }> {
  const request = new Request(`http://gateway/v1/management${path}`, init);
  const answer = await management.answer(request, {
    address: null,
    publicOrigin: 'http://gateway',
    isInFlight: () => false,
  });
  return { status: answer.status, body: await answer.json() };
}
const post = (path: string, body: object, headers = {}) =>
  get(path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  });

const DAY = 'from=2026-03-28T23:00:00Z&to=2026-03-29T22:00:00Z';

test('an account sees its own usage, by the requested dimensions', async () => {
  const { body } = await get(`/usage?${DAY}&bucket=day&time_zone=Europe/Berlin&group_by=tag:team,model`);
  const row = {
    from: '2026-03-28T23:00:00Z',
    to: '2026-03-29T22:00:00Z',
    model: 'gpt-4o-mini',
    requests: 1,
    latency_ms: 1_000,
  };
  expect(body.data).toMatchObject([
    { ...row, tag: null, cost_usd: '0.000000002' },
    { ...row, tag: 'blue', cost_usd: '0.000000003' },
    { ...row, tag: 'red', cost_usd: '0.000000001' },
  ]);
  expect(body.total).toMatchObject({ requests: 3, cost_usd: '0.000000006' });
  const hours = await get(`/usage?from=2026-03-29T12:00:00Z&to=2026-03-29T14:30:00Z&bucket=hour&tag=team=blue`);
  expect(hours.body.data).toMatchObject([{ from: '2026-03-29T14:00:00Z', to: '2026-03-29T14:30:00Z', requests: 1 }]);
});

test('an operator sees the usage of all accounts together, or of each', async () => {
  requester = { ...requester, accountId: 'admin', isOperator: true };
  expect((await get(`/usage?${DAY}`)).body.total).toMatchObject({ requests: 4, cost_usd: '0.00000001' });
  const { body } = await get(`/usage?${DAY}&group_by=account&limit=1`);
  expect(body).toMatchObject({ data: [{ account: 'acme', requests: 3 }], has_more: true });
  const rest = await get(`/usage?${DAY}&group_by=account&limit=1&after=${body.next}`);
  expect(rest.body).toMatchObject({ data: [{ account: 'other', requests: 1 }], has_more: false, next: null });
});

test('a shared response reveals no other account, and nothing after the access ended', async () => {
  const shared = { headers: { 'cache-control': 'max-age=1' } };
  const range = 'from=2026-03-29T12:00:00Z&to=2026-03-30T12:00:00Z';
  const [own, whose] = [requester, { ...requester, accountId: 'other' }];
  for (const path of [`/usage?${range}`, `/usage/overview?${range}`]) {
    const totalOf = async (as: TokenActor, named = '') => {
      requester = as;
      const { status, body } = await get(`${path}${named}`, shared);
      return status === 200 ? body.total.requests : status;
    };
    expect(await totalOf(own)).toBe(3);
    expect(await totalOf(whose)).toBe(1);
    expect(await totalOf({ ...own, accountId: 'admin', isOperator: true })).toBe(4);
    expect(await totalOf({ ...own, accountId: 'admin', isOperator: true }, '&account_id=acme')).toBe(3);
    expect(await totalOf(whose, '&account_id=acme')).toBe(403);
    expect(await totalOf({ ...own, scopes: ['keys:read'] })).toBe(403);
    nobody = true;
    expect(await totalOf(own)).toBe(401);
    nobody = false;
  }
});

test('an overview has the totals, those of the previous period, and the top costs of each kind', async () => {
  const later = { requestId: `${ID}-9`, accountId: 'acme', atMs: NOON + 9 * 3_600_000 };
  const usage = { modelId: 'large', channelId: 'b', status: 502, tags: [] };
  await store.ledger.charge(sampleCharge({ ...later, keyId: 'two', costNanoUsd: 50n, usage }));
  const failed = { modelId: 'large', channelId: 'b', keyId: 'two', status: 502, errorCode: 'upstream_error' };
  store.requestLog.append(sampleRecord({ ...later, ...failed }));
  await store.requestLog.flush();
  const range = 'from=2026-03-29T14:00:00Z&to=2026-03-30T14:00:00Z';
  const { body } = await get(`/usage/overview?${range}&bucket=hour&top=1`);
  expect(body).toMatchObject({
    ...{ object: 'usage_overview', from: '2026-03-29T14:00:00Z', to: '2026-03-30T14:00:00Z' },
    total: { requests: 2, errors: 1, cost_usd: '0.000000053' },
    previous: { from: '2026-03-28T14:00:00Z', to: '2026-03-29T14:00:00Z', requests: 2, cost_usd: '0.000000003' },
    series: [
      { from: '2026-03-29T14:00:00Z', requests: 1 },
      { from: '2026-03-29T21:00:00Z', requests: 1 },
    ],
    models: { data: [{ model: 'large', cost_usd: '0.00000005' }], others: { requests: 1, cost_usd: '0.000000003' } },
    keys: { data: [{ key: 'two' }], others: { cost_usd: '0.000000003' } },
    channels: { data: [{ channel: 'b' }] },
    errors: [{ status: 502, errors: 1 }],
  });
  const all = await get(`/usage/overview?${range}&key=two`);
  expect(all.body).toMatchObject({ total: { requests: 1 }, models: { others: null }, previous: { requests: 0 } });
  requester = { ...requester, accountId: 'admin', isOperator: true };
  const everyone = (await get(`/usage/overview?${range}`)).body;
  expect(everyone).toMatchObject({ keys: null, total: { requests: 3, cost_usd: '0.000000057' } });
  expect(body.accounts).toBeNull();
  const dearest = (await get(`/usage/overview?${range}&top=1`)).body.accounts;
  expect(dearest).toMatchObject({ data: [{ account: 'acme', requests: 2 }], others: { requests: 1 } });
});

test.each([
  ['/usage?from=2026-03-29T12:00:31Z', 'from', 'The nearest is 2026-03-29T12:01:00Z'],
  ['/usage?from=2026-03-29T12:00:00Z&to=2026-03-29T12:00:00Z', 'to', 'later than'],
  ['/usage?from=2020-01-01&to=2026-01-01&bucket=minute', 'bucket', 'more than 10000 rows'],
  ['/usage?group_by=colour', 'group_by', 'not "colour"'],
  ['/usage?group_by=tag:a,tag:b', 'group_by', 'may name only one tag'],
  ['/usage?group_by=model,model', 'group_by', 'twice'],
  ['/usage?time_zone=Mars', 'time_zone', 'IANA'],
  ['/usage?tag=team', 'tag', 'team=search'],
  ['/usage/overview?top=0', 'top', '1 to 50'],
  ['/usage/overview?from=1970-01-02&to=2026-01-01&bucket=month', 'from', 'too early'],
  ['/requests?status=4x', 'status', 'class such as 4xx'],
  ['/requests?after=abc', 'after', 'earlier page'],
  ['/requests?min_cost_usd=-1', 'min_cost_usd', 'from 0'],
  ['/ledger?kind=gift', 'kind', 'grant'],
  ['/statements/2026-13', 'month', 'such as 2026-11'],
  ['/statements/1969-12', 'month', 'such as 2026-11'],
  ['/statements/2999-01', 'month', 'has not'],
  ['/statements/2026-03?time_zone=Mars', 'time_zone', 'IANA'],
  ['/statements?time_zone=Mars', 'time_zone', 'IANA'],
])('%s is refused, naming %s', async (path, param, problem) => {
  const { status, body } = await get(path);
  expect([status, body.error.param]).toEqual([400, param]);
  expect(body.error.message).toContain(problem);
});

test('requests are paginated, and one request is shown in full', async () => {
  const first = await get('/requests?limit=2&status=2xx&from=2026-03-29');
  expect(first.body).toMatchObject({ data: [{ id: `${ID}-2` }, { id: `${ID}-1` }], has_more: true });
  const second = await get(`/requests?limit=2&status=2xx&after=${first.body.next}`);
  expect(second.body).toMatchObject({ data: [{ id: ID, tags: { team: 'red' }, cost_usd: '0.000000001' }], next: null });
  expect((await get('/requests?tag=team=blue')).body.data).toHaveLength(1);
  const { body } = await get(`/requests/${ID}`);
  expect(body).toMatchObject({
    ...{ object: 'request', id: ID, losses: [{ field: 'seed', verdict: 'dropped' }] },
    failed_attempts: [{ channel: 'openai-spare', kind: 'http_503' }],
    ledger: [{ kind: 'charge', amount_usd: '-0.000000001', request: ID }],
  });
  expect((await get(`/requests/${ID}-3`)).status).toBe(404);
});

test('a monthly statement shows what changed the balance, and why', async () => {
  const { body } = await get('/statements/2026-03?time_zone=Europe/Berlin');
  expect(body).toMatchObject({
    ...{ object: 'statement', month: '2026-03', from: '2026-02-28T23:00:00Z', to: '2026-03-31T22:00:00Z' },
    ...{ opening_usd: '0', grants_usd: '0.0000001', charges_usd: '-0.000000006', closing_usd: '0.000000094' },
    ...{ is_final: true, usage: { requests: 3, cost_usd: '0.000000006' } },
    by_model: { data: [{ model: 'gpt-4o-mini', cost_usd: '0.000000006' }], others: null },
    by_day: [{ date: '2026-03-29', from: '2026-03-28T23:00:00Z', requests: 3 }],
  });
  const { data } = (await get('/statements?limit=1000')).body;
  expect(data.at(-1)).toMatchObject({ month: '2026-03', opening_usd: '0', closing_usd: '0.000000094' });
  expect(data[0]).toMatchObject({ is_final: false, charges_usd: '0', closing_usd: '0.000000094' });
});

test('an account can read its ledger; only operators change it, once per idempotency key', async () => {
  expect((await get('/balance')).body).toMatchObject({ account: 'acme', balance_usd: '0.000000094' });
  expect((await get('/ledger?kind=grant')).body.data).toMatchObject([{ amount_usd: '0.0000001' }]);
  expect((await get('/ledger')).body.data).toHaveLength(4);
  expect((await post('/balance/grants', { usd: '1' })).status).toBe(403);
  expect((await get('/ledger/verify')).status).toBe(403);
  requester = { ...requester, accountId: 'admin', isOperator: true };
  expect((await get('/ledger')).body.data).toEqual([]);
  const grant = () => post('/balance/grants?account_id=other', { usd: '1' }, { 'idempotency-key': 'k' });
  expect(await grant()).toMatchObject({ status: 201, body: { changed_usd: '1', balance_usd: '0.999999996' } });
  expect((await grant()).body.balance_usd).toBe('0.999999996');
  const taken = await post('/balance/adjustments?account_id=other', { usd: '-0.5', note: 'A mistake' });
  expect(taken.body).toMatchObject({ changed_usd: '-0.5', balance_usd: '0.499999996' });
  expect((await post('/balance/adjustments?account_id=other', { usd: '-9', note: 'Too much' })).status).toBe(402);
  expect((await get('/ledger/verify')).body).toMatchObject({ object: 'ledger_report', accounts: 2 });
});

test('a statement that needs deleted sums is refused in that time zone, and works in UTC', async () => {
  const { status, body } = await get('/statements/2025-01?time_zone=Europe/Berlin');
  expect([status, body.error.param]).toEqual([400, 'time_zone']);
  expect(body.error.message).toMatch(/retention\.hour_sums_days\); choose UTC/);
  expect((await get('/statements/2025-01')).status).toBe(200);
});
