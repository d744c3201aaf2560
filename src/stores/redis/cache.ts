import type { CacheStore } from '../../engine/ports/cache-store.ts';
import type { Clock } from '../../engine/ports/clock.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import type { CacheSettings } from '../../engine/settings/settings.ts';
import { LayeredCache } from '../shared/cache/layered-cache.ts';
import { RedisBeyond } from './cache-beyond.ts';
import type { Patience } from './connection.ts';

export interface RedisCacheOptions {
  /** An address as in `REDIS_URL`. */
  readonly url: string;
  readonly settings: Pick<CacheSettings, 'memoryBytes' | 'maxEntryBytes' | 'redisBytes' | 'encrypt'>;
  readonly masterSecret: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly patience?: Patience | undefined;
}

/**
 * Opens a cache in each gateway's memory and in Redis for all. Resolves when Redis responds, or after two seconds; then it counts as
 * unavailable, as in any outage. Rejects with a `RedisAddressError` if the URL is invalid.
 */
export async function openRedisCache(options: RedisCacheOptions): Promise<CacheStore> {
  const { url, settings, masterSecret, clock, logger, patience } = options;
  const { redisBytes: maxBytes, encrypt: encrypts } = settings;
  const { promise: redis, resolve } = Promise.withResolvers<RedisBeyond>();
  const cache = new LayeredCache({
    settings,
    clock,
    openBeyond: (owner) => {
      const nowMs = () => clock.nowMs();
      const opened = new RedisBeyond({ url, masterSecret, encrypts, maxBytes, logger, nowMs, owner, patience });
      resolve(opened);
      return opened;
    },
  });
  await (await redis).connect();
  return cache;
}
