import { type MemberSpan, type ObjectSpan, parseSpan, skipValue, skipWhitespace } from '../../shared/json/json-scan.ts';
import { Turns } from '../../shared/json/large-json.ts';
import { isRecord, setMember } from '../../shared/json/record.ts';

/** One item of the answer's list, and its position in the bytes. */
export interface ReadItem {
  readonly value: Readonly<Record<string, unknown>>;
  readonly start: number;
  readonly end: number;
}

export interface ReadMembers {
  /** The answer object with all of its members, in their order. */
  readonly object: ObjectSpan;
  /** The values of the members, except the list. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The items; `null` if the member is not a list of objects. */
  readonly items: readonly ReadItem[] | null;
}

const QUOTE = 0x22;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/**
 * Reads an answer item by item: two thousand vectors may be a hundred megabytes, and other requests must not wait until all of it
 * is read. Returns `null` if the body is not a JSON object, or has a repeated member. `list` is the name of the member that holds
 * the vectors.
 */
export async function readMembers(bytes: Uint8Array, list = 'data'): Promise<ReadMembers | null> {
  try {
    return await new Reader(bytes, list).read();
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

class Reader {
  private readonly turns = new Turns();
  private readonly members: MemberSpan[] = [];
  private readonly values: Record<string, unknown> = {};
  private items: ReadItem[] | null = null;

  constructor(
    private readonly bytes: Uint8Array,
    private readonly listName: string,
  ) {}

  async read(): Promise<ReadMembers | null> {
    const { bytes, members, values } = this;
    const start = skipWhitespace(bytes, 0);
    if (bytes[start] !== OPEN_BRACE) return null;
    let at = skipWhitespace(bytes, start + 1);
    if (bytes[at] !== CLOSE_BRACE) {
      for (;;) {
        const end = await this.member(at);
        if (end < 0) return null;
        at = skipWhitespace(bytes, end);
        if (bytes[at] === CLOSE_BRACE) break;
        if (bytes[at] !== COMMA) return null;
        at = skipWhitespace(bytes, at + 1);
      }
    }
    const end = at + 1;
    if (skipWhitespace(bytes, end) !== bytes.length) return null;
    return { object: { start, end, empty: members.length === 0, members }, values, items: this.items };
  }

  /** Returns the offset just after the member; -1 if none exists, or if it repeats an earlier one. */
  private async member(keyStart: number): Promise<number> {
    const { bytes, members } = this;
    const keyEnd = bytes[keyStart] === QUOTE ? skipValue(bytes, keyStart) : -1;
    if (keyEnd < 0) return -1;
    const name = String(parseSpan(bytes, keyStart, keyEnd));
    const colon = skipWhitespace(bytes, keyEnd);
    if (bytes[colon] !== COLON || members.some((member) => member.name === name)) return -1;
    const valueStart = skipWhitespace(bytes, colon + 1);
    const isList = name === this.listName && bytes[valueStart] === OPEN_BRACKET;
    const valueEnd = isList ? await this.list(valueStart) : skipValue(bytes, valueStart);
    if (valueEnd < 0) return -1;
    if (!isList) setMember(this.values, name, parseSpan(bytes, valueStart, valueEnd));
    members.push({ name, keyStart, valueStart, valueEnd });
    return valueEnd;
  }

  private async list(start: number): Promise<number> {
    const { bytes, turns } = this;
    const items: ReadItem[] = [];
    this.items = items;
    let at = skipWhitespace(bytes, start + 1);
    if (bytes[at] === CLOSE_BRACKET) return at + 1;
    for (;;) {
      const end = skipValue(bytes, at);
      const value = end < 0 ? null : parseSpan(bytes, at, end);
      if (!isRecord(value)) return -1;
      items.push({ value, start: at, end });
      at = skipWhitespace(bytes, end);
      if (bytes[at] === CLOSE_BRACKET) return at + 1;
      if (bytes[at] !== COMMA) return -1;
      at = skipWhitespace(bytes, at + 1);
      if (turns.isOver) await turns.next();
    }
  }
}
