import { bothDrawn } from '../../../domain/exchange/usage.ts';
import type { Billable } from '../../../domain/money/quantity.ts';
import type { Produced, ProducedSample } from '../../format.ts';
import {
  isNullAt,
  type MemberNames,
  type MemberSpan,
  scanObject,
  skipWhitespace,
} from '../../shared/json/json-scan.ts';

/** Some 8,000 tokens: most answers are kept whole, and a long one costs a running stream no more memory than this. */
export const MAX_SAMPLE_BYTES = 32 * 1024;
const FIRST_ROOM = 512;
/** A plain loop is faster than a native copy for what most deltas are, a word. */
const SHORT_COPY = 64;

const QUOTE = 0x22;
const OPEN_BRACKET = 0x5b;
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(.))/gs;
const CONTROL: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };

const { write: writeText } = Buffer.prototype;
const decoder = new TextDecoder();

/**
 * What the model has written so far, kept for the day that the stream ends early: its first bytes as they are, and of the rest no
 * more than how many bytes there were. Text comes in as it stands on the wire, JSON escapes and all, because most streams end
 * well and then it is never read.
 */
export class ProducedText implements Produced {
  bytes = 0;
  webSearches = 0;
  drawn: Billable | null = null;
  /** How many pieces there were, and where the latest stands in the bytes that it was taken from. */
  pieces = 0;
  latestStart = 0;
  latestEnd = 0;
  private covered = 0;
  private kept = 0;
  private room: Uint8Array | null = null;
  private isEscaped = false;

  /** The upstream's usage report says what everything until now comes to. */
  markReported(): void {
    this.covered = this.bytes;
  }

  get isPastReport(): boolean {
    return this.bytes > this.covered;
  }

  /** Notes what the provider's image tool has drawn; `null` for nothing. */
  addDrawn(drawn: Billable | null): void {
    this.drawn = bothDrawn(this.drawn ?? undefined, drawn ?? undefined) ?? null;
  }

  /** Takes the contents of a JSON string; any other value is left out. */
  addString(bytes: Uint8Array, { valueStart, valueEnd }: MemberSpan): void {
    if (bytes[valueStart] === QUOTE) this.addContents(bytes, valueStart + 1, valueEnd - 1);
  }

  /** Takes the value as the JSON text that it is: arguments that come as an object. */
  addJson(bytes: Uint8Array, { valueStart, valueEnd }: MemberSpan): void {
    if (!isNullAt(bytes, valueStart)) this.addContents(bytes, valueStart, valueEnd);
  }

  /** Takes text that is no JSON. */
  addText(text: string): void {
    const length = Buffer.byteLength(text);
    this.bytes += length;
    const room = this.roomFor(length);
    if (room === null) return;
    // Stops before a character that does not fit whole.
    this.kept += writeText.call(room, text, this.kept);
  }

  /** Takes JSON text, such as the contents of a string. */
  addContents(bytes: Uint8Array, start: number, end: number): void {
    const length = end - start;
    this.bytes += length;
    this.pieces += 1;
    this.latestStart = start;
    this.latestEnd = end;
    this.isEscaped = true;
    const room = this.roomFor(length);
    if (room === null) return;
    const taken = Math.min(length, room.length - this.kept);
    if (taken <= SHORT_COPY) {
      // Asserted: both offsets are inside of their arrays.
      for (let index = 0; index < taken; index++) room[this.kept + index] = bytes[start + index] as number;
    } else room.set(bytes.subarray(start, start + taken), this.kept);
    this.kept += taken;
  }

  /** Room for as much of so many bytes as is to be kept; `null` once all of it is taken. */
  private roomFor(length: number): Uint8Array | null {
    const { room, kept } = this;
    if (room !== null && kept + length <= room.length) return room;
    if (room?.length === MAX_SAMPLE_BYTES) return kept === MAX_SAMPLE_BYTES ? null : room;
    const needed = Math.max(FIRST_ROOM, kept + length, (room?.length ?? 0) * 2);
    const grown = new Uint8Array(Math.min(MAX_SAMPLE_BYTES, needed));
    if (room !== null) grown.set(kept === room.length ? room : room.subarray(0, kept));
    this.room = grown;
    return grown;
  }

  sample(): ProducedSample {
    const text = this.room === null ? '' : decoder.decode(this.room.subarray(0, this.kept));
    return { text: this.isEscaped ? unescaped(text) : text, bytes: this.kept };
  }
}

/** The text may have been cut anywhere, so a broken escape at its end stays as it is. */
function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(ESCAPE, (_whole, code: string | undefined, letter: string | undefined) =>
    code === undefined ? (CONTROL[letter ?? ''] ?? letter ?? '') : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** Calls `onMember` with the wanted members of each object in the array at `start`; what is no array has none. */
export function eachMember(
  bytes: Uint8Array,
  start: number,
  wanted: MemberNames,
  onMember: (member: MemberSpan) => void,
): void {
  if (bytes[start] !== OPEN_BRACKET) return;
  let at = start;
  for (;;) {
    // Past the opening bracket or a comma; what is no object there ends the array.
    const object = scanObject(bytes, at + 1, wanted);
    if (!object) return;
    for (const member of object.members) onMember(member);
    at = skipWhitespace(bytes, object.end);
  }
}
