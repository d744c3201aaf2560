import { sniffMediaType } from './sniff-media-type.ts';

/** Labels that senders use for files of unknown kind. */
const SAYS_NOTHING: ReadonlySet<string> = new Set([
  '',
  'application/octet-stream',
  'binary/octet-stream',
  'application/binary',
  'application/download',
  'application/force-download',
  'application/x-download',
  'application/x-force-download',
  'application/x-octet-stream',
  'application/unknown',
  'unknown/unknown',
]);

/** Unregistered spellings that clients and servers use and that providers refuse. */
const ALIASES: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/jfif': 'image/jpeg',
  'image/x-png': 'image/png',
  'image/x-webp': 'image/webp',
  'image/x-gif': 'image/gif',
  'image/x-ms-bmp': 'image/bmp',
  'image/x-bmp': 'image/bmp',
  'image/tif': 'image/tiff',
  'audio/mp3': 'audio/mpeg',
  'audio/x-mp3': 'audio/mpeg',
  'audio/mpeg3': 'audio/mpeg',
  'audio/x-mpeg-3': 'audio/mpeg',
  'audio/x-mpeg': 'audio/mpeg',
  'audio/mpg': 'audio/mpeg',
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
  'audio/x-pn-wav': 'audio/wav',
  'audio/x-flac': 'audio/flac',
  'audio/x-m4a': 'audio/mp4',
  'audio/m4a': 'audio/mp4',
  'audio/m4b': 'audio/mp4',
  'audio/x-aac': 'audio/aac',
  'audio/aacp': 'audio/aac',
  'audio/x-aiff': 'audio/aiff',
  'audio/aif': 'audio/aiff',
  'audio/x-ogg': 'audio/ogg',
  'application/ogg': 'audio/ogg',
  'video/x-m4v': 'video/mp4',
  'application/x-pdf': 'application/pdf',
};

/** Types with the same first bytes, or that name one file type: only the label distinguishes them. */
const CONTAINERS: readonly ReadonlySet<string>[] = [
  [
    'video/mp4',
    'audio/mp4',
    'video/quicktime',
    'video/mov',
    'video/3gpp',
    'audio/3gpp',
    'video/3gp',
    'video/3gpp2',
    'audio/3gpp2',
  ],
  ['video/webm', 'audio/webm', 'video/x-matroska', 'audio/x-matroska', 'video/matroska', 'audio/matroska'],
  ['audio/ogg', 'video/ogg', 'audio/opus'],
  ['video/mpeg', 'video/mpg', 'video/mpegps', 'video/mpegs'],
  ['video/x-msvideo', 'video/avi', 'video/msvideo'],
  ['video/x-flv', 'video/flv'],
  ['image/heic', 'image/heif', 'image/heic-sequence', 'image/heif-sequence'],
].map((types) => new Set(types));

const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;

/** Returns a label in lower case, without parameters and in its registered spelling; `null` if it carries no information. */
export function registeredMediaType(label: string | null | undefined): string | null {
  const [essence = ''] = (label ?? '').toLowerCase().split(';', 1);
  const said = essence.trim();
  if (!MEDIA_TYPE.test(said) || SAYS_NOTHING.has(said)) return null;
  return Object.hasOwn(ALIASES, said) ? (ALIASES[said] ?? said) : said;
}

/**
 * Returns the media type of a file: what its first bytes show, unless the label is compatible with them; the label if the bytes
 * show nothing; and `null` if both are unknown. Providers compare the two and refuse a file with a wrong label.
 */
export function mediaTypeByBytes(label: string | null | undefined, head: Uint8Array): string | null {
  const said = registeredMediaType(label);
  const found = sniffMediaType(head);
  if (found === null || said === null) return said ?? found;
  return CONTAINERS.some((container) => container.has(found) && container.has(said)) ? said : found;
}
