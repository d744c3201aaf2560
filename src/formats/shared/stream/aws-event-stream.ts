import { MemberNames, parseSpan, scanObject } from '../json/json-scan.ts';
import { parseJson } from '../json/json-text.ts';
import { isRecord } from '../json/record.ts';
import { type AwsFrame, readAwsFrame } from './aws-frame.ts';

/*
 * Converts Amazon's event stream framing (`application/vnd.amazon.eventstream`) into server-sent events, so that no other code
 * has to know it.
 */

const LF = 0x0a;
const CR = 0x0d;
const EMPTY = new Uint8Array(0);
const INNER_EVENT = new MemberNames('type');

/** A frame begins with its length; without headers and payload it has `SMALLEST_FRAME_BYTES`. */
const LENGTH_BYTES = 4;
const SMALLEST_FRAME_BYTES = 16;
/** The framing's own limit: 24 MiB of payload and 128 KiB of headers. */
const LARGEST_FRAME_BYTES = 24 * 1024 * 1024 + 128 * 1024 + SMALLEST_FRAME_BYTES;

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const strictDecoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Turns one answer's frames, split at any byte, into server-sent events:
 *
 * - an event of the Converse API: `event: <its type>`, `data: <its payload>`;
 * - a `chunk` of an invoked model, `{"bytes": base64}`: the model's own event, named by its `type`;
 * - an exception or an error, and any damaged frame (both checksums are verified): `event: error` with
 *   `{"type":"error","error":{"type":…,"message":…}}`, Anthropic's shape with Amazon's exception name as its type.
 *
 * Nothing follows such an error. A stream that is cut within a frame just ends, and its reader notices that the natural end is
 * missing.
 */
export class EventStreamToSse {
  /** Pieces that do not yet form a whole frame. */
  private pieces: Uint8Array[] = [];
  private pendingBytes = 0;
  private neededBytes = LENGTH_BYTES;
  private isOver = false;

  push(piece: Uint8Array): Uint8Array {
    if (this.isOver || piece.length === 0) return EMPTY;
    this.pieces.push(piece);
    this.pendingBytes += piece.length;
    if (this.pendingBytes < this.neededBytes) return EMPTY;
    const buffer = this.pieces.length === 1 ? piece : Buffer.concat(this.pieces);
    const events: Uint8Array[] = [];
    const rest = buffer.subarray(this.readFrames(buffer, events));
    this.pieces = rest.length === 0 ? [] : [rest];
    this.pendingBytes = rest.length;
    const [only] = events;
    return only !== undefined && events.length === 1 ? only : Buffer.concat(events);
  }

  end(): Uint8Array {
    this.isOver = true;
    this.pieces = [];
    return EMPTY;
  }

  /** Returns how many bytes belonged to whole frames. */
  private readFrames(buffer: Uint8Array, events: Uint8Array[]): number {
    const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
    let at = 0;
    this.neededBytes = LENGTH_BYTES;
    while (!this.isOver && buffer.length - at >= LENGTH_BYTES) {
      const length = view.getUint32(at);
      if (length < SMALLEST_FRAME_BYTES || length > LARGEST_FRAME_BYTES) {
        events.push(
          this.fail('damagedFrame', `The event stream has a frame of an impossible length (${length} bytes).`),
        );
        return buffer.length;
      }
      if (buffer.length - at < length) {
        this.neededBytes = length;
        return at;
      }
      events.push(this.readFrame(buffer.subarray(at, at + length)));
      at += length;
    }
    return this.isOver ? buffer.length : at;
  }

  private readFrame(frame: Uint8Array): Uint8Array {
    const message = readAwsFrame(frame);
    if (message === null) return this.fail('damagedFrame', 'The event stream has a corrupt frame.');
    const kind = headerOf(message, ':message-type');
    if (kind === 'exception') {
      return this.fail(headerOf(message, ':exception-type') ?? 'unknownException', messageIn(message.body));
    }
    if (kind === 'error') {
      const text = headerOf(message, ':error-message') ?? messageIn(message.body);
      return this.fail(headerOf(message, ':error-code') ?? 'unknownError', text);
    }
    const type = headerOf(message, ':event-type');
    if (type !== 'chunk') return sseEvent(type, message.body);
    const inner = innerEvent(message.body);
    return inner ?? this.fail('damagedFrame', 'The event stream has a chunk without a model event.');
  }

  private fail(type: string, message: string): Uint8Array {
    this.isOver = true;
    return sseEvent('error', encoder.encode(JSON.stringify({ type: 'error', error: { type, message } })));
  }
}

function headerOf({ texts }: AwsFrame, name: string): string | null {
  return texts.get(name) ?? null;
}

/** Returns the message: an exception has `message`; a model's error also has `originalMessage`, which says more. */
function messageIn(body: Uint8Array): string {
  const text = decoder.decode(body);
  const parsed = parseJson(text);
  if (!isRecord(parsed)) return text;
  const texts = [parsed.message, parsed.Message, parsed.originalMessage].filter((value) => typeof value === 'string');
  return texts.length === 0 ? text : [...new Set(texts)].join(': ');
}

/** Returns the model's event inside a chunk; `null` if none exists. */
function innerEvent(body: Uint8Array): Uint8Array | null {
  const chunk = parseJson(decoder.decode(body));
  if (!isRecord(chunk) || typeof chunk.bytes !== 'string') return null;
  const inner = Buffer.from(chunk.bytes, 'base64');
  const object = scanObject(inner, 0, INNER_EVENT);
  if (!object || !isUtf8(inner)) return null;
  const member = object.members[0];
  const type = member === undefined ? null : parseSpan(inner, member.valueStart, member.valueEnd);
  return sseEvent(typeof type === 'string' ? type : null, inner);
}

/** Puts `data` on one line: outside its strings JSON may contain line breaks, inside them it cannot. */
function sseEvent(type: string | null, data: Uint8Array): Uint8Array {
  const head = type !== null && /^[\w.-]{1,64}$/.test(type) ? `event: ${type}\ndata: ` : 'data: ';
  const isOneLine = data.indexOf(LF) < 0 && data.indexOf(CR) < 0;
  const line = isOneLine ? data : encoder.encode(decoder.decode(data).replace(/[\r\n]+/g, ' '));
  const out = new Uint8Array(head.length + line.length + 2);
  encoder.encodeInto(head, out);
  out.set(line, head.length);
  out[out.length - 2] = LF;
  out[out.length - 1] = LF;
  return out;
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    strictDecoder.decode(bytes);
    return true;
  } catch {
    return false;
  }
}
