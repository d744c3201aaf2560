import type { MadeItem } from '../../../domain/tasks/job.ts';
import { nonEmptyText } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';
import { mediaTypeByName } from '../../shared/tasks/file-types.ts';
import { secondsOf } from '../../shared/tasks/job-answer.ts';
import { fileAt, jobId } from '../../shared/tasks/job-file.ts';
import { clipIdOf } from './objects.ts';

const LONGEST_TEXT = 50_000;

/** Returns a clip of a song; `null` if it has failed or has no audio. */
export function clipItem(clip: Readonly<Record<string, unknown>>, job: string): MadeItem | null {
  const source = fileAt(clip.audio_url);
  if (source === null || clip.status === 'error') return null;
  const metadata = isRecord(clip.metadata) ? clip.metadata : {};
  const id = jobId(clip.id) ?? jobId(clip.clip_id);
  return {
    source,
    mediaType: mediaTypeByName(source.url) ?? 'audio/mpeg',
    durationSeconds: secondsOf(metadata.duration) ?? secondsOf(clip.duration),
    cover: fileAt(clip.image_large_url) ?? fileAt(clip.image_url),
    video: fileAt(clip.video_url),
    title: textOf(clip.title),
    lyrics: textOf(metadata.prompt) ?? textOf(clip.prompt) ?? textOf(clip.text),
    tags: tagsOf(metadata.tags) ?? tagsOf(clip.tags),
    clipId: id === null ? null : clipIdOf(job, id),
  };
}

/** Returns an item with lyrics only; `null` if there are none. */
export function lyricsItem(made: Readonly<Record<string, unknown>>): MadeItem | null {
  const lyrics = textOf(made.text);
  if (lyrics === null || made.status === 'error') return null;
  return { source: null, mediaType: null, title: textOf(made.title), lyrics, tags: tagsOf(made.tags) };
}

function textOf(value: unknown): string | null {
  return nonEmptyText(value)?.slice(0, LONGEST_TEXT).toWellFormed() ?? null;
}

function tagsOf(value: unknown): string | null {
  if (!Array.isArray(value)) return textOf(value);
  return textOf(
    value
      .filter((tag) => typeof tag === 'string')
      .slice(0, 100)
      .join(', '),
  );
}
