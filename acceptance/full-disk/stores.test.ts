import { afterEach, beforeEach, expect, test } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../../conformance/shared/until.ts';
import { FakeClock } from '../../src/engine/admin/testing/fake-clock.ts';
import type { CacheStore } from '../../src/engine/ports/cache-store.ts';
import type { MediaContent } from '../../src/engine/ports/media-store.ts';
import {
  cacheEntryId,
  digestOf,
  randomAnswer,
  sampleCacheEntry,
  sampleQuestion,
} from '../../src/engine/ports/testing/sample-cache-entry.ts';
import { FolderShelf } from '../../src/stores/media/folder-shelf.ts';
import {
  bytesOf,
  contentOf,
  kindOf,
  mediaOver,
  stored,
  streamOf,
} from '../../src/stores/media/testing/media-contract.ts';
import { TEST_CACHE } from '../../src/stores/shared/testing/cache-contract.ts';
import { SmallDisk } from '../../src/stores/shared/testing/small-disk.ts';
import { openDiskCache } from '../../src/stores/sqlite/cache.ts';
import { openSqliteStore } from '../../src/stores/sqlite/sqlite-store.ts';

const MIB = 1024 * 1024;
const HOUR_MS = 3_600_000;
const silent = () => {};

let disk: SmallDisk;
let log: string[];
const line = (level: string) => (_fields: object, message: string) => void log.push(`${level} ${message}`);
const logger = { debug: silent, info: silent, warn: line('warn'), error: line('error') };

beforeEach(() => {
  log = [];
});
afterEach(() => disk.remove());

test('a full disk is detected within a few checks, and freed space at once', async () => {
  disk = new SmallDisk(4 * MIB);
  const clock = { nowMs: () => 1_790_000_000_000, monotonicMs: () => performance.now() };
  const path = join(disk.folder, 'data', 'switchyard.sqlite');
  const { storeHealth, close } = await openSqliteStore({ path, secret: 's', clock, logger, exclusive: true });
  const problem = async () => {
    await storeHealth.check();
    return storeHealth.problem;
  };
  expect(await problem()).toBeNull();
  disk.fill();
  // The last page of the log still has free space.
  const found: (string | null)[] = [];
  for (let look = 0; look < 5; look++) found.push(await problem());
  expect(found.at(-1)).toBe('the disk is full');
  disk.free();
  expect(await problem()).toBeNull();
  await close();
});

test('a cache on a full disk falls back to memory and loses no removals', async () => {
  disk = new SmallDisk(24 * MIB);
  let monotonicMs = 0;
  const clock = { nowMs: () => Date.now(), monotonicMs: () => monotonicMs };
  const path = join(disk.folder, 'cache.sqlite');
  const open = (): Promise<CacheStore> =>
    openDiskCache({ ...{ path, masterSecret: 'master', isOwner: true, clock, logger }, settings: TEST_CACHE });
  const store = await open();
  store.put(sampleCacheEntry('early', { question: sampleQuestion('p') }));
  await store.list({ limit: 1, before: null, accountId: null });
  disk.fill();
  let entries = 0;
  await until('the log reports the full disk', () => {
    store.put(sampleCacheEntry(`k${entries++}`, { answer: randomAnswer(100_000) }));
    return log.length > 0;
  });
  expect(log).toEqual(['error the cache cannot be stored on disk and is in memory only for now']);
  store.put(sampleCacheEntry('late'));
  expect(store.find(digestOf('late'))).not.toBeNull();
  await store.invalidate(sampleCacheEntry('early'), Date.now() + HOUR_MS);
  expect(store.find(digestOf('early'))).toBeNull();
  disk.free();
  await until('the cache is on the disk again', () => {
    monotonicMs += 10_000;
    store.look();
    return log.length > 1;
  });
  await store.close();
  const again = await open();
  expect(again.find(digestOf('early'))).toBeNull();
  expect(again.wasInvalidated(cacheEntryId('early'))).toBe(true);
  await again.close();
});

test('a media folder on a full disk refuses files, keeps no partial ones, and recovers once there is room', async () => {
  disk = new SmallDisk(4 * MIB);
  const clock = new FakeClock(Date.now());
  const folder = join(disk.folder, 'media');
  const media = mediaOver(new FolderShelf({ folder, minFreeBytes: 0, clock }), clock);
  const put = (content: MediaContent) => kindOf(media.put({ accountId: 'acme', content, mediaType: 'video/mp4' }));
  const made = await stored(media);
  const { content, state } = streamOf(8 * MIB);
  expect(await put(content)).toBe('media_store_full');
  expect(state.wasCancelled).toBe(true);
  disk.fill();
  expect(await put(bytesOf(10_000))).toBe('media_store_full');
  expect(await contentOf(media, made)).toHaveLength(10);
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  expect(files).toHaveLength(1);
  expect(media.figures()).toMatchObject({ bytes: 4_096, files: 1 });
  disk.free();
  clock.advance(2_000);
  expect(await put(bytesOf(10_000))).toBe('stored');
  await media.close();
});
