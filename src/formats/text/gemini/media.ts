import type { MediaPart } from '../../../domain/exchange/part.ts';
import { registeredMediaType } from '../../../domain/media/media-label.ts';
import { GOOGLE_NAMES, googleMediaType } from '../../shared/media/google-media-type.ts';
import { MediaFields } from '../../shared/media/media-fields.ts';
import { mediaTypeOfBase64 } from '../../shared/media/media-label.ts';
import type { DecodeSource } from '../format.ts';
import { isOnlyAtGoogle } from './messages.decode.ts';

const PARTS = [
  'contents[].parts[]',
  'contents[].parts[].functionResponse.parts[]',
  'contents[].parts[].function_response.parts[]',
];

/** Google reads both spellings of every member. */
export const media = new MediaFields(
  PARTS.flatMap((part) =>
    ['inlineData', 'inline_data'].map((inline) => ({
      data: `${part}.${inline}.data`,
      labels: ['mimeType', 'mime_type'],
      names: GOOGLE_NAMES,
    })),
  ),
);

const URL_FEATURES = {
  image: 'image-url',
  audio: 'audio-url',
  video: 'video-url',
  document: 'document-url',
} as const;

/**
 * Returns whether a part's bytes are needed. Google itself has fetched public https URLs since January 2026 (ai.google.dev, "File
 * input methods"), if their media type is stated. A provider or model that does not fetch them has a quirk that it lacks the
 * feature.
 */
export function needsBytes(part: MediaPart, quirks: DecodeSource['quirks']): boolean {
  const { source, type } = part;
  if (source.kind !== 'url') return false;
  if (isOnlyAtGoogle(source.url)) return false;
  if (!source.url.startsWith('https://') || mediaTypeOf(part) === null) return true;
  return quirks.some((quirk) => quirk.kind === 'lacks' && quirk.feature === URL_FEATURES[type]);
}

const BY_EXTENSION: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  heic: 'image/heic',
  heif: 'image/heif',
  pdf: 'application/pdf',
  txt: 'text/plain',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  ogg: 'audio/ogg',
  aac: 'audio/aac',
  mp4: 'video/mp4',
  webm: 'video/webm',
  mov: 'video/quicktime',
};

/**
 * Returns the media type: the one that the client stated, otherwise by the first bytes or the URL's extension; `null` if neither
 * shows it.
 */
export function mediaTypeOf(part: MediaPart): string | null {
  const mediaType = anyMediaTypeOf(part);
  return mediaType === null ? null : googleMediaType(mediaType);
}

function anyMediaTypeOf({ mediaType, source }: MediaPart): string | null {
  if (mediaType !== null && !mediaType.endsWith('/*')) return registeredMediaType(mediaType) ?? mediaType;
  if (source.kind === 'base64') return mediaTypeOfBase64(null, source.data);
  if (source.kind !== 'url') return null;
  const extension = /\.([a-z0-9]+)(?:[?#].*)?$/i.exec(source.url)?.[1]?.toLowerCase();
  return extension === undefined || !Object.hasOwn(BY_EXTENSION, extension) ? null : (BY_EXTENSION[extension] ?? null);
}

/** The media types of parts that state none. */
export const DEFAULT_TYPES: Readonly<Record<MediaPart['type'], string>> = {
  image: 'image/png',
  audio: 'audio/wav',
  video: 'video/mp4',
  document: 'application/pdf',
};
