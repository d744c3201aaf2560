import { BROKEN, endOfString, wordsOf } from './json-string-end.ts';

export interface JsonBounds {
  /** The most values that the text may have; a list or an object counts as well as its contents. */
  readonly mostValues: number;
  /** The most brackets that may be open at once. */
  readonly deepest: number;
}

/** The bound that a JSON text exceeds. */
export type JsonExcess = 'values' | 'depth';

/**
 * Checks whether a JSON text has too many values or nests too deeply, without parsing it: 4 MiB of small values keep the parser
 * busy for up to half a second, during which no other request is served. Does not check that the text is valid JSON.
 */
export function jsonExcess(bytes: Uint8Array, bounds: JsonBounds): JsonExcess | null {
  return scan(bytes, bounds).excess;
}

export interface CutJson {
  readonly bytes: Uint8Array;
  readonly isCut: boolean;
}

/**
 * Shortens a list that has too many values, or whose end is missing, to the whole items within the bounds. The list is the text
 * itself, or a member of its object. Anything that cannot be shortened becomes empty.
 */
export function cutJson(bytes: Uint8Array, bounds: JsonBounds): CutJson {
  const { excess, open, item } = scan(bytes, bounds);
  if (excess === null && open.length === 0) return { bytes, isCut: false };
  if (item === null) return { bytes: new Uint8Array(0), isCut: true };
  return {
    bytes: Buffer.concat([bytes.subarray(0, item.endsAt), Uint8Array.from(item.open.toReversed())]),
    isCut: true,
  };
}

interface Scan {
  readonly excess: JsonExcess | null;
  /** The missing closing brackets where the scan ended, outermost first. */
  readonly open: readonly number[];
  /** The end of a list's last whole item, and the brackets that are open there. */
  readonly item: { readonly endsAt: number; readonly open: readonly number[] } | null;
}

const [QUOTE, COMMA] = [0x22, 0x2c];
const CLOSING: Readonly<Record<number, number>> = { 91: 0x5d, 123: 0x7d };
const [END_OF_LIST, END_OF_OBJECT] = [0x5d, 0x7d];
/** The greatest depth at which a list can be shortened. */
const DEEPEST_LIST = 2;

function scan(bytes: Uint8Array, { mostValues, deepest }: JsonBounds): Scan {
  const words = wordsOf(bytes);
  const open: number[] = [];
  let item: Scan['item'] = null;
  let values = 1;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) {
      const end = endOfString(bytes, words, at + 1, bytes.length);
      if (end === BROKEN) break;
      at = end - 1;
    } else if (byte === COMMA) {
      if (open.length <= DEEPEST_LIST && open.at(-1) === END_OF_LIST) item = { endsAt: at, open: [...open] };
      if (++values > mostValues) return { excess: 'values', open, item };
    } else if (byte === END_OF_LIST || byte === END_OF_OBJECT) open.pop();
    else if (CLOSING[byte] !== undefined) {
      open.push(CLOSING[byte]);
      if (open.length > deepest) return { excess: 'depth', open, item };
      if (++values > mostValues) return { excess: 'values', open, item };
    }
  }
  return { excess: null, open, item };
}
