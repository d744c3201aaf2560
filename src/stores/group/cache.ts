import type { CacheStore } from '../../engine/ports/cache-store.ts';

/**
 * Wraps a cache whose file is shared by the processes of a group: when a removal resolves, the entry is out of use in all of them.
 *
 * @param lookEverywhere resolves when all processes of the group have called `look` on their cache; must not reject
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
    figures: () => cache.figures(),
    look: () => cache.look(),
    close: () => cache.close(),
  };
}
