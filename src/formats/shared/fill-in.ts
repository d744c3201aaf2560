import { appendMember, type Edit, replaceValue } from './json-patch.ts';
import { isNullAt, type MemberSpan, type ObjectSpan, skipWhitespace } from './json-scan.ts';

/* Members that every client of a format needs, and that some upstreams leave out of their answers. */

/** By name: the JSON text of a member that is missing. The object must have been scanned for these names. */
export type Needed = Readonly<Record<string, () => string>>;

interface FillOptions {
  /** Whether members that are `null` or an empty string count as missing; `true` where it is left out. */
  readonly replacesUnset?: boolean;
  /** JSON text of further members to append: two insertions at one place would not know of each other's commas. */
  readonly more?: string;
}

/** Returns the edits that give an object the members that it lacks. */
export function fillIn(
  bytes: Uint8Array,
  object: ObjectSpan,
  needed: Needed,
  { replacesUnset = true, more = '' }: FillOptions = {},
): Edit[] {
  const edits: Edit[] = [];
  const appended: string[] = [];
  for (const [name, json] of Object.entries(needed)) {
    const member = object.members.find((candidate) => candidate.name === name);
    if (member === undefined) appended.push(`"${name}":${json()}`);
    else if (replacesUnset && isUnset(bytes, member)) edits.push(replaceValue(member, json()));
  }
  if (more !== '') appended.push(more);
  if (appended.length > 0) edits.push(appendMember(object, appended.join()));
  return edits;
}

const QUOTE = 0x22;

/** Whether a member is `null` or a blank string, which servers without optional members write for none. */
export function isUnset(bytes: Uint8Array, { valueStart, valueEnd }: MemberSpan): boolean {
  if (isNullAt(bytes, valueStart)) return true;
  return bytes[valueStart] === QUOTE && skipWhitespace(bytes, valueStart + 1) === valueEnd - 1;
}

/** Edits in the order in which they are applied; those at one place keep theirs. */
export function inOrder(edits: Edit[]): Edit[] {
  return edits.sort((left, right) => left.start - right.start);
}
