import { isRecord } from './record.ts';

const utf8 = new TextDecoder();

/** `undefined`, which no JSON text means, where the text is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function parseJsonBytes(bytes: Uint8Array): unknown {
  return parseJson(utf8.decode(bytes));
}

/** The object that the text holds; `null` for any other value and for what is no JSON. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  const value = parseJson(text);
  return isRecord(value) ? value : null;
}
