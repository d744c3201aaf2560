import { parseJson } from '../../shared/json.ts';

/** Deeper captures are shown as text only. */
const MOST_LEVELS = 500;

/** Parses JSON that may end anywhere, as far as it goes. Returns `undefined` if it is not JSON. */
export function parsePrefix(text: string): unknown {
  return parseJson(text) ?? parseJson(closed(text) ?? '');
}

/** Returns the beginning of a text up to its last complete value or the end of a truncated string, with everything closed. */
function closed(text: string): string | null {
  const open: ('}' | ']')[] = [];
  let isKey = false;
  /** The text up to here can be closed. */
  let end = 0;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (letter === '"') {
      const { last, isEnded } = stringAt(text, at);
      if (!isEnded) return isKey ? text.slice(0, end) + closing(open) : `${text.slice(0, last)}"${closing(open)}`;
      at = last;
      if (!isKey) end = at + 1;
    } else if (letter === '{' || letter === '[') {
      open.push(letter === '{' ? '}' : ']');
      isKey = letter === '{';
      end = at + 1;
      if (open.length > MOST_LEVELS) return null;
    } else if (letter === '}' || letter === ']') {
      if (open.pop() !== letter) return null;
      isKey = false;
      end = at + 1;
    } else if (letter === ',') {
      isKey = open.at(-1) === '}';
      end = at;
    } else if (letter === ':') isKey = false;
  }
  return text.slice(0, end) + closing(open);
}

function closing(open: readonly string[]): string {
  return open.toReversed().join('');
}

/** Returns the place of a string's closing quote, or where its last complete character ends. */
function stringAt(text: string, start: number): { readonly last: number; readonly isEnded: boolean } {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '"') return { last: at, isEnded: true };
    if (text[at] !== '\\') continue;
    const length = text[at + 1] === 'u' ? 6 : 2;
    if (at + length > text.length) return { last: at, isEnded: false };
    at += length - 1;
  }
  return { last: text.length, isEnded: false };
}
