import type { FileSource, MadeItem } from '../../../domain/tasks/job.ts';
import { isWebAddress } from '../media/image-answer.ts';
import { mediaTypeByName } from './file-types.ts';
import { secondsOf } from './job-answer.ts';

/* Where upstreams say that a job and its files are, read with care. */

/** An id is one segment of an address: it has no slash, and is no `..`. Servers of their own have base64 text for ids. */
const ID = /^(?![.:=])(?=.*\w)[\w.:=+-]{1,500}$/;

/** The id of a job; `null` for what could lead an address elsewhere. */
export function jobId(value: unknown): string | null {
  return typeof value === 'string' && ID.test(value) ? value : null;
}

/** The address of a file; `null` for what is no http(s) URL. */
export function fileAt(value: unknown): Extract<FileSource, { readonly kind: 'url' }> | null {
  return typeof value === 'string' && isWebAddress(value) ? { kind: 'url', url: value } : null;
}

/** What an upstream says of a video, unchecked. */
export interface ToldVideo {
  readonly url: unknown;
  readonly cover?: unknown;
  /** A number of seconds, or its text. */
  readonly seconds?: unknown;
}

/** The video at an address, which is an MP4 where its name says nothing else; `null` where there is no address. */
export function madeVideo({ url, cover, seconds }: ToldVideo): MadeItem | null {
  const source = fileAt(url);
  if (source === null) return null;
  const mediaType = mediaTypeByName(source.url) ?? 'video/mp4';
  const item: MadeItem = { source, mediaType, durationSeconds: secondsOf(seconds) };
  const picture = fileAt(cover);
  return picture === null ? item : { ...item, cover: picture };
}
