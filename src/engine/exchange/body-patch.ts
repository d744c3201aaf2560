import { applyEdits, type Edit } from '../../formats/shared/json-patch.ts';
import { MemberNames, type MemberSpan, scanObject, skipWhitespace } from '../../formats/shared/json-scan.ts';
import type { BodyPatch } from '../../providers/manifest.ts';

const COMMA = 0x2c;

/**
 * A body with the provider's changes of its top-level members; every other byte stays. `betas` is the client's or encoder's
 * `anthropic-beta` list, for a provider that reads it from the body.
 */
export function patchBody(
  bytes: Uint8Array<ArrayBuffer>,
  patch: BodyPatch,
  betas: string | undefined,
): Uint8Array<ArrayBuffer> {
  const added: Record<string, string> = { ...patch.add };
  if (patch.betaMember !== undefined && betas) {
    added[patch.betaMember] = JSON.stringify(betas.split(',').map((beta) => beta.trim()));
  }
  const object = scanObject(bytes, 0, new MemberNames(...patch.remove, ...Object.keys(added)));
  if (!object) throw new Error('a request body is a JSON object');
  const text = Object.entries(added)
    .map(([name, json]) => `${JSON.stringify(name)}:${json}`)
    .join(',');
  const firstKey = skipWhitespace(bytes, object.start + 1);
  const firstGoes = object.members.some(({ keyStart }) => keyStart === firstKey);
  const separator = object.empty || firstGoes || text === '' ? '' : ',';
  const edits: Edit[] = [{ start: object.start + 1, end: object.start + 1, text: text + separator }];
  for (const member of object.members) edits.push(removal(bytes, member, firstKey, text !== ''));
  return applyEdits(bytes, edits);
}

/** Every member but the first owns the comma before it; what is added stands in the first one's place. */
function removal(bytes: Uint8Array, member: MemberSpan, firstKey: number, hasAddition: boolean): Edit {
  if (member.keyStart !== firstKey)
    return { start: commaBefore(bytes, member.keyStart), end: member.valueEnd, text: '' };
  if (hasAddition) return { start: member.keyStart, end: member.valueEnd, text: '' };
  const next = skipWhitespace(bytes, member.valueEnd);
  return { start: member.keyStart, end: bytes[next] === COMMA ? next + 1 : member.valueEnd, text: '' };
}

function commaBefore(bytes: Uint8Array, from: number): number {
  let at = from - 1;
  while (bytes[at] !== COMMA) at--;
  return at;
}
