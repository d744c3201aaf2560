/**
 * Finds members of a JSON object in its bytes without building values, so that one value can be replaced and all other bytes
 * kept. The scan trusts text that has been parsed before; on anything else it returns `null`.
 */

/** A member's place as offsets into the scanned bytes; ends are exclusive. */
export interface MemberSpan {
  readonly name: string;
  readonly keyStart: number;
  readonly valueStart: number;
  readonly valueEnd: number;
}

export interface ObjectSpan {
  /** Offset of the opening brace. */
  readonly start: number;
  /** Offset just after the closing brace. */
  readonly end: number;
  readonly empty: boolean;
  /** The wanted members in document order; a repeated name appears repeatedly. */
  readonly members: readonly MemberSpan[];
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;

/** Below this many bytes a plain loop is faster than a native search for the closing quote. */
const SHORT_STRING = 48;

const utf8 = new TextDecoder();

/** The member names that a scan looks for, as bytes, so that no key has to be turned into a string to be compared. */
export class MemberNames {
  private readonly names: readonly { readonly name: string; readonly bytes: Uint8Array }[];

  constructor(...names: readonly string[]) {
    this.names = names.map((name) => ({ name, bytes: new TextEncoder().encode(name) }));
  }

  /** Returns the wanted name that the key in `[keyStart, keyEnd)`, quotes included, spells; `null` for any other key. */
  find(bytes: Uint8Array, keyStart: number, keyEnd: number): string | null {
    const length = keyEnd - keyStart - 2;
    for (const candidate of this.names) {
      if (candidate.bytes.length === length && equalAt(bytes, keyStart + 1, candidate.bytes)) return candidate.name;
    }
    return hasBackslash(bytes, keyStart, keyEnd) ? this.findEscaped(bytes, keyStart, keyEnd) : null;
  }

  private findEscaped(bytes: Uint8Array, keyStart: number, keyEnd: number): string | null {
    try {
      const key = parseSpan(bytes, keyStart, keyEnd);
      return this.names.find(({ name }) => name === key)?.name ?? null;
    } catch {
      return null;
    }
  }
}

/** Returns whether `bytes` has `expected` at offset `at`. */
export function equalAt(bytes: Uint8Array, at: number, expected: Uint8Array): boolean {
  for (let index = 0; index < expected.length; index++) {
    if (bytes[at + index] !== expected[index]) return false;
  }
  return true;
}

function hasBackslash(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    if (bytes[at] === BACKSLASH) return true;
  }
  return false;
}

/** Scans the object that starts at `from`, after white space; `null` if there is no complete object. */
export function scanObject(bytes: Uint8Array, from: number, wanted: MemberNames): ObjectSpan | null {
  const start = skipWhitespace(bytes, from);
  if (bytes[start] !== OPEN_BRACE) return null;
  const members: MemberSpan[] = [];
  let at = skipWhitespace(bytes, start + 1);
  if (bytes[at] === CLOSE_BRACE) return { start, end: at + 1, empty: true, members };
  while (bytes[at] === QUOTE) {
    const keyStart = at;
    const keyEnd = skipString(bytes, at);
    if (keyEnd < 0) return null;
    at = skipWhitespace(bytes, keyEnd);
    if (bytes[at] !== COLON) return null;
    const valueStart = skipWhitespace(bytes, at + 1);
    const valueEnd = skipValue(bytes, valueStart);
    if (valueEnd < 0) return null;
    const name = wanted.find(bytes, keyStart, keyEnd);
    if (name !== null) members.push({ name, keyStart, valueStart, valueEnd });
    at = skipWhitespace(bytes, valueEnd);
    if (bytes[at] === CLOSE_BRACE) return { start, end: at + 1, empty: false, members };
    if (bytes[at] !== COMMA) return null;
    at = skipWhitespace(bytes, at + 1);
  }
  return null;
}

/** Returns whether the value at `start` is the literal `null`. */
export function isNullAt(bytes: Uint8Array, start: number): boolean {
  return bytes[start] === 0x6e;
}

export function parseSpan(bytes: Uint8Array, start: number, end: number, decoder = utf8): unknown {
  return JSON.parse(decoder.decode(bytes.subarray(start, end)));
}

export function skipWhitespace(bytes: Uint8Array, from: number): number {
  let at = from;
  for (;;) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
    at++;
  }
}

/** Skips a string whose opening quote is at `start`; returns the offset after the closing quote, or -1. */
function skipString(bytes: Uint8Array, start: number): number {
  const nearEnd = Math.min(bytes.length, start + SHORT_STRING);
  let at = start + 1;
  while (at < nearEnd) {
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    at += byte === BACKSLASH ? 2 : 1;
  }
  for (;;) {
    const quote = bytes.indexOf(QUOTE, at);
    if (quote < 0) return -1;
    let backslashes = 0;
    while (quote - backslashes - 1 >= at && bytes[quote - backslashes - 1] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

/** Skips the value that begins at `start`; returns the offset after it, or -1. */
export function skipValue(bytes: Uint8Array, start: number): number {
  const first = bytes[start];
  if (first === QUOTE) return skipString(bytes, start);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return skipNested(bytes, start);
  let at = start;
  for (;;) {
    const byte = bytes[at];
    if (byte === undefined || byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || byte <= 0x20) {
      return at > start ? at : -1;
    }
    at++;
  }
}

function skipNested(bytes: Uint8Array, start: number): number {
  let depth = 0;
  let at = start;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = skipString(bytes, at);
      if (at < 0) return -1;
      continue;
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth--;
      if (depth === 0) return at + 1;
    }
    at++;
  }
  return -1;
}

export function isList(bytes: Uint8Array, { valueStart }: MemberSpan): boolean {
  return bytes[valueStart] === OPEN_BRACKET;
}

/** Returns whether a list is empty. */
export function isEmptyList(bytes: Uint8Array, { valueStart }: MemberSpan): boolean {
  return bytes[skipWhitespace(bytes, valueStart + 1)] === CLOSE_BRACKET;
}

/** Returns the offsets at which a list's items begin. */
export function itemStarts(bytes: Uint8Array, { valueStart }: MemberSpan): readonly number[] {
  const starts: number[] = [];
  let at = skipWhitespace(bytes, valueStart + 1);
  while (bytes[at] !== CLOSE_BRACKET) {
    starts.push(at);
    const end = skipValue(bytes, at);
    if (end < 0) return starts;
    at = skipWhitespace(bytes, end);
    if (bytes[at] !== COMMA) return starts;
    at = skipWhitespace(bytes, at + 1);
  }
  return starts;
}
