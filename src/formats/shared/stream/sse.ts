const utf8 = new TextDecoder();
const LF = 0x0a;
const CR = 0x0d;
const EMPTY = new Uint8Array(0);

/** Larger events are refused, which bounds memory; no real event is as large. */
export const MAX_EVENT_BYTES = 32 * 1024 * 1024;

/** A separate class, so that catching it hides no other error. */
export class EventTooLarge extends Error {
  constructor() {
    super(`a server-sent event has more than ${MAX_EVENT_BYTES} bytes`);
  }
}

/**
 * Splits a byte stream into server-sent events at blank lines, with any piece boundaries and any of the three line endings
 * (WHATWG HTML, 9.2.6). Each event keeps its own bytes, terminator included.
 */
export class EventSplitter {
  private pending: Uint8Array = EMPTY;
  /** The buffer in which `pending` grows, as long as no event has been cut from it. */
  private room: Uint8Array | null = null;
  /** How far `pending` has been searched, so that a large event is not searched again for every piece. */
  private searched = 0;
  private isFirst = true;

  /** Whether the next piece begins with an event. */
  get isBetween(): boolean {
    return this.pending.length === 0;
  }

  /** Calls `onEvent` with each event that the piece completes. Throws EventTooLarge past MAX_EVENT_BYTES. */
  push(piece: Uint8Array, onEvent: (event: Uint8Array) => void): void {
    const buffer = this.pending.length === 0 ? piece : this.grown(piece);
    let start = 0;
    let from = this.searched;
    // Almost no sender uses CR; without one, only line feeds have to be searched for.
    let cr = buffer.indexOf(CR, from);
    for (;;) {
      const end = cr >= 0 ? eventEnd(buffer, from, cr) : lineFeedEventEnd(buffer, from);
      if (end < 0) break;
      // A piece is usually one whole event; a view of it would cost as much as the search for its end.
      const event = start === 0 && end === buffer.length ? buffer : buffer.subarray(start, end);
      onEvent(this.isFirst ? this.withoutMark(event) : event);
      start = end;
      from = end;
      cr = nextFrom(buffer, CR, cr, from);
    }
    // Callers may keep an event, so the buffer that it was cut from is not written again.
    if (start > 0) this.room = null;
    this.pending = start === buffer.length ? EMPTY : start === 0 ? buffer : buffer.subarray(start);
    // A terminator may have begun in the last three bytes.
    this.searched = Math.max(0, this.pending.length - 3);
    if (this.pending.length > MAX_EVENT_BYTES) throw new EventTooLarge();
  }

  /** Appends the piece in a buffer that doubles, so that an event of many pieces is not copied for each of them. */
  private grown(piece: Uint8Array): Uint8Array {
    const { pending } = this;
    const length = pending.length + piece.length;
    let { room } = this;
    if (room === null || room.length < length) {
      room = new Uint8Array(length * 2);
      room.set(pending);
      this.room = room;
    }
    room.set(piece, pending.length);
    return room.subarray(0, length);
  }

  /** Returns the bytes after the last blank line. */
  rest(): Uint8Array {
    return this.isFirst ? this.withoutMark(this.pending) : this.pending;
  }

  /** Removes a byte order mark, which may precede a stream and is not part of its first line (WHATWG HTML, 9.2.5). */
  private withoutMark(event: Uint8Array): Uint8Array {
    this.isFirst = false;
    return event[0] === 0xef && event[1] === 0xbb && event[2] === 0xbf ? event.subarray(3) : event;
  }
}

function lineFeedEventEnd(buffer: Uint8Array, from: number): number {
  let lf = buffer.indexOf(LF, from);
  while (lf >= 0) {
    if (buffer[lf + 1] === LF) return lf + 2;
    lf = buffer.indexOf(LF, lf + 1);
  }
  return -1;
}

/** Returns the byte's first offset at or after `from`, or -1; `known` is the result of the previous search. */
function nextFrom(buffer: Uint8Array, byte: number, known: number, from: number): number {
  return known >= 0 && known < from ? buffer.indexOf(byte, from) : known;
}

/**
 * Returns the offset after the blank line that ends the event, or -1. A CR at the very end waits for a possible LF. `firstCr` is
 * the first CR at or after `from`: each is searched for once, because a search for a distant one goes through everything before
 * it.
 */
function eventEnd(buffer: Uint8Array, from: number, firstCr: number): number {
  let at = from;
  let cr = firstCr;
  for (;;) {
    const lf = buffer.indexOf(LF, at);
    const scanTo = lf < 0 ? buffer.length : lf;
    // Classic Mac line endings: two CRs in a row, neither part of a CRLF.
    for (; cr >= 0 && cr < scanTo - 1; cr = buffer.indexOf(CR, cr + 1)) {
      if (buffer[cr + 1] === CR && cr + 2 < buffer.length) return buffer[cr + 2] === LF ? cr + 3 : cr + 2;
    }
    if (lf < 0) return -1;
    const next = buffer[lf + 1];
    if (next === LF) return lf + 2;
    if (next === CR) {
      const afterCr = buffer[lf + 2];
      if (afterCr === undefined) return -1;
      return afterCr === LF ? lf + 3 : lf + 2;
    }
    if (lf + 1 >= buffer.length) return -1;
    at = lf + 1;
    cr = nextFrom(buffer, CR, cr, at);
  }
}

export function concat(left: Uint8Array, right: Uint8Array): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(left.length + right.length);
  out.set(left);
  out.set(right, left.length);
  return out;
}

/**
 * The comment that keeps an idle connection open. It ends with a single line break: a blank line would end an event, and OpenAI's
 * Python SDK raises on an event without data once the stream has had an `id` line.
 */
export const KEEP_ALIVE = ': keep-alive\n';

/**
 * Returns whether data that begins at `start` only shows that the sender is alive (`ping`, `: keepalive`, or nothing). Every
 * event of an answer is a JSON object or `[DONE]`. An event named `error` is significant whatever its data is.
 */
function isSignOfLife(event: Uint8Array, start: number): boolean {
  let at = start;
  while (event[at] === 0x20 || event[at] === 0x09) at++;
  const first = event[at];
  return first !== 0x7b && first !== 0x5b && !ERROR_NAME.test(utf8.decode(event.subarray(0, start)));
}

const ERROR_NAME = /^event: ?error\s*$/m;

/**
 * Returns the bytes that a client may get from an event that is not part of an answer: its comments, without the blank line;
 * nothing for a keep-alive that is not a comment, because SDKs parse the data of every event. `null` for any other event. `data`
 * is the event's `dataSpan`.
 */
export function passingComment(event: Uint8Array, data: DataSpan | null): Uint8Array | null {
  if (data !== null) return isSignOfLife(event, data.start) ? NOTHING : null;
  const comments = utf8
    .decode(event)
    .split(LINE_END)
    .filter((line) => line.startsWith(':'));
  return comments.length === 0 ? NOTHING : encoder.encode(`${comments.join('\n')}\n`);
}

/** Returns whether the event is the end mark `[DONE]` of OpenAI's streams. */
export function isDoneMark(event: Uint8Array): boolean {
  return joinedData(event).trimStart().startsWith('[DONE');
}

const NOTHING = new Uint8Array(0);
const encoder = new TextEncoder();

/** The place of an event's single `data` field, as offsets of its value in the event's bytes. */
export interface DataSpan {
  readonly start: number;
  readonly end: number;
}

const DATA = [0x64, 0x61, 0x74, 0x61];

/**
 * Returns the span of the event's data if it has exactly one `data` line; `null` if it has none (a comment, a bare `event:`
 * line); `'many'` if there are several, which the caller must join.
 */
export function dataSpan(event: Uint8Array): DataSpan | null | 'many' {
  let found: DataSpan | null = null;
  let line = 0;
  let lf = event.indexOf(LF);
  let cr = event.indexOf(CR);
  while (line < event.length) {
    lf = nextFrom(event, LF, lf, line);
    cr = nextFrom(event, CR, cr, line);
    const end = firstOf(lf, cr, event.length);
    if (isDataLine(event, line)) {
      if (found) return 'many';
      const colon = line + DATA.length;
      const start = event[colon + 1] === 0x20 ? colon + 2 : colon + 1;
      found = { start: Math.min(start, end), end };
    }
    line = end + 1;
    if (event[end] === CR && event[line] === LF) line++;
  }
  return found;
}

/** Returns all data lines joined by line feeds, as the standard says. */
export function joinedData(event: Uint8Array): string {
  return new TextDecoder()
    .decode(event)
    .split(/\r\n|\n|\r/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(line[5] === ' ' ? 6 : 5))
    .join('\n');
}

function isDataLine(event: Uint8Array, line: number): boolean {
  return (
    event[line] === DATA[0] &&
    event[line + 1] === DATA[1] &&
    event[line + 2] === DATA[2] &&
    event[line + 3] === DATA[3] &&
    event[line + 4] === 0x3a
  );
}

/** Returns the smaller of two offsets, either of which may be -1. */
function firstOf(left: number, right: number, none: number): number {
  if (left < 0) return right < 0 ? none : right;
  return right < 0 || left < right ? left : right;
}

/** One event in the form that decoders read. */
export interface ServerSentEvent {
  /** The `event` field; `null` if the sender gives none. */
  readonly event: string | null;
  readonly data: string;
}

/**
 * Reads a byte stream as server-sent events, with any piece boundaries. Comments, events without data and keep-alives are left
 * out.
 */
export class EventReader {
  private readonly splitter = new EventSplitter();

  /** Calls `onEvent` with each event that the piece completes. Throws EventTooLarge past MAX_EVENT_BYTES. */
  push(piece: Uint8Array, onEvent: (event: ServerSentEvent) => void): void {
    this.splitter.push(piece, (bytes) => this.read(bytes, onEvent));
  }

  /** Ends the input; a last event that lacks its blank line still counts. */
  end(onEvent: (event: ServerSentEvent) => void): void {
    const rest = this.splitter.rest();
    if (rest.length > 0) this.read(rest, onEvent);
  }

  private read(bytes: Uint8Array, onEvent: (event: ServerSentEvent) => void): void {
    let event: string | null = null;
    let data: string | null = null;
    for (const line of utf8.decode(bytes).split(LINE_END)) {
      if (line.startsWith('data:')) {
        const value = line.charCodeAt(5) === 0x20 ? line.slice(6) : line.slice(5);
        data = data === null ? value : `${data}\n${value}`;
      } else if (line.startsWith('event:')) {
        event = line.charCodeAt(6) === 0x20 ? line.slice(7) : line.slice(6);
      }
    }
    if (data !== null && (event === 'error' || SAYS_SOMETHING.test(data))) onEvent({ event, data });
  }
}

/** See `isSignOfLife`. */
const SAYS_SOMETHING = /^\s*[[{]/;
const LINE_END = /\r\n|\n|\r/;
