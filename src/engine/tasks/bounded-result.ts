import type { FileSource, JobResult, MadeItem } from '../../domain/tasks/job.ts';
import type { FilePart, KeptFiles } from '../../domain/tasks/task.ts';

/** More than any model makes at once. The bound matters because results are stored and sent to clients repeatedly. */
const MOST_ITEMS = 32;
const LONGEST_URL = 8_192;
const LONGEST_TEXT = 20_000;
const LONGEST_WORD = 2_000;

/** Returns the part of the result that is used: an upstream may list any number of items. */
export function firstItems(result: JobResult): JobResult {
  return result.items.length <= MOST_ITEMS ? result : { ...result, items: result.items.slice(0, MOST_ITEMS) };
}

/** Returns the result as it is stored: without the files that are kept elsewhere, and with texts of bounded length. */
export function storedResult(result: JobResult, kept: KeptFiles): JobResult {
  const { resolution, model, billable: _charged, ...rest } = result;
  return {
    ...rest,
    items: result.items.map((item, index) => storedItem(item, index, kept)),
    ...(resolution !== undefined && { resolution: cut(resolution, LONGEST_WORD) }),
    ...(model !== undefined && { model: cut(model, LONGEST_WORD) }),
  };
}

function storedItem(item: MadeItem, index: number, kept: KeptFiles): MadeItem {
  const source = (part: FilePart) => storedSource(item[part] ?? null, kept[`${index}/${part}`] !== undefined);
  return {
    ...{ source: source('source'), cover: source('cover'), video: source('video') },
    mediaType: cut(item.mediaType, LONGEST_WORD),
    durationSeconds: item.durationSeconds ?? null,
    title: cut(item.title, LONGEST_WORD),
    lyrics: cut(item.lyrics, LONGEST_TEXT),
    tags: cut(item.tags, LONGEST_WORD),
    format: cut(item.format, LONGEST_WORD),
    revisedPrompt: cut(item.revisedPrompt, LONGEST_TEXT),
    clipId: cut(item.clipId, LONGEST_WORD),
  };
}

/** Returns the URL that a client may get if there is no copy; `null` for none. */
export function publicUrlOf(source: FileSource): string | null {
  if (source.kind === 'base64') return null;
  const url = source.kind === 'url' ? source.url : (source.told ?? '');
  return /^https?:/i.test(url) ? url : null;
}

/** Drops sources other than URLs that clients can read, because only those are useful later. */
function storedSource(source: FileSource | null, isKept: boolean): FileSource | null {
  if (isKept || source === null) return null;
  const url = publicUrlOf(source);
  return url === null || url.length > LONGEST_URL ? null : { kind: 'url', url };
}

function cut(text: string | null | undefined, most: number): string | null {
  return text === null || text === undefined ? null : text.slice(0, most);
}
