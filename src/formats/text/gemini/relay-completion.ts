import type { RelayPatch } from '../../format.ts';
import { type Edit, replaceValue } from '../../shared/json/json-patch.ts';
import { equalAt, type MemberSpan, type ObjectSpan } from '../../shared/json/json-scan.ts';
import { fillIn, inOrder, memberNamed, type Needed } from '../shared/fill-in.ts';

/* The gateway's changes to an answer: the model, members that clients need and some upstreams omit, and `_routing`. */

const utf8 = new TextEncoder();

function modelEdits(bytes: Uint8Array, object: ObjectSpan, { publicModel }: RelayPatch): Edit[] {
  const edits: Edit[] = [];
  for (const member of object.members) {
    if (member.name !== 'modelVersion') continue;
    const json = JSON.stringify(publicModel);
    if (!isAlready(bytes, member, json)) edits.push(replaceValue(member, json));
  }
  return edits;
}

function isAlready(bytes: Uint8Array, { valueStart, valueEnd }: MemberSpan, json: string): boolean {
  const expected = utf8.encode(json);
  return valueEnd - valueStart === expected.length && equalAt(bytes, valueStart, expected);
}

/** Returns the members by which clients identify an answer. The id is the same in all chunks. */
export function neededOf({ publicModel, newId }: RelayPatch): Needed {
  let id: string | null = null;
  return {
    modelVersion: () => JSON.stringify(publicModel),
    responseId: () => (id ??= JSON.stringify(newId(''))),
  };
}

/** Returns the edits of a chunk; `more` is JSON text of further members. */
export function chunkEdits(
  bytes: Uint8Array,
  object: ObjectSpan,
  patch: RelayPatch,
  needed: Needed,
  more = '',
): Edit[] {
  const edits = modelEdits(bytes, object, patch);
  if (more === '' && hasAll(object, needed)) return edits;
  return inOrder([...edits, ...fillIn(bytes, object, needed, { replacesUnset: false, more })]);
}

function hasAll(object: ObjectSpan, needed: Needed): boolean {
  for (const name in needed) if (memberNamed(object, name) === null) return false;
  return true;
}

/** Returns the edits of a whole answer or a last chunk, with `_routing` and, if it is given, the usage as JSON text. */
export function lastEdits(
  bytes: Uint8Array,
  object: ObjectSpan,
  patch: RelayPatch,
  needed: Needed,
  usage: string | null = null,
): Edit[] {
  const edits: Edit[] = [];
  const added: string[] = [];
  const told = [
    ['usageMetadata', usage],
    ['_routing', patch.routing.json],
  ] as const;
  for (const [name, json] of told) {
    if (json === null) continue;
    const present = memberNamed(object, name);
    if (present === null) added.push(`"${name}":${json}`);
    else edits.push(replaceValue(present, json));
  }
  return inOrder([...edits, ...chunkEdits(bytes, object, patch, needed, added.join(','))]);
}
