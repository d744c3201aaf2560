import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { parquetReadObjects } from 'hyparquet';
import { FakeS3, S3_KEYS, s3Place } from '../src/stores/media/testing/fake-s3.ts';
import { channelTo, clientKey, type FakeUpstream, keyNamed, refusal, startUpstream } from './first-light/upstream.ts';
import type { Serving } from './shared/serving.ts';
import { RunningClock } from './shared/test-clock.ts';
import { until } from './shared/until.ts';
import { Workspace } from './shared/workspace.ts';

/* The request log as Parquet files: exported to a bucket by a running gateway, and by the command. */

const OPERATOR = 'mt-operator-0123456789abcdef';
const CANARY = 'canary-of-the-prompt';

interface Row {
  readonly request_id: string;
  readonly log_id: bigint;
  readonly client_request_id?: string;
  readonly arrived_at: Date;
  readonly status: bigint;
  readonly attempts: string;
  readonly input_tokens?: bigint;
  readonly output_tokens?: bigint;
  readonly cost_usd?: number;
  readonly tags: Readonly<Record<string, string>>;
  readonly account_name?: string;
}

const clock = new RunningClock();
const s3 = new FakeS3();
let upstream: FakeUpstream;
let broken: FakeUpstream;
let space: Workspace;
let gateway: Serving;

beforeAll(async () => {
  upstream = startUpstream();
  broken = startUpstream(() => refusal(500, `a failure that quotes ${CANARY}`));
  const { endpoint, bucket, region } = s3Place(s3);
  space = await Workspace.create();
  await space.write('switchyard.yaml', {
    channels: [
      channelTo(broken, { id: 'broken', priority: 1, models: { 'm-1': 'up-1' } }),
      channelTo(upstream, { id: 'main', priority: 2, models: { 'm-1': 'up-1' } }),
    ],
    models: [{ id: 'm-1', pricing: { input_per_1m: '1', output_per_1m: '2' } }],
    accounts: [
      { id: 'acme', name: 'Acme', billing: 'unlimited', keys: [keyNamed('ci')] },
      { id: 'admins', admin: true, management_tokens: [{ id: 'root', name: 'root', secret: OPERATOR }] },
    ],
    exports: {
      targets: [
        {
          id: 'lake',
          s3: {
            ...{ endpoint, bucket, region, prefix: 'logs' },
            ...{ access_key_id: S3_KEYS.accessKeyId, secret_access_key: `$${'{EXPORT_SECRET}'}` },
          },
          interval_seconds: 1,
        },
      ],
    },
  });
  const env = { SWITCHYARD_CONFIG: space.path('switchyard.yaml'), EXPORT_SECRET: S3_KEYS.secretAccessKey };
  gateway = await space.serve({ env, clock });
}, 600_000);

afterAll(async () => {
  await space?.remove();
  await Promise.all([s3.close(), upstream?.stop(), broken?.stop()]);
}, 600_000);

/** Sends a request; resolves to the gateway's id of it. */
async function ask(clientId: string): Promise<string> {
  const body = { model: 'm-1', messages: [{ role: 'user', content: CANARY }] };
  const sent = { 'x-request-id': clientId, 'x-switchyard-tags': 'team=search' };
  const { headers } = await gateway.chat(clientKey('ci'), body, { headers: sent });
  return headers.get('x-request-id') ?? '';
}

async function exported() {
  const response = await fetch(`${gateway.origin}/v1/management/exports`, {
    headers: { authorization: `Bearer ${OPERATOR}` },
  });
  return ((await response.json()) as { readonly data: readonly Readonly<Record<string, unknown>>[] }).data;
}

async function rowsOf(bytes: Uint8Array): Promise<Row[]> {
  return (await parquetReadObjects({
    file: bytes.slice().buffer,
    compressors: { ZSTD: (input) => Bun.zstdDecompressSync(input) },
  })) as unknown as Row[];
}

const objects = () => [...s3.objects].filter(([key]) => key.endsWith('.parquet'));

describe('an export to a bucket', () => {
  test('has every finished request, in a folder of its hour, with exact amounts and without prompts', async () => {
    const ids = [await ask('client-1'), await ask('client-2')];
    await until('the requests are exported', async () => {
      clock.advance(1_000);
      return (await exported())[0]?.exported_lines === 2;
    });
    const rows = (await Promise.all(objects().map(([, { bytes }]) => rowsOf(bytes)))).flat();
    expect(rows.map(({ request_id }) => request_id).sort()).toEqual(ids.sort());
    for (const row of rows) {
      expect(row).toMatchObject({ status: 200n, input_tokens: 11n, output_tokens: 7n, cost_usd: 0.000025 });
      expect(row.tags).toEqual({ team: 'search' });
      expect(JSON.parse(row.attempts)).toMatchObject([{ channel_id: 'broken', kind: 'http_500', status: 500 }]);
      expect(row.account_name ?? null).toBeNull();
    }
    expect(rows.map(({ client_request_id: id }) => id).sort()).toEqual(['client-1', 'client-2']);
    for (const [key, { bytes }] of objects()) {
      expect(key).toMatch(/^logs\/dt=\d{4}-\d\d-\d\d\/hour=\d\d\/lake-\d{12}-\d{12}-[0-9a-f]{16}\.parquet$/);
      expect(Buffer.from(bytes).includes(CANARY)).toBe(false);
    }
  });

  test('goes on where it was after the bucket was unavailable, and says so meanwhile', async () => {
    s3.failing = () => new Response(null, { status: 503 });
    const before = Number((await exported())[0]?.exported_lines);
    await ask('client-3');
    await until('the failure is shown', async () => {
      clock.advance(2_000);
      return (await exported())[0]?.state === 'failing';
    });
    const [failing] = await exported();
    expect(failing).toMatchObject({ lag_lines: 1, last_error: { message: expect.any(String) } });
    expect(JSON.stringify(failing)).not.toContain(S3_KEYS.secretAccessKey);
    s3.failing = null;
    await until('the request is exported', async () => {
      clock.advance(60_000);
      return (await exported())[0]?.exported_lines === before + 1;
    });
    expect((await exported())[0]).toMatchObject({ state: 'exporting', lag_lines: 0, last_error: null });
  });

  test('is in the metrics', async () => {
    let metrics = '';
    // A scrape leaves out what the database does not answer within a second.
    await until('the lag is known', async () => {
      metrics = await (await fetch(`${gateway.origin}/metrics`)).text();
      return metrics.includes('switchyard_export_lag_lines{export="lake"}');
    });
    expect(metrics).toContain('switchyard_export_lag_lines{export="lake"} 0');
    expect(metrics).toContain('switchyard_export_lines_total{export="lake"} 3');
  });
});

test('doctor writes and deletes an object in the bucket', async () => {
  const env = { SWITCHYARD_CONFIG: space.path('switchyard.yaml'), EXPORT_SECRET: S3_KEYS.secretAccessKey };
  const found = async (change: object) => (await space.run(['doctor'], { env: { ...env, ...change } })).stdout;
  const before = s3.objects.size;
  expect(await found({})).toMatch(/^ok +export lake +s3:\/\/acme-media\/logs\/ at http:/m);
  expect(s3.objects.size).toBe(before);
  const refused = await found({ EXPORT_SECRET: 'another' });
  expect(refused).toMatch(
    /^FAIL +export lake .*an object cannot be written \(.*SignatureDoesNotMatch.*check endpoint/m,
  );
});

test('the command exports the same columns to a Parquet file, with names', async () => {
  await ask('client-4');
  const output = space.path('requests.parquet');
  let rows: readonly Row[] = [];
  // The gateway writes lines a moment after their responses.
  await until('the last request is in the file', async () => {
    const args = ['export', 'requests', '--format', 'parquet', '--output', output, '--force'];
    expect(await space.run(args, { clock })).toMatchObject({ exitCode: 0, stderr: '' });
    rows = await rowsOf(await readFile(output));
    return rows.length === 4;
  });
  expect(rows[0]).toMatchObject({ client_request_id: 'client-4', account_name: 'Acme', log_id: 0n });
  const refused = await space.run(['export', 'requests', '--format', 'parquet']);
  expect([refused.exitCode, refused.stderr]).toEqual([
    2,
    'switchyard: --format parquet: needs --output, since it is no text\n',
  ]);
});
