import { sniffMediaType } from '../domain/media/sniff-media-type.ts';

/** Types that servers send for files of unknown kind. */
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

/** Unregistered spellings that servers send and that providers do not take. */
const ALIASES: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-png': 'image/png',
  'audio/mp3': 'audio/mpeg',
  'audio/x-mp3': 'audio/mpeg',
  'audio/x-mpeg': 'audio/mpeg',
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
  'audio/x-flac': 'audio/flac',
  'audio/x-m4a': 'audio/mp4',
  'audio/m4a': 'audio/mp4',
  'application/x-pdf': 'application/pdf',
};

const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;

/**
 * The type of a fetched file, in lower case and without parameters: what the head says, unless that says nothing; then what the
 * first bytes look like; else `application/octet-stream`. `text/plain` is doubted too, as browsers do (WHATWG MIME Sniffing,
 * section 7.2), because servers use it for files with unknown endings.
 */
export function mediaTypeOf(contentType: string | undefined, bytes: Uint8Array): string {
  const [essence = ''] = (contentType ?? '').toLowerCase().split(';', 1);
  const trimmed = essence.trim();
  const said = MEDIA_TYPE.test(trimmed) ? (ALIASES[trimmed] ?? trimmed) : '';
  if (!SAYS_NOTHING.has(said) && said !== 'text/plain') return said;
  return sniffMediaType(bytes) ?? (said === 'text/plain' ? said : 'application/octet-stream');
}
