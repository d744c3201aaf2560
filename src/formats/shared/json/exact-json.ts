import { parseJson } from './json-text.ts';
import { isRecord, setMember } from './record.ts';

/*
 * JSON that is merely carried, such as a tool's arguments or its schema, keeps its text. A JavaScript value cannot represent all
 * of it: integers above 2^53 lose digits, `1.0` becomes `1`, and members with names like "10" and "2" change places. If a text
 * has any of these, its objects get twins that `JSON.stringify` writes in the original form. All other texts cost one regular
 * expression test.
 */

/**
 * Matches member names that look like indexes, and numbers that are long, have a fraction or an exponent, or are a negative zero.
 */
const MAY_CHANGE = /"(?:0|[1-9]\d{0,9})"\s*:|[:,[\s](?:-0|-?\d+[.eE]|-?\d{16})/;
const INDEX = /^(?:0|[1-9]\d{0,9})$/;
const SCALAR = /[^\s,\]}]+/y;
const SPACE = /\s*/y;

const twins = new WeakMap<object, object>();

const utf8 = new TextDecoder();

/**
 * Parses an answer that may contain tool calls. Only texts in which `calls` finds one are examined; objects in them whose text
 * would change get a twin.
 */
export function parseAnswerJson(text: string, calls: RegExp): unknown {
  const value = parseJson(text);
  if (value !== undefined && calls.test(text) && MAY_CHANGE.test(text)) keepText(value, text);
  return value;
}

export function parseAnswerBytes(bytes: Uint8Array, calls: RegExp): unknown {
  return parseAnswerJson(utf8.decode(bytes), calls);
}

/** Gives twins to the objects of a value that was parsed from this text. */
export function keepText(value: unknown, text: string): void {
  pair(value, new ExactReader(text).value());
}

/** Returns the value in the form that serializes to its original text. */
export function exactOf<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  // A twin has the shape of its value.
  return (twins.get(value) as Value | undefined) ?? value;
}

/** Returns the JSON text of a value, with its original digits and member order. */
export function jsonOf(value: unknown): string {
  return JSON.stringify(exactOf(value));
}

/** Returns the JavaScript number for a number that keeps its text, and any other value as it is. */
export function numberOfExact(value: unknown): unknown {
  return typeof value === 'object' && value !== null && JSON.isRawJSON(value) ? Number(value.rawJSON) : value;
}

/** Returns the object in a text, in the form that serializes to that text; `null` for any other text. */
export function exactObject(text: string): Readonly<Record<string, unknown>> | null {
  const value = parseJson(text);
  if (!isRecord(value)) return null;
  if (!MAY_CHANGE.test(text)) return value;
  const exact = new ExactReader(text).value();
  return isRecord(exact) ? exact : null;
}

/** Returns an object with these members in this order, whatever their names. */
export function objectInOrder(members: readonly (readonly [string, unknown])[]): Readonly<Record<string, unknown>> {
  const object: Record<string, unknown> = {};
  let hasIndex = false;
  for (const [name, value] of members) {
    hasIndex ||= INDEX.test(name);
    setMember(object, name, value);
  }
  return hasIndex ? inOrder(object, [...new Set(members.map(([name]) => name))]) : object;
}

/**
 * Returns the object with its members in this order. JavaScript lists members that look like indexes first, so a proxy supplies
 * the order.
 */
function inOrder(object: Record<string, unknown>, names: readonly string[]): Readonly<Record<string, unknown>> {
  const natural = Object.keys(object);
  if (names.every((name, index) => name === natural[index])) return object;
  return new Proxy(object, { ownKeys: () => [...names] });
}

/** Returns whether a value and its exact form differ. */
function pair(value: unknown, exact: unknown): boolean {
  if (typeof value !== 'object' || value === null || typeof exact !== 'object' || exact === null)
    return value !== exact;
  let differs = false;
  const names = Object.keys(exact);
  if (!Array.isArray(value)) {
    const natural = Object.keys(value);
    differs = names.some((name, index) => name !== natural[index]);
  }
  for (const name of names) if (pair(Reflect.get(value, name), Reflect.get(exact, name))) differs = true;
  if (differs) twins.set(value, exact);
  return differs;
}

/** Trusts its text, which has been parsed before. */
class ExactReader {
  private at = 0;

  constructor(private readonly text: string) {}

  value(): unknown {
    this.skip();
    const first = this.text[this.at];
    if (first === '{') return this.object();
    if (first === '[') return this.array();
    if (first === '"') return this.string();
    SCALAR.lastIndex = this.at;
    const word = SCALAR.exec(this.text)?.[0] ?? '';
    this.at += word.length;
    return scalarOf(word);
  }

  private object(): Readonly<Record<string, unknown>> {
    const members: [string, unknown][] = [];
    this.at++;
    while (this.skip() !== '}') {
      if (this.text[this.at] === ',') this.at++;
      this.skip();
      const name = this.string();
      this.skip();
      this.at++;
      members.push([name, this.value()]);
    }
    this.at++;
    return objectInOrder(members);
  }

  private array(): readonly unknown[] {
    const items: unknown[] = [];
    this.at++;
    while (this.skip() !== ']') {
      if (this.text[this.at] === ',') this.at++;
      items.push(this.value());
    }
    this.at++;
    return items;
  }

  private string(): string {
    const start = this.at;
    let end = this.text.indexOf('"', start + 1);
    while (this.isEscaped(end, start)) end = this.text.indexOf('"', end + 1);
    this.at = end + 1;
    const inner = this.text.slice(start + 1, end);
    return inner.includes('\\') ? String(JSON.parse(`"${inner}"`)) : inner;
  }

  private isEscaped(end: number, start: number): boolean {
    let first = end;
    while (first - 1 > start && this.text[first - 1] === '\\') first--;
    return (end - first) % 2 === 1;
  }

  /** Skips white space and returns the character after it. */
  private skip(): string | undefined {
    SPACE.lastIndex = this.at;
    SPACE.test(this.text);
    this.at = SPACE.lastIndex;
    return this.text[this.at];
  }
}

function scalarOf(word: string): unknown {
  if (word === 'true') return true;
  if (word === 'false') return false;
  if (word === 'null') return null;
  const number = Number(word);
  return JSON.stringify(number) === word ? number : JSON.rawJSON(word);
}
