import type { WrittenRouting } from '../../../domain/exchange/routing-info.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import { eventTooLarge } from '../failure/answer-failure.ts';
import { appendMember, applyEdits, type Edit, replaceValue } from '../json/json-patch.ts';
import { MemberNames, type MemberSpan, type ObjectSpan, scanObject } from '../json/json-scan.ts';
import { concat, type EventSplitter, EventTooLarge, joinedData } from './sse.ts';

/*
 * Shared by the relays of all formats, which handle events as bytes. Functions instead of a class: each relay keeps its own fast
 * path.
 */

const EMPTY = new Uint8Array(0);
const BLANK_LINE = new Uint8Array([0x0a, 0x0a]);
const utf8 = new TextEncoder();

/** Passes on the events that the piece completes; returns a failure if one exceeds `MAX_EVENT_BYTES`. */
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

/** Joins all pieces into one array. Usually there is only one event, which is not copied. */
export function joinPieces(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces;
  if (only === undefined) return EMPTY;
  return pieces.length === 1 ? only : Buffer.concat(pieces);
}

/** Appends the blank line that some upstreams omit after their last event; without it a client would never see that event. */
export function withBlankLine(event: Uint8Array): Uint8Array {
  return concat(event, BLANK_LINE);
}

/** Puts an event's data, sent on several lines, on one line: a line feed between two JSON tokens is equivalent to a space. */
export function onOneLine(event: Uint8Array, nameLine = ''): Uint8Array {
  return utf8.encode(`${nameLine}data: ${joinedData(event).replaceAll('\n', ' ')}\n\n`);
}

/** Returns the edit that sets `_routing` in an object, which already has one if another gateway has answered. */
export function routingEdit(object: ObjectSpan, present: MemberSpan | undefined, routing: WrittenRouting): Edit {
  return present ? replaceValue(present, routing.json) : appendMember(object, `"_routing":${routing.json}`);
}

/** Converts edits of an event's bytes to edits of the object within it. */
export function editsWithin({ start: from }: Pick<ObjectSpan, 'start'>, edits: readonly Edit[]): Edit[] {
  return edits.map(({ start, end, text }) => ({ start: start - from, end: end - from, text }));
}

/** Sets a member of an object, replacing an existing one or appending it. Anything but an object stays as it is. */
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

/** Adds `_routing` to the answer to a token count, which is an object without a model. */
export function relayCount(bytes: Uint8Array, routing: WrittenRouting): Uint8Array<ArrayBuffer> | null {
  const object = scanObject(bytes, 0, ROUTING);
  return object === null ? null : applyEdits(bytes, [routingEdit(object, object.members[0], routing)]);
}
