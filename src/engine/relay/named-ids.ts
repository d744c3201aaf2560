import { parseJson } from '../../formats/shared/json/json-text.ts';
import { isRecord } from '../../formats/shared/json/record.ts';
import { segmentsOf } from './upstream-place.ts';

/** One call names, and one answer brings, no more than are remembered at once. */
const MOST = 2_000;
const DEEPEST = 12;
const LONGEST = 512;

/** Members whose texts are ids of what a provider keeps, in requests and answers of these APIs; `…_file(s)` are Mistral's batches. */
const NAMES = /^(?:id|uri|file_?uri|conversation|(?:input|output|error)_files?|\w+_id|\w+_ids|\w+Id)$/i;
/** Google's ids name their kind, in whatever member they are; in other vendors' APIs `name` is chosen by the client. */
const GOOGLE_ID = /^(?:files|cachedContents|batches|interactions)\/[\w.-]+$/;
/** Members that name no object of one channel: their values belong to no channel, or are the same at several. */
const OTHERS = /^(?:request_id|custom_id|organization_id|project_id|workspace_id|user_id)$/;
/** Members in which clients store values of their own; objects of two channels may have the same values there. */
const NOTES = /^(?:metadata|attributes)$/;

/** The ids that a path and a query name: Google's come with the collection in front (`files/abc`). */
export function idsInAddress(path: string, tail: string, query: URLSearchParams): string[] {
  const segments = segmentsOf(tail.replace(/^:.*$/, '')).map((segment) => segment.replace(/:[a-z]\w*$/i, ''));
  const [first] = segments;
  const inQuery = [...query].flatMap(([name, value]) => (NAMES.test(name) && value !== '' ? [value] : []));
  return [...(first === undefined ? [] : [`${path}/${first}`]), ...segments, ...inQuery].slice(0, MOST);
}

/** The ids in a JSON text, of a request or an answer; none where it is no JSON. */
export function idsInJson(text: string): string[] {
  const found = new Set<string>();
  collect(parseJson(text), { found, isId: false, isNote: false, depth: 0 });
  return [...found];
}

interface Looking {
  readonly found: Set<string>;
  /** Whether the name of the member makes the text an id. */
  readonly isId: boolean;
  readonly isNote: boolean;
  readonly depth: number;
}

function collect(value: unknown, looking: Looking): void {
  const { found, isId, isNote, depth } = looking;
  if (found.size >= MOST || depth > DEEPEST) return;
  if (typeof value === 'string') {
    if (value !== '' && value.length <= LONGEST && (isId || GOOGLE_ID.test(value))) found.add(value);
  } else if (Array.isArray(value)) {
    for (const item of value) collect(item, { ...looking, depth: depth + 1 });
  } else if (isRecord(value)) {
    for (const [name, member] of Object.entries(value)) {
      const inNote = isNote || NOTES.test(name);
      const isName = !inNote && NAMES.test(name) && !OTHERS.test(name);
      collect(member, { found, isId: isName, isNote: inNote, depth: depth + 1 });
    }
  }
}
