import type { ParsedRequest } from '../../formats/format.ts';
import type { Quirk } from '../../formats/quirk.ts';
import { applyEdits, type Edit } from '../../formats/shared/json-patch.ts';
import { MemberNames, scanObject, skipWhitespace } from '../../formats/shared/json-scan.ts';

const COMMA = 0x2c;

/** Top-level members that a provider names otherwise than its format, or answers with an error. */
export interface RelayMembers {
  readonly renames: Readonly<Record<string, string>>;
  readonly omits: readonly string[];
}

/** `null` for a provider that takes all of its format's members, as most do. */
export function relayMembers(quirks: readonly Quirk[]): RelayMembers | null {
  const renames: Record<string, string> = {};
  const omits: string[] = [];
  for (const quirk of quirks) {
    if (quirk.kind === 'rename') renames[quirk.from] = quirk.to;
    else if (quirk.kind === 'omit') omits.push(quirk.field);
  }
  return omits.length === 0 && Object.keys(renames).length === 0 ? null : { renames, omits };
}

/**
 * Declared patches of the relay lane beyond the format's own: the client's member under the provider's name, or without one
 * that the provider refuses. A body that has none of them stays the same bytes.
 */
export function patchMembers(
  bytes: Uint8Array<ArrayBuffer>,
  { body }: ParsedRequest,
  { renames, omits }: RelayMembers,
): Uint8Array<ArrayBuffer> {
  const names = [...Object.keys(renames), ...omits].filter((name) => Object.hasOwn(body, name));
  if (names.length === 0) return bytes;
  const object = scanObject(bytes, 0, new MemberNames(...names));
  if (!object) throw new Error('a request body is a JSON object');
  const edits: Edit[] = [];
  for (const { name, keyStart, valueEnd } of object.members) {
    const to = renames[name];
    if (to !== undefined && !Object.hasOwn(body, to)) {
      edits.push({ start: keyStart, end: keyEnd(bytes, keyStart), text: JSON.stringify(to) });
    } else {
      edits.push(removal(bytes, object.start, keyStart, valueEnd));
    }
  }
  return applyEdits(bytes, edits);
}

function keyEnd(bytes: Uint8Array, keyStart: number): number {
  let at = keyStart + 1;
  while (bytes[at] !== 0x22 || bytes[at - 1] === 0x5c) at++;
  return at + 1;
}

/** With the comma after it, or, for the last member, the one before it. The model is never removed, so there is another one. */
function removal(bytes: Uint8Array, objectStart: number, keyStart: number, valueEnd: number): Edit {
  const next = skipWhitespace(bytes, valueEnd);
  if (bytes[next] === COMMA) return { start: keyStart, end: skipWhitespace(bytes, next + 1), text: '' };
  let start = keyStart;
  while (start > objectStart + 1 && bytes[start - 1] !== COMMA) start--;
  return { start: start > objectStart + 1 ? start - 1 : keyStart, end: valueEnd, text: '' };
}
