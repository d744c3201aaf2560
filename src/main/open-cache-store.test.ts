import { afterEach, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_CACHE } from '../engine/settings/cache-settings.ts';
import { RedisAddressError } from '../stores/redis/address.ts';
import { freePort } from '../stores/redis/testing/redis-server.ts';
import { openCacheStore } from './open-cache-store.ts';
import { systemClock } from './system.ts';

const silent = () => {};
const logger = { debug: silent, info: silent, warn: silent, error: silent };
const folder = mkdtempSync(join(tmpdir(), 'switchyard-cache-'));
const options = {
  settings: DEFAULT_CACHE,
  dataFolder: folder,
  redisUrl: null,
  masterSecret: 'master',
  clock: systemClock,
  logger,
  isGateway: true,
};

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('the disk has entries where it may, and is not touched where it may not', async () => {
  for (const without of [
    { ...options, dataFolder: null },
    { ...options, settings: { ...DEFAULT_CACHE, diskBytes: 0 } },
  ]) {
    const store = await openCacheStore(without);
    expect(store.statistics().beyond).toBeNull();
    await store.close();
    expect(existsSync(join(folder, 'cache.sqlite'))).toBe(false);
  }
  const store = await openCacheStore(options);
  expect(store.statistics().beyond?.kind).toBe('disk');
  await store.close();
  expect(existsSync(join(folder, 'cache.sqlite'))).toBe(true);
});

test('Redis has entries instead of the disk, and nothing where it may have nothing', async () => {
  const redisUrl = `redis://127.0.0.1:${await freePort()}`;
  const inRedis = await openCacheStore({ ...options, redisUrl });
  expect(inRedis.statistics().beyond?.kind).toBe('redis');
  await inRedis.close();
  const inMemory = await openCacheStore({ ...options, redisUrl, settings: { ...DEFAULT_CACHE, redisBytes: 0 } });
  expect(inMemory.statistics().beyond).toBeNull();
  await inMemory.close();
  await expect(openCacheStore({ ...options, redisUrl: 'nonsense' })).rejects.toBeInstanceOf(RedisAddressError);
});
