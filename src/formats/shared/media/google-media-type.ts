import { registeredMediaType } from '../../../domain/media/media-label.ts';
import type { LabelNames } from './media-fields.ts';

/**
 * Names in Google's lists of file types that differ from the usual ones (ai.google.dev, "Audio understanding" and "Video
 * understanding", read on 2026-11-28). Vertex lists both names of MP3.
 */
const NAMES: Readonly<Record<string, string>> = {
  'audio/mpeg': 'audio/mp3',
  'video/x-msvideo': 'video/avi',
  'video/x-ms-wmv': 'video/wmv',
};

/** Unregistered names that are also in Google's lists; a client's use of them is left unchanged. */
const TAKEN: ReadonlySet<string> = new Set(['audio/mp3', 'audio/m4a', 'audio/mpga', 'audio/x-aac']);

/** How Gemini's requests name a file's type. */
export const GOOGLE_NAMES: LabelNames = {
  mediaTypeOf: (label) => label,
  labelOf: (mediaType, said) => {
    const isRight = said === mediaType || (TAKEN.has(said) && registeredMediaType(said) === mediaType);
    return isRight ? said : googleMediaType(mediaType);
  },
};

/** Returns the name that Gemini accepts for a file of this type. */
export function googleMediaType(mediaType: string): string {
  return NAMES[mediaType] ?? mediaType;
}
