import { describe, expect, test } from 'bun:test';
import { applyEdits, replaceValue } from '../json/json-patch.ts';
import { MemberNames, scanObject } from '../json/json-scan.ts';
import { editsWithin, joinPieces, onOneLine, routingEdit, splitPiece, withBlankLine } from './relay-pieces.ts';
import { EventSplitter, MAX_EVENT_BYTES } from './sse.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const NAMES = new MemberNames('model', '_routing');

test('an event over the limit is a failure, after the events before it', () => {
  const events: string[] = [];
  const splitter = new EventSplitter();
  const onEvent = (event: Uint8Array) => events.push(textOf(event));
  expect(splitPiece(splitter, bytesOf('data: 1\n\n'), onEvent)).toBeNull();
  expect(splitPiece(splitter, new Uint8Array(MAX_EVENT_BYTES + 1).fill(0x61), onEvent)?.kind).toBe('event_too_large');
  expect(events).toEqual(['data: 1\n\n']);
});

test('pieces are joined, and a single one stays the same array', () => {
  const piece = bytesOf('a');
  expect(joinPieces([])).toHaveLength(0);
  expect(joinPieces([piece])).toBe(piece);
  expect(textOf(joinPieces([piece, bytesOf('b')]))).toBe('ab');
});

test('data on several lines is passed on as one, with the event’s name', () => {
  const event = bytesOf('event: a\ndata: {"b":\ndata: 1}\n\n');
  expect(textOf(onOneLine(event, 'event: a\n'))).toBe('event: a\ndata: {"b": 1}\n\n');
  expect(textOf(withBlankLine(bytesOf('data: 1')))).toBe('data: 1\n\n');
});

describe('_routing', () => {
  test.each([
    ['{}', '{"_routing":{"a":1}}'],
    ['{"model":"m"}', '{"model":"m","_routing":{"a":1}}'],
    ['{"_routing":null,"model":"m"}', '{"_routing":{"a":1},"model":"m"}'],
  ])('is added to %s', (text, expected) => {
    const bytes = bytesOf(text);
    const object = scanObject(bytes, 0, NAMES);
    if (object === null) throw new Error('the example is an object');
    const present = object.members.find(({ name }) => name === '_routing');
    expect(textOf(applyEdits(bytes, [routingEdit(object, present, { json: '{"a":1}' })]))).toBe(expected);
  });
});

test('the edits of an event apply to the object cut out of it', () => {
  const event = bytesOf('data: {"model":"m"}\n\n');
  const object = scanObject(event, 6, NAMES);
  if (object === null) throw new Error('the example is an object');
  const edits = object.members.map((member) => replaceValue(member, '"public"'));
  const cut = event.subarray(object.start, object.end);
  expect(textOf(applyEdits(cut, editsWithin(object, edits)))).toBe('{"model":"public"}');
});
