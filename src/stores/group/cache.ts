import type { CacheStore } from '../../engine/ports/cache-store.ts';

/**
 * A cache whose file the processes of a group share: what one of them removes is out of use in all of them when that resolves.
 *
 * @param lookEverywhere resolves when all processes of the group have called `look` on theirs; must not reject
 */
export function cacheInGroup(cache: CacheStore, lookEverywhere: () => Promise<void>): CacheStore {
  return {
    find: (key) => cache.find(key),
    findById: (id) => cache.findById(id),
    findAll: (keys) => cache.findAll(keys),
    put: (entry) => cache.put(entry),
    async invalidate(entry, blockedUntilMs) {
      await cache.invalidate(entry, blockedUntilMs);
      await lookEverywhere();
    },
    wasInvalidated: (id) => cache.wasInvalidated(id),
    served: (entry, accountId) => cache.served(entry, accountId),
    wasServed: (entry, accountId) => cache.wasServed(entry, accountId),
    questions: (partition, limit) => cache.questions(partition, limit),
    listen: (listener) => cache.listen(listener),
    list: (page) => cache.list(page),
    async clear(accountId) {
      const cleared = await cache.clear(accountId);
      await lookEverywhere();
      return cleared;
    },
    statistics: () => cache.statistics(),
    look: () => cache.look(),
    close: () => cache.close(),
  };
}
