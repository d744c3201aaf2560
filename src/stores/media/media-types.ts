/*
 * A file's type is the extension of its id, so a store needs no metadata, and links end like file names, by which many clients distinguish
 * images from videos. Other types are served as downloads.
 */

const TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  avif: 'image/avif',
  bmp: 'image/bmp',
  tiff: 'image/tiff',
  heic: 'image/heic',
  svg: 'image/svg+xml',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  ogg: 'audio/ogg',
  opus: 'audio/opus',
  aac: 'audio/aac',
  m4a: 'audio/mp4',
  weba: 'audio/webm',
  pcm: 'audio/pcm',
  mp4: 'video/mp4',
  webm: 'video/webm',
  mov: 'video/quicktime',
  mkv: 'video/matroska',
  glb: 'model/gltf-binary',
  gltf: 'model/gltf+json',
  obj: 'model/obj',
  stl: 'model/stl',
  ply: 'model/ply',
  usdz: 'model/vnd.usdz+zip',
  fbx: 'model/fbx',
  pdf: 'application/pdf',
  zip: 'application/zip',
  json: 'application/json',
  txt: 'text/plain',
  bin: 'application/octet-stream',
};

/** Other names that upstreams use for the same types. */
const SYNONYMS: Readonly<Record<string, string>> = {
  'image/jpg': 'jpg',
  'image/pjpeg': 'jpg',
  'image/x-png': 'png',
  'image/heif': 'heic',
  'audio/mp3': 'mp3',
  'audio/x-wav': 'wav',
  'audio/wave': 'wav',
  'audio/vnd.wave': 'wav',
  'audio/x-flac': 'flac',
  'audio/x-m4a': 'm4a',
  'audio/l16': 'pcm',
  'video/x-matroska': 'mkv',
  'model/gltf.binary': 'glb',
};

const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ...Object.entries(TYPES).map(([extension, type]): [string, string] => [type, extension]),
  ...Object.entries(SYNONYMS),
]);

/** Returns `bin` if the type is not in the table. */
export function extensionOf(mediaType: string): string {
  const essence = (mediaType.split(';', 1)[0] ?? '').trim().toLowerCase();
  return EXTENSIONS.get(essence) ?? 'bin';
}

/** Returns `null` for an extension that no id has. */
export function mediaTypeOf(extension: string): string | null {
  return Object.hasOwn(TYPES, extension) ? (TYPES[extension] ?? null) : null;
}
