import type { CacheStore } from '../../engine/ports/cache-store.ts';
import type { Clock } from '../../engine/ports/clock.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import type { CacheSettings } from '../../engine/settings/settings.ts';
import { LayeredCache } from '../shared/cache/layered-cache.ts';
import { CacheDisk } from './cache-disk.ts';

export interface DiskCacheOptions {
  readonly settings: Pick<CacheSettings, 'memoryBytes' | 'maxEntryBytes' | 'diskBytes' | 'encrypt'>;
  /** The cache's own file, created with its folder if missing. */
  readonly path: string;
  readonly masterSecret: string;
  /** Whether this process owns the folder, and so may replace a damaged file. */
  readonly isOwner: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Opens a cache in memory and in a file that survives restarts, for one node. Resolves when the file can be read or is known to be
 * unreadable; then it is retried periodically.
 */
export async function openDiskCache(options: DiskCacheOptions): Promise<CacheStore> {
  const { settings, path, masterSecret, isOwner, clock, logger } = options;
  const { promise: disk, resolve } = Promise.withResolvers<CacheDisk>();
  const cache = new LayeredCache({
    settings,
    clock,
    openBeyond: (owner) => {
      const { diskBytes: maxBytes, encrypt: encrypts } = settings;
      const opened = new CacheDisk({ path, maxBytes, masterSecret, encrypts, isOwner, clock, logger, owner });
      resolve(opened);
      return opened;
    },
  });
  await (await disk).open();
  return cache;
}
