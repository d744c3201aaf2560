import { isUsualMember, TUNING } from '../../domain/exchange/features.ts';
import type { Feature, Loss } from '../../domain/exchange/loss.ts';
import { type Reasons, reasonsAt } from '../../domain/exchange/reasoning.ts';
import { appendMember, type Edit, removeMembers } from '../../formats/shared/json/json-patch.ts';
import { MemberNames, type MemberSpan, scanObject } from '../../formats/shared/json/json-scan.ts';
import { isRecord } from '../../formats/shared/json/record.ts';
import type { ParsedRequest } from '../../formats/text/client-request.ts';
import type { FieldTable } from '../../formats/text/format.ts';
import type { Quirk } from '../../formats/text/quirk.ts';

/** A member that asks for a feature which the provider lacks. */
export interface LackedMember {
  readonly feature: Feature;
  readonly why: string;
  /** Limits the lack to requests for which the model reasons. */
  readonly while?: Reasons;
}

interface AddedMember {
  readonly name: string;
  readonly json: string;
  /** The name of a member that excludes this one. */
  readonly unless: string | undefined;
}

/** Top-level members that a provider renames, lacks, or rejects with an error. */
export interface RelayMembers {
  readonly renames: Readonly<Record<string, string>>;
  /** Members that ask for the provider's default behaviour, and are left out. */
  readonly omits: readonly string[];
  /** Members that are left out, and reported as losses unless they ask for the default. */
  readonly lacks: ReadonlyMap<string, LackedMember>;
  /** Members that are added to a body without them. */
  readonly sets: readonly AddedMember[];
  /** Members whose omission loses something, which only the translate lane can report. */
  readonly losses: readonly string[];
}

/**
 * Returns the relay lane's patches, or `null` for the common provider that accepts all of its format's members. `fields` is the format's
 * table of members.
 */
export function relayMembers(quirks: readonly Quirk[], fields: FieldTable = {}): RelayMembers | null {
  const renames: Record<string, string> = {};
  const sets: AddedMember[] = [];
  const omits: string[] = [];
  const losses: string[] = [];
  for (const quirk of quirks) {
    if (quirk.kind === 'rename' && quirk.isRefused) renames[quirk.from] = quirk.to;
    else if (quirk.kind === 'set') {
      sets.push({ name: quirk.field, json: JSON.stringify(quirk.value), unless: quirk.unless });
    } else if (quirk.kind === 'omit') (quirk.isServed ? omits : losses).push(quirk.field);
  }
  const lacks = lackedMembers(quirks, fields);
  const count = omits.length + losses.length + lacks.size + sets.length + Object.keys(renames).length;
  return count === 0 ? null : { renames, omits, lacks, sets, losses };
}

function lackedMembers(quirks: readonly Quirk[], fields: FieldTable): ReadonlyMap<string, LackedMember> {
  const lacked = new Map<Feature, LackedMember>();
  for (const quirk of quirks) {
    if (quirk.kind === 'has') lacked.delete(quirk.feature);
    else if (quirk.kind === 'lacks' && quirk.verdict === 'dropped' && TUNING.has(quirk.feature)) {
      const { feature, why } = quirk;
      lacked.set(feature, { feature, why, ...(quirk.while !== undefined && { while: quirk.while }) });
    }
  }
  if (lacked.size === 0) return NONE_LACKED;
  return new Map(
    Object.entries(fields).flatMap(([path, about]) => {
      // Classes that are not features are not in the map.
      const member = /^\w+$/.test(path) ? lacked.get(about as Feature) : undefined;
      return member === undefined ? [] : [[path, member] as const];
    }),
  );
}

const NONE_LACKED: ReadonlyMap<string, LackedMember> = new Map();

/** Leaves out the member by which clients name a session, for a provider that does not know it. */
export const WITHOUT_SESSION: RelayMembers = {
  ...{ renames: {}, omits: ['session_id'], lacks: NONE_LACKED, sets: [], losses: [] },
};

/** Returns the names of the members of a body that the provider lacks. */
function lackedIn(body: ParsedRequest['body'], { lacks }: RelayMembers): readonly string[] {
  const found: string[] = [];
  for (const [name, member] of lacks) {
    if (!Object.hasOwn(body, name)) continue;
    if (member.while === undefined || reasonsAt(effortIn(body), member.while)) found.push(name);
  }
  return found;
}

/** Returns the reasoning effort of a body in one of OpenAI's formats; no other format has models that can answer without reasoning. */
function effortIn({ reasoning_effort, reasoning }: ParsedRequest['body']): unknown {
  return reasoning_effort ?? (isRecord(reasoning) ? reasoning.effort : undefined);
}

/** Returns the losses from members that `memberEdits` leaves out of a body. */
export function memberLosses(body: ParsedRequest['body'], members: RelayMembers): readonly Loss[] {
  return lackedIn(body, members).flatMap((field) => {
    const lacked = members.lacks.get(field);
    if (lacked === undefined || isUsualMember(lacked.feature, body[field])) return [];
    return { field, verdict: 'dropped' as const, why: lacked.why };
  });
}

/**
 * Returns whether the provider would reject the body unless a member is left out: one that it does not accept, or one of two that it gives
 * the same name.
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
 * Returns the provider's patches of the relay lane, in addition to the format's own: members are renamed, left out or added. Empty if the
 * body needs none.
 */
export function memberEdits(bytes: Uint8Array, { body }: ParsedRequest, members: RelayMembers): readonly Edit[] {
  const { renames, omits } = members;
  const lacked = lackedIn(body, members);
  const known = [...Object.keys(renames), ...omits].filter((name) => Object.hasOwn(body, name));
  const names = [...new Set([...known, ...lacked])];
  const added = members.sets.filter(
    ({ name, unless }) => !Object.hasOwn(body, name) && (unless === undefined || !Object.hasOwn(body, unless)),
  );
  if (names.length + added.length === 0) return [];
  const object = scanObject(bytes, 0, new MemberNames(...names));
  if (!object) throw new Error('a request body is a JSON object');
  const newName = ({ name }: MemberSpan) => {
    const to = lacked.includes(name) ? undefined : renames[name];
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
  const inOrder = edits.toSorted((left, right) => left.start - right.start);
  if (added.length === 0) return inOrder;
  const text = added.map(({ name, json }) => `${JSON.stringify(name)}:${json}`).join();
  return [...inOrder, appendMember(object, text)];
}

function keyEnd(bytes: Uint8Array, keyStart: number): number {
  let at = keyStart + 1;
  while (bytes[at] !== 0x22 || bytes[at - 1] === 0x5c) at++;
  return at + 1;
}
