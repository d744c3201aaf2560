/** The number of bytes at the beginning of a file that are examined. */
const HEAD_BYTES = 256;
/** A tag is skipped only if the given bytes include what follows it. */
const ID3_HEADER_BYTES = 10;
const ID3_VERSIONS: ReadonlySet<number | undefined> = new Set([2, 3, 4]);

/** Returns the media type that a file's first bytes show, for the kinds that models accept; `null` for all others. */
export function sniffMediaType(bytes: Uint8Array): string | null {
  // Latin-1 keeps every byte as one character, so signatures can be compared as text.
  const head = String.fromCharCode(...bytes.subarray(0, HEAD_BYTES));
  if (head.startsWith('ID3') && ID3_VERSIONS.has(bytes[3])) return behindTag(bytes) ?? 'audio/mpeg';
  const found = SIGNATURES.find(({ parts }) => parts.every(([at, text]) => head.startsWith(text, at)));
  if (found !== undefined) return found.mediaType;
  if (head.startsWith('\0') && head.startsWith('ftyp', 4)) return isoMediaType(head);
  if (head.startsWith('OggS\0')) return head.startsWith('\x80theora', OGG_PACKET) ? 'video/ogg' : 'audio/ogg';
  if (head.startsWith('\x1a\x45\xdf\xa3')) return head.includes('webm') ? 'video/webm' : 'video/x-matroska';
  if (/^(?:\xef\xbb\xbf)?[\t\n\r ]{0,32}%PDF-/.test(head)) return 'application/pdf';
  return isMpegAudio(bytes) ? 'audio/mpeg' : isAdts(bytes) ? 'audio/aac' : null;
}

type Part = readonly [at: number, text: string];
const signature = (mediaType: string, ...parts: readonly Part[]) => ({ mediaType, parts });

/**
 * Each contains a byte that no text has, or words that no text begins with, because `text/plain` files are compared with them
 * too.
 */
const SIGNATURES = [
  signature('image/png', [0, '\x89PNG\r\n\x1a\n']),
  signature('image/jpeg', [0, '\xff\xd8\xff']),
  signature('image/gif', [0, 'GIF87a']),
  signature('image/gif', [0, 'GIF89a']),
  signature('image/webp', [0, 'RIFF'], [8, 'WEBP']),
  signature('image/bmp', [0, 'BM'], [6, '\0\0\0\0']),
  signature('image/tiff', [0, 'II*\0']),
  signature('image/tiff', [0, 'MM\0*']),
  // BigTIFF.
  signature('image/tiff', [0, 'II+\0']),
  signature('image/tiff', [0, 'MM\0+']),
  signature('audio/wav', [0, 'RIFF'], [8, 'WAVE']),
  // EBU Tech 3306 and ITU-R BS.2088 for files above 4 GB, and the big-endian form.
  signature('audio/wav', [0, 'RF64'], [8, 'WAVE']),
  signature('audio/wav', [0, 'BW64'], [8, 'WAVE']),
  signature('audio/wav', [0, 'RIFX'], [8, 'WAVE']),
  // RFC 9639, section 8.1: the first block is STREAMINFO (0); its highest bit is set if no other block follows.
  signature('audio/flac', [0, 'fLaC\0']),
  signature('audio/flac', [0, 'fLaC\x80']),
  signature('audio/aac', [0, 'ADIF']),
  signature('audio/amr', [0, '#!AMR\n']),
  signature('audio/amr-wb', [0, '#!AMR-WB\n']),
  signature('audio/aiff', [0, 'FORM'], [8, 'AIFF']),
  signature('audio/aiff', [0, 'FORM'], [8, 'AIFC']),
  signature('video/x-msvideo', [0, 'RIFF'], [8, 'AVI ']),
  signature('video/x-flv', [0, 'FLV\x01']),
  signature('video/mpeg', [0, '\0\0\x01\xba']),
  signature('video/mpeg', [0, '\0\0\x01\xb3']),
  // QuickTime files from before the file type box existed.
  signature('video/quicktime', [0, '\0'], [4, 'moov']),
  signature('video/quicktime', [0, '\0'], [4, 'wide']),
  signature('video/quicktime', [0, '\0'], [4, 'mdat']),
];

/** Major brands of ISO base media files (ISO/IEC 14496-12); any other counts as MP4 video. */
const ISO_BRANDS: Readonly<Record<string, string>> = {
  avif: 'image/avif',
  avis: 'image/avif',
  heic: 'image/heic',
  heix: 'image/heic',
  heim: 'image/heic',
  heis: 'image/heic',
  hevc: 'image/heic',
  hevx: 'image/heic',
  hevm: 'image/heic',
  hevs: 'image/heic',
  mif1: 'image/heif',
  mif2: 'image/heif',
  msf1: 'image/heif',
  'M4A ': 'audio/mp4',
  'M4B ': 'audio/mp4',
  'M4P ': 'audio/mp4',
  'F4A ': 'audio/mp4',
  'F4B ': 'audio/mp4',
  'qt  ': 'video/quicktime',
};
const BRAND_OF_3GPP = /^3g([pregsh26])/;
/** The header of Ogg's first page has one segment (RFC 3533, section 6), because the first packet is short. */
const OGG_PACKET = 28;
const BRAND_BYTES = 4;
const FIRST_COMPATIBLE_BRAND = 16;

/** Returns the type by the major brand; for a generic image brand, the compatible brands identify the codec. */
function isoMediaType(head: string): string {
  const major = head.slice(8, 12);
  if (BRAND_OF_3GPP.test(major)) return major.startsWith('3g2') ? 'video/3gpp2' : 'video/3gpp';
  const byMajor = ISO_BRANDS[major] ?? 'video/mp4';
  if (byMajor !== 'image/heif') return byMajor;
  const end = Math.min(head.length, head.charCodeAt(2) * 256 + head.charCodeAt(3));
  for (let at = FIRST_COMPATIBLE_BRAND; at + BRAND_BYTES <= end; at += BRAND_BYTES) {
    const type = ISO_BRANDS[head.slice(at, at + BRAND_BYTES)];
    if (type === 'image/avif' || type === 'image/heic') return type;
  }
  return byMajor;
}

/** Returns the type of what follows an ID3 tag, which taggers also put before FLAC and AAC; its size has seven bits per byte. */
function behindTag(bytes: Uint8Array): string | null {
  const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(6, ID3_HEADER_BYTES);
  const start = ID3_HEADER_BYTES + (((a & 0x7f) << 21) | ((b & 0x7f) << 14) | ((c & 0x7f) << 7) | (d & 0x7f));
  const rest = bytes.subarray(start, start + HEAD_BYTES);
  const type = rest.length === 0 || rest[0] === 0x49 ? null : sniffMediaType(rest);
  return type?.startsWith('audio/') ? type : null;
}

/**
 * Returns whether this is an MPEG audio frame: eleven bits set, then a version, layer III, and a valid bit rate and sample rate.
 */
function isMpegAudio(bytes: Uint8Array): boolean {
  const [first = 0, second = 0, third = 0] = bytes;
  return first === 0xff && (second & 0xe6) === 0xe2 && third >> 4 !== 0xf && ((third >> 2) & 3) !== 3;
}

/** Returns whether this is an ADTS frame of AAC: twelve bits set and layer 0. */
function isAdts(bytes: Uint8Array): boolean {
  const [first = 0, second = 0] = bytes;
  return first === 0xff && (second & 0xf6) === 0xf0;
}
