import type { MediaPart } from '../../../domain/exchange/part.ts';
import { mediaTypeByBytes, registeredMediaType } from '../../../domain/media/media-label.ts';
import { startOf } from '../json/long-text.ts';

/** Characters of base64 that hold enough of a file's first bytes to recognize it. */
const HEAD_CHARACTERS = 256;

/** Returns the first bytes of a file from its base64 text, in either alphabet. */
export function headOf(base64: string): Uint8Array {
  return Buffer.from(startOf(base64, HEAD_CHARACTERS), 'base64');
}

/** Returns the media type that a file's bytes show, or its label if they show none. */
export function mediaTypeOfBase64(label: string | null, base64: string): string | null {
  return mediaTypeByBytes(label, headOf(base64));
}

/** Returns the part with the label that its bytes indicate; a part of another kind becomes a part of that kind. */
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

/** Video containers that may contain only audio. */
const SOUND_OF: ReadonlySet<string> = new Set(['video/mp4', 'video/webm', 'video/ogg', 'video/3gpp']);

function asSound(mediaType: string): string {
  return SOUND_OF.has(mediaType) ? mediaType.replace('video/', 'audio/') : mediaType;
}

/** Returns the kind of part for a media type; for a type that implies no kind, the client's choice. */
function kindOf(mediaType: string, type: MediaPart['type']): MediaPart['type'] {
  if (mediaType === 'application/pdf') return 'document';
  const kind = mediaType.split('/', 1)[0];
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : type;
}
