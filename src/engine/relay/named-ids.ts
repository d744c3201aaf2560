import { parseJson } from '../../formats/shared/json/json-text.ts';
import { isRecord } from '../../formats/shared/json/record.ts';
import { segmentsOf } from './upstream-place.ts';

/** The most ids of a call or an answer: as many as are remembered at once. */
const MOST = 2_000;
const DEEPEST = 12;
const LONGEST = 512;

/** Matches members whose texts are ids of provider objects, in requests and answers of these APIs; `…_file(s)` are Mistral's batches. */
const NAMES = /^(?:id|uri|file_?uri|conversation|(?:input|output|error)_files?|\w+_id|\w+_ids|\w+Id)$/i;
/** Matches Google's ids, which include their kind, in any member. In other vendors' APIs the client chooses `name`. */
const GOOGLE_ID = /^(?:files|cachedContents|batches|interactions)\/[\w.-]+$/;
/** Matches members whose values identify no object of one channel, or are the same at several. */
const OTHERS = /^(?:request_id|custom_id|organization_id|project_id|workspace_id|user_id)$/;
/** Matches members with clients' own values, which may be equal in objects of two channels. */
const NOTES = /^(?:metadata|attributes)$/;

/** Returns the ids in a path and a query. Google's include the collection (`files/abc`). */
export function idsInAddress(path: string, tail: string, query: URLSearchParams): string[] {
  const segments = segmentsOf(tail.replace(/^:.*$/, '')).map((segment) => segment.replace(/:[a-z]\w*$/i, ''));
  const [first] = segments;
  const inQuery = [...query].flatMap(([name, value]) => (NAMES.test(name) && value !== '' ? [value] : []));
  return [...(first === undefined ? [] : [`${path}/${first}`]), ...segments, ...inQuery].slice(0, MOST);
}

/** Returns the ids in the JSON text of a request or an answer; none if it is not JSON. */
export function idsInJson(text: string): string[] {
  const found = new Set<string>();
  collect(parseJson(text), { found, isId: false, isNote: false, depth: 0 });
  return [...found];
}

interface Looking {
  readonly found: Set<string>;
  /** Whether the member's name marks its text as an id. */
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
