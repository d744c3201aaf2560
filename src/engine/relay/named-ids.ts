import { parseJson } from '../../formats/shared/json-text.ts';
import { isRecord } from '../../formats/shared/record.ts';
import { segmentsOf } from './upstream-place.ts';

/** One call names, and one answer brings, no more than are remembered at once. */
const MOST = 2_000;
const DEEPEST = 12;
const LONGEST = 512;

/** Members whose texts are ids of what a provider keeps, in requests and answers of these APIs. */
const NAMES =
  /^(?:id|name|uri|file_?uri|cached_?content|conversation|previous_interaction_id|upload_id|\w+_id|\w+_ids|\w+Id)$/i;
/** Of these the gateway's own channels say nothing, or anything. */
const OTHERS = /^(?:request_id|custom_id|organization_id|project_id|workspace_id)$/;

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
  collect(parseJson(text), false, 0, found);
  return [...found];
}

function collect(value: unknown, isId: boolean, depth: number, found: Set<string>): void {
  if (found.size >= MOST || depth > DEEPEST) return;
  if (typeof value === 'string') {
    if (isId && value !== '' && value.length <= LONGEST) found.add(value);
  } else if (Array.isArray(value)) {
    for (const item of value) collect(item, isId, depth + 1, found);
  } else if (isRecord(value)) {
    for (const [name, member] of Object.entries(value)) {
      collect(member, NAMES.test(name) && !OTHERS.test(name), depth + 1, found);
    }
  }
}
