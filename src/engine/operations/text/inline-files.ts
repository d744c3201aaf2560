import { Failure } from '../../../domain/failure/failure.ts';
import { MOST_AUDIO_BYTES, MOST_IMAGE_BYTES } from '../../../domain/media/file-limits.ts';
import type { ClientFormat, ParsedRequest } from '../../../formats/format.ts';
import type { InlineFile } from '../../../formats/shared/media/media-fields.ts';
import { formatPath } from '../../../formats/shared/request/schema-error.ts';

const LIMITS: Readonly<Record<string, { readonly bytes: number; readonly file: string }>> = {
  image: { bytes: MOST_IMAGE_BYTES, file: 'an image' },
  audio: { bytes: MOST_AUDIO_BYTES, file: 'an audio file' },
};

/** Returns the failure (413) for the first inline file that exceeds the limit of its kind, or `null`. */
export function tooLargeFile(format: ClientFormat, request: ParsedRequest): Failure | null {
  for (const file of format.media.filesIn(request)) {
    const limit = LIMITS[kindOf(file)];
    if (limit !== undefined && file.bytes > limit.bytes) return tooLarge(formatPath(file.path), limit);
  }
  return null;
}

function kindOf({ mediaType }: InlineFile): string {
  return mediaType?.split('/', 1)[0] ?? '';
}

function tooLarge(param: string, { bytes, file }: { readonly bytes: number; readonly file: string }): Failure {
  const most = `${bytes / (1024 * 1024)} MB`;
  const message = `\`${param}\` is larger than ${most}, the limit for ${file}. Send a smaller one.`;
  return new Failure('payload_too_large', { message, param });
}
