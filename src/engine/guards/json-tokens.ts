/** A string or number of a JSON text, in the order of the document. */
export interface JsonToken {
  /** Offsets into the JSON text; of a string, its quotes are included. */
  readonly start: number;
  readonly end: number;
  /** The decoded string, or the digits of a number. */
  readonly text: string;
  readonly kind: 'key' | 'string' | 'number';
  /** The name of the nearest member that holds it; empty at the top. */
  readonly member: string;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const MINUS = 0x2d;

/**
 * Yields the strings and the long numbers of a JSON text. Throws a `SyntaxError` if a string is malformed; anything else that is malformed is not
 * noticed, so the text has to be parsed somewhere.
 */
export function* jsonTokens(json: string): Generator<JsonToken> {
  let at = 0;
  let member = '';
  while (at < json.length) {
    const unit = json.charCodeAt(at);
    if (unit === QUOTE) {
      const end = stringEnd(json, at);
      const text = decoded(json, at, end);
      const isKey = isFollowedByColon(json, end);
      if (isKey) member = text;
      yield { start: at, end, text, kind: isKey ? 'key' : 'string', member };
      at = end;
    } else if (unit === MINUS || (unit >= 0x30 && unit <= 0x39)) {
      const end = numberEnd(json, at);
      if (end - at >= LONG_NUMBER) yield { start: at, end, text: json.slice(at, end), kind: 'number', member };
      at = end;
    } else at++;
  }
}

/** Shorter numbers are no numbers of cards or accounts. */
const LONG_NUMBER = 9;

function stringEnd(json: string, start: number): number {
  let quote = json.indexOf('"', start + 1);
  while (quote >= 0) {
    let backslashes = 0;
    while (json.charCodeAt(quote - backslashes - 1) === BACKSLASH && quote - backslashes - 1 > start) backslashes++;
    if (backslashes % 2 === 0) return quote + 1;
    quote = json.indexOf('"', quote + 1);
  }
  throw new SyntaxError('a string has no end');
}

function decoded(json: string, start: number, end: number): string {
  const plain = json.slice(start + 1, end - 1);
  return plain.includes('\\') ? (JSON.parse(json.slice(start, end)) as string) : plain;
}

function isFollowedByColon(json: string, from: number): boolean {
  let at = from;
  while (json.charCodeAt(at) <= 0x20) at++;
  return json.charCodeAt(at) === COLON;
}

function numberEnd(json: string, from: number): number {
  let at = from + 1;
  while (at < json.length && /[\d.eE+-]/.test(json.charAt(at))) at++;
  return at;
}

/** Replaces parts of a text, which are in order and do not overlap. */
export class TextEdits {
  private edited = '';
  private from = 0;

  constructor(private readonly original: string) {}

  replace({ start, end }: Pick<JsonToken, 'start' | 'end'>, by: string): void {
    this.edited += this.original.slice(this.from, start) + by;
    this.from = end;
  }

  /** The text with its replacements; the same one if there are none. */
  get text(): string {
    return this.from === 0 ? this.original : this.edited + this.original.slice(this.from);
  }
}

/** Returns whether a text is a JSON object or list, such as the arguments of a tool. */
export function isNestedJson(text: string): boolean {
  const first = text.trimStart().charCodeAt(0);
  if (first !== 0x7b && first !== 0x5b) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
