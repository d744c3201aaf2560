import { PIECE_BYTES, Turns } from './large-json.ts';
import { piecesOf } from './long-text.ts';
import { isRecord } from './record.ts';

/*
 * JSON text that is written only when needed: a large body is written in slices, directly as bytes, so that other requests do not
 * wait and the body is never held as a string. All others are written natively and at once.
 */

export type JsonText = string | Unwritten | readonly JsonText[];

/** A value to be serialized later, as by `JSON.stringify`. Must be plain JSON: no `toJSON`, no `bigint`. */
export class Unwritten {
  constructor(readonly value: unknown) {}
}

/** A value with a longer string, in characters, is serialized only when the whole body is written. */
const LONG_STRING = 64 * 1024;
/** A value of at most about this many characters is serialized natively. */
const SHORT_VALUE = 32 * 1024;
/** The estimated size of any value, for its punctuation and the time it takes. */
const CHARACTERS_PER_VALUE = 16;
/** The most UTF-8 bytes of one UTF-16 code unit. */
const MOST_BYTES_PER_UNIT = 3;
const COPIED_AT_ONCE = 1024 * 1024;
const ROOM = 64 * 1024;

const { write: writeText } = Buffer.prototype;

/** Returns the JSON text of a value that contains a string of `length` characters. */
export function jsonWith(length: number, value: unknown): JsonText {
  return length > LONG_STRING ? new Unwritten(value) : JSON.stringify(value);
}

export function joined(...pieces: readonly JsonText[]): JsonText {
  return pieces.every((piece) => typeof piece === 'string') ? pieces.join('') : pieces;
}

/** Joins the pieces with commas. */
export function listed(pieces: readonly JsonText[]): JsonText {
  if (pieces.every((piece) => typeof piece === 'string')) return pieces.join(',');
  return pieces.flatMap((piece, index) => (index === 0 ? [piece] : [',', piece]));
}

export function textOf(json: JsonText): string {
  if (typeof json === 'string') return json;
  return json instanceof Unwritten ? JSON.stringify(json.value) : json.map(textOf).join('');
}

/** Returns the UTF-8 of a large text, the same bytes as those of `textOf`. `likelyBytes` sets the initial capacity. */
export async function writtenInSlices(
  json: JsonText,
  likelyBytes: number,
  turns = new Turns(),
): Promise<Uint8Array<ArrayBuffer>> {
  const writer = new Writer(likelyBytes, turns);
  await writer.json(json);
  return await writer.end();
}

class Writer {
  /** Memory pages are allocated on first write, so unused capacity costs nothing. */
  private out: Uint8Array<ArrayBuffer>;
  private length = 0;
  /** Text that is not yet encoded; it never ends within a surrogate pair. */
  private text = '';

  constructor(
    likelyBytes: number,
    private readonly turns: Turns,
  ) {
    this.out = new Uint8Array(likelyBytes + (likelyBytes >> 3) + ROOM);
  }

  async json(json: JsonText): Promise<void> {
    if (typeof json === 'string') await this.plain(json, false);
    else if (json instanceof Unwritten) await this.value(json.value);
    else for (const piece of json) await this.json(piece);
  }

  async end(): Promise<Uint8Array<ArrayBuffer>> {
    await this.flush();
    return this.out.subarray(0, this.length);
  }

  private async value(value: unknown): Promise<void> {
    if (isShort(value)) this.text += JSON.stringify(value);
    else if (typeof value === 'string') {
      this.text += '"';
      await this.plain(value, true);
      this.text += '"';
    } else if (Array.isArray(value)) await this.array(value);
    else if (isRecord(value)) await this.object(value);
    if (this.text.length > PIECE_BYTES) await this.flush();
  }

  private async array(array: readonly unknown[]): Promise<void> {
    let before = '[';
    for (const item of array) {
      this.text += before;
      before = ',';
      await this.value(item === undefined ? null : item);
    }
    this.text += ']';
  }

  private async object(object: Readonly<Record<string, unknown>>): Promise<void> {
    let before = '{';
    for (const name of Object.keys(object)) {
      const member = object[name];
      if (member === undefined) continue;
      this.text += `${before}${JSON.stringify(name)}:`;
      before = ',';
      await this.value(member);
    }
    this.text += before === '{' ? '{}' : '}';
  }

  /** Appends a long text, either verbatim or as the contents of a JSON string. */
  private async plain(text: string, isString: boolean): Promise<void> {
    let half = '';
    for (const some of piecesOf(text)) {
      const piece = half + some;
      half = isHigh(piece.charCodeAt(piece.length - 1)) ? piece.slice(-1) : '';
      const whole = half === '' ? piece : piece.slice(0, -1);
      this.text += isString ? JSON.stringify(whole).slice(1, -1) : whole;
      if (this.text.length > PIECE_BYTES) await this.flush();
    }
    this.text += isString && half !== '' ? JSON.stringify(half).slice(1, -1) : half;
  }

  private async flush(): Promise<void> {
    const { text } = this;
    const most = this.length + text.length * MOST_BYTES_PER_UNIT;
    if (most > this.out.length) await this.grow(most);
    this.length += writeText.call(this.out, text, this.length);
    this.text = '';
    if (this.turns.isOver) await this.turns.next();
  }

  private async grow(least: number): Promise<void> {
    const larger = new Uint8Array(Math.max(least, this.out.length * 2));
    for (let from = 0; from < this.length; from += COPIED_AT_ONCE) {
      larger.set(this.out.subarray(from, Math.min(this.length, from + COPIED_AT_ONCE)), from);
      if (this.turns.isOver) await this.turns.next();
    }
    this.out = larger;
  }
}

/** Returns whether the unit is a high surrogate, the first half of a pair. */
function isHigh(unit: number): boolean {
  return (unit & 0xfc00) === 0xd800;
}

function isShort(value: unknown): boolean {
  return leftOf(value, SHORT_VALUE) >= 0;
}

/** Returns how many of these characters remain after a value; stops examining once they are used up. */
function leftOf(value: unknown, characters: number): number {
  let left = characters - CHARACTERS_PER_VALUE;
  if (typeof value === 'string') return left - value.length;
  if (typeof value !== 'object' || value === null) return left;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left >= 0; index++) left = leftOf(value[index], left);
    return left;
  }
  for (const [name, member] of Object.entries(value)) {
    if (left < 0) break;
    left = leftOf(member, left - name.length);
  }
  return left;
}
