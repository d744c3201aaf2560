import { join } from 'node:path';
import type { CacheStore } from '../engine/ports/cache-store.ts';
import type { Logger } from '../engine/ports/logger.ts';
import type { CacheSettings } from '../engine/settings/cache-settings.ts';
import { MemoryCache } from '../stores/memory/cache.ts';
import { DiskCache } from '../stores/sqlite/cache.ts';
import { systemClock } from './system.ts';

export interface CacheStoreOptions {
  readonly settings: CacheSettings;
  /** `null` where nothing may be kept on this node's disk. */
  readonly dataFolder: string | null;
  readonly masterSecret: string;
  readonly logger: Logger;
  /** False for commands beside a gateway: they do not replace a file that they cannot read. */
  readonly isGateway: boolean;
}

/** On this node's disk if that may have it, else in memory alone. */
export async function openCacheStore(options: CacheStoreOptions): Promise<CacheStore> {
  const { settings, dataFolder, masterSecret, logger, isGateway: isOwner } = options;
  const clock = systemClock;
  if (dataFolder === null || settings.diskBytes <= 0) return new MemoryCache({ settings, clock });
  const path = join(dataFolder, 'cache.sqlite');
  return DiskCache.open({ settings, path, masterSecret, isOwner, clock, logger });
}
