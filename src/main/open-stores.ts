import { join } from 'node:path';
import type { Configuration } from '../engine/admin/configuration/configuration.ts';
import type { Clock } from '../engine/ports/clock.ts';
import type { Logger } from '../engine/ports/logger.ts';
import { DEFAULT_MEDIA_STORE, type MediaStore } from '../engine/ports/media-store.ts';
import { FolderShelf } from '../stores/media/folder-shelf.ts';
import { NoMediaStore } from '../stores/media/no-media-store.ts';
import { linkOriginOf, S3Shelf } from '../stores/media/s3-shelf.ts';
import { ShelvedMedia } from '../stores/media/shelved-media.ts';
import { derivedKey } from './system.ts';

export interface MediaStoreOptions {
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

/** Returns the origin of links to files, such as `https://s3.example.com`; `null` if it is the gateway. */
export function mediaOrigin(configuration: Configuration | null): string | null {
  const settings = configuration?.mediaStore ?? DEFAULT_MEDIA_STORE;
  return settings.s3 === null ? null : linkOriginOf(settings.s3);
}
