import type { RelayPatch } from '../../format.ts';
import type { Edit } from '../../shared/json/json-patch.ts';
import {
  equalAt,
  isList,
  MemberNames,
  type MemberSpan,
  scanObject,
  skipWhitespace,
} from '../../shared/json/json-scan.ts';
import { fillIn, type Needed } from '../shared/fill-in.ts';

/* What clients need of a response and some upstreams leave out. */

const ITEM_MEMBERS = new MemberNames('type', 'arguments');
const FUNCTION_CALL = new TextEncoder().encode('"function_call"');
const ARGUMENTS: Needed = { arguments: () => '"{}"' };

/** The members of a response. They are the same in all events of one stream. */
export function neededOfResponse({ publicModel, created, newId }: RelayPatch): Needed {
  let id: string | null = null;
  return {
    id: () => (id ??= JSON.stringify(newId('resp_'))),
    object: () => '"response"',
    created_at: () => String(created),
    model: () => JSON.stringify(publicModel),
  };
}

/** Gives a finished call an empty object for the arguments that it lacks, because clients parse them. */
export function completeCall(bytes: Uint8Array, item: MemberSpan): Edit[] {
  const object = scanObject(bytes, item.valueStart, ITEM_MEMBERS);
  const type = object?.members.find(({ name }) => name === 'type');
  const isCall = type !== undefined && equalAt(bytes, type.valueStart, FUNCTION_CALL);
  return object !== null && isCall ? fillIn(bytes, object, ARGUMENTS) : [];
}

/** The same for each call of a finished response's output. */
export function completeOutput(bytes: Uint8Array, output: MemberSpan): Edit[] {
  if (!isList(bytes, output)) return [];
  const edits: Edit[] = [];
  let at = output.valueStart;
  for (;;) {
    const item = scanObject(bytes, at + 1, ITEM_MEMBERS);
    if (!item) return edits;
    edits.push(...completeCall(bytes, { name: '', keyStart: item.start, valueStart: item.start, valueEnd: item.end }));
    at = skipWhitespace(bytes, item.end);
  }
}

const DONE_MEMBERS = new MemberNames('arguments');

/** The same for the event that states the arguments of a call. */
export function completeArguments(event: Uint8Array, from: number): Edit[] {
  const object = scanObject(event, from, DONE_MEMBERS);
  return object === null ? [] : fillIn(event, object, ARGUMENTS);
}
