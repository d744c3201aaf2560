import { afterEach, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sampleCacheEntry } from '../engine/ports/testing/sample-cache-entry.ts';
import { DEFAULT_CACHE } from '../engine/settings/settings.ts';
import { RedisAddressError } from '../stores/redis/address.ts';
import { freePort } from '../stores/redis/testing/redis-server.ts';
import { openCacheStore } from './open-stores.ts';
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

test('entries are on disk if allowed, and the disk is not touched otherwise', async () => {
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
  store.put(sampleCacheEntry('one'));
  await store.close();
  expect(existsSync(join(folder, 'cache.sqlite'))).toBe(true);
});

test('entries are in Redis instead of on disk, and nowhere if not allowed', async () => {
  const redisUrl = `redis://127.0.0.1:${await freePort()}`;
  const inRedis = await openCacheStore({ ...options, redisUrl });
  expect(inRedis.statistics().beyond?.kind).toBe('redis');
  await inRedis.close();
  const inMemory = await openCacheStore({ ...options, redisUrl, settings: { ...DEFAULT_CACHE, redisBytes: 0 } });
  expect(inMemory.statistics().beyond).toBeNull();
  await inMemory.close();
  await expect(openCacheStore({ ...options, redisUrl: 'nonsense' })).rejects.toBeInstanceOf(RedisAddressError);
});
