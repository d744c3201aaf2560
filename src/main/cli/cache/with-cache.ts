import type { AuditedStore } from '../../../engine/admin/audit/audit-trail.ts';
import type { CacheStore, CacheStoreStatistics } from '../../../engine/ports/cache-store.ts';
import { type CacheSettings, DEFAULT_CACHE } from '../../../engine/settings/settings.ts';
import { CommandError } from '../command-error.ts';
import { type CommandLineDependencies, sectionOrDefault, withStore } from '../context.ts';
import { masterSecret } from '../master-secret.ts';
import type { Settings } from '../settings.ts';

export interface OpenedCache extends Pick<AuditedStore, 'directory' | 'cacheReports' | 'trail'> {
  readonly cache: CacheStore;
  readonly beyond: NonNullable<CacheStoreStatistics['beyond']>;
  readonly cacheSettings: CacheSettings;
}

/**
 * Runs `use` on the part of the cache that a running gateway shares with other processes, then closes it. Throws `CommandError` if there is
 * none.
 */
export async function withCache<Result>(
  dependencies: CommandLineDependencies,
  settings: Settings,
  use: (opened: OpenedCache) => Promise<Result>,
): Promise<Result> {
  const cacheSettings = await sectionOrDefault(dependencies, settings, {
    section: 'cache',
    otherwise: DEFAULT_CACHE,
    notice: 'so the default cache settings are assumed',
  });
  return withStore(dependencies, settings, async ({ directory, cacheReports, trail }) => {
    const { dataDirectory, redisUrl } = settings;
    const secret = await masterSecret(settings);
    const cache = await dependencies.openCache({ settings: cacheSettings, dataDirectory, redisUrl, secret });
    try {
      const { beyond } = cache.statistics();
      if (beyond === null) throw onlyInMemory(redisUrl);
      return await use({ directory, cacheReports, trail, cache, beyond, cacheSettings });
    } finally {
      await cache.close();
    }
  });
}

function onlyInMemory(redisUrl: string | null): CommandError {
  const setting = redisUrl === null ? 'disk_mb' : 'redis_mb';
  const problem = `cache.${setting} is 0, so entries are only in the gateway's memory: a restart clears them`;
  return new CommandError(problem, 1);
}
