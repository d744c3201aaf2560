import type { ModelFormat } from '../../domain/tasks/generation-request.ts';
import type { FileSource } from '../../domain/tasks/job.ts';

/* Where upstreams say that a job and its files are, read with care. */

const LONGEST_URL = 16_384;
/** Ids of jobs are put into addresses: none begins with a dot, and none has a slash. */
const ID = /^[A-Za-z0-9_-][\w.:=-]{0,199}$/;

/** The id of a job; `null` for what could lead an address elsewhere. */
export function jobId(value: unknown): string | null {
  return typeof value === 'string' && ID.test(value) ? value : null;
}

/** The address of a file; `null` for what is no http(s) URL. */
export function fileAt(value: unknown): FileSource | null {
  if (typeof value !== 'string' || value.length > LONGEST_URL) return null;
  return /^https?:\/\//i.test(value) && URL.canParse(value) ? { kind: 'url', url: value } : null;
}

const MODEL_MEDIA_TYPES: Readonly<Record<ModelFormat, string>> = {
  glb: 'model/gltf-binary',
  gltf: 'model/gltf+json',
  // It has none that is registered.
  fbx: 'application/octet-stream',
  obj: 'model/obj',
  stl: 'model/stl',
  usdz: 'model/vnd.usdz+zip',
  '3mf': 'model/3mf',
};

export function modelMediaType(format: ModelFormat): string {
  return MODEL_MEDIA_TYPES[format];
}
