import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCodeOf } from '../shared/error-code.ts';
import { isBucket, isOver, isOwner, sizeInName } from './media-id.ts';

/** A complete file of a media folder. Its content never changes, but it may be deleted at any time. */
export interface FolderFile {
  /** The path in the folder, such as `202611291850/abcdefghijkl/….png`. */
  readonly name: string;
  readonly bytes: number;
}

/** Lists the files of a media folder that have not expired, while gateways write and delete. A missing folder has none. */
export async function* folderFiles(folder: string, nowMs: number): AsyncGenerator<FolderFile> {
  for (const bucket of (await namesIn(folder)).filter(isBucket)) {
    if (isOver(bucket, nowMs)) continue;
    for (const owner of (await namesIn(join(folder, bucket))).filter(isOwner)) {
      for (const file of await namesIn(join(folder, bucket, owner))) {
        const bytes = sizeInName(file);
        if (bytes !== null) yield { name: `${bucket}/${owner}/${file}`, bytes };
      }
    }
  }
}

/** Whether a store could have given a file this path, so that joining it to a folder stays in that folder. */
export function isFolderFile({ name, bytes }: FolderFile): boolean {
  const [bucket = '', owner = '', file = '', ...more] = name.split('/');
  return more.length === 0 && isBucket(bucket) && isOwner(owner) && sizeInName(file) === bytes;
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT' || errorCodeOf(error) === 'ENOTDIR') return [];
    throw error;
  }
}
