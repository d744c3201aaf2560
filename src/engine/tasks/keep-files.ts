import { Failure } from '../../domain/failure/failure.ts';
import { sniffMediaType } from '../../domain/media/sniff-media-type.ts';
import type { FileSource, JobResult, MadeItem } from '../../domain/tasks/job.ts';
import type { FilePart, KeptFile, KeptFiles, Task } from '../../domain/tasks/task.ts';
import type { Target } from '../directory/target.ts';
import type { MediaContent } from '../ports/media-store.ts';
import { publicUrlOf } from './bounded-result.ts';
import { type OpenFile, openFile } from './open-file.ts';
import type { TaskPorts } from './task-ports.ts';

const PARTS: readonly FilePart[] = ['source', 'cover', 'video'];
/** Links outlive the task by this time. */
const SPARE_MS = 3_600_000;
const UNKNOWN_TYPE = 'application/octet-stream';

export interface KeepOptions {
  /** Which files at public URLs are copied. Files that only the gateway can read are always copied. */
  readonly publicFiles: 'all' | 'short-lived' | 'none';
  /** Called after each file. Resolves to false to stop, because the task belongs to another process. */
  readonly saved: (kept: KeptFiles) => Promise<boolean>;
}

/**
 * Copies the files that a job has made to the media store, except those that are there already. Resolves to all kept files, or to why a
 * file that clients cannot read otherwise could not be kept. A public file that could not be copied is also such a failure: the caller
 * decides how often to retry.
 */
export async function keepFiles(
  ports: TaskPorts,
  task: Task,
  result: JobResult,
  target: Target,
  { publicFiles, saved }: KeepOptions,
): Promise<KeptFiles | Failure | 'lost'> {
  let kept = task.kept;
  for (const one of filesToCopy(result, kept, publicFiles)) {
    const file = await keepFile(ports, task, target, one);
    if (file instanceof Failure) {
      // A song without its cover is still useful.
      if (one.part !== 'source' || (isRefused(file) && publicUrlOf(one.source) !== null)) continue;
      return file;
    }
    kept = { ...kept, [one.place]: file };
    if (!(await saved(kept))) return 'lost';
  }
  return kept;
}

/** Returns the files that are not kept yet. */
export function filesToCopy(
  { items }: JobResult,
  kept: KeptFiles,
  publicFiles: KeepOptions['publicFiles'],
): readonly OnePart[] {
  return items.flatMap((item, index) =>
    PARTS.flatMap((part) => {
      const place = `${index}/${part}`;
      const source = item[part] ?? null;
      const isWanted = source !== null && !Object.hasOwn(kept, place) && isCopied(source, publicFiles);
      return isWanted ? [{ item, part, source, place }] : [];
    }),
  );
}

const REFUSALS: ReadonlySet<string> = new Set([
  'media_store_off',
  'http_400',
  'http_401',
  'http_403',
  'http_404',
  'http_410',
]);

/** Returns whether a retry would change nothing. The client then gets the URL from the upstream. */
function isRefused({ kind }: Failure): boolean {
  return REFUSALS.has(kind) || kind.startsWith('upstream_auth');
}

function isCopied(source: FileSource, publicFiles: KeepOptions['publicFiles']): boolean {
  if (publicUrlOf(source) === null) return true;
  if (source.kind === 'channel') return publicFiles !== 'none';
  return (
    publicFiles === 'all' || (publicFiles === 'short-lived' && source.kind === 'url' && source.isShortLived === true)
  );
}

export interface OnePart {
  readonly item: MadeItem;
  readonly part: FilePart;
  readonly source: FileSource;
  /** The key in `KeptFiles`. */
  readonly place: string;
}

async function keepFile(
  ports: TaskPorts,
  { accountId }: Task,
  target: Target,
  { item, part, source }: OnePart,
): Promise<KeptFile | Failure> {
  const opened = await openFile(ports, { accountId, target, source });
  if (opened instanceof Failure) return opened;
  try {
    const mediaType = typeOf(part === 'source' ? item.mediaType : null, opened);
    const expiresAtMs = ports.clock.nowMs() + ports.settings.keepMs + SPARE_MS;
    const stored = await ports.mediaStore.put({ accountId, content: opened.content, mediaType, expiresAtMs });
    if (stored instanceof Failure) return stored;
    return { id: stored.id, expiresAtMs: stored.expiresAtMs, mediaType: stored.mediaType };
  } finally {
    opened.release();
  }
}

/** Prefers the type that the bytes show; servers call many files `application/octet-stream`. */
function typeOf(declared: string | null, { content, mediaType }: OpenFile): string {
  const seen = sniffed(content);
  const said = mediaType === UNKNOWN_TYPE || mediaType === 'binary/octet-stream' ? null : mediaType;
  return seen ?? declared ?? said ?? UNKNOWN_TYPE;
}

function sniffed(content: MediaContent): string | null {
  return content.kind === 'bytes' ? sniffMediaType(content.bytes) : null;
}
