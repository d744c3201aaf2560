import type { CacheStore } from '../../engine/ports/cache-store.ts';
import type { Clock } from '../../engine/ports/clock.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import type { CacheSettings } from '../../engine/settings/cache-settings.ts';
import { LayeredCache } from '../shared/cache/layered-cache.ts';
import { RedisBeyond } from './cache-beyond.ts';
import type { Patience } from './connection.ts';

export interface RedisCacheOptions {
  /** As in `REDIS_URL`. */
  readonly url: string;
  readonly settings: Pick<CacheSettings, 'memoryBytes' | 'maxEntryBytes' | 'redisBytes' | 'encrypt'>;
  readonly masterSecret: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly patience?: Patience | undefined;
}

/**
 * In the memory of each gateway, and in Redis for all. Resolves when Redis answers, or after two seconds without it; it is then treated as
 * away like at any other time. Rejects with a `RedisAddressError` where the URL cannot be read.
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
