import type { RelayPatch } from '../../format.ts';
import { appendMember, type Edit, safeParse } from '../../shared/json/json-patch.ts';
import {
  equalAt,
  isList,
  MemberNames,
  type MemberSpan,
  type ObjectSpan,
  scanObject,
  skipWhitespace,
} from '../../shared/json/json-scan.ts';
import { fillIn, isUnset, memberNamed, type Needed } from '../shared/fill-in.ts';
import { idPrefixOf } from './input-items.ts';

/* Supplies members that clients need in a response and that some upstreams omit. */

const ITEM_MEMBERS = new MemberNames('type', 'arguments', 'id');
const FUNCTION_CALL = new TextEncoder().encode('"function_call"');
const ARGUMENTS: Needed = { arguments: () => '"{}"' };

/** Returns the members of a response. They are the same in all events of one stream. */
export function neededOfResponse({ publicModel, created, newId }: RelayPatch): Needed {
  let id: string | null = null;
  return {
    id: () => (id ??= JSON.stringify(newId('resp_'))),
    object: () => '"response"',
    created_at: () => String(created),
    model: () => JSON.stringify(publicModel),
  };
}

/** Gives a finished call without arguments an empty object, because clients parse the arguments. */
export function completeCall(bytes: Uint8Array, item: MemberSpan): Edit[] {
  const object = scanObject(bytes, item.valueStart, ITEM_MEMBERS);
  const type = object === null ? null : memberNamed(object, 'type');
  return object !== null && type !== null && isCall(bytes, type) ? fillIn(bytes, object, ARGUMENTS) : [];
}

function isCall(bytes: Uint8Array, { valueStart }: MemberSpan): boolean {
  return equalAt(bytes, valueStart, FUNCTION_CALL);
}

/** Does the same for each call in a finished response's output, and assigns missing item ids. */
export function completeOutput(bytes: Uint8Array, output: MemberSpan, ids: ItemIds): Edit[] {
  if (!isList(bytes, output)) return [];
  const edits: Edit[] = [];
  let at = output.valueStart;
  for (let index = 0; ; index++) {
    const item = scanObject(bytes, at + 1, ITEM_MEMBERS);
    if (!item) return edits;
    const type = memberNamed(item, 'type');
    if (type !== null) edits.push(...fillIn(bytes, item, ids.needed(bytes, type, index)));
    at = skipWhitespace(bytes, item.end);
  }
}

/** The ids that the gateway assigns to a response's items if the upstream sends none. */
export class ItemIds {
  private readonly ids = new Map<number, string>();
  /** The item that is being examined. */
  private bytes: Uint8Array = new Uint8Array(0);
  private type: MemberSpan | null = null;
  private index = 0;
  private readonly ofItem: Needed = { id: () => JSON.stringify(this.made()) };
  private readonly ofCall: Needed = { ...ARGUMENTS, ...this.ofItem };

  constructor(private readonly newId: (prefix: string) => string) {}

  /** Returns the members that the item at this index of the output needs; a new id is made only if one is missing. */
  needed(bytes: Uint8Array, type: MemberSpan, index: number): Needed {
    this.bytes = bytes;
    this.type = type;
    this.index = index;
    return isCall(bytes, type) ? this.ofCall : this.ofItem;
  }

  /** Returns the members that a newly begun item needs: its arguments are still to come. */
  neededAtStart(bytes: Uint8Array, type: MemberSpan, index: number): Needed {
    this.needed(bytes, type, index);
    return this.ofItem;
  }

  /** Returns the id that was assigned to the item at this index; `null` if the upstream sent one. */
  at(index: number): string | null {
    return this.ids.get(index) ?? null;
  }

  get isEmpty(): boolean {
    return this.ids.size === 0;
  }

  private made(): string {
    const known = this.ids.get(this.index);
    if (known !== undefined) return known;
    const type = this.type === null ? '' : String(safeParse(this.bytes, this.type));
    const id = this.newId(idPrefixOf(type));
    this.ids.set(this.index, id);
    return id;
  }
}

const NOTHING_MISSING: readonly Edit[] = [];
const PLACED_MEMBERS = new MemberNames('type', 'item_id', 'output_index');

/**
 * Returns the edits for an event's missing members: its number, its item's id, and references to that id. Only events with an
 * item are examined until an item without an id has appeared.
 */
export function completeEvent(event: Uint8Array, object: ObjectSpan, number: number, ids: ItemIds): readonly Edit[] {
  const item = memberNamed(object, 'item');
  const hasNumber = memberNamed(object, 'sequence_number') !== null;
  // The fast path for nearly all events allocates nothing.
  if (hasNumber && item === null && ids.isEmpty) return NOTHING_MISSING;
  const edits: Edit[] = [];
  let appended = hasNumber ? '' : `"sequence_number":${number}`;
  if (item !== null) edits.push(...itemEdits(event, object, item, ids));
  else if (!ids.isEmpty) {
    const id = missingReference(event, object, ids);
    if (id !== null) appended += `${appended === '' ? '' : ','}"item_id":${JSON.stringify(id)}`;
  }
  if (appended !== '') edits.push(appendMember(object, appended));
  return edits;
}

function itemEdits(event: Uint8Array, { start }: ObjectSpan, item: MemberSpan, ids: ItemIds): Edit[] {
  const object = scanObject(event, item.valueStart, ITEM_MEMBERS);
  const type = object === null ? null : memberNamed(object, 'type');
  if (object === null || type === null || hasId(event, object)) return [];
  const index = outputIndex(event, scanObject(event, start, PLACED_MEMBERS));
  return index === null ? [] : fillIn(event, object, ids.neededAtStart(event, type, index));
}

function hasId(event: Uint8Array, object: ObjectSpan): boolean {
  const id = memberNamed(object, 'id');
  return id !== null && !isUnset(event, id);
}

function missingReference(event: Uint8Array, { start }: ObjectSpan, ids: ItemIds): string | null {
  const object = scanObject(event, start, PLACED_MEMBERS);
  const index = outputIndex(event, object);
  return index === null || object === null || memberNamed(object, 'item_id') !== null ? null : ids.at(index);
}

function outputIndex(event: Uint8Array, object: ObjectSpan | null): number | null {
  const member = object === null ? null : memberNamed(object, 'output_index');
  const index = member === null ? null : safeParse(event, member);
  return typeof index === 'number' ? index : null;
}

const DONE_MEMBERS = new MemberNames('arguments');

/** Does the same for the event that states the arguments of a call. */
export function completeArguments(event: Uint8Array, from: number): Edit[] {
  const object = scanObject(event, from, DONE_MEMBERS);
  return object === null ? [] : fillIn(event, object, ARGUMENTS);
}
