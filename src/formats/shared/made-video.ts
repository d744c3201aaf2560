import type { MadeItem } from '../../domain/tasks/job.ts';
import { secondsOf } from './job-answer.ts';
import { fileAt } from './job-file.ts';

/** What an upstream says of a video, unchecked. */
export interface ToldVideo {
  readonly url: unknown;
  readonly cover?: unknown;
  /** A number of seconds, or its text. */
  readonly seconds?: unknown;
}

/** `null` where there is no address of a video. */
export function madeVideo({ url, cover, seconds }: ToldVideo): MadeItem | null {
  const source = fileAt(url);
  if (source === null) return null;
  return { source, mediaType: 'video/mp4', durationSeconds: secondsOf(seconds), cover: fileAt(cover) };
}
