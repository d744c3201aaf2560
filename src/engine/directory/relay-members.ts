import type { ParsedRequest } from '../../formats/format.ts';
import type { Quirk } from '../../formats/quirk.ts';
import { type Edit, removeMembers } from '../../formats/shared/json-patch.ts';
import { MemberNames, type MemberSpan, scanObject } from '../../formats/shared/json-scan.ts';

/** Top-level members that a provider names otherwise than its format, or answers with an error. */
export interface RelayMembers {
  readonly renames: Readonly<Record<string, string>>;
  /** The provider does what they ask for without them. */
  readonly omits: readonly string[];
  /** Leaving them out loses something, which only the translate lane can report. */
  readonly losses: readonly string[];
}

/** `null` for a provider that takes all of its format's members, as most do. */
export function relayMembers(quirks: readonly Quirk[]): RelayMembers | null {
  const renames: Record<string, string> = {};
  const omits: string[] = [];
  const losses: string[] = [];
  for (const quirk of quirks) {
    if (quirk.kind === 'rename' && quirk.isRefused) renames[quirk.from] = quirk.to;
    else if (quirk.kind === 'omit') (quirk.isServed ? omits : losses).push(quirk.field);
  }
  const isEmpty = omits.length === 0 && losses.length === 0 && Object.keys(renames).length === 0;
  return isEmpty ? null : { renames, omits, losses };
}

/**
 * Whether the provider would refuse the body unless a member is left out: one that it does not take, or one of two members with
 * one name there.
 */
export function losesMembers(body: ParsedRequest['body'], members: RelayMembers | null): boolean {
  if (members === null) return false;
  const { renames, losses } = members;
  if (losses.some((name) => Object.hasOwn(body, name))) return true;
  return Object.entries(renames).some(
    ([from, to]) => Object.hasOwn(body, from) && Object.hasOwn(body, to) && body[from] !== body[to],
  );
}

/**
 * Declared patches of the relay lane beyond the format's own: the client's member under the provider's name, or without one
 * that the provider refuses. None where a body has none of them.
 */
export function memberEdits(
  bytes: Uint8Array,
  { body }: ParsedRequest,
  { renames, omits }: RelayMembers,
): readonly Edit[] {
  const names = [...Object.keys(renames), ...omits].filter((name) => Object.hasOwn(body, name));
  if (names.length === 0) return [];
  const object = scanObject(bytes, 0, new MemberNames(...names));
  if (!object) throw new Error('a request body is a JSON object');
  const newName = ({ name }: MemberSpan) => {
    const to = renames[name];
    return to === undefined || Object.hasOwn(body, to) ? null : to;
  };
  const edits = removeMembers(
    bytes,
    object,
    object.members.filter((member) => newName(member) === null),
  ).edits;
  for (const member of object.members) {
    const to = newName(member);
    if (to === null) continue;
    const { keyStart } = member;
    edits.push({ start: keyStart, end: keyEnd(bytes, keyStart), text: JSON.stringify(to) });
  }
  return edits.toSorted((left, right) => left.start - right.start);
}

function keyEnd(bytes: Uint8Array, keyStart: number): number {
  let at = keyStart + 1;
  while (bytes[at] !== 0x22 || bytes[at - 1] === 0x5c) at++;
  return at + 1;
}
