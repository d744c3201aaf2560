import { isRecord } from './record.ts';

const utf8 = new TextDecoder();

/**
 * No real schema, conversation or tool argument nests deeper, and anything that does may overflow the stack of the code that
 * walks it: `JSON.parse` takes any depth, `JSON.stringify` does not.
 */
const MAX_DEPTH = 500;

/** Returns the value; `undefined`, which no JSON text produces, if the text is not JSON or nests too deeply. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isTooDeep(value, text.length) ? undefined : value;
  } catch {
    return undefined;
  }
}

/**
 * Returns whether a value nests too deeply. `length` is that of its JSON text, in which each level takes two characters or bytes.
 */
export function isTooDeep(value: unknown, length: number): boolean {
  return length > 2 * MAX_DEPTH && isDeeperThan(value, MAX_DEPTH);
}

/** Returns whether a value has more than this many levels of lists and objects, each within the other. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeperThan(item, levels - 1));
  for (const key in value) if (isDeeperThan(Reflect.get(value, key), levels - 1)) return true;
  return false;
}

export function parseJsonBytes(bytes: Uint8Array): unknown {
  return parseJson(utf8.decode(bytes));
}

/** Returns the object in the text; `null` for any other value and for invalid JSON. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  const value = parseJson(text);
  return isRecord(value) ? value : null;
}
