const utf8 = new TextEncoder();

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
  const replacements = edits.map((edit) => utf8.encode(edit.text));
  let length = bytes.length;
  edits.forEach((edit, index) => {
    length += (replacements[index]?.length ?? 0) - (edit.end - edit.start);
  });
  const out = new Uint8Array(length);
  let from = 0;
  let to = 0;
  edits.forEach((edit, index) => {
    const replacement = replacements[index] ?? new Uint8Array(0);
    out.set(bytes.subarray(from, edit.start), to);
    to += edit.start - from;
    out.set(replacement, to);
    to += replacement.length;
    from = edit.end;
  });
  out.set(bytes.subarray(from), to);
  return out;
}
