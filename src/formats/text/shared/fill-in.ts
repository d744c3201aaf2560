import { appendMember, type Edit, replaceValue } from '../../shared/json/json-patch.ts';
import { isNullAt, type MemberSpan, type ObjectSpan, skipWhitespace } from '../../shared/json/json-scan.ts';

/* Supplies members that every client of a format needs and that some upstreams omit. */

/**
 * The JSON text of each needed member, or a function that returns it, by name. The object must have been scanned for these names.
 */
export type Needed = Readonly<Record<string, string | (() => string)>>;

interface FillOptions {
  /** Whether members that are `null` or an empty string count as missing; defaults to `true`. */
  readonly replacesUnset?: boolean;
  /** JSON text of further members to append, because two insertions at one place could not agree on their commas. */
  readonly more?: string;
}

/** Returns the edits that add an object's missing members. */
export function fillIn(
  bytes: Uint8Array,
  object: ObjectSpan,
  needed: Needed,
  { replacesUnset = true, more = '' }: FillOptions = {},
): Edit[] {
  const edits: Edit[] = [];
  let appended = '';
  // Almost no answer lacks any, so nothing is allocated before one is found missing.
  for (const name in needed) {
    const member = memberNamed(object, name);
    if (member !== null && !(replacesUnset && isUnset(bytes, member))) continue;
    const json = neededText(needed, name);
    if (member !== null) edits.push(replaceValue(member, json));
    else appended = joined(appended, `"${name}":${json}`);
  }
  appended = joined(appended, more);
  if (appended !== '') edits.push(appendMember(object, appended));
  return edits;
}

/** Returns the JSON text of a needed member; that of `null` if none exists. */
export function neededText(needed: Needed, name: string): string {
  const made = needed[name] ?? 'null';
  return typeof made === 'string' ? made : made();
}

function joined(members: string, more: string): string {
  return members === '' || more === '' ? members + more : `${members},${more}`;
}

/** Returns the first member with this name. */
export function memberNamed({ members }: ObjectSpan, name: string): MemberSpan | null {
  for (const member of members) if (member.name === name) return member;
  return null;
}

const QUOTE = 0x22;

/** Returns whether a member is `null` or a blank string, which servers without optional members write for an absent one. */
export function isUnset(bytes: Uint8Array, { valueStart, valueEnd }: MemberSpan): boolean {
  if (isNullAt(bytes, valueStart)) return true;
  return bytes[valueStart] === QUOTE && skipWhitespace(bytes, valueStart + 1) === valueEnd - 1;
}

/** Sorts edits into the order in which they are applied; edits at one place keep theirs. */
export function inOrder(edits: Edit[]): Edit[] {
  return edits.sort((left, right) => left.start - right.start);
}
