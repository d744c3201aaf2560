import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The Redis version that introduced each command used by the scripts, from https://redis.io/docs/latest/commands. The tests run on one
 * server, while the documentation promises Redis 6.0 (docs/limits.md); Valkey began as Redis 7.2.
 */
const SINCE: Readonly<Record<string, string>> = {
  ...{
    DEL: '1.0',
    EXISTS: '1.0',
    GET: '1.0',
    INCR: '1.0',
    LINDEX: '1.0',
    LPOP: '1.0',
    LRANGE: '1.0',
    LSET: '1.0',
    RPUSH: '1.0',
  },
  ...{
    ZADD: '1.2',
    ZCARD: '1.2',
    ZRANGE: '1.2',
    ZREM: '1.2',
    ZREMRANGEBYSCORE: '1.2',
    ZSCORE: '1.2',
    ZRANGEBYSCORE: '1.0.5',
  },
  ...{
    HDEL: '2.0',
    HGET: '2.0',
    HGETALL: '2.0',
    HINCRBY: '2.0',
    HSET: '2.0',
    PUBLISH: '2.0',
    ZREMRANGEBYRANK: '2.0',
    ZREVRANGEBYSCORE: '2.2',
  },
  ...{
    PEXPIRE: '2.6',
    PTTL: '2.6',
    TIME: '2.6',
    ZRANGEBYLEX: '2.8.9',
    ZREVRANGEBYLEX: '2.8.9',
    HSTRLEN: '3.2',
    UNLINK: '4.0',
  },
};
/** Options of these commands that are newer than Redis 6.0. */
const LATER_OPTIONS = /'(?:GT|LT|REV|BYLEX|BYSCORE|EXAT|PXAT|KEEPTTL)'/g;

const sources = readdirSync(import.meta.dir)
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => readFileSync(join(import.meta.dir, name), 'utf8'));

test('scripts call only commands of Redis 6.0', () => {
  const called = new Set(
    sources.flatMap((text) => [...text.matchAll(/\bcall\('([A-Z]+)'/g)].map(([, name = '']) => name)),
  );
  expect(called.size).toBeGreaterThan(20);
  expect([...called].filter((name) => SINCE[name] === undefined)).toEqual([]);
});

test('scripts use no option that these commands got after Redis 6.0', () => {
  expect(sources.flatMap((text) => text.match(LATER_OPTIONS) ?? [])).toEqual([]);
});
