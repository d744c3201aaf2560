import type { MediaPart } from '../../../domain/exchange/part.ts';
import { mediaTypeByBytes, registeredMediaType } from '../../../domain/media/media-label.ts';
import { startOf } from '../json/long-text.ts';

/** In characters of base64: enough for the first bytes that tell what a file is. */
const HEAD_CHARACTERS = 256;

/** Returns the first bytes of a file from its base64 text, of either alphabet. */
export function headOf(base64: string): Uint8Array {
  return Buffer.from(startOf(base64, HEAD_CHARACTERS), 'base64');
}

/** Returns the media type of a file by its bytes, as far as they show it, and by its label otherwise. */
export function mediaTypeOfBase64(label: string | null, base64: string): string | null {
  return mediaTypeByBytes(label, headOf(base64));
}

/** Returns the part with the label that its bytes have; one that turns out to be of another kind becomes a part of that kind. */
export function withTrueLabel(part: MediaPart): MediaPart {
  const { source, type } = part;
  if (source.kind !== 'base64') {
    const label = part.mediaType?.endsWith('/*') ? part.mediaType : registeredMediaType(part.mediaType);
    return label === part.mediaType ? part : { ...part, mediaType: label ?? part.mediaType };
  }
  const found = mediaTypeOfBase64(part.mediaType, source.data);
  if (found === null) return part;
  const mediaType = type === 'audio' ? asSound(found) : found;
  const kind = kindOf(mediaType, type);
  if (kind === type) return mediaType === part.mediaType ? part : { ...part, mediaType };
  return { ...part, type: kind, mediaType };
}

/** Containers of video that may have sound alone. */
const SOUND_OF: ReadonlySet<string> = new Set(['video/mp4', 'video/webm', 'video/ogg', 'video/3gpp']);

function asSound(mediaType: string): string {
  return SOUND_OF.has(mediaType) ? mediaType.replace('video/', 'audio/') : mediaType;
}

/** Returns the kind of part for a media type; a type that names no kind leaves it as the client sent it. */
function kindOf(mediaType: string, type: MediaPart['type']): MediaPart['type'] {
  if (mediaType === 'application/pdf') return 'document';
  const kind = mediaType.split('/', 1)[0];
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : type;
}
