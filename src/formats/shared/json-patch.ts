import { type MemberSpan, type ObjectSpan, parseSpan } from './json-scan.ts';

// Buffer's methods work on any byte array and spare the view that `subarray` would make for every piece; a plain Uint8Array
// is cheaper to make and to collect than a Buffer. Together a third of the cost of the obvious way.
const { copy: copyBytes, write: writeText } = Buffer.prototype;

/** Replaces the bytes `[start, end)` by `text`; an insertion has `start === end`. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Applies edits, which must be in order and must not overlap. Every byte outside of them is copied as it is.
 * The result is always a fresh array.
 */
export function applyEdits(bytes: Uint8Array, edits: readonly Edit[]): Uint8Array<ArrayBuffer> {
  let length = bytes.length;
  for (const edit of edits) length += Buffer.byteLength(edit.text) - (edit.end - edit.start);
  const out = new Uint8Array(length);
  let from = 0;
  let to = 0;
  for (const edit of edits) {
    to += copyBytes.call(bytes, out, to, from, edit.start);
    to += writeText.call(out, edit.text, to);
    from = edit.end;
  }
  copyBytes.call(bytes, out, to, from);
  return out;
}

export function replaceValue(member: MemberSpan, text: string): Edit {
  return { start: member.valueStart, end: member.valueEnd, text };
}

/** Adds a member at the end of an object, right before its closing brace. */
export function appendMember(object: ObjectSpan, text: string): Edit {
  const at = object.end - 1;
  return { start: at, end: at, text: object.empty ? text : `,${text}` };
}

export function safeParse(bytes: Uint8Array, member: MemberSpan): unknown {
  try {
    return parseSpan(bytes, member.valueStart, member.valueEnd);
  } catch {
    return null;
  }
}
