import { equalAt, parseSpan, skipValue, skipWhitespace } from './json-scan.ts';
import { TextBuilder } from './long-text.ts';
import { setMember } from './record.ts';

/*
 * Builds the value of a large JSON text in slices, so that other requests do not wait. Short values are parsed natively; only
 * objects, arrays and strings with a long text are assembled here. The text has been scanned before, so its structure is known to
 * be valid, and so are the ends of long values.
 */

/** Larger bodies are read and written in slices, so that other requests do not wait. */
export const LARGE_BODY_BYTES = 1024 * 1024;
/** How much is parsed at once; a string of this length takes about a millisecond. */
export const PIECE_BYTES = 128 * 1024;
const LONGEST_SLICE_MS = 4;

const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SMALL_U = 0x75;
const DATA = new TextEncoder().encode('data:');
const MOST_HEAD_BYTES = 256;

/** Keeps a byte order mark within a text as an ordinary character. */
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Yields to other requests once its own time slice is used up. */
export class Turns {
  private startedMs = performance.now();

  get isOver(): boolean {
    return performance.now() - this.startedMs > LONGEST_SLICE_MS;
  }

  async next(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.startedMs = performance.now();
  }
}

export class LargeJson {
  constructor(
    private readonly bytes: Uint8Array,
    /** The ends of values of more than `PIECE_BYTES`, by their starts. */
    private readonly longValues: ReadonlyMap<number, number>,
    private readonly turns: Turns,
  ) {}

  /** Throws a SyntaxError for invalid JSON, and a TypeError for invalid UTF-8. */
  async read(from: number): Promise<unknown> {
    const { bytes } = this;
    const start = skipWhitespace(bytes, from);
    const end = this.longValues.get(start);
    if (end === undefined) return this.short(start, skipValue(bytes, start));
    if (bytes[start] === QUOTE) return await this.longString(start, end);
    return bytes[start] === OPEN_BRACE ? await this.object(start) : await this.array(start);
  }

  private async object(start: number): Promise<unknown> {
    const { bytes } = this;
    const object: Record<string, unknown> = {};
    let at = start;
    do {
      const nameStart = skipWhitespace(bytes, at + 1);
      const nameEnd = skipValue(bytes, nameStart);
      const name = String(this.short(nameStart, nameEnd));
      const valueStart = skipWhitespace(bytes, skipWhitespace(bytes, nameEnd) + 1);
      const end = this.endOf(valueStart);
      setMember(object, name, this.isLong(valueStart) ? await this.read(valueStart) : this.short(valueStart, end));
      if (this.turns.isOver) await this.turns.next();
      at = skipWhitespace(bytes, end);
    } while (bytes[at] === COMMA);
    if (bytes[at] !== CLOSE_BRACE) throw new SyntaxError('an unterminated object');
    return object;
  }

  private async array(start: number): Promise<unknown> {
    const { bytes } = this;
    const array: unknown[] = [];
    let at = start;
    do {
      const valueStart = skipWhitespace(bytes, at + 1);
      const end = this.endOf(valueStart);
      array.push(this.isLong(valueStart) ? await this.read(valueStart) : this.short(valueStart, end));
      if (this.turns.isOver) await this.turns.next();
      at = skipWhitespace(bytes, end);
    } while (bytes[at] === COMMA);
    if (bytes[at] !== CLOSE_BRACKET) throw new SyntaxError('an unterminated array');
    return array;
  }

  private isLong(start: number): boolean {
    return this.longValues.has(start);
  }

  private endOf(start: number): number {
    return this.longValues.get(start) ?? skipValue(this.bytes, start);
  }

  private short(start: number, end: number): unknown {
    return parseSpan(this.bytes, start, end, strictUtf8);
  }

  private async longString(start: number, end: number): Promise<string> {
    const text = new TextBuilder();
    let from = start + 1;
    let to = this.headEnd(from, end - 1);
    while (from < end - 1) {
      const piece: unknown = JSON.parse(`"${strictUtf8.decode(this.bytes.subarray(from, to))}"`);
      text.add(String(piece));
      from = to;
      to = this.cut(from, Math.min(end - 1, from + PIECE_BYTES));
      if (this.turns.isOver) await this.turns.next();
    }
    return text.build();
  }

  /** Returns where the first piece ends: whatever precedes the data of a data URL is a separate piece. */
  private headEnd(from: number, end: number): number {
    if (equalAt(this.bytes, from, DATA)) {
      for (let at = from; at < Math.min(end, from + MOST_HEAD_BYTES); at++) {
        const byte = this.bytes[at];
        if (byte === COMMA) return at + 1;
        if (byte === BACKSLASH) break;
      }
    }
    return this.cut(from, Math.min(end, from + PIECE_BYTES));
  }

  /** Returns the last offset up to `to` that is inside neither a character nor an escape. */
  private cut(from: number, to: number): number {
    const { bytes } = this;
    if (bytes[to] === QUOTE && !this.isEscaped(from, to)) return to;
    let at = to;
    while (at > from && ((bytes[at] ?? 0) & 0xc0) === 0x80) at--;
    // An escape is at most six bytes long: an unescaped backslash, `u` and four digits.
    for (let back = at - 1; back >= Math.max(from, at - 5); back--) {
      if (bytes[back] !== BACKSLASH || this.isEscaped(from, back)) continue;
      const length = bytes[back + 1] === SMALL_U ? 6 : 2;
      return back + length > at ? back : at;
    }
    return at;
  }

  /** Returns whether an odd number of backslashes precedes `at`; `from` is not inside an escape. */
  private isEscaped(from: number, at: number): boolean {
    let first = at;
    while (first > from && this.bytes[first - 1] === BACKSLASH) first--;
    return (at - first) % 2 === 1;
  }
}
