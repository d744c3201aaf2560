import type { TaskKind } from '../../../domain/tasks/task-kind.ts';
import { entryOf } from '../json/record.ts';

/* What upstreams make, by the end of a file's name. */

interface FileType {
  /** The kind of work whose result it is; `null` for what only stands beside one. */
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
  // These have none that is registered.
  fbx: { kind: '3d', mediaType: 'application/octet-stream' },
  ply: { kind: '3d', mediaType: 'application/octet-stream' },
  png: { kind: 'image', mediaType: 'image/png' },
  jpg: { kind: 'image', mediaType: 'image/jpeg' },
  jpeg: { kind: 'image', mediaType: 'image/jpeg' },
  webp: { kind: 'image', mediaType: 'image/webp' },
  // Single frames of a video.
  zip: { kind: null, mediaType: 'application/zip' },
};

/** The end of the last part of an address's path, where it is one that is known, such as `glb`; `null` otherwise. */
export function extensionOf(url: string): string | null {
  if (url.startsWith('data:')) return null;
  const extension = /\.([a-z0-9]{2,4})$/i.exec(new URL(url).pathname)?.[1]?.toLowerCase();
  return extension !== undefined && Object.hasOwn(TYPES, extension) ? extension : null;
}

/** `null` where the address does not tell it. */
export function mediaTypeByName(url: string): string | null {
  return entryOf(TYPES, extensionOf(url) ?? '')?.mediaType ?? null;
}

export function kindByName(url: string): TaskKind | null {
  return entryOf(TYPES, extensionOf(url) ?? '')?.kind ?? null;
}

/** Of a format of 3D models, such as `glb`. */
export function mediaTypeOf(extension: string): string {
  return entryOf(TYPES, extension)?.mediaType ?? 'application/octet-stream';
}
