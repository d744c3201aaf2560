import type { WrittenRouting } from '../../../domain/exchange/routing-info.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import { eventTooLarge } from '../failure/answer-failure.ts';
import { appendMember, applyEdits, type Edit, replaceValue } from '../json/json-patch.ts';
import { MemberNames, type MemberSpan, type ObjectSpan, scanObject } from '../json/json-scan.ts';
import { concat, type EventSplitter, EventTooLarge, joinedData } from './sse.ts';

/* What the relays of all formats do with events as bytes. Functions and no class: each relay keeps its own short way. */

const EMPTY = new Uint8Array(0);
const BLANK_LINE = new Uint8Array([0x0a, 0x0a]);
const utf8 = new TextEncoder();

/** Hands on the events that the piece completes; the failure where one is past `MAX_EVENT_BYTES`. */
export function splitPiece(
  splitter: EventSplitter,
  piece: Uint8Array,
  onEvent: (event: Uint8Array) => void,
): Failure | null {
  try {
    splitter.push(piece, onEvent);
    return null;
  } catch (error) {
    if (!(error instanceof EventTooLarge)) throw error;
    return eventTooLarge();
  }
}

/** One array of all pieces. What a piece of the upstream's gave is most often one event, which is not copied. */
export function joinPieces(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces;
  if (only === undefined) return EMPTY;
  return pieces.length === 1 ? only : Buffer.concat(pieces);
}

/** Some upstreams leave out the blank line after their last event; without it a client would never see that event. */
export function withBlankLine(event: Uint8Array): Uint8Array {
  return concat(event, BLANK_LINE);
}

/** An event whose data came on several lines, on one: a line feed between two tokens of JSON is no more than a space. */
export function onOneLine(event: Uint8Array, nameLine = ''): Uint8Array {
  return utf8.encode(`${nameLine}data: ${joinedData(event).replaceAll('\n', ' ')}\n\n`);
}

/** Puts `_routing` into an object that has it already, as another gateway's answer does, or has it not. */
export function routingEdit(object: ObjectSpan, present: MemberSpan | undefined, routing: WrittenRouting): Edit {
  return present ? replaceValue(present, routing.json) : appendMember(object, `"_routing":${routing.json}`);
}

/** Edits of an event's bytes as edits of the object in it alone. */
export function editsWithin({ start: from }: Pick<ObjectSpan, 'start'>, edits: readonly Edit[]): Edit[] {
  return edits.map(({ start, end, text }) => ({ start: start - from, end: end - from, text }));
}

/** An object with this member, in place of one that it has or at its end. What is no object stays as it is. */
export function withMember(
  value: Uint8Array<ArrayBuffer> | string,
  name: string,
  json: string,
): Uint8Array<ArrayBuffer> {
  const bytes = typeof value === 'string' ? utf8.encode(value) : value;
  const object = scanObject(bytes, 0, new MemberNames(name));
  if (object === null) return bytes;
  const present = object.members.at(-1);
  const edit = present === undefined ? appendMember(object, `"${name}":${json}`) : replaceValue(present, json);
  return applyEdits(bytes, [edit]);
}

const ROUTING = new MemberNames('_routing');

/** The answer to a count, which is an object without a model in it, with `_routing`. */
export function relayCount(bytes: Uint8Array, routing: WrittenRouting): Uint8Array<ArrayBuffer> | null {
  const object = scanObject(bytes, 0, ROUTING);
  return object === null ? null : applyEdits(bytes, [routingEdit(object, object.members[0], routing)]);
}
