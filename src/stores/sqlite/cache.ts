import type { CacheStore } from '../../engine/ports/cache-store.ts';
import type { Clock } from '../../engine/ports/clock.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import type { CacheSettings } from '../../engine/settings/cache-settings.ts';
import { LayeredCache } from '../shared/cache/layered-cache.ts';
import { CacheDisk } from './cache-disk.ts';

export interface DiskCacheOptions {
  readonly settings: Pick<CacheSettings, 'memoryBytes' | 'maxEntryBytes' | 'diskBytes' | 'encrypt'>;
  /** The cache's own file; it and its folder are made when they are missing. */
  readonly path: string;
  readonly masterSecret: string;
  /** Whether this process has the folder for itself, and so may replace a file that is damaged. */
  readonly isOwner: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * In the memory of this process, and in a file for one node, also after a restart. Resolves when what is on the disk can be found, or it is
 * known that it cannot; that is then tried again and again.
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
