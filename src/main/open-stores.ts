import { join } from 'node:path';
import type { Configuration } from '../engine/admin/configuration/configuration.ts';
import type { CacheStore } from '../engine/ports/cache-store.ts';
import type { Clock } from '../engine/ports/clock.ts';
import type { Logger } from '../engine/ports/logger.ts';
import { DEFAULT_MEDIA_STORE, type MediaStore } from '../engine/ports/media-store.ts';
import type { CacheSettings } from '../engine/settings/settings.ts';
import { MemoryCache } from '../stores/in-process/cache.ts';
import { FolderShelf } from '../stores/media/folder-shelf.ts';
import { NoMediaStore } from '../stores/media/no-media-store.ts';
import { linkOriginOf, S3Shelf } from '../stores/media/s3-shelf.ts';
import { ShelvedMedia } from '../stores/media/shelved-media.ts';
import type { Patience } from '../stores/redis/connection.ts';
import { openDiskCache } from '../stores/sqlite/cache.ts';
import { derivedKey } from './system.ts';

interface CacheStoreOptions {
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

interface MediaStoreOptions {
  readonly clock: Clock;
  readonly configuration: Configuration | null;
  readonly dataDirectory: string;
  readonly secret: string;
  readonly logger: Logger;
}

const MINUTE_MS = 60_000;
/** Scanning a folder of 100,000 files takes a fraction of a second, a bucket 100 requests. */
const SWEEP_MS = { folder: 3 * MINUTE_MS, s3: 15 * MINUTE_MS };

export function openMediaStore({ clock, configuration, dataDirectory, secret, logger }: MediaStoreOptions): MediaStore {
  const settings = configuration?.mediaStore ?? DEFAULT_MEDIA_STORE;
  if (settings.kind === 'none') return new NoMediaStore();
  const { folder, s3, minFreeBytes, maxBytes, maxBytesPerAccount, linkSeconds } = settings;
  const shelf =
    s3 === null
      ? new FolderShelf({ folder: folder ?? join(dataDirectory, 'media'), minFreeBytes, clock })
      : new S3Shelf({ place: s3, clock });
  return new ShelvedMedia({
    shelf,
    key: derivedKey(secret, 'media links'),
    linkMs: linkSeconds * 1_000,
    sweepMs: s3 === null ? SWEEP_MS.folder : SWEEP_MS.s3,
    maxBytes,
    maxBytesPerAccount,
    clock,
    logger,
  });
}

/** Returns the folder of the media store; `null` if files are in a bucket or not kept. */
export function mediaFolder(configuration: Configuration | null, dataDirectory: string): string | null {
  const { kind, folder } = configuration?.mediaStore ?? DEFAULT_MEDIA_STORE;
  return kind === 'folder' ? (folder ?? join(dataDirectory, 'media')) : null;
}

/** Returns the origin of links to files, such as `https://s3.example.com`; `null` if it is the gateway. */
export function mediaOrigin(configuration: Configuration | null): string | null {
  const settings = configuration?.mediaStore ?? DEFAULT_MEDIA_STORE;
  return settings.s3 === null ? null : linkOriginOf(settings.s3);
}
