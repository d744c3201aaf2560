import { afterEach, expect, test } from 'bun:test';
import { FakeS3, S3_KEYS, s3Place } from '../media/testing/fake-s3.ts';
import { S3Destination } from './s3-destination.ts';

let stop: () => Promise<unknown> = async () => undefined;
afterEach(() => stop());

const checked = (endpoint: string) => {
  const place = { bucket: 'acme-media', region: 'eu-central-1', prefix: '', sessionToken: null, ...S3_KEYS };
  return new S3Destination({ exportId: 'lake', bucket: { ...place, endpoint }, writtenBy: 'a test' }).check();
};

test('a bucket without permission to look for objects can be used', async () => {
  const s3 = new FakeS3();
  stop = () => s3.close();
  s3.failing = ({ method }) => (method === 'HEAD' ? new Response(null, { status: 403 }) : null);
  expect(await checked(s3Place(s3).endpoint ?? '')).toEqual([]);
  expect(s3.objects.size).toBe(0);
});

test('a web server that accepts everything is not taken for a bucket', async () => {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('<html>welcome</html>') });
  stop = () => server.stop(true);
  expect(await checked(server.url.origin)).toEqual([expect.stringContaining('not an object store')]);
});

test('the code of a refusal is named, without the keys', async () => {
  const body = '<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>';
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(body, { status: 403 }) });
  stop = () => server.stop(true);
  const [problem = ''] = await checked(server.url.origin);
  expect(problem).toContain('AccessDenied: Access Denied');
  for (const secret of Object.values(S3_KEYS)) expect(problem).not.toContain(secret);
});

test('a server that cannot be reached is named as such', async () => {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
  const { origin } = server.url;
  await server.stop(true);
  expect(await checked(origin)).toEqual([expect.stringContaining('ConnectionRefused')]);
});
