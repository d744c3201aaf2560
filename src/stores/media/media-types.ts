/*
 * A file's type is the last part of its id, so a store keeps nothing beside the bytes, and links end as the names of files do, by which
 * many clients tell an image from a video. What is not in the table is served as a file to save.
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

/** Other names that upstreams have for the same. */
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

/** `bin` where the type is not in the table. */
export function extensionOf(mediaType: string): string {
  const essence = (mediaType.split(';', 1)[0] ?? '').trim().toLowerCase();
  return EXTENSIONS.get(essence) ?? 'bin';
}

/** `null` for an extension that no id of the stores ends with. */
export function mediaTypeOf(extension: string): string | null {
  return Object.hasOwn(TYPES, extension) ? (TYPES[extension] ?? null) : null;
}
