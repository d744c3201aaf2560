import { join } from 'node:path';
import type { CacheStore } from '../engine/ports/cache-store.ts';
import type { Clock } from '../engine/ports/clock.ts';
import type { Logger } from '../engine/ports/logger.ts';
import type { CacheSettings } from '../engine/settings/settings.ts';
import { MemoryCache } from '../stores/in-process/cache.ts';
import type { Patience } from '../stores/redis/connection.ts';
import { openDiskCache } from '../stores/sqlite/cache.ts';

export interface CacheStoreOptions {
  readonly clock: Clock;
  readonly settings: CacheSettings;
  /** `null` if nothing may be stored on this node's disk. */
  readonly dataFolder: string | null;
  /** `null` without Redis. */
  readonly redisUrl: string | null;
  readonly redisPatience?: Patience | undefined;
  readonly masterSecret: string;
  readonly logger: Logger;
  /** Whether this is a gateway. Other commands do not replace a file that they cannot read. */
  readonly isGateway: boolean;
}

/**
 * Opens the cache in Redis if configured, else on this node's disk; in memory only if the settings leave no space for either. Rejects with
 * a `RedisAddressError` for an invalid URL.
 */
export async function openCacheStore(options: CacheStoreOptions): Promise<CacheStore> {
  const { clock, settings, dataFolder, redisUrl, masterSecret, logger, isGateway: isOwner } = options;
  const bytesBeyond = redisUrl === null ? settings.diskBytes : settings.redisBytes;
  if (bytesBeyond > 0 && redisUrl !== null) {
    const { openRedisCache } = await import('../stores/redis/cache.ts');
    return openRedisCache({ url: redisUrl, settings, masterSecret, clock, logger, patience: options.redisPatience });
  }
  if (bytesBeyond <= 0 || dataFolder === null) return new MemoryCache({ settings, clock });
  const path = join(dataFolder, 'cache.sqlite');
  return openDiskCache({ settings, path, masterSecret, isOwner, clock, logger });
}
