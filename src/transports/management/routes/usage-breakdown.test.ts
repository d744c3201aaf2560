import { afterEach, beforeEach, expect, test } from 'bun:test';
import { EndUsers } from '../../../engine/call/end-users.ts';
import { sampleAccount, sampleCharge, sampleCredential, sampleRecord } from '../../../engine/ports/testing/samples.ts';
import { DEFAULT_RETENTION } from '../../../engine/settings/settings.ts';
import { closeTestStores } from '../../../stores/sqlite/testing/test-store.ts';
import { ManagementFixture, OPERATOR, token } from '../testing/management-fixture.ts';
import { usageRoutes } from './usage.ts';

const NOON = Date.parse('2026-03-29T12:00:00Z');
const HOUR_MS = 3_600_000;
const DAY = 'from=2026-03-29T00:00:00Z&to=2026-03-30T00:00:00Z';

let fixture: ManagementFixture;
let made = 0;

interface Sent {
  readonly account?: string;
  readonly key?: string;
  readonly model?: string;
  /** `null` without a price. */
  readonly cost: bigint | null;
  readonly tags?: readonly string[];
  readonly latencyMs?: number;
  readonly isFailed?: boolean;
  readonly hour?: number;
}

beforeEach(async () => {
  fixture = await ManagementFixture.open(({ store, clock }) =>
    usageRoutes({ store, clock, retention: DEFAULT_RETENTION, endUsers: new EndUsers('plain', new Uint8Array(32)) }),
  );
  const { store } = fixture;
  await store.directory.write('all', (writer) => {
    for (const id of ['acme', 'other']) writer.putAccount(sampleAccount({ id }));
    writer.putCredential(sampleCredential({ accountId: 'acme', id: 'web', name: '=Web, main' }));
  });
  await send({ key: 'web', model: 'small', cost: 5n, tags: ['team=red', 'end_user=ann'], latencyMs: 100 });
  await send({ key: 'web', model: 'large', cost: 40n, tags: ['team=red'], latencyMs: 900, hour: 2 });
  await send({ key: 'job', model: 'large', cost: 50n, tags: ['team=blue', 'end_user=bob'], latencyMs: 90_000 });
  await send({ key: 'job', model: 'small', cost: 1n, latencyMs: 200, hour: 2 });
  await send({ key: 'job', model: 'tiny', cost: 0n, latencyMs: 20, isFailed: true });
  await send({ account: 'other', key: 'theirs', model: 'small', cost: 30n, tags: ['team=secret'] });
  while ((await store.usage.roll(1_000)).isMore);
  await send({ key: 'web', model: 'small', cost: 7n, tags: ['team=red', 'end_user=ann'], latencyMs: 100, hour: 1 });
});
afterEach(closeTestStores);

async function send({ account = 'acme', key = 'web', model = 'small', tags = [], hour = 0, ...of }: Sent) {
  const { store } = fixture;
  const ids = { requestId: `req-${++made}`, accountId: account, keyId: key, atMs: NOON + hour * HOUR_MS };
  const status = of.isFailed === true ? 500 : 200;
  const usage = { modelId: model, channelId: 'main', status, tags };
  if (of.cost !== null) await store.ledger.charge(sampleCharge({ ...ids, costNanoUsd: of.cost, usage }));
  const failure = of.isFailed === true ? { errorCode: 'upstream_error' } : {};
  const line = { modelId: model, channelId: 'main', status, latencyMs: of.latencyMs ?? 10, tags, summedTags: tags };
  store.requestLog.append(sampleRecord({ ...ids, ...line, ...failure, costNanoUsd: of.cost }));
  await store.requestLog.flush();
}

const read = async (query: string, as = token('acme')) =>
  (await fixture.ask(as, `GET /usage/breakdown?${DAY}&${query}`)).body;
const usd = (nanos: number) => (nanos === 0 ? '0' : `0.${String(nanos).padStart(9, '0').replace(/0+$/, '')}`);

test('spend by model, then key, with the most expensive first and the rest as others', async () => {
  const body = await read('group_by=model,key&top=1&top_within=1');
  expect(body).toMatchObject({
    ...{ object: 'usage_breakdown', group_by: ['model', 'key'], metric: 'spend' },
    total: { requests: 6, errors: 1, cost_usd: usd(103) },
    data: [
      {
        ...{ model: 'large', requests: 2, cost_usd: usd(90) },
        within: {
          data: [{ model: 'large', key: 'job', cost_usd: usd(50) }],
          others: { requests: 1, cost_usd: usd(40) },
        },
      },
    ],
    others: { requests: 4, errors: 1, cost_usd: usd(13) },
  });
  const whole = await read('group_by=key,model&top=5&top_within=5');
  expect(whole.others).toBeNull();
  expect(whole.data[0]).toMatchObject({ key: 'web', key_name: '=Web, main' });
  expect(whole.data[1]).toMatchObject({ key: 'job', key_name: null });
  expect(whole.data.map((row: { key: string }) => row.key)).toEqual(['web', 'job']);
  expect(whole.data[0].within).toMatchObject({
    data: [{ model: 'large' }, { model: 'small', requests: 2 }],
    others: null,
  });
});

test('groups are ranked by the metric, which the series shows over time', async () => {
  const body = await read('group_by=model&metric=requests&bucket=hour&top=1');
  expect(body.data).toMatchObject([{ model: 'small', requests: 3, within: null }]);
  const noon = body.series.filter(({ total }: { total: number }) => total > 0);
  expect(body.series).toHaveLength(24);
  expect(noon).toEqual([
    { from: '2026-03-29T12:00:00Z', to: '2026-03-29T13:00:00Z', total: 3, values: [1], others: 2 },
    { from: '2026-03-29T13:00:00Z', to: '2026-03-29T14:00:00Z', total: 1, values: [1], others: 0 },
    { from: '2026-03-29T14:00:00Z', to: '2026-03-29T15:00:00Z', total: 2, values: [1], others: 1 },
  ]);
  const failing = await read('group_by=model&metric=error_rate&bucket=day');
  expect(failing.data[0]).toMatchObject({ model: 'tiny', errors: 1 });
  expect(failing.series[0].total).toBeCloseTo(1 / 6);
  const slow = await read('group_by=model&metric=latency_p95&bucket=hour');
  expect(slow.data[0]).toMatchObject({ model: 'large' });
  expect(slow.data[0].latency_p95_ms).toBeGreaterThan(68_000);
  expect(slow.series[0]).toMatchObject({ total: null, values: [null, null, null], others: null });
  expect(slow.series[12].total).toBeGreaterThan(68_000);
});

test('by tag and by end user, requests without it are a group, and others in the series', async () => {
  const body = await read('group_by=tag:team,model&bucket=day');
  expect(body.data.map(({ tag, cost_usd }: { tag: string; cost_usd: string }) => [tag, cost_usd])).toEqual([
    ['red', usd(52)],
    ['blue', usd(50)],
    [null, usd(1)],
  ]);
  expect(body.data[2].within.data).toMatchObject([{ model: 'small', tag: null }, { model: 'tiny' }]);
  expect(body.series).toMatchObject([{ total: usd(103), values: [usd(52), usd(50), null], others: usd(1) }]);
  const people = await read('group_by=key,end_user');
  expect(people.data[0].within).toMatchObject({
    data: [
      { key: 'web', tag: null, cost_usd: usd(40) },
      { key: 'web', tag: 'ann', requests: 2, cost_usd: usd(12) },
    ],
    others: null,
  });
  expect((await read('group_by=model&tag=end_user=ann')).total).toMatchObject({ requests: 2, cost_usd: usd(12) });
});

test('an account sees only its own usage and tags; an operator sees all accounts, by account first or last', async () => {
  const tags = async (as: ReturnType<typeof token>) => (await fixture.ask(as, `GET /usage/tags?${DAY}`)).body.data;
  expect(await tags(token('acme'))).toEqual([
    {
      ...{ key: 'team', requests: 4 },
      values: [
        { value: 'red', requests: 3 },
        { value: 'blue', requests: 1 },
      ],
    },
    {
      ...{ key: 'end_user', requests: 3 },
      values: [
        { value: 'ann', requests: 2 },
        { value: 'bob', requests: 1 },
      ],
    },
  ]);
  expect(JSON.stringify(await read('group_by=key,tag:team'))).not.toContain('secret');
  const foreign = await fixture.ask(token('acme'), `GET /usage/breakdown?${DAY}&group_by=key&account_id=other`);
  expect(foreign.status).toBe(403);

  const all = async (query: string) => (await fixture.ask(OPERATOR, `GET /usage/breakdown?${DAY}&${query}`)).body;
  const first = await all('group_by=account,key&top=1');
  expect(first).toMatchObject({ total: { requests: 7 }, others: { requests: 1, cost_usd: usd(30) } });
  expect(first.data).toMatchObject([{ account: 'acme', within: { data: [{ key: 'web' }, { key: 'job' }] } }]);
  const last = await all('group_by=model,account&top=5');
  expect(last.data[1]).toMatchObject({
    ...{ model: 'small', cost_usd: usd(43) },
    within: {
      data: [
        { account: 'other', cost_usd: usd(30) },
        { account: 'acme', cost_usd: usd(13) },
      ],
      others: null,
    },
  });
});

test('the sums of groups and others are those of the total, for all pairs of groups and metrics', async () => {
  const groups = ['key', 'model', 'channel', 'status', 'end_user', 'tag:team'];
  for (const first of groups) {
    for (const second of groups.filter(
      (one) => one !== first && !(/^(tag|end)/.test(first) && /^(tag|end)/.test(one)),
    )) {
      for (const metric of ['spend', 'errors', 'latency_p99']) {
        const body = await read(`group_by=${first},${second}&metric=${metric}&top=2&top_within=1&bucket=hour`);
        const sum = (rows: readonly { requests: number }[]) => rows.reduce((all, { requests }) => all + requests, 0);
        const withOthers = (of: { data: { requests: number }[]; others: { requests: number } | null }) =>
          sum([...of.data, ...(of.others === null ? [] : [of.others])]);
        expect(withOthers(body)).toBe(6);
        for (const row of body.data) expect(withOthers(row.within)).toBe(row.requests);
      }
    }
  }
});

test('sums are exported with the names of keys, and no cell is a formula', async () => {
  const query = `${DAY}&group_by=key,tag:team&bucket=day`;
  const { body, headers } = await fixture.ask(token('acme'), `GET /usage/export?${query}`);
  expect(headers.get('content-type')).toStartWith('text/csv');
  expect(headers.get('content-disposition')).toBe('attachment; filename="usage-acme-2026-03-29-2026-03-30.csv"');
  const [head = '', ...lines] = (body as string).trim().split('\r\n');
  expect(head).toStartWith('from,to,key,key_name,tag:team,requests,errors,');
  expect(head).toContain(',latency_p95_ms,');
  expect(lines).toHaveLength(3);
  expect(
    lines.some((line) => line.startsWith(`2026-03-29T00:00:00Z,2026-03-30T00:00:00Z,web,"'=Web, main",red,3,0,`)),
  ).toBe(true);
  const rows = await fixture.ask(token('acme'), `GET /usage/export?${query}&format=jsonl`);
  const sums = (rows.body as string)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(sums.reduce((all, { requests }) => all + requests, 0)).toBe(6);
});

test('percentiles of sums are returned on request', async () => {
  const { body } = await fixture.ask(token('acme'), `GET /usage?${DAY}&group_by=model&percentiles=true`);
  expect(body.data.find((row: { model: string }) => row.model === 'tiny')).toMatchObject({
    latency_ms: 20,
    latency_p95_ms: 20,
  });
  const plain = await fixture.ask(token('acme'), `GET /usage?${DAY}`);
  expect(plain.body.total).not.toHaveProperty('latency_p95_ms');
});

test.each([
  ['group_by=key,model,status', 'group_by', 'two'],
  ['group_by=colour', 'group_by', 'end_user'],
  ['group_by=end_user,tag:team', 'group_by', 'only one tag'],
  ['group_by=end_user&tag=team=red', 'group_by', 'only one tag'],
  ['group_by=key&bucket=minute&top=50', 'bucket', 'more than 10000 rows'],
  ['group_by=key&top=51', 'top', '1 to 50'],
])('a breakdown by %s is refused, naming %s', async (query, param, problem) => {
  const { status, body } = await fixture.ask(token('acme'), `GET /usage/breakdown?${DAY}&${query}`);
  expect([status, body.error.param]).toEqual([400, param]);
  expect(body.error.message).toContain(problem);
});

test.each([
  ['group_by=key', 'account_id'],
  ['group_by=model,end_user', 'account_id'],
  ['group_by=key,account', 'account_id'],
  ['group_by=account&key=web', 'account_id'],
])('an operator who breaks down all accounts by %s is asked for one', async (query, param) => {
  const { status, body } = await fixture.ask(OPERATOR, `GET /usage/breakdown?${DAY}&${query}`);
  expect([status, body.error.param]).toEqual([400, param]);
});

test('requests without a price are counted, since their cost is unknown', async () => {
  await send({ model: 'new', cost: null });
  const body = await read('group_by=model&metric=requests');
  expect(body.total).toMatchObject({ requests: 7, unpriced_requests: 1, cost_usd: usd(103) });
  const priceless = body.data.filter((row: { unpriced_requests: number }) => row.unpriced_requests > 0);
  expect(priceless).toMatchObject([{ model: 'new', requests: 1, cost_usd: '0' }]);
});
