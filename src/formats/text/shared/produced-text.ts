import { bothDrawn } from '../../../domain/exchange/usage.ts';
import type { Billable } from '../../../domain/money/quantity.ts';
import {
  isNullAt,
  type MemberNames,
  type MemberSpan,
  scanObject,
  skipWhitespace,
} from '../../shared/json/json-scan.ts';
import type { Produced, ProducedSample } from '../format.ts';

/** About 8,000 tokens: most answers are kept whole, and a long one costs a running stream no more memory than this. */
export const MAX_SAMPLE_BYTES = 32 * 1024;
const FIRST_ROOM = 512;
/** Up to this length, that of a word, as most deltas are, a plain loop is faster than a native copy. */
const SHORT_COPY = 64;

const QUOTE = 0x22;
const OPEN_BRACKET = 0x5b;
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(.))/gs;
const CONTROL: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };

const { write: writeText } = Buffer.prototype;
const decoder = new TextDecoder();

/**
 * The model's output so far, for a stream that may end early: the first bytes are kept, and the rest is only counted. Text is
 * stored as it is on the wire, including JSON escapes, because most streams end well and then it is never read.
 */
export class ProducedText implements Produced {
  bytes = 0;
  webSearches = 0;
  drawn: Billable | null = null;
  /** The number of pieces so far, and the offsets of the latest one in the bytes that it was taken from. */
  pieces = 0;
  latestStart = 0;
  latestEnd = 0;
  private covered = 0;
  private kept = 0;
  private room: Uint8Array | null = null;
  private isEscaped = false;

  /** Notes that the upstream's usage report covers everything so far. */
  markReported(): void {
    this.covered = this.bytes;
  }

  get isPastReport(): boolean {
    return this.bytes > this.covered;
  }

  /** Adds what the provider's image tool has drawn; `null` for nothing. */
  addDrawn(drawn: Billable | null): void {
    this.drawn = bothDrawn(this.drawn ?? undefined, drawn ?? undefined) ?? null;
  }

  /** Adds the contents of a JSON string; any other value is ignored. */
  addString(bytes: Uint8Array, { valueStart, valueEnd }: MemberSpan): void {
    if (bytes[valueStart] === QUOTE) this.addContents(bytes, valueStart + 1, valueEnd - 1);
  }

  /** Adds the value as JSON text, for arguments that arrive as an object. */
  addJson(bytes: Uint8Array, { valueStart, valueEnd }: MemberSpan): void {
    if (!isNullAt(bytes, valueStart)) this.addContents(bytes, valueStart, valueEnd);
  }

  /** Adds text that is not JSON-encoded. */
  addText(text: string): void {
    const length = Buffer.byteLength(text);
    this.bytes += length;
    const room = this.roomFor(length);
    if (room === null) return;
    // Stops before a character that does not fit completely.
    this.kept += writeText.call(room, text, this.kept);
  }

  /** Adds JSON text, such as the contents of a string. */
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
      // Both offsets are within their arrays.
      for (let index = 0; index < taken; index++) room[this.kept + index] = bytes[start + index] as number;
    } else room.set(bytes.subarray(start, start + taken), this.kept);
    this.kept += taken;
  }

  /** Returns a buffer with room for the part of `length` bytes that is kept; `null` once the sample is full. */
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

/** Decodes JSON escapes. The text may be cut anywhere, so a broken escape at its end stays as it is. */
function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(ESCAPE, (_whole, code: string | undefined, letter: string | undefined) =>
    code === undefined ? (CONTROL[letter ?? ''] ?? letter ?? '') : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** Calls `onMember` with the wanted members of each object in the array at `start`; a value that is not an array has none. */
export function eachMember(
  bytes: Uint8Array,
  start: number,
  wanted: MemberNames,
  onMember: (member: MemberSpan) => void,
): void {
  if (bytes[start] !== OPEN_BRACKET) return;
  let at = start;
  for (;;) {
    // Starts after the opening bracket or a comma; anything but an object ends the array.
    const object = scanObject(bytes, at + 1, wanted);
    if (!object) return;
    for (const member of object.members) onMember(member);
    at = skipWhitespace(bytes, object.end);
  }
}
