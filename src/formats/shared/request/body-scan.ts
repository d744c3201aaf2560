import { Failure } from '../../../domain/failure/failure.ts';
import { type MemberNames, type MemberSpan, type ObjectSpan, parseSpan, skipValue } from '../json/json-scan.ts';
import { BROKEN, endOfString, wordsOf } from '../json/json-string-end.ts';
import { DOUBTFUL, hashOf, hashOn, type NameTable } from '../json/name-table.ts';
import { BODY_BOUNDS, type ChangingValue, FEW, Levels } from './scan-levels.ts';
import { formatPath } from './schema-error.ts';

/*
 * Scans the bytes of a request before anything is built from them, so that a body that is cheap to send cannot be expensive to
 * read: its nesting depth, its numbers of values and members, repeated names, and numbers that would lose digits. The scan is
 * resumable, so a large body can be scanned in slices.
 */

/** The most numbers for which a loss of digits is reported. */
const MOST_INEXACT = 8;
/** Integers up to this many digits are certainly below 2^53. */
const EXACT_DIGITS = 15;
/** Longer numbers, and those with an exponent, may be too large for a double. */
const FINITE_CHARACTERS = 300;
const LONGEST_SHOWN_PATH = 300;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;

// The next expected token.
const VALUE = 0;
const ITEM_OR_END = 1;
const NAME_OR_END = 2;
const NAME = 3;
const COLON_NEXT = 4;
const COMMA_OR_END = 5;
const NOTHING = 6;
const REST_OF_STRING = 7;

const ZERO = 0x30;

const NO_BYTES = new Uint8Array(0);

/** The depth of an item of `messages` or `tools`: the body, the list, and the item itself. */
const KEPT_DEPTH = 2;

/** Per byte, whether it makes a name odd: a capital letter, white space, a non-ASCII character, or an escape. */
const ODD = 1;
const ESCAPE = 2;
const FOREIGN = 4;
const MARKS = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === BACKSLASH) return ODD | ESCAPE;
  if (byte >= 0x80) return ODD | FOREIGN;
  return (byte >= 0x41 && byte <= 0x5a) || byte <= 0x20 || byte === 0x7f ? ODD : 0;
});

/** Reused by scans that run without interruption. */
const sharedLevels = new Levels();

const PROTO_HASH = hashOf('__proto__');

export class BodyScan {
  /** The reason for refusing the body; the scan stops there. */
  failure: Failure | null = null;
  /** The bytes are not a valid JSON object or value; the parser reports where. */
  isBroken = false;
  /** Whether the scan has ended, at the end of the body or earlier. */
  isDone = false;
  /** A name has capital letters, white space or characters beyond ASCII: it may be a variant of another one. */
  hasOddNames = false;
  /** The table's results for all names, combined; 0 without a table. */
  spellings = 0;
  /** Paths of repeated names. */
  readonly duplicates: (readonly PropertyKey[])[] = [];
  /** Paths of whole numbers that a double does not hold exactly. */
  readonly inexact: string[] = [];
  /** The subset of `inexact` that no kept text preserves. */
  readonly lost: string[] = [];
  /** The members or items of the body's own members whose text would change if it were serialized from its value. */
  readonly changing: ChangingValue[] = [];
  /** Pairs of offsets for each text that is the `content` of an item of a list in the body, quotes included; `null` for none. */
  contents: number[] | null = null;

  /** Triples of offsets for the body's own members: the name, the value and the value's end. */
  private readonly members: number[] = [];
  /** The offset of the body's first byte; `end` is just after its last one. */
  private start = 0;
  private end = 0;
  private at = 0;
  private next = VALUE;
  private depth = 0;
  private values = 0;
  private mayChange = false;
  private spaces = 0;
  private stringStart = 0;
  private readonly levels: Levels;
  private words: Int32Array | null;

  /** With `pieceBytes`, the ends of longer values are recorded in `longValues`, keyed by their starts. */
  constructor(
    /** Read-only except in `forgetBytes`. */
    public bytes: Uint8Array,
    private readonly pieceBytes: number,
    readonly longValues: Map<number, number> | null,
    readonly table: NameTable | null = null,
    private readonly mostValues: number = BODY_BOUNDS.values,
  ) {
    this.levels = longValues === null ? sharedLevels : new Levels();
    this.words = wordsOf(bytes);
  }

  /** Whether all parsers read the body alike: no name is repeated within an object, and no number loses digits. */
  get isUnambiguous(): boolean {
    return this.duplicates.length + this.inexact.length === 0;
  }

  /** Drops the bytes; the results stay. */
  forgetBytes(): void {
    this.bytes = NO_BYTES;
    this.words = null;
  }

  get position(): number {
    return this.at;
  }

  /** Returns the body's own members with these names, like `scanObject`; only for a body that turned out to be an object. */
  object(wanted: MemberNames): ObjectSpan {
    const { bytes, start, end } = this;
    const members: MemberSpan[] = [];
    const { members: all } = this;
    for (let index = 0; index < all.length; index += 3) {
      const keyStart = all[index] ?? 0;
      const valueStart = all[index + 1] ?? 0;
      const valueEnd = all[index + 2] ?? 0;
      const name = wanted.find(bytes, keyStart, skipValue(bytes, keyStart));
      if (name !== null) members.push({ name, keyStart, valueStart, valueEnd });
    }
    return { start, end, empty: this.members.length === 0, members };
  }

  /** Continues to about the offset `until`. */
  run(until: number): void {
    const { bytes, levels } = this;
    const limit = Math.min(until, bytes.length);
    if (this.next === REST_OF_STRING) this.string(limit);
    while (this.at < limit && !this.isDone) {
      const at = this.at;
      const byte = bytes[at] ?? 0;
      if (byte <= 0x20) this.space(byte);
      else if (this.next === COMMA_OR_END) {
        if (byte === COMMA) {
          this.at = at + 1;
          this.next = levels.isObject[this.depth] === 1 ? NAME : VALUE;
        } else this.close(byte);
      } else if (this.next === NAME) this.name(byte);
      else if (this.next === VALUE) this.value(byte, limit);
      else this.other(byte, limit);
    }
    if (this.isDone || this.at < bytes.length) return;
    this.isDone = true;
    if (this.next !== NOTHING) this.isBroken = true;
  }

  /** Handles the rare states; a name's colon nearly always follows at once. */
  private other(byte: number, limit: number): void {
    if (this.next === NAME_OR_END) {
      if (byte === CLOSE_BRACE) this.close(byte);
      else this.name(byte);
    } else if (this.next === ITEM_OR_END) {
      if (byte === CLOSE_BRACKET) this.close(byte);
      else this.value(byte, limit);
    } else if (this.next === COLON_NEXT && byte === COLON) {
      this.at++;
      this.next = VALUE;
    } else this.broken();
  }

  private space(first: number): void {
    const { bytes } = this;
    let at = this.at;
    let byte: number | undefined = first;
    while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) byte = bytes[++at];
    if (at === this.at) this.broken();
    this.spaces += at - this.at;
    this.at = at;
    if (this.spaces > BODY_BOUNDS.spaceBytes) this.fail(tooMuch(BODY_BOUNDS.spaceBytes, 'bytes of white space'));
  }

  private value(byte: number, limit: number): void {
    if (++this.values > this.mostValues) {
      this.fail(tooMuch(this.mostValues, 'values'));
      return;
    }
    const { depth, levels } = this;
    if (levels.isObject[depth] === 0) levels.count[depth] = (levels.count[depth] ?? 0) + 1;
    if (byte === QUOTE) {
      this.stringStart = this.at;
      this.at++;
      this.string(limit);
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.open(byte === OPEN_BRACE);
    else this.literal(byte);
  }

  private open(isObject: boolean): void {
    if (this.depth === BODY_BOUNDS.depth) {
      const message = `The request body nests its values too deeply: more than ${BODY_BOUNDS.depth} levels.`;
      this.fail(new Failure('invalid_value', { message }));
      return;
    }
    const depth = ++this.depth;
    const { levels } = this;
    levels.isObject[depth] = isObject ? 1 : 0;
    levels.start[depth] = this.at;
    levels.count[depth] = 0;
    if (levels.names[depth] !== undefined) levels.names[depth] = undefined;
    this.at++;
    this.next = isObject ? NAME_OR_END : ITEM_OR_END;
  }

  private close(byte: number): void {
    const { depth, levels } = this;
    if (byte !== (levels.isObject[depth] === 1 ? CLOSE_BRACE : CLOSE_BRACKET)) {
      this.broken();
      return;
    }
    this.at++;
    this.depth = depth - 1;
    this.ended(levels.start[depth] ?? 0);
  }

  /** Notes that the value that began at `start` ends before the current offset. */
  private ended(start: number): void {
    const { at, depth } = this;
    if (this.longValues !== null && at - start > this.pieceBytes) this.longValues.set(start, at);
    this.next = COMMA_OR_END;
    if (depth === KEPT_DEPTH && this.mayChange) this.noteChanging(start, at);
    if (depth > 1) return;
    if (depth === 1) this.members.push(this.levels.latestName[1] ?? 0, start, at);
    else {
      this.next = NOTHING;
      this.start = start;
      this.end = at;
    }
  }

  /** Arguments and schemas are nested deeper than this, and the gateway interprets nothing inside them. */
  private noteChanging(start: number, end: number): void {
    this.mayChange = false;
    this.changing.push({ path: this.keys(), start, end });
  }

  private string(limit: number): void {
    const end = endOfString(this.bytes, this.words, this.at, limit);
    if (end === BROKEN) this.broken();
    else if (end < 0) {
      this.at = -end;
      this.next = REST_OF_STRING;
    } else {
      this.at = end;
      if (this.levels.isContent(this.depth, this.bytes)) {
        this.contents ??= [];
        this.contents.push(this.stringStart, end);
      }
      this.ended(this.stringStart);
    }
  }

  /** Scans a number or a word; the parser checks a word's letters. */
  private literal(first: number): void {
    const { bytes, at: start } = this;
    let at = start;
    let isWhole = true;
    for (;;) {
      const byte = bytes[at];
      if (byte === undefined || byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || byte <= 0x20) break;
      if (byte === 0x2e || byte > 0x39) isWhole = false;
      at++;
      if (at - start > BODY_BOUNDS.nameBytes) break;
    }
    if (at === start || at - start > BODY_BOUNDS.nameBytes) {
      this.broken();
      return;
    }
    if (first <= 0x39 && at - start > 1) this.number(start, at, isWhole);
    this.at = at;
    this.ended(start);
  }

  private number(start: number, end: number, isWhole: boolean): void {
    if (this.depth > KEPT_DEPTH && !this.mayChange && !(isWhole && this.isExact(start, end))) {
      const text = Buffer.prototype.latin1Slice.call(this.bytes, start, end);
      this.mayChange = JSON.stringify(Number(text)) !== text;
    }
    if (isWhole ? end - start <= EXACT_DIGITS : end - start <= FINITE_CHARACTERS && !this.hasExponent(start, end))
      return;
    const text = Buffer.prototype.latin1Slice.call(this.bytes, start, end);
    const value = Number(text);
    if (value === Infinity || value === -Infinity) {
      const message = `must be a number that fits a double; got ${text.slice(0, 40)}`;
      this.fail(this.about(message, 'Send a number below 1e308, or the number as a string.'));
    } else if (isWhole && !Number.isSafeInteger(value) && this.inexact.length < MOST_INEXACT) {
      if (BigInt(text) === BigInt(value)) return;
      const path = this.path();
      this.inexact.push(path);
      if (this.depth <= KEPT_DEPTH) this.lost.push(path);
    }
  }

  /** Returns whether an integer is certainly exact; a negative zero is short, yet serialized as `0`. */
  private isExact(start: number, end: number): boolean {
    if (end - start === 2 && this.bytes[start + 1] === ZERO) return false;
    return end - start <= EXACT_DIGITS;
  }

  private hasExponent(start: number, end: number): boolean {
    for (let at = start; at < end; at++) if (((this.bytes[at] ?? 0) | 0x20) === 0x65) return true;
    return false;
  }

  private name(byte: number): void {
    const { bytes, at: start } = this;
    if (byte !== QUOTE) {
      this.broken();
      return;
    }
    let hash = 0;
    let marks = 0;
    let at = start + 1;
    const limit = start + BODY_BOUNDS.nameBytes;
    for (;;) {
      const letter = bytes[at];
      if (letter === QUOTE) break;
      if (letter === undefined || at > limit) {
        if (letter === undefined) this.broken();
        else this.fail(tooMuch(BODY_BOUNDS.nameBytes, 'bytes in a field name'));
        return;
      }
      marks |= MARKS[letter] ?? 0;
      hash = hashOn(hash, letter);
      at += letter === BACKSLASH ? 2 : 1;
    }
    if (this.table !== null && (marks !== 0 || this.table.looksAtAll)) {
      this.spellings |= (marks & ~ODD) === 0 ? this.table.look(bytes, start + 1, at, hash) : DOUBTFUL;
    }
    if (bytes[++at] === COLON) {
      this.at = at + 1;
      this.next = VALUE;
    } else {
      this.at = at;
      this.next = COLON_NEXT;
    }
    this.levels.latestName[this.depth] = start;
    if (this.depth > KEPT_DEPTH && !this.mayChange) {
      const digit = (bytes[start + 1] ?? 0) - ZERO;
      this.mayChange = digit >= 0 && digit <= 9;
    }
    if (marks !== 0) {
      this.hasOddNames = true;
      if ((marks & ESCAPE) !== 0) {
        this.escapedName(start);
        return;
      }
    }
    this.note(start, hash);
  }

  private escapedName(start: number): void {
    const text = this.nameAt(start);
    if (text === null) {
      this.broken();
      return;
    }
    if (!text.includes('\0') && text.isWellFormed()) {
      this.note(start, hashOf(text));
      return;
    }
    const what = text.includes('\0') ? 'the character U+0000' : 'half of a surrogate pair';
    this.fail(this.about(`has ${what} in its name, which other parsers read differently`, 'Leave out the field.'));
  }

  /** Records a name, and whether its object already has it. */
  private note(start: number, hash: number): void {
    const { levels, depth } = this;
    if (hash === PROTO_HASH && this.nameAt(start) === '__proto__') {
      this.fail(this.about('is not a field name in any format', 'Leave out the field.'));
      return;
    }
    const count = levels.count[depth] ?? 0;
    if (count >= FEW) {
      this.noteAmongMany(start, count);
      return;
    }
    const base = depth * FEW;
    for (let index = base; index < base + count; index++) {
      if (levels.hashes[index] === hash && this.nameAt(levels.nameStarts[index] ?? 0) === this.nameAt(start)) {
        this.duplicate();
        return;
      }
    }
    levels.hashes[base + count] = hash;
    levels.nameStarts[base + count] = start;
    levels.count[depth] = count + 1;
  }

  private noteAmongMany(start: number, count: number): void {
    const { levels, depth } = this;
    if (count === BODY_BOUNDS.members) {
      this.fail(tooMuch(BODY_BOUNDS.members, 'fields in one object'));
      return;
    }
    let names = levels.names[depth];
    if (names === undefined) {
      names = new Set();
      for (let index = depth * FEW; index < (depth + 1) * FEW; index++) {
        names.add(this.nameAt(levels.nameStarts[index] ?? 0) ?? '');
      }
      levels.names[depth] = names;
    }
    const text = this.nameAt(start);
    if (text === null) this.broken();
    else if (names.has(text)) this.duplicate();
    else {
      names.add(text);
      levels.count[depth] = count + 1;
    }
  }

  private duplicate(): void {
    this.duplicates.push(this.keys());
    if (this.duplicates.length > BODY_BOUNDS.duplicates) {
      this.fail(tooMuch(BODY_BOUNDS.duplicates, 'duplicate names in objects'));
    }
  }

  /** Returns `null` if there is no valid JSON string. */
  private nameAt(start: number): string | null {
    const end = endOfString(this.bytes, null, start + 1, this.bytes.length);
    try {
      return end < 0 ? null : String(parseSpan(this.bytes, start, end));
    } catch {
      return null;
    }
  }

  private path(): string {
    const text = formatPath(this.keys());
    return text.length <= LONGEST_SHOWN_PATH ? text : `${text.slice(0, LONGEST_SHOWN_PATH)}…`;
  }

  /** Returns the path to the member or item that is being read. */
  private keys(): PropertyKey[] {
    const { levels } = this;
    const path: PropertyKey[] = [];
    for (let level = 1; level <= this.depth; level++) {
      if (levels.isObject[level] === 1) path.push(this.nameAt(levels.latestName[level] ?? 0) ?? '');
      else path.push((levels.count[level] ?? 1) - 1);
    }
    return path;
  }

  private about(said: string, hint: string): Failure {
    const param = this.path();
    if (param === '') return new Failure('invalid_value', { message: `The request body ${said}`, hint });
    return new Failure('invalid_value', { message: `${param} ${said}`, param, hint });
  }

  private fail(failure: Failure): void {
    this.failure ??= failure;
    this.isDone = true;
  }

  private broken(): void {
    this.isBroken = true;
    this.isDone = true;
  }
}

function tooMuch(bound: number, what: string): Failure {
  return new Failure('payload_too_large', {
    message: `The request body has more than ${bound.toLocaleString('en-US')} ${what}, the limit.`,
    hint: 'Send large data as one string, or shorten the conversation.',
  });
}

/** A body after reading: its bytes without a byte order mark, and their value. */
export interface ReadBody {
  readonly bytes: Uint8Array;
  readonly value: unknown;
  readonly scan: BodyScan;
}

/** A request's bytes or, for a large request, the result of `readLargeBody`. */
export type BodySource = Uint8Array | ReadBody;
