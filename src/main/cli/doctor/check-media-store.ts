import { statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { describeError } from '../../../domain/text/describe-error.ts';
import type { Configuration } from '../../../engine/admin/configuration/configuration.ts';
import { DEFAULT_MEDIA_STORE, type S3Place } from '../../../engine/ports/media-store.ts';
import type { GatewayNode } from '../../../engine/ports/node-registry.ts';
import { S3Shelf } from '../../../stores/media/s3-shelf.ts';
import { systemClock } from '../../system.ts';
import type { Settings } from '../settings.ts';
import { checkFolder } from './check-files.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const SUBJECT = 'media store';

/** Checks that the files that answers link to can be stored. */
export async function checkMediaStore(configuration: Configuration | null, settings: Settings): Promise<Finding> {
  const { kind, folder, s3, minFreeBytes } = configuration?.mediaStore ?? DEFAULT_MEDIA_STORE;
  if (kind === 'none') return ok(SUBJECT, 'none: responses with links contain the bytes instead, or fail');
  if (s3 !== null) return checkBucket(s3);
  const path = resolve(folder ?? join(settings.dataDirectory, 'media'));
  const found = await checkFolder(SUBJECT, path, folder === null ? 'SWITCHYARD_DATA' : 'media_store.folder');
  if (found.level === 'FAIL') return found;
  const freeBytes = await freeAt(path);
  if (freeBytes >= minFreeBytes) return found;
  const mib = (bytes: number) => `${Math.floor(bytes / 2 ** 20)} MiB`;
  return warn(
    SUBJECT,
    `${path}: ${mib(freeBytes)} free on the disk, below the reserve of ${mib(minFreeBytes)}: no file can be stored. Free some space, or lower media_store.min_free_bytes`,
  );
}

/** Checks that all live nodes keep media in the same place; a single node yields no finding. */
export function checkMediaPlaces(nodes: readonly GatewayNode[]): readonly Finding[] {
  const places = new Set(nodes.flatMap(({ mediaPlace }) => mediaPlace ?? []));
  if (places.size < 2) return [];
  const hosts = [...new Set(nodes.map(({ hostName }) => hostName))].join(', ');
  const message = `the nodes (${hosts}) store media in ${places.size} different places, so no links are created: give all nodes one shared folder or bucket (media_store.s3)`;
  return [fail(SUBJECT, message)];
}

async function checkBucket(place: S3Place): Promise<Finding> {
  const where = `bucket ${place.bucket} at ${place.endpoint ?? 'Amazon S3'}`;
  try {
    await new S3Shelf({ place, clock: systemClock }).reach();
    return ok(SUBJECT, `${where} can be listed`);
  } catch (error) {
    const { error: reason } = describeError(error);
    return fail(
      SUBJECT,
      `${where} cannot be listed (${reason}): check endpoint, region, bucket and keys of media_store.s3`,
    );
  }
}

/** Returns the free space of the nearest existing folder, in bytes. */
async function freeAt(path: string): Promise<number> {
  const found = await statfs(path).catch(() => null);
  if (found !== null) return found.bavail * found.bsize;
  const parent = dirname(path);
  return parent === path ? Number.POSITIVE_INFINITY : freeAt(parent);
}
