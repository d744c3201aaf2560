import { isRecord } from './record.ts';

const utf8 = new TextDecoder();

/**
 * No schema, no conversation and no tool's arguments nest deeper, and what does may end the stack of whoever walks through it:
 * `JSON.parse` takes any depth, `JSON.stringify` does not.
 */
const MAX_DEPTH = 500;

/** `undefined`, which no JSON text means, where the text is no JSON, or nests deeper than anything does. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isTooDeep(value, text.length) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Whether a value nests too deep; `length` is that of its JSON text, of which each level takes two characters or bytes. */
export function isTooDeep(value: unknown, length: number): boolean {
  return length > 2 * MAX_DEPTH && isDeeperThan(value, MAX_DEPTH);
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeperThan(item, levels - 1));
  for (const key in value) if (isDeeperThan(Reflect.get(value, key), levels - 1)) return true;
  return false;
}

export function parseJsonBytes(bytes: Uint8Array): unknown {
  return parseJson(utf8.decode(bytes));
}

/** The object that the text holds; `null` for any other value and for what is no JSON. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  const value = parseJson(text);
  return isRecord(value) ? value : null;
}
