import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROUTES } from '../../conformance/management/routes.ts';
import { Scene } from '../../conformance/management/scene.ts';
import { DEMO_STORE, filled, nowMs } from '../../src/demo/testing/filled-demo.ts';
import { openPostgresStore } from '../../src/stores/postgres/postgres-store.ts';
import { type SharedTestPostgres, sharedTestPostgres } from '../../src/stores/shared/testing/postgres.ts';

const TIMEOUT_MS = 600_000;
/** A customer of the demo. */
const ACCOUNT = 'paperkite';
const HOUR_MS = 3_600_000;
/** An endless stream, and routes that need a person's session. */
const NOT_READ = ['/requests/live', '/me', '/sessions'];

/** Rounds down to a whole minute, which roll-ups require. */
function isoMinute(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 16)}:00Z`;
}

/** Queries that run different statements from those of the bare path. */
const QUERIES: Readonly<Record<string, readonly string[]>> = {
  '/accounts': ['figures=true', 'q=a', 'state=active&limit=1'],
  '/ledger': ['kind=grant', 'kind=charge&limit=2', 'from=2020-01-01T00:00:00Z'],
  '/requests': [
    'status=200',
    'tag=team%3Dsearch',
    'stream=true',
    'cached=false&min_latency_ms=1',
    'error_code=x',
    'limit=3',
  ],
  '/statements': ['time_zone=Europe/Berlin', 'limit=2'],
  '/usage': [
    ...['key', 'model', 'channel', 'status', 'tag:team'].map((group) => `group_by=${group}`),
    ...[`minute&from=${isoMinute(nowMs - HOUR_MS)}`, 'day', 'week', 'month'].map((one) => `bucket=${one}`),
    'tag=team%3Dsearch',
    'model=x&status=200',
  ],
  '/usage/overview': ['bucket=hour', 'top=50', 'model=x', 'tag=team%3Dsearch'],
  '/usage/breakdown': [
    ...['key', 'model', 'channel,key', 'tag:team,model', 'key,end_user'].map((groups) => `group_by=${groups}`),
    ...['requests', 'error_rate', 'latency_p95'].map((metric) => `metric=${metric}&bucket=day`),
    'group_by=status&model=x&top=50&top_within=50',
  ],
  '/usage/export': ['group_by=key,model&bucket=day', 'format=jsonl&tag=team%3Dsearch'],
};
/** Queries by operators over all accounts. */
const QUERIES_OVER_ALL: Readonly<Record<string, readonly string[]>> = {
  '/usage': ['group_by=account', 'group_by=account,model', 'group_by=model,status', 'bucket=day'],
  '/usage/overview': ['bucket=hour', 'model=x', 'top=1'],
  '/usage/breakdown': [
    'group_by=account,key',
    'group_by=model,account&metric=latency_p50',
    'group_by=channel&bucket=day',
  ],
  '/usage/export': ['group_by=account,model'],
  '/requests': ['model=x', 'status=5xx'],
};

let server: SharedTestPostgres;
let url: string;
let scene: Scene;

beforeAll(async () => {
  server = await sharedTestPostgres();
  url = await server.createMigratedDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-reads-'));
  const store = await openPostgresStore({ ...DEMO_STORE, url });
  await filled(store, folder);
  await store.close();
  await rm(folder, { recursive: true });
  scene = await Scene.open({ DATABASE_URL: url, SWITCHYARD_SECRET: DEMO_STORE.secret });
}, TIMEOUT_MS);
afterAll(async () => {
  await scene?.stop();
  await server.dropDatabase(url);
}, TIMEOUT_MS);

/** Returns the paths without ids in the route table, with their queries. */
function reads(): string[] {
  return ROUTES.filter(
    ({ method, path }) => method === 'get' && !path.includes('{') && !NOT_READ.includes(path),
  ).flatMap(({ path, access }) => {
    const isOfAccount = access.who === 'account';
    const ofAccount = ['', ...(QUERIES[path] ?? [])].map((query) => `account_id=${ACCOUNT}&${query}`);
    const overAll = ['', ...(QUERIES_OVER_ALL[path] ?? [])];
    const isOverAll = access.who === 'operator' || ('orAll' in access && access.orAll === true);
    const queries = [
      ...(isOfAccount ? ofAccount : (QUERIES[path] ?? [])),
      ...(isOverAll || !isOfAccount ? overAll : []),
    ];
    return queries.map((query) => `${path}?${query}`.replace(/[?&]+$/, ''));
  });
}

describe('each list and sum of the management API', () => {
  test.each(reads())(
    'GET %s succeeds',
    async (path) => {
      const { status, body } = await scene.ask(path);
      expect({ status, body: status === 200 ? null : body }).toEqual({ status: 200, body: null });
    },
    TIMEOUT_MS,
  );
});

test('the monthly statement contains the charges of the demo', async () => {
  // The demo's last 30 days, of which the present month may have only a minute.
  const month = new Date(nowMs - 15 * 24 * HOUR_MS).toISOString().slice(0, 7);
  const { status, body } = await scene.ask(`/statements/${month}`, { query: { account_id: ACCOUNT } });
  expect(status).toBe(200);
  expect(body.by_day.length).toBeGreaterThan(0);
});

test('each kind of listed object can be read by its id', async () => {
  const singles = ROUTES.filter(({ method, path }) => method === 'get' && /^\/[a-z/]+\/\{id\}$/.test(path));
  const answers: Record<string, number> = {};
  for (const { path } of singles) {
    const list = path.replace('/{id}', '');
    const { body } = await scene.ask(list, {
      query: { limit: '1', ...(list === '/members' ? { account_id: ACCOUNT } : {}) },
    });
    const id = body?.data?.[0]?.id;
    if (id !== undefined) answers[path] = (await scene.ask(`${list}/${encodeURIComponent(id)}`)).status;
  }
  expect(Object.keys(answers).length).toBeGreaterThan(5);
  expect(Object.values(answers).every((status) => status < 500)).toBe(true);
});
