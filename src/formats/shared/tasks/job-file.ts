import type { FileSource, MadeItem } from '../../../domain/tasks/job.ts';
import { isWebAddress } from '../media/image-answer.ts';
import { mediaTypeByName } from './file-types.ts';
import { secondsOf } from './job-answer.ts';

/* Read where upstreams report that a job and its files are; these reports are not trusted. */

/** An id is one path segment: it has no slash and is not `..`. Some servers have base64 text for ids. */
const ID = /^(?![.:=])(?=.*\w)[\w.:=+-]{1,500}$/;

/** Returns the id of a job; `null` for anything that could redirect a URL. */
export function jobId(value: unknown): string | null {
  return typeof value === 'string' && ID.test(value) ? value : null;
}

/** Returns the address of a file; `null` if it is not an http(s) URL. */
export function fileAt(value: unknown): Extract<FileSource, { readonly kind: 'url' }> | null {
  return typeof value === 'string' && isWebAddress(value) ? { kind: 'url', url: value } : null;
}

/** An upstream's report about a video, unchecked. */
export interface ToldVideo {
  readonly url: unknown;
  readonly cover?: unknown;
  /** A number of seconds, or its text. */
  readonly seconds?: unknown;
}

/** Returns the video at an address, assumed to be MP4 unless its name says otherwise; `null` if there is no address. */
export function madeVideo({ url, cover, seconds }: ToldVideo): MadeItem | null {
  const source = fileAt(url);
  if (source === null) return null;
  const mediaType = mediaTypeByName(source.url) ?? 'video/mp4';
  const item: MadeItem = { source, mediaType, durationSeconds: secondsOf(seconds) };
  const picture = fileAt(cover);
  return picture === null ? item : { ...item, cover: picture };
}
