import { isRecord } from '../../shared/json/record.ts';

/** The only parameter of a function that stands for a freeform tool. */
export const INPUT = 'input';

/** Returns the arguments of a function call that stand for a freeform tool's text. */
export function argumentsOfInput(input: string): string {
  return JSON.stringify({ [INPUT]: input });
}

/** Returns the text in a call's complete arguments, as a FreeformReader does. */
export function inputOfArguments(text: string): string {
  const reader = new FreeformReader();
  return reader.push(text) + reader.end();
}

const OPENING = /^\s*\{\s*"input"\s*:\s*"/;
/** Longer arguments without the expected opening are something else. */
const LONGEST_OPENING = 64;

/**
 * Extracts a freeform tool's text from the JSON arguments `{"input": "…"}` of the function that stands for it, incrementally.
 * Models that were trained on such a tool may send its bare text, or choose another parameter name; such text is understood only
 * at its end.
 */
export class FreeformReader {
  private state: 'opening' | 'inside' | 'closed' | 'other' = 'opening';
  /** Input that has been received but not read. */
  private unread = '';
  /** The first half of a surrogate pair that the next piece completes. */
  private half = '';

  /** Takes the next piece of the arguments; returns the next piece of the text, possibly none. */
  push(piece: string): string {
    if (this.state === 'closed') return '';
    this.unread += piece;
    if (this.state === 'opening') this.open();
    return this.state === 'inside' ? this.read() : '';
  }

  /** Ends the input; returns the rest of the text. */
  end(): string {
    const { state, unread, half } = this;
    this.state = 'closed';
    if (state === 'closed') return '';
    return state === 'inside' ? half : otherInput(unread);
  }

  private open(): void {
    const [opening] = OPENING.exec(this.unread) ?? [];
    if (opening !== undefined) {
      this.state = 'inside';
      this.unread = this.unread.slice(opening.length);
    } else if (this.unread.length > LONGEST_OPENING) this.state = 'other';
  }

  private read(): string {
    const { unread } = this;
    let text = this.half;
    let at = 0;
    while (at < unread.length) {
      const char = unread[at];
      if (char === '"') {
        this.state = 'closed';
        break;
      }
      const end = char === '\\' ? at + (unread[at + 1] === 'u' ? 6 : 2) : endOfPlain(unread, at);
      if (end > unread.length) break;
      const piece = unread.slice(at, end);
      text += char === '\\' ? unescaped(piece) : piece;
      at = end;
    }
    this.unread = unread.slice(at);
    const isHalf = this.state === 'inside' && isHighSurrogate(text.charCodeAt(text.length - 1));
    this.half = isHalf ? text.slice(-1) : '';
    return isHalf ? text.slice(0, -1) : text;
  }
}

function endOfPlain(text: string, start: number): number {
  let end = start;
  while (end < text.length && text[end] !== '"' && text[end] !== '\\') end += 1;
  return end;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\\"': '"',
  '\\\\': '\\',
  '\\/': '/',
  '\\b': '\b',
  '\\f': '\f',
  '\\n': '\n',
  '\\r': '\r',
  '\\t': '\t',
};

/** Decodes an escape; one that JSON does not define is taken literally. */
function unescaped(written: string): string {
  const digits = /^\\u([0-9a-fA-F]{4})$/.exec(written)?.[1];
  return digits === undefined ? (ESCAPES[written] ?? written) : String.fromCharCode(Number.parseInt(digits, 16));
}

/** Returns the text in arguments without the expected opening: their only text, or else all of it. */
function otherInput(text: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  if (typeof value === 'string') return value;
  if (!isRecord(value)) return text;
  if (typeof value[INPUT] === 'string') return value[INPUT];
  const members = Object.values(value);
  const [only = ''] = members;
  return members.length <= 1 && typeof only === 'string' ? only : text;
}
