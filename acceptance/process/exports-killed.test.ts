import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { parquetReadObjects } from 'hyparquet';
import {
  channelTo,
  clientKey,
  type FakeUpstream,
  keyNamed,
  startUpstream,
} from '../../conformance/first-light/upstream.ts';
import { chatBody } from '../../conformance/shared/answer.ts';
import { until } from '../../conformance/shared/until.ts';
import { FakeS3, S3_KEYS, s3Place } from '../../src/stores/media/testing/fake-s3.ts';
import { ProcessWorkspace, type ServingProcess } from '../shared/process-workspace.ts';

/* A gateway that is killed while it exports: every request is in the files afterwards, and none twice. */

const OPERATOR = 'mt-operator-0123456789abcdef';
const s3 = new FakeS3();
let upstream: FakeUpstream;
let space: ProcessWorkspace;

beforeAll(() => {
  upstream = startUpstream();
});
afterEach(async () => {
  s3.failing = null;
  s3.objects.clear();
  await space?.remove();
}, 600_000);
afterAll(async () => {
  await Promise.all([s3.close(), upstream?.stop()]);
});

async function start(): Promise<ServingProcess> {
  return space.serve({ env: { SWITCHYARD_CONFIG: space.path('switchyard.yaml') } });
}

async function prepared(): Promise<ServingProcess> {
  space = await ProcessWorkspace.create();
  const { endpoint, bucket, region } = s3Place(s3);
  const s3Keys = { access_key_id: S3_KEYS.accessKeyId, secret_access_key: S3_KEYS.secretAccessKey };
  await space.write('switchyard.yaml', {
    channels: [channelTo(upstream, { models: { 'm-1': 'up-1' } })],
    models: [{ id: 'm-1', pricing: { input_per_1m: '1' } }],
    accounts: [
      { id: 'acme', billing: 'unlimited', role: 'VIP', keys: [keyNamed('ci')] },
      { id: 'admins', admin: true, management_tokens: [{ id: 'root', name: 'root', secret: OPERATOR }] },
    ],
    exports: { targets: [{ id: 'lake', s3: { endpoint, bucket, region, ...s3Keys }, interval_seconds: 1 }] },
  });
  return start();
}

async function ask(gateway: ServingProcess, count: number): Promise<readonly string[]> {
  const answers = Array.from({ length: count }, () => gateway.chat(clientKey('ci'), chatBody('m-1')));
  return (await Promise.all(answers)).map(({ headers }) => headers.get('x-request-id') ?? '');
}

async function lagOf(gateway: ServingProcess): Promise<number | undefined> {
  const headers = { authorization: `Bearer ${OPERATOR}` };
  const response = await fetch(`${gateway.origin}/v1/management/exports`, { headers });
  const { data } = (await response.json()) as { readonly data: readonly { readonly lag_lines: number }[] };
  return data[0]?.lag_lines;
}

async function exportedIds(): Promise<readonly string[]> {
  const files = [...s3.objects].filter(([key]) => key.endsWith('.parquet'));
  const rows = await Promise.all(
    files.map(([, { bytes }]) =>
      parquetReadObjects({ file: bytes.buffer, compressors: { ZSTD: (input) => Bun.zstdDecompressSync(input) } }),
    ),
  );
  return rows.flat().map((row) => String(row.request_id));
}

test('a gateway that dies after a file was stored, and before it knows, sends the same file again', async () => {
  const first = await prepared();
  const killed = Promise.withResolvers<void>();
  s3.failing = async (request, url) => {
    if (request.method !== 'PUT') return null;
    const bytes = new Uint8Array(await request.arrayBuffer());
    const key = decodeURIComponent(url.pathname).split('/').slice(2).join('/');
    s3.objects.set(key, { bytes, type: '', disposition: null });
    process.kill(-first.pid, 'SIGKILL');
    s3.failing = null;
    killed.resolve();
    return new Response(null);
  };
  const ids = [...(await ask(first, 20))];
  await killed.promise;
  await first.exited;
  const names = [...s3.objects.keys()];
  expect((await exportedIds()).length).toBeGreaterThan(0);
  const second = await start();
  ids.push(...(await ask(second, 10)));
  await until(
    'every request is exported',
    async () => (await exportedIds()).length >= 30 && (await lagOf(second)) === 0,
  );
  expect([...(await exportedIds())].sort()).toEqual(ids.sort());
  expect([...s3.objects.keys()]).toContainEqual(String(names[0]));
}, 600_000);

test('a gateway that dies before a file was stored sends its lines after the next start', async () => {
  const first = await prepared();
  const killed = Promise.withResolvers<void>();
  s3.failing = (request) => {
    if (request.method !== 'PUT') return null;
    process.kill(-first.pid, 'SIGKILL');
    s3.failing = null;
    killed.resolve();
    return new Response(null, { status: 503 });
  };
  const ids = await ask(first, 20);
  await killed.promise;
  await first.exited;
  expect(s3.objects.size).toBe(0);
  const second = await start();
  await until(
    'every request is exported',
    async () => (await exportedIds()).length >= 20 && (await lagOf(second)) === 0,
  );
  expect([...(await exportedIds())].sort()).toEqual([...ids].sort());
}, 600_000);
