import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { Workspace } from '../../conformance/shared/workspace.ts';
import { RedisServer } from '../../src/stores/redis/testing/redis-server.ts';

/* `switchyard doctor` with a Redis that answers, one that refuses the password, and none. */

setDefaultTimeout(600_000);

let redis: RedisServer;
const space = await Workspace.create();

beforeAll(async () => {
  redis = await RedisServer.start();
  await redis.run('ACL', 'SETUSER', 'app', 'on', '>right-password', '~*', '&*', '+@all');
});
afterAll(async () => {
  await redis?.stop();
  await space.remove();
});

async function found(REDIS_URL: string) {
  const { stdout, exitCode } = await space.run(['doctor', '--port', '0'], { env: { REDIS_URL } });
  const line = stdout.split('\n').find((text) => /^\S+ +redis /.test(text)) ?? '';
  return { exitCode, line };
}

test('a Redis that answers is fine', async () => {
  const { exitCode, line } = await found(`redis://app:right-password@${redis.host}`);
  expect([exitCode, line]).toEqual([0, expect.stringMatching(/^ok +redis +REDIS_URL answers \(single\)$/)]);
});

test.each([
  ['a wrong password', () => `redis://app:hunter2hunter2@${redis.host}`, 'WRONGPASS'],
  ['a server that does not run', () => 'redis://app:hunter2hunter2@127.0.0.1:1', ''],
  ['a text that is no address', () => 'hunter2hunter2', 'the Redis URL must be'],
])('%s fails, without the password', async (_case, url, reason) => {
  const { exitCode, line } = await found(url());
  expect([exitCode, line]).toEqual([1, expect.stringContaining(reason)]);
  expect(line).toMatch(/^FAIL +redis +REDIS_URL/);
  expect(line).not.toContain('hunter2');
});
