import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  channelTo,
  clientKey,
  type FakeUpstream,
  keyNamed,
  refusal,
  startUpstream,
} from '../../conformance/first-light/upstream.ts';
import { freePort } from '../../conformance/shared/free-port.ts';
import type { Serving } from '../../conformance/shared/serving.ts';
import { until } from '../../conformance/shared/until.ts';
import { PROJECT, Workspace } from '../../conformance/shared/workspace.ts';
import { FakeS3, S3_KEYS, s3Place } from '../../src/stores/media/testing/fake-s3.ts';

/* A gateway exports to a bucket and to ClickHouse's engine; both are asked the questions of docs/analytics.md. */

const PYTHON = process.env.SWITCHYARD_TEST_PYTHON ?? 'python3';
const OPERATOR = 'mt-operator-0123456789abcdef';
const CANARY = 'canary-of-the-prompt';
const USER = { user: 'exporter', password: 'canary-password' };
const REQUESTS = 25;

const s3 = new FakeS3();
let upstream: FakeUpstream;
let broken: FakeUpstream;
let space: Workspace;
let gateway: Serving;
let clickHouse: { readonly url: string; stop(): Promise<unknown> };

beforeAll(async () => {
  upstream = startUpstream();
  broken = startUpstream(() => refusal(500, CANARY));
  space = await Workspace.create();
  clickHouse = await startClickHouse(space.path('clickhouse'));
  await writeConfiguration();
  gateway = await serve();
}, 600_000);

afterAll(async () => {
  await space?.remove();
  await Promise.all([s3.close(), upstream?.stop(), broken?.stop(), clickHouse?.stop()]);
}, 600_000);

async function startClickHouse(folder: string) {
  const port = await freePort();
  const script = path.join(import.meta.dir, 'clickhouse.py');
  const child = Bun.spawn([PYTHON, script, String(port), folder], { stdout: 'ignore', stderr: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  await until('ClickHouse responds', async () => {
    if (child.exitCode !== null) throw new Error('ClickHouse has ended');
    return fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
  });
  return {
    url,
    stop: () => {
      child.kill();
      return child.exited;
    },
  };
}

async function writeConfiguration(): Promise<void> {
  const { endpoint, bucket, region } = s3Place(s3);
  const keys = { access_key_id: S3_KEYS.accessKeyId, secret_access_key: S3_KEYS.secretAccessKey };
  await space.write('switchyard.yaml', {
    channels: [
      channelTo(broken, { id: 'broken', priority: 1, models: { 'm-1': 'up-1' } }),
      channelTo(upstream, {
        ...{ id: 'main', priority: 2, models: { 'm-1': 'up-1' } },
        costs: { 'm-1': { input_per_1m: '0.5', output_per_1m: '1' } },
      }),
    ],
    models: [{ id: 'm-1', pricing: { input_per_1m: '1', output_per_1m: '2' } }],
    accounts: [
      { id: 'acme', billing: 'unlimited', role: 'VIP', keys: [keyNamed('ci')] },
      { id: 'admins', admin: true, management_tokens: [{ id: 'root', name: 'root', secret: OPERATOR }] },
    ],
    exports: {
      targets: [
        { id: 'lake', s3: { endpoint, bucket, region, prefix: 'switchyard/', ...keys }, interval_seconds: 1 },
        { id: 'warehouse', clickhouse: { url: clickHouse.url, ...USER }, interval_seconds: 1 },
      ],
    },
  });
}

function serve(): Promise<Serving> {
  return space.serve({ env: { SWITCHYARD_CONFIG: space.path('switchyard.yaml') } });
}

/** Sends a request; resolves to the gateway's id of it. */
async function ask(clientId: string): Promise<string> {
  const body = { model: 'm-1', messages: [{ role: 'user', content: CANARY }] };
  const sent = { 'x-request-id': clientId, 'x-switchyard-tags': 'team=search' };
  const { headers } = await gateway.chat(clientKey('ci'), body, { headers: sent });
  return headers.get('x-request-id') ?? '';
}

async function inClickHouse(query: string): Promise<string> {
  const headers = { authorization: `Basic ${btoa(`${USER.user}:${USER.password}`)}` };
  const response = await fetch(clickHouse.url, { method: 'POST', headers, body: query });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text.trim();
}

async function rowsIn(query: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const text = await inClickHouse(`${query}\nFORMAT JSONEachRow`);
  return text.split('\n').map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
}

async function exportedLines(): Promise<Readonly<Record<string, number>>> {
  const headers = { authorization: `Bearer ${OPERATOR}` };
  const response = await fetch(`${gateway.origin}/v1/management/exports`, { headers });
  const { data } = (await response.json()) as {
    readonly data: readonly { readonly id: string; readonly exported_lines: number }[];
  };
  return Object.fromEntries(data.map(({ id, exported_lines: lines }) => [id, lines]));
}

/** Returns the queries of docs/analytics.md below a heading. */
async function queriesOf(heading: string): Promise<readonly string[]> {
  const page = await readFile(path.join(PROJECT, 'docs', 'analytics.md'), 'utf8');
  const [, section = ''] = page.split(`\n### ${heading}\n`);
  const [own = ''] = section.split('\n### ');
  return [...own.matchAll(/```sql\n([\s\S]*?)```/g)].map((match) => match[1] ?? '');
}

/** Runs a query over the files of the bucket, which are written to a folder. */
async function inDuckDb(query: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const folder = space.path('bucket');
  for (const [key, { bytes }] of s3.objects) {
    await mkdir(path.dirname(path.join(folder, key)), { recursive: true });
    await writeFile(path.join(folder, key), bytes);
  }
  const local = query.replaceAll('s3://acme-analytics/switchyard/', `${folder}/switchyard/`);
  const script =
    'import duckdb, json, sys; r = duckdb.sql(sys.stdin.read()); print(json.dumps([dict(zip(r.columns, map(str, row))) for row in r.fetchall()]))';
  const child = Bun.spawn([PYTHON, '-c', script], { stdin: new Blob([local]), stdout: 'pipe', stderr: 'pipe' });
  const [text, error] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error(error);
  return JSON.parse(text) as readonly Readonly<Record<string, unknown>>[];
}

test('doctor says what is missing until the table is created', async () => {
  const doctor = async () => {
    const env = { SWITCHYARD_CONFIG: space.path('switchyard.yaml') };
    return (await space.run(['doctor'], { env })).stdout.split('\n').find((line) => line.includes('warehouse'));
  };
  expect(await doctor()).toMatch(/^FAIL .*does not exist.*create the table with "switchyard export schema clickhouse"/);
  await inClickHouse(
    'CREATE TABLE default.switchyard_requests (request_id String) ENGINE = MergeTree ORDER BY request_id',
  );
  expect(await doctor()).toMatch(/^FAIL .*lacks the columns log_id, .*batch_id: add them/);
  await inClickHouse('DROP TABLE default.switchyard_requests');
  const { stdout } = await space.run(['export', 'schema', 'clickhouse', '--ttl-days', '400']);
  await inClickHouse(stdout);
  expect(await doctor()).toMatch(/^ok .*default.switchyard_requests at http:/);
}, 600_000);

describe('after some requests', () => {
  const ids: string[] = [];
  beforeAll(async () => {
    for (let index = 1; index <= REQUESTS; index++) ids.push(await ask(`client-${index}`));
    await until('all requests are exported', async () => {
      const { lake, warehouse } = await exportedLines();
      return lake === REQUESTS && warehouse === REQUESTS;
    });
  }, 600_000);

  test('ClickHouse has each request once, with exact amounts and without prompts', async () => {
    expect(
      (await inClickHouse('SELECT request_id FROM switchyard_requests FINAL ORDER BY request_id')).split('\n'),
    ).toEqual(ids.toSorted());
    const sums =
      'SELECT toString(sum(cost_usd)), toString(sum(upstream_cost_usd)), sum(input_tokens) FROM switchyard_requests';
    expect(await inClickHouse(sums)).toBe(['0.000625', '0.0003125', String(11 * REQUESTS)].join('\t'));
    const all = await inClickHouse('SELECT * FROM switchyard_requests FORMAT JSONEachRow');
    expect(all).not.toContain(CANARY);
    expect(all).not.toContain(clientKey('ci'));
  });

  test('the queries of the page for ClickHouse return rows', async () => {
    const queries = await queriesOf('ClickHouse');
    expect(queries).toHaveLength(5);
    const results = await Promise.all(queries.map(rowsIn));
    expect(results[0]).toMatchObject([{ model_id: 'm-1', failed: 0 }]);
    expect(results[1]).toMatchObject([{ channel_id: 'main', margin_usd: 0.0003125 }]);
    expect(results[2]).toMatchObject([{ team: 'search', input_tokens: 11 * REQUESTS }]);
    expect(results[3]).toMatchObject([{ channel: 'broken', kind: 'http_500' }]);
    expect(results[4]).toMatchObject([{ request_id: ids[0], status: 200 }]);
  });

  test('the queries of the page for DuckDB return rows from the files', async () => {
    const queries = await queriesOf('DuckDB');
    expect(queries).toHaveLength(2);
    for (const query of queries) {
      const [row] = await inDuckDb(query);
      expect(row).toMatchObject({ cost_usd: '0.000625000' });
    }
  });

  test('a batch that is sent again leaves the same rows', async () => {
    await gateway.stop();
    const database = new (await import('bun:sqlite')).Database(space.database);
    const progress = database.query<{ progress: string }, []>('SELECT progress FROM request_exports').all();
    for (const { progress: text } of progress) {
      const known = JSON.parse(text) as { readonly place: object };
      const again = { ...known, place: { topId: 0, missing: [] }, sending: known.place };
      database.run('UPDATE request_exports SET progress = ? WHERE progress = ?', [JSON.stringify(again), text]);
    }
    database.close();
    gateway = await serve();
    await until('both have sent again', async () => {
      const { lake = 0, warehouse = 0 } = await exportedLines();
      return lake === 2 * REQUESTS && warehouse === 2 * REQUESTS;
    });
    expect(await inClickHouse('SELECT count() FROM switchyard_requests FINAL')).toBe(String(REQUESTS));
    const distinct =
      "SELECT count(DISTINCT request_id) AS requests FROM read_parquet('s3://acme-analytics/switchyard/*/*/*.parquet')";
    expect(await inDuckDb(distinct)).toEqual([{ requests: String(REQUESTS) }]);
  }, 600_000);
});
