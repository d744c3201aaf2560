import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Upstream } from '../../../engine/ports/upstream.ts';
import {
  downloadList,
  type ListContent,
  listJson,
  listTooLarge,
  MAXIMUM_LIST_BYTES,
  PriceListError,
  parseListUrl,
  publicAddress,
} from '../../../engine/price-lists/download-list.ts';
import { CommandError } from '../command-error.ts';
import { printable } from '../table.ts';

/** The source of a list: a URL, or the path of a file. */
export type ListPlace = { readonly url: URL } | { readonly path: string };

/** Throws `CommandError` for an invalid URL. */
export function listPlace(from: string): ListPlace {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(from)) return { path: from };
  const url = parseListUrl(from);
  if (url === 'no_url') throw new CommandError('--from: must be a file, or a URL starting with https:// or http://', 2);
  if (url === 'credentials') throw new CommandError('--from: the URL must not contain a user name or password', 2);
  return { url };
}

export interface ReadList {
  readonly json: unknown;
  /** The last modification, in milliseconds since 1970; `null` if unknown. */
  readonly writtenAtMs: number | null;
}

/** Reads the JSON of a file or a URL. Throws an error with a one-line message about the source. */
export async function readList(place: ListPlace, upstream: () => Upstream): Promise<ReadList> {
  const name = 'url' in place ? publicAddress(place.url) : printable(place.path);
  const { bytes, writtenAtMs } =
    'url' in place ? await downloadList(place.url, { upstream: upstream() }) : await readFile(place.path);
  return { json: listJson(name, bytes), writtenAtMs };
}

async function readFile(path: string): Promise<ListContent> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  let writtenAtMs: number | null = null;
  try {
    const stats = await stat(path);
    // A pipe has no modification time.
    if (stats.isFile()) writtenAtMs = stats.mtimeMs;
    for await (const piece of createReadStream(path) as AsyncIterable<Uint8Array>) {
      length += piece.length;
      if (length > MAXIMUM_LIST_BYTES) throw listTooLarge(printable(path), MAXIMUM_LIST_BYTES);
      pieces.push(piece);
    }
  } catch (error) {
    if (error instanceof PriceListError) throw error;
    throw new CommandError(`${printable(path)} cannot be read: ${reasonOf(error)}`);
  }
  return { bytes: Buffer.concat(pieces), writtenAtMs };
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'no such file';
  if (code === 'EISDIR') return 'it is a directory';
  return code === 'EACCES' ? 'permission denied' : message;
}
