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

/* What clients need of a response and some upstreams leave out. */

const ITEM_MEMBERS = new MemberNames('type', 'arguments', 'id');
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
  const type = object === null ? null : memberNamed(object, 'type');
  return object !== null && type !== null && isCall(bytes, type) ? fillIn(bytes, object, ARGUMENTS) : [];
}

function isCall(bytes: Uint8Array, { valueStart }: MemberSpan): boolean {
  return equalAt(bytes, valueStart, FUNCTION_CALL);
}

/** The same for each call of a finished response's output, and an id for each item that has none. */
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

/** The ids that the gateway gives to items of one response whose upstream gives them none. */
export class ItemIds {
  private readonly ids = new Map<number, string>();
  /** The item that is looked at. */
  private bytes: Uint8Array = new Uint8Array(0);
  private type: MemberSpan | null = null;
  private index = 0;
  private readonly ofItem: Needed = { id: () => JSON.stringify(this.made()) };
  private readonly ofCall: Needed = { ...ARGUMENTS, ...this.ofItem };

  constructor(private readonly newId: (prefix: string) => string) {}

  /** What the item at this place of the output needs; made only if it lacks it. */
  needed(bytes: Uint8Array, type: MemberSpan, index: number): Needed {
    this.bytes = bytes;
    this.type = type;
    this.index = index;
    return isCall(bytes, type) ? this.ofCall : this.ofItem;
  }

  /** What an item that has just begun needs: its arguments are still to come. */
  neededAtStart(bytes: Uint8Array, type: MemberSpan, index: number): Needed {
    this.needed(bytes, type, index);
    return this.ofItem;
  }

  /** The id that was given to the item at this place of the output; `null` if it has one of its upstream. */
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
 * The edits for what an event lacks: its number, the id of its item, and the reference to that. Only events with an item are looked into
 * until an item without an id has come.
 */
export function completeEvent(event: Uint8Array, object: ObjectSpan, number: number, ids: ItemIds): readonly Edit[] {
  const item = memberNamed(object, 'item');
  const hasNumber = memberNamed(object, 'sequence_number') !== null;
  // Nearly all events: nothing is made for them.
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

/** The same for the event that states the arguments of a call. */
export function completeArguments(event: Uint8Array, from: number): Edit[] {
  const object = scanObject(event, from, DONE_MEMBERS);
  return object === null ? [] : fillIn(event, object, ARGUMENTS);
}
