import type { TaskKind } from '../../../domain/tasks/task.ts';
import { entryOf } from '../json/record.ts';

/* File types that upstreams produce, by file name extension. */

interface FileType {
  /** The kind of work that results in such a file; `null` for a file that only accompanies one. */
  readonly kind: TaskKind | null;
  readonly mediaType: string;
}

const TYPES: Readonly<Record<string, FileType>> = {
  mp4: { kind: 'video', mediaType: 'video/mp4' },
  m4v: { kind: 'video', mediaType: 'video/mp4' },
  webm: { kind: 'video', mediaType: 'video/webm' },
  mov: { kind: 'video', mediaType: 'video/quicktime' },
  mkv: { kind: 'video', mediaType: 'video/x-matroska' },
  gif: { kind: 'video', mediaType: 'image/gif' },
  mp3: { kind: 'music', mediaType: 'audio/mpeg' },
  wav: { kind: 'music', mediaType: 'audio/wav' },
  flac: { kind: 'music', mediaType: 'audio/flac' },
  ogg: { kind: 'music', mediaType: 'audio/ogg' },
  opus: { kind: 'music', mediaType: 'audio/ogg' },
  m4a: { kind: 'music', mediaType: 'audio/mp4' },
  aac: { kind: 'music', mediaType: 'audio/aac' },
  glb: { kind: '3d', mediaType: 'model/gltf-binary' },
  gltf: { kind: '3d', mediaType: 'model/gltf+json' },
  obj: { kind: '3d', mediaType: 'model/obj' },
  stl: { kind: '3d', mediaType: 'model/stl' },
  usdz: { kind: '3d', mediaType: 'model/vnd.usdz+zip' },
  '3mf': { kind: '3d', mediaType: 'model/3mf' },
  // These have no registered type.
  fbx: { kind: '3d', mediaType: 'application/octet-stream' },
  ply: { kind: '3d', mediaType: 'application/octet-stream' },
  png: { kind: 'image', mediaType: 'image/png' },
  jpg: { kind: 'image', mediaType: 'image/jpeg' },
  jpeg: { kind: 'image', mediaType: 'image/jpeg' },
  webp: { kind: 'image', mediaType: 'image/webp' },
  // Contains single frames of a video.
  zip: { kind: null, mediaType: 'application/zip' },
};

/** Returns the known extension of a URL's path, such as `glb`; `null` otherwise. */
export function extensionOf(url: string): string | null {
  if (url.startsWith('data:')) return null;
  const extension = /\.([a-z0-9]{2,4})$/i.exec(new URL(url).pathname)?.[1]?.toLowerCase();
  return extension !== undefined && Object.hasOwn(TYPES, extension) ? extension : null;
}

/** Returns `null` if the URL does not reveal the type. */
export function mediaTypeByName(url: string): string | null {
  return entryOf(TYPES, extensionOf(url) ?? '')?.mediaType ?? null;
}

export function kindByName(url: string): TaskKind | null {
  return entryOf(TYPES, extensionOf(url) ?? '')?.kind ?? null;
}

/** Returns the media type for a 3D model format, such as `glb`. */
export function mediaTypeOf(extension: string): string {
  return entryOf(TYPES, extension)?.mediaType ?? 'application/octet-stream';
}
