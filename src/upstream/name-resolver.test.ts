import { afterAll, afterEach, expect, jest, test } from 'bun:test';
import { lookup } from 'node:dns/promises';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../domain/testing/until.ts';
import { NameResolver } from './name-resolver.ts';
import { startNameServer } from './testing/name-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'names-'));
const hostsFile = join(folder, 'hosts');
const resolverFile = join(folder, 'resolv.conf');
writeFileSync(hostsFile, '# names\n10.0.0.7 minio.local minio # ours\n10.0.0.8\tMinio\n');
writeFileSync(resolverFile, 'search wrong.test\nsearch first.test. second.test\n');

const server = await startNameServer((name) => {
  if (name.startsWith('slow')) return null;
  if (name === 'four.test') return { four: ['192.0.2.1', '192.0.2.2'] };
  if (name === 'both.test') return { four: ['192.0.2.1', '192.0.2.2'], six: ['2001:db8::1'] };
  if (name === 'files.second.test' || name === 'a.b.second.test') return { four: ['192.0.2.3'], six: [] };
  return {};
});
afterEach(() => {
  jest.useRealTimers();
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

// Queries do not time out, so that only the tested condition ends them.
const names = new NameResolver({ servers: [server.address], hostsFile, resolverFile, queryTimeoutMs: 60_000 });
const never = new AbortController().signal;

test('addresses of both families alternate', async () => {
  expect(await names.resolve('both.test', never)).toEqual(['192.0.2.1', '2001:db8::1', '192.0.2.2']);
});

test('one family does not wait long for the other', async () => {
  jest.useFakeTimers();
  let found: readonly string[] | null = null;
  const finding = names.resolve('four.test', never).then((addresses) => {
    found = addresses;
  });
  await until(
    'both kinds are asked for',
    () => server.asked.filter((name) => name.startsWith('four.test')).length === 2,
  );
  expect(found).toBeNull();
  await until('the answer', () => {
    jest.advanceTimersByTime(250);
    return found !== null;
  });
  await finding;
  expect<readonly string[] | null>(found).toEqual(['192.0.2.1', '192.0.2.2']);
});

test('the hosts file has priority in its current version', async () => {
  expect(await names.resolve('MINIO', never)).toEqual(['10.0.0.7', '10.0.0.8']);
  writeFileSync(hostsFile, '10.0.0.123 minio four.test');
  expect(await names.resolve('minio.', never)).toEqual(['10.0.0.123']);
  expect(await names.resolve('four.test', never)).toEqual(['10.0.0.123']);
  writeFileSync(hostsFile, '');
});

test('the local host is never looked up remotely', async () => {
  const before = server.asked.length;
  expect(await names.resolve('localhost', never)).toEqual(['127.0.0.1', '::1']);
  expect(await names.resolve('a.localhost.', never)).toEqual(['127.0.0.1', '::1']);
  expect(server.asked.length).toBe(before);
});

test('the search list completes a name', async () => {
  server.asked.length = 0;
  expect(await names.resolve('files', never)).toEqual(['192.0.2.3']);
  expect(await names.resolve('a.b', never)).toEqual(['192.0.2.3']);
  const order = server.asked.filter((question) => question.endsWith('four')).map((question) => question.split(' ')[0]);
  expect(order).toEqual(['files.first.test', 'files.second.test', 'a.b', 'a.b.first.test', 'a.b.second.test']);
  expect(await names.resolve('files.', never)).toEqual([]);
});

test('an unknown name has no addresses', async () => {
  expect(await names.resolve('nobody.test.', never)).toEqual([]);
  expect(await names.resolve(`${'a'.repeat(64)}.test.`, never)).toEqual([]);
});

test('a look-up stops at once when nobody waits any more', async () => {
  const client = new AbortController();
  const answer = names.resolve('slow.test', client.signal).catch((reason: unknown) => reason);
  await until('the server is asked', () => server.asked.some((question) => question.startsWith('slow.test')));
  client.abort('gone');
  expect(await answer).toBe('gone');
  expect(await names.resolve('both.test', client.signal).catch((reason: unknown) => reason)).toBe('gone');
});

test('names whose servers do not respond do not delay other look-ups', async () => {
  const client = new AbortController();
  server.asked.length = 0;
  const slow = Array.from({ length: 100 }, (_, index) =>
    names.resolve(`slow-${index}.test.`, client.signal).catch(() => 'stopped'),
  );
  const here = Bun.serve({ port: 0, fetch: () => new Response('here') });
  // All 100 look-ups are in flight as queries, without a waiting thread each.
  const asked = () => new Set(server.asked.filter((question) => question.startsWith('slow-'))).size;
  await until('all are asked for', () => asked() === 200);
  // Neither the system's resolver, which upstream calls use, nor other look-ups are blocked.
  await lookup('localhost');
  expect(await (await fetch(`http://localhost:${here.port}/`)).text()).toBe('here');
  expect(await names.resolve('both.test', never)).toHaveLength(3);
  client.abort();
  expect(new Set(await Promise.all(slow))).toEqual(new Set(['stopped']));
  await here.stop(true);
});
