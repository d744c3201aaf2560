/** What a file's first bytes say, for the kinds that models take; `null` for all others. */
export function sniffMediaType(bytes: Uint8Array): string | null {
  // Latin-1 keeps every byte as one character, so that a signature can be compared as text.
  const head = String.fromCharCode(...bytes.subarray(0, 64));
  const found = SIGNATURES.find(({ parts }) => parts.every(([at, text]) => head.startsWith(text, at)));
  if (found !== undefined) return found.mediaType;
  if (head.startsWith('\0') && head.startsWith('ftyp', 4)) return ISO_BRANDS[head.slice(8, 12).trim()] ?? 'video/mp4';
  if (head.startsWith('\x1a\x45\xdf\xa3')) return head.includes('webm') ? 'video/webm' : 'video/x-matroska';
  return isMpegAudio(bytes) ? 'audio/mpeg' : isAdts(bytes) ? 'audio/aac' : null;
}

type Part = readonly [at: number, text: string];
const signature = (mediaType: string, ...parts: readonly Part[]) => ({ mediaType, parts });

/** Each holds a byte that no text has, or words that no text begins with: a `text/plain` file is compared with them too. */
const SIGNATURES = [
  signature('image/png', [0, '\x89PNG\r\n\x1a\n']),
  signature('image/jpeg', [0, '\xff\xd8\xff']),
  signature('image/gif', [0, 'GIF87a']),
  signature('image/gif', [0, 'GIF89a']),
  signature('image/webp', [0, 'RIFF'], [8, 'WEBP']),
  signature('image/bmp', [0, 'BM'], [6, '\0\0\0\0']),
  signature('image/tiff', [0, 'II*\0']),
  signature('image/tiff', [0, 'MM\0*']),
  signature('application/pdf', [0, '%PDF-']),
  signature('audio/wav', [0, 'RIFF'], [8, 'WAVE']),
  signature('audio/mpeg', [0, 'ID3\x02']),
  signature('audio/mpeg', [0, 'ID3\x03']),
  signature('audio/mpeg', [0, 'ID3\x04']),
  signature('audio/flac', [0, 'fLaC\0']),
  signature('audio/ogg', [0, 'OggS\0']),
  signature('audio/aiff', [0, 'FORM'], [8, 'AIFF']),
  signature('audio/aiff', [0, 'FORM'], [8, 'AIFC']),
  signature('video/x-msvideo', [0, 'RIFF'], [8, 'AVI ']),
  signature('video/x-flv', [0, 'FLV\x01']),
  signature('video/mpeg', [0, '\0\0\x01\xba']),
  signature('video/mpeg', [0, '\0\0\x01\xb3']),
];

/** Major brands of ISO base media files (ISO/IEC 14496-12); whatever is not listed is taken for MP4 video. */
const ISO_BRANDS: Readonly<Record<string, string>> = {
  avif: 'image/avif',
  avis: 'image/avif',
  heic: 'image/heic',
  heix: 'image/heic',
  hevc: 'image/heic',
  mif1: 'image/heif',
  msf1: 'image/heif',
  M4A: 'audio/mp4',
  M4B: 'audio/mp4',
  qt: 'video/quicktime',
  '3gp4': 'video/3gpp',
  '3gp5': 'video/3gpp',
  '3gp6': 'video/3gpp',
};

/** An MPEG audio frame: eleven bits set, then a version, layer III, and a bit rate and sample rate that exist. */
function isMpegAudio(bytes: Uint8Array): boolean {
  const [first = 0, second = 0, third = 0] = bytes;
  return first === 0xff && (second & 0xe6) === 0xe2 && third >> 4 !== 0xf && ((third >> 2) & 3) !== 3;
}

/** An ADTS frame of AAC: twelve bits set and layer 0. */
function isAdts(bytes: Uint8Array): boolean {
  const [first = 0, second = 0] = bytes;
  return first === 0xff && (second & 0xf6) === 0xf0;
}
